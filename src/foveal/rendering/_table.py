"""A table for reading: every result becomes tables before a form draws them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from foveal.frozen import frozen
from foveal.late import pl

# Browsers and screen readers handle a table of so many cells; a page shows a larger one as text.
LARGEST = 500

Cell = tuple[int, int]


@frozen
class ResultNotes:
    """Settings and notes of a result."""

    settings: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @property
    def setting_line(self) -> str:
        """All settings in one line."""
        return "; ".join(f"{key}: {value}" for key, value in self.settings.items())


NO_NOTES = ResultNotes()


@frozen
class Table:
    """Rows of text under a header; `labels` leading columns name a row, the others are numbers.

    `upper_headers` are further lines of the header, for narrow columns of a terminal; `strong`
    cells are the best of their column and `second` the second best; `superscripts` follow a cell,
    `suffixes` follow these. Cells are (row, column). `lead` is a sentence above the title, `below`
    a paragraph that says what the table shows, `caption` the text to print under it in a paper; a
    terminal shows `terminal_text` instead.
    """

    header: list[str]
    rows: list[list[str]]
    labels: int
    settings: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    lead: str = ""
    upper_headers: tuple[list[str], ...] = ()
    strong: frozenset[Cell] = frozenset()
    second: frozenset[Cell] = frozenset()
    superscripts: Mapping[Cell, str] = field(default_factory=dict)
    suffixes: Mapping[Cell, str] = field(default_factory=dict)
    below: str = ""
    caption: str = ""
    terminal_text: str = ""

    def cells(
        self, escape: Callable[[str], str], strong: str, second: str, superscript: str, suffix: str
    ) -> list[list[str]]:
        """Escape the rows; the last four are format strings for the cells that have such a mark."""

        def cell(at_cell: Cell, text: str) -> str:
            style = strong if at_cell in self.strong else second if at_cell in self.second else "{}"
            markup = style.format(escape(text))
            if mark := self.superscripts.get(at_cell):
                markup = superscript.format(markup, escape(mark))
            suffix_text = self.suffixes.get(at_cell)
            return markup + suffix.format(escape(suffix_text)) if suffix_text else markup

        return [
            [cell((row, column), text) for column, text in enumerate(cells)]
            for row, cells in enumerate(self.rows)
        ]


def fields_of(result: object, names: str) -> dict[str, Any]:
    """Fields of a result by name, for its JSON."""
    return {name: getattr(result, name) for name in names.split()}


def in_group(name: str, title: str) -> str:
    """Title of a table about a group of topics."""
    return f"group {name}: {title}"


def labels_table(
    frame: pl.DataFrame, settings: Mapping[str, str] | None = None, text: str = ""
) -> Table:
    """A frame as a table in which every cell is a label."""
    rows = [["" if cell is None else str(cell) for cell in row] for row in frame.iter_rows()]
    return Table(frame.columns, rows, len(frame.columns), settings or {}, terminal_text=text)
