"""What a report says, section by section: the contexts of its template."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from foveal.frozen import frozen
from foveal.rendering import LARGEST


@frozen
class Words:
    """Paragraphs."""

    kind: ClassVar[str] = "words"
    paragraphs: tuple[str, ...]


@frozen
class Grid:
    """A table; the columns of `words`, from 1, are text, the others numbers."""

    kind: ClassVar[str] = "grid"
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: tuple[int, ...]


@frozen
class Plain:
    """A table too large to be one: tab-separated text that can be copied."""

    kind: ClassVar[str] = "plain"
    caption: str
    text: str


@frozen
class Beside:
    """Tables side by side, where there is room."""

    kind: ClassVar[str] = "beside"
    parts: tuple[Grid | Plain, ...]


@frozen
class Drawn:
    """A figure with its data; `svg` is markup of our own."""

    kind: ClassVar[str] = "drawn"
    name: str
    caption: str
    svg: str
    data: Grid | Plain


@frozen
class Cell:
    """A number as shown, and as it is sorted: empty where there is none."""

    shown: str
    sorted: str


@frozen
class BoardRow:
    """A run on the leaderboard; `bar` is its interval drawn, `tier` what it is not told apart from."""

    rank: int
    run: str
    cells: tuple[Cell, ...]
    bar: str
    tier: str
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
    """What the bars are, in a few words; empty where there are none."""

    tier_head: str
    tiers: str
    """What the letters or ranks under that head mean; empty where there are none."""

    has_curves: bool
    """Whether runs can be ticked to be seen in curves, which scores alone have not."""


@frozen
class Entry:
    """A measure of the legend; `formula` is MathML of our own."""

    name: str
    title: str
    sentence: str
    formula: str
    advice: str
    cite: str


@frozen
class Legend:
    """What the measures mean."""

    kind: ClassVar[str] = "legend"
    entries: tuple[Entry, ...]


@frozen
class Facts:
    """Names and what they are set to."""

    kind: ClassVar[str] = "facts"
    caption: str
    pairs: tuple[tuple[str, str], ...]


Block: TypeAlias = Words | Grid | Plain | Beside | Drawn | Board | Legend | Facts


@frozen
class Section:
    """A part of the page: one sentence says what it shows."""

    name: str
    heading: str
    sentence: str
    blocks: tuple[Block, ...]


@frozen
class Page:
    """Everything that the template shows."""

    title: str
    lead: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...]
    style: str
    script: str
    policy: str
    data: str
    """JSON in which no < occurs."""


NUMBER = re.compile(r"|[<+-]?[0-9][0-9,.]*( %)?|–")


def gridded(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Grid | Plain:
    """A table, or the same as tab-separated text if it has too many cells.

    Columns in which a cell is neither a number nor blank are text.
    """
    if len(header) * len(rows) <= LARGEST:
        words = tuple(
            place
            for place, cells in enumerate(zip(*rows, strict=True), start=1)
            if not all(NUMBER.fullmatch(cell) for cell in cells)
        )
        return Grid(caption, tuple(header), tuple(tuple(row) for row in rows), words or (1,))
    # A tab or a line break in a name would shift the columns.
    lines = ["\t".join(" ".join(cell.split()) for cell in row) for row in (header, *rows)]
    return Plain(caption, "\n".join(lines))


def facts(caption: str, pairs: Mapping[str, Any]) -> Facts:
    """Names and values as text."""
    return Facts(caption, tuple((name, str(value)) for name, value in pairs.items()))
