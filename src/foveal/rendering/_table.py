"""A table for eyes: what every result becomes before a form draws it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

from foveal.measures import record_of
from foveal.rendering._numbers import rounded
from foveal.tables import Scores, columns

# More measures than this stand one below the other, so that the table fits a screen.
MEASURES_SIDE_BY_SIDE = 10


Cell = tuple[int, int]


@dataclass(frozen=True)
class Table:
    """Headed rows of text; `labels` leading columns name a row, the others hold numbers.

    `above` are further lines of the header, for narrow columns of a terminal; `strong` cells are
    the best of their column; `raised` are small signs behind a cell. Cells are (row, column). `below`
    is a paragraph that says what the table shows.
    """

    header: list[str]
    rows: list[list[str]]
    labels: int
    settings: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    above: tuple[list[str], ...] = ()
    strong: frozenset[Cell] = frozenset()
    raised: Mapping[Cell, str] = field(default_factory=dict)
    below: str = ""

    def cells(self, escaped: Callable[[str], str], strong: str, raised: str) -> list[list[str]]:
        """The rows, escaped, with the marks of strong cells and the signs of raised ones."""

        def cell(place: Cell, text: str) -> str:
            shown = strong.format(escaped(text)) if place in self.strong else escaped(text)
            sign = self.raised.get(place)
            return raised.format(shown, escaped(sign)) if sign else shown

        return [
            [cell((row, column), text) for column, text in enumerate(cells)]
            for row, cells in enumerate(self.rows)
        ]


def scores_table(scores: Scores, *, per_topic: bool, width: int | None = None) -> Table:
    """Scores as a table: a row per run (and topic), or per measure when that fits better."""
    measures = scores.measures
    whole = [record_of(name).whole_number for name in measures]
    labels = [columns.RUN, columns.TOPIC] if per_topic else [columns.RUN]
    rows = []
    for name in scores.runs:
        if per_topic:
            own = scores.topics.filter(scores.topics[columns.RUN] == name)
            rows += [[*row[:2], *_numbers(row[2:], whole)] for row in own.iter_rows()]
        overall = scores.overall.row(scores.runs.index(name))
        named = [name, columns.ALL_TOPICS] if per_topic else [name]
        rows.append([*named, *_numbers(overall[1:], whole)])
    table = Table([*labels, *measures], rows, len(labels), scores.settings)
    too_wide = len(measures) > MEASURES_SIDE_BY_SIDE or _width(table) > (width or math.inf)
    return _turned(table) if too_wide and not per_topic else table


def labels_table(frame: pl.DataFrame, settings: Mapping[str, str] | None = None) -> Table:
    """A frame as a table in which every cell is a label."""
    rows = [["" if cell is None else str(cell) for cell in row] for row in frame.iter_rows()]
    return Table(frame.columns, rows, len(frame.columns), settings or {})


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
