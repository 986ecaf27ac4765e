"""Scores for readers: only the means, or every topic."""

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
from foveal.tables import columns as c

# With more measures than this a row has one measure, so that the table fits a screen.
MEASURES_SIDE_BY_SIDE = 10
MAX_TITLE = 40


@frozen(eq=False)
class ScoresTable:
    """Scores to show: means or every topic, within the width of a terminal if there is one."""

    scores: Scores
    per_topic: bool = False
    width: int | None = None

    @cached_property
    def rows(self) -> ScoreRows:
        """The rows that are shown."""
        scores = self.scores
        return ScoreRows(scores.values, scores.columns, scores.topic_facts, self.per_topic)


def tables(scores_table: ScoresTable, form: Form) -> list[Table]:
    """A row per run (and topic, and group), or per measure when that fits better."""
    scores, measures = scores_table.scores, scores_table.scores.columns
    groups, plain = scores.topic_facts.groups, scores.measure_names.plain
    is_integer = [
        name not in scores.extra_columns and record_of(name).whole_number for name in measures
    ]
    max_title = MAX_TITLE if form is Form.TEXT else None
    rows = [
        [*names, *_column_texts(scores_table, names, max_title), *_numbers(values, is_integer)]
        for names, values in _named_rows(scores_table)
    ]
    labels = [c.RUN, c.TOPIC] if scores_table.per_topic else [c.RUN]
    if groups:
        labels += [c.GROUP] if scores_table.per_topic else [c.GROUP, c.TOPICS]
    labels += scores_table.rows.topic_columns
    names = [plain.get(name, name) for name in measures]
    # The number of topics is aligned as a number, not as a label.
    label_count = len(labels) - (c.TOPICS in labels)
    table = Table([*labels, *names], rows, label_count, scores.settings)
    max_width = scores_table.width if form is Form.TEXT and scores_table.width else math.inf
    too_wide = len(measures) > MEASURES_SIDE_BY_SIDE or _width(table) > max_width
    readable = table
    if too_wide and not scores_table.per_topic:
        readable = _group_columns(table, groups) if groups else _transposed(table)
    return [readable, *legend(plain), *_facts_table(scores)]


def _column_texts(scores_table: ScoresTable, names: Sequence[str], limit: int | None) -> list[str]:
    """Texts of the topic columns; long titles are shortened where a line has to fit a screen."""
    values = (column.get(names[1]) for column in scores_table.rows.topic_columns.values())
    texts = ["" if value is None else str(value) for value in values]
    return [shortened(text, limit) for text in texts] if limit else texts


def _named_rows(scores_table: ScoresTable) -> Iterator[tuple[list[str], Sequence[float]]]:
    """The names and values of each row."""
    for run, names, values in scores_table.rows.with_all_values():
        if scores_table.per_topic:
            yield [run.name, *names], values
        else:
            counts = [(group, f"{run.by_group[group].topics:,}") for group in names[1:]]
            yield [run.name, *chain(*counts)], values


def _facts_table(scores: Scores) -> Iterator[Table]:
    """The amount of text that each run returns, since longer chunks raise recall."""
    if any(run.facts for run in scores.values):
        header = [c.RUN, "chunks a topic", "median characters", "characters read@5", "repeated"]
        rows = [
            [
                run.name,
                tenths(run.facts.chunks),
                rounded(run.facts.median_characters, as_integer=True),
                rounded(run.facts.characters_at_5, as_integer=True),
                tenths_of_percent(run.facts.repeated),
            ]
            for run in scores.values
            if run.facts
        ]
        yield Table(header, rows, 1)


def rows(scores_table: ScoresTable) -> pl.DataFrame:
    """A row per run, measure and topic; the means are under the topic `all`."""
    return scores_table.rows.frame()


def document(scores_table: ScoresTable) -> dict[str, Any]:
    """The scores as a JSON document."""
    scores = scores_table.scores
    rows = [dict(zip(scores_table.rows.columns, row, strict=True)) for row in scores_table.rows]
    facts = [{c.RUN: run.name, **asdict(run.facts)} for run in scores.values if run.facts]
    extra: dict[str, Any] = {"facts": facts} if facts else {}
    if scores.topic_facts.groups:
        extra["groups"] = scores.by_group().select(c.RUN, c.GROUP, c.TOPICS)
    # A gate later checks by this hash whether the same judgements were used.
    qrels_hash = scores.inputs.qrels_sha256
    settings = {**scores.settings, **({QRELS_SHA256: qrels_hash} if qrels_hash else {})}
    return {"settings": settings, "rows": rows, **extra, "notes": scores.notes}


def _numbers(values: Sequence[float], is_integer: list[bool]) -> list[str]:
    """The numbers of a row; blank for NaN, as in extra columns of a topic without results."""
    return [
        "" if math.isnan(value) else rounded(value, as_integer=as_integer)
        for value, as_integer in zip(values, is_integer, strict=True)
    ]


def _width(table: Table) -> int:
    """The columns a terminal needs for the table."""
    cells = zip(table.header, *table.rows, strict=True)
    return sum(max(map(len, column)) + 3 for column in cells)


def _transposed(table: Table) -> Table:
    """The table with a row per measure and a column per run."""
    names, *numbers = [list(cells) for cells in zip(*table.rows, strict=True)]
    rows = [[name, *cells] for name, cells in zip(table.header[1:], numbers, strict=True)]
    return Table([c.MEASURE, *names], rows, 1, table.settings)


def _group_columns(table: Table, groups: Groups) -> Table:
    """The table with a row per run and measure, and a column per group.

    The first row of a run says how many topics there are.
    """
    names = [*groups.in_order({group for _, group, *_ in table.rows}), c.ALL_TOPICS]
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
    return Table([c.RUN, c.MEASURE, *names], rows, 2, table.settings)
