"""Scores as they are shown: only the means, or every topic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from textwrap import wrap
from typing import Any

from foveal.choices import Form
from foveal.errors import shortened
from foveal.late import pl
from foveal.measures import record_of
from foveal.rendering._numbers import rounded, tenths, tenths_of_percent
from foveal.rendering._table import Table
from foveal.rendering.text import PARAGRAPH
from foveal.tables import QRELS_SHA256, Scores, columns

# A sentence beside long names keeps this many columns.
NARROWEST = 30
# With more measures than this a row has one measure, so that the table fits a screen.
MEASURES_SIDE_BY_SIDE = 10
LONGEST_TITLE = 40


@dataclass(frozen=True, eq=False)
class Sheet:
    """Scores, whether each topic is shown, and how wide the terminal is, if there is one."""

    scores: Scores
    per_topic: bool = False
    width: int | None = None

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Run, measure, topic and value; the means stand under the topic `all`.

        What is shown beside topics follows.
        """
        rows, shown = self.scores.long(per_topic=self.per_topic), list(self.beside.values())
        return ((*row, *(known.get(row[2]) for known in shown)) for row in rows) if shown else rows

    @cached_property
    def beside(self) -> dict[str, Mapping[str, str | int | None]]:
        """What is shown beside each topic, by the name of its column."""
        return self.scores.beside if self.per_topic else {}

    @property
    def columns(self) -> list[str]:
        """The names of what a row has."""
        return [*columns.SCORE_ROW, *self.beside]


def tables(sheet: Sheet, form: Form) -> list[Table]:
    """A row per run (and topic), or per measure when that fits better."""
    scores, measures = sheet.scores, sheet.scores.columns
    whole = [name not in scores.also and record_of(name).whole_number for name in measures]
    labels = [columns.RUN, columns.TOPIC, *sheet.beside] if sheet.per_topic else [columns.RUN]
    longest = LONGEST_TITLE if form is Form.TEXT else None
    body = []
    for run in scores.values:
        if sheet.per_topic:
            body += [
                [run.name, topic, *_beside(sheet, topic, longest), *_numbers(row, whole)]
                for topic, row in zip(run.topics, run.values.T.tolist(), strict=True)
            ]
        blank = [""] * len(sheet.beside)
        named = [run.name, columns.ALL_TOPICS, *blank] if sheet.per_topic else [run.name]
        body.append([*named, *_numbers(run.overall, whole)])
    names = [scores.plain.get(name, name) for name in measures]
    table = Table([*labels, *names], body, len(labels), scores.settings)
    room = sheet.width if form is Form.TEXT and sheet.width else math.inf
    too_wide = len(measures) > MEASURES_SIDE_BY_SIDE or _width(table) > room
    shown = _turned(table) if too_wide and not sheet.per_topic else table
    return [shown, *_legend(scores), *_facts(scores)]


def _beside(sheet: Sheet, topic: str, longest: int | None) -> list[str]:
    """What is shown beside a topic; long titles are cut where a line has to fit a screen."""
    known = (values[topic] for values in sheet.beside.values())
    texts = ["" if value is None else str(value) for value in known]
    return [shortened(text, longest) for text in texts] if longest else texts


def _legend(scores: Scores) -> Iterator[Table]:
    """What each measure tells, where it is called by a plain word."""
    if scores.plain:
        rows = [[scores.plain[name], name, record_of(name).sentence] for name in scores.measures]
        header = [columns.MEASURE, "foveal's name", "what it tells"]
        yield Table(header, rows, len(header), plain=_folded([header, *rows]))


def _folded(rows: Sequence[Sequence[str]]) -> str:
    """A legend for a terminal: two names and a sentence, which goes on below itself."""
    first, second = (max(len(row[place]) for row in rows) for place in (0, 1))
    lines = []
    for word, name, sentence in rows:
        label = f"{word:<{first}}   {name:<{second}}   "
        rest = wrap(sentence, max(PARAGRAPH - len(label), NARROWEST))
        lines += [label + rest[0], *(" " * len(label) + more for more in rest[1:])]
    return "\n".join([lines[0], "─" * PARAGRAPH, *lines[1:]]) + "\n"


def _facts(scores: Scores) -> Iterator[Table]:
    """How much text each run returns: longer chunks raise recall."""
    if scores.facts:
        header = [
            columns.RUN,
            "chunks a topic",
            "median characters",
            "characters read@5",
            "repeated",
        ]
        rows = [
            [
                run,
                tenths(facts.chunks),
                rounded(facts.median_characters, whole=True),
                rounded(facts.characters_at_5, whole=True),
                tenths_of_percent(facts.repeated),
            ]
            for run, facts in scores.facts.items()
        ]
        yield Table(header, rows, 1)


def rows(sheet: Sheet) -> pl.DataFrame:
    """A row per run, measure and topic; the means are under the topic `all`."""
    return sheet.scores.rows(per_topic=sheet.per_topic)


def document(sheet: Sheet) -> dict[str, Any]:
    """The scores as a JSON document."""
    scores = sheet.scores
    named = [dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows()]
    facts = [{columns.RUN: run, **asdict(own)} for run, own in scores.facts.items()]
    more = {"facts": facts} if facts else {}
    # So that a gate can tell later whether the same judgements were used.
    judged = {QRELS_SHA256: scores.qrels_sha256} if scores.qrels_sha256 else {}
    settings = {**scores.settings, **judged}
    return {"settings": settings, "rows": named, **more, "notes": scores.notes}


def _numbers(values: Sequence[float], whole: list[bool]) -> list[str]:
    """The numbers of a row; blank where a topic has no results to ride along."""
    return [
        "" if math.isnan(value) else rounded(value, whole=count)
        for value, count in zip(values, whole, strict=True)
    ]


def _width(table: Table) -> int:
    """The columns a terminal needs for the table."""
    cells = zip(table.header, *table.rows, strict=True)
    return sum(max(map(len, column)) + 3 for column in cells)


def _turned(table: Table) -> Table:
    """The table with a row per measure and a column per run."""
    names, *numbers = [list(cells) for cells in zip(*table.rows, strict=True)]
    rows = [[name, *cells] for name, cells in zip(table.header[1:], numbers, strict=True)]
    return Table([columns.MEASURE, *names], rows, 1, table.settings)
