"""Scores as they are shown: only the means, or every topic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import polars as pl

from foveal.choices import Form
from foveal.measures import record_of
from foveal.rendering._numbers import rounded
from foveal.rendering._table import Table
from foveal.tables import Scores, columns

# With more measures than this a row has one measure, so that the table fits a screen.
MEASURES_SIDE_BY_SIDE = 10


@dataclass(frozen=True, eq=False)
class Sheet:
    """Scores, whether each topic is shown, and how wide the terminal is, if there is one."""

    scores: Scores
    per_topic: bool = False
    width: int | None = None


def tables(sheet: Sheet, form: Form) -> list[Table]:
    """A row per run (and topic), or per measure when that fits better."""
    scores, measures = sheet.scores, sheet.scores.measures
    whole = [record_of(name).whole_number for name in measures]
    labels = [columns.RUN, columns.TOPIC] if sheet.per_topic else [columns.RUN]
    body = []
    for name in scores.runs:
        if sheet.per_topic:
            own = scores.topics.filter(scores.topics[columns.RUN] == name)
            body += [[*row[:2], *_numbers(row[2:], whole)] for row in own.iter_rows()]
        overall = scores.overall.row(scores.runs.index(name))
        named = [name, columns.ALL_TOPICS] if sheet.per_topic else [name]
        body.append([*named, *_numbers(overall[1:], whole)])
    table = Table([*labels, *measures], body, len(labels), scores.settings)
    room = sheet.width if form is Form.TEXT and sheet.width else math.inf
    too_wide = len(measures) > MEASURES_SIDE_BY_SIDE or _width(table) > room
    return [_turned(table) if too_wide and not sheet.per_topic else table]


def rows(sheet: Sheet) -> pl.DataFrame:
    """A row per run, measure and topic; the means are under the topic `all`."""
    return sheet.scores.rows(per_topic=sheet.per_topic)


def document(sheet: Sheet) -> dict[str, Any]:
    """The scores as a JSON document."""
    scores = sheet.scores
    return {"settings": scores.settings, "rows": rows(sheet), "notes": scores.notes}


def _numbers(values: tuple[float, ...], whole: list[bool]) -> list[str]:
    return [rounded(value, whole=count) for value, count in zip(values, whole, strict=True)]


def _width(table: Table) -> int:
    """The columns a terminal needs for the table."""
    cells = zip(table.header, *table.rows, strict=True)
    return sum(max(map(len, column)) + 3 for column in cells)


def _turned(table: Table) -> Table:
    """The table with a row per measure and a column per run."""
    names, *numbers = [list(cells) for cells in zip(*table.rows, strict=True)]
    rows = [[name, *cells] for name, cells in zip(table.header[1:], numbers, strict=True)]
    return Table([columns.MEASURE, *names], rows, 1, table.settings)
