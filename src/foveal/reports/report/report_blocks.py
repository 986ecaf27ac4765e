"""Blocks of a report, section by section: the contexts of its template."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from foveal.frozen import frozen
from foveal.rendering import LARGEST


@frozen
class Paragraphs:
    """Paragraphs."""

    kind: ClassVar[str] = "paragraphs"
    paragraphs: tuple[str, ...]


@frozen
class TableBlock:
    """A table; `text_columns`, counted from 1, hold text, the others numbers."""

    kind: ClassVar[str] = "table"
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text_columns: tuple[int, ...]


@frozen
class PlainTable:
    """A table that is too large for HTML: tab-separated text that can be copied."""

    kind: ClassVar[str] = "plain_table"
    caption: str
    text: str


AnyTable: TypeAlias = TableBlock | PlainTable


@frozen
class TablePair:
    """Tables side by side, if the window is wide enough."""

    kind: ClassVar[str] = "side_by_side"
    parts: tuple[AnyTable, ...]


@frozen
class FigureBlock:
    """A figure with its data; `svg` is trusted markup."""

    kind: ClassVar[str] = "figure"
    name: str
    caption: str
    svg: str
    data: AnyTable


@frozen
class Cell:
    """A number as text, and the value to sort it by; both are empty if there is none."""

    text: str
    sort_value: str


@frozen
class BoardRow:
    """A run on the leaderboard; `bar` draws its interval, `significance` has letters or marks."""

    rank: int
    run: str
    cells: tuple[Cell, ...]
    bar: str
    significance: str
    ticked: bool
    judged: Cell | None
    """None without the run."""


@frozen
class Board:
    """The leaderboard."""

    kind: ClassVar[str] = "board"
    measures: tuple[str, ...]
    rows: tuple[BoardRow, ...]
    interval: str
    """The meaning of the bars; empty if there are none."""

    significance_header: str
    significance_meaning: str
    """The meaning of the letters, ranks or marks under that header; empty if there are none."""

    has_curves: bool
    """Whether there are curves, in which ticked runs are shown; scores alone have none."""


@frozen
class LegendEntry:
    """A measure of the legend; `formula` is trusted MathML."""

    name: str
    title: str
    sentence: str
    formula: str
    advice: str
    cite: str


@frozen
class Legend:
    """Meanings of the measures."""

    kind: ClassVar[str] = "legend"
    entries: tuple[LegendEntry, ...]


@frozen
class FactsBlock:
    """Names and their values."""

    kind: ClassVar[str] = "facts"
    caption: str
    pairs: tuple[tuple[str, str], ...]


Block: TypeAlias = (
    Paragraphs | TableBlock | PlainTable | TablePair | FigureBlock | Board | Legend | FactsBlock
)


@frozen
class Section:
    """A section of the page; its sentence describes the blocks."""

    name: str
    heading: str
    sentence: str
    blocks: tuple[Block, ...]


@frozen
class ReportPage:
    """The context of the template."""

    title: str
    lead: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...]
    style: str
    script: str
    policy: str
    data: str
    """JSON without <."""


NUMBER = re.compile(r"|[<+-]?[0-9][0-9,.]*( %)?|–")


def table_block(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> AnyTable:
    """A table, or tab-separated text if it would have too many cells.

    A column holds text if any of its cells is neither a number nor blank.
    """
    if len(header) * len(rows) <= LARGEST:
        text_columns = tuple(
            column
            for column, cells in enumerate(zip(*rows, strict=True), start=1)
            if not all(NUMBER.fullmatch(cell) for cell in cells)
        )
        return TableBlock(caption, tuple(header), tuple(map(tuple, rows)), text_columns or (1,))
    # A tab or a line break in a name would shift the columns.
    lines = ["\t".join(" ".join(cell.split()) for cell in row) for row in (header, *rows)]
    return PlainTable(caption, "\n".join(lines))


def facts(caption: str, pairs: Mapping[str, Any]) -> FactsBlock:
    """Block of names and values as text."""
    return FactsBlock(caption, tuple((name, str(value)) for name, value in pairs.items()))
