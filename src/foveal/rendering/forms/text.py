"""Tables in a terminal."""

from __future__ import annotations

from textwrap import fill
from unicodedata import combining, east_asian_width

from foveal.rendering._table import NO_NOTES, ResultNotes, Table

GAP = "   "
# A new terminal has 80 columns.
LEAD, PARAGRAPH = 79, 90
NOTE = "note: "


def draw(*tables: Table, result_notes: ResultNotes = NO_NOTES) -> str:
    """The tables as text at full width: a narrow terminal wraps them."""
    lines = [paragraph(result_notes.setting_line)] if result_notes.settings else []
    lines += [paragraph(NOTE + note, indent=" " * len(NOTE)) for note in result_notes.notes]
    return "\n".join([*map(aligned_table, tables), *(["\n".join(lines) + "\n"] if lines else [])])


def paragraph(text: str, indent: str = "") -> str:
    """Wrap text; names of options and files stay in one piece, so that they can be copied."""
    return fill(
        printable(text),
        PARAGRAPH,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )


def aligned_table(table: Table) -> str:
    """A table with aligned columns."""
    if table.terminal_text:
        return table.terminal_text
    headers = [*table.upper_headers, table.header]
    rows = [[printable(cell) for cell in row] for row in (*headers, *table.rows)]
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    lines = [_line(row, widths, table.labels) for row in rows]
    lines.insert(len(headers), "─" * (sum(widths) + len(GAP) * (len(widths) - 1)))
    title = [fill(printable(table.lead), LEAD, break_on_hyphens=False), ""] if table.lead else []
    title += [printable(table.title), ""] if table.title else []
    below = ["", fill(printable(table.below), PARAGRAPH)] if table.below else []
    return "\n".join([*title, *lines, *below]) + "\n"


def _line(cells: list[str], widths: list[int], labels: int) -> str:
    """A row: labels aligned left, numbers aligned right."""
    padded = []
    for index, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        padding = " " * (width - width_of(cell))
        padded.append(cell + padding if index < labels else padding + cell)
    return GAP.join(padded).rstrip()


def printable(text: str) -> str:
    """Text without control characters: a name from a file must not control the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def width_of(text: str) -> int:
    """The columns of a text in a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)
