"""Scores as they are shown: only the means, or every topic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import chain
from typing import Any

from foveal.choices import Form
from foveal.errors import shortened
from foveal.evaluation import QRELS_SHA256, Groups, ScoreRows, Scores
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import record_of
from foveal.rendering._numbers import rounded, tenths, tenths_of_percent
from foveal.rendering._table import Table
from foveal.rendering.plain_names import legend
from foveal.tables import columns

# With more measures than this a row has one measure, so that the table fits a screen.
MEASURES_SIDE_BY_SIDE = 10
LONGEST_TITLE = 40


@frozen(eq=False)
class ScoresTable:
    """Scores, whether each topic is shown, and how wide the terminal is, if there is one."""

    scores: Scores
    per_topic: bool = False
    width: int | None = None

    @cached_property
    def rows(self) -> ScoreRows:
        """The rows that are shown."""
        scores = self.scores
        return ScoreRows(scores.values, scores.columns, scores.topic_facts, self.per_topic)


def tables(sheet: ScoresTable, form: Form) -> list[Table]:
    """A row per run (and topic, and group), or per measure when that fits better."""
    scores, measures = sheet.scores, sheet.scores.columns
    groups, plain = scores.topic_facts.groups, scores.measure_names.plain
    whole = [name not in scores.extra_columns and record_of(name).whole_number for name in measures]
    longest = LONGEST_TITLE if form is Form.TEXT else None
    body = [
        [*names, *_beside(sheet, names, longest), *_numbers(values, whole)]
        for names, values in _named(sheet)
    ]
    labels = [columns.RUN, columns.TOPIC] if sheet.per_topic else [columns.RUN]
    if groups:
        labels += [columns.GROUP] if sheet.per_topic else [columns.GROUP, columns.TOPICS]
    labels += sheet.rows.topic_columns
    names = [plain.get(name, name) for name in measures]
    # The number of topics is a number, so it is drawn as one.
    count = len(labels) - (columns.TOPICS in labels)
    table = Table([*labels, *names], body, count, scores.settings)
    room = sheet.width if form is Form.TEXT and sheet.width else math.inf
    too_wide = len(measures) > MEASURES_SIDE_BY_SIDE or _width(table) > room
    shown = table
    if too_wide and not sheet.per_topic:
        shown = _groups_turned(table, groups) if groups else _turned(table)
    return [shown, *legend(plain), *_facts(scores)]


def _beside(sheet: ScoresTable, names: Sequence[str], longest: int | None) -> list[str]:
    """What is shown beside a topic; long titles are cut where a line has to fit a screen."""
    known = (values.get(names[1]) for values in sheet.rows.topic_columns.values())
    texts = ["" if value is None else str(value) for value in known]
    return [shortened(text, longest) for text in texts] if longest else texts


def _named(sheet: ScoresTable) -> Iterator[tuple[list[str], Sequence[float]]]:
    """The names and values of each row."""
    for run, names, values in sheet.rows.with_all_values():
        if sheet.per_topic:
            yield [run.name, *names], values
        else:
            counts = [(group, f"{run.by_group[group].topics:,}") for group in names[1:]]
            yield [run.name, *chain(*counts)], values


def _facts(scores: Scores) -> Iterator[Table]:
    """How much text each run returns: longer chunks raise recall."""
    if any(run.facts for run in scores.values):
        header = [
            columns.RUN,
            "chunks a topic",
            "median characters",
            "characters read@5",
            "repeated",
        ]
        rows = [
            [
                run.name,
                tenths(run.facts.chunks),
                rounded(run.facts.median_characters, whole=True),
                rounded(run.facts.characters_at_5, whole=True),
                tenths_of_percent(run.facts.repeated),
            ]
            for run in scores.values
            if run.facts
        ]
        yield Table(header, rows, 1)


def rows(sheet: ScoresTable) -> pl.DataFrame:
    """A row per run, measure and topic; the means are under the topic `all`."""
    return sheet.rows.frame()


def document(sheet: ScoresTable) -> dict[str, Any]:
    """The scores as a JSON document."""
    scores = sheet.scores
    named = [dict(zip(sheet.rows.columns, row, strict=True)) for row in sheet.rows]
    facts = [{columns.RUN: run.name, **asdict(run.facts)} for run in scores.values if run.facts]
    more: dict[str, Any] = {"facts": facts} if facts else {}
    if scores.topic_facts.groups:
        more["groups"] = scores.by_group().select(columns.RUN, columns.GROUP, columns.TOPICS)
    # So that a gate can tell later whether the same judgements were used.
    digest = scores.inputs.qrels_sha256
    settings = {**scores.settings, **({QRELS_SHA256: digest} if digest else {})}
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


def _groups_turned(table: Table, groups: Groups) -> Table:
    """The table with a row per run and measure, and a column per group.

    The first row of a run says how many topics there are.
    """
    names = [*groups.in_order({group for _, group, *_ in table.rows}), columns.ALL_TOPICS]
    cells = {
        (run, measure, group): cell
        for run, group, *values in table.rows
        for measure, cell in zip(table.header[2:], values, strict=True)
    }
    rows = [
        [run, measure, *(cells.get((run, measure, group), "") for group in names)]
        for run in dict.fromkeys(run for run, *_ in table.rows)
        for measure in table.header[2:]
    ]
    return Table([columns.RUN, columns.MEASURE, *names], rows, 2, table.settings)
