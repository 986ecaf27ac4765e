"""Tables in a terminal."""

from __future__ import annotations

from textwrap import fill
from unicodedata import combining, east_asian_width

from foveal.rendering._table import Table

GAP = "   "
PARAGRAPH = 90


def draw(*tables: Table) -> str:
    """The tables as text, as wide as they need to be: a terminal too narrow wraps them."""
    return "\n".join(map(_drawn, tables))


def _drawn(table: Table) -> str:
    if table.plain:
        return table.plain
    heads = [*table.above, table.header]
    rows = [[_printable(cell) for cell in row] for row in (*heads, *table.rows)]
    widths = [max(map(_columns, column)) for column in zip(*rows, strict=True)]
    lines = [_line(row, widths, table.labels) for row in rows]
    lines.insert(len(heads), "─" * (sum(widths) + len(GAP) * (len(widths) - 1)))
    title = [_printable(table.title), ""] if table.title else []
    below = ["", fill(_printable(table.below), PARAGRAPH)] if table.below else []
    return "\n".join([*title, *lines, *below]) + "\n"


def _line(cells: list[str], widths: list[int], labels: int) -> str:
    """Labels to the left of their columns, numbers to the right."""
    padded = []
    for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        room = " " * (width - _columns(cell))
        padded.append(cell + room if place < labels else room + cell)
    return GAP.join(padded).rstrip()


def _printable(text: str) -> str:
    """A name from a file must not steer the terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _columns(text: str) -> int:
    """The columns a text takes up: wide characters two, combining ones none."""
    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)
