"""A table for reading: what every result becomes before a form draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from foveal.frozen import frozen
from foveal.late import pl

# Cells of a table that a browser and a screen reader still handle well; a page has more as text.
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

    `above` are further lines of the header, for narrow columns of a terminal; `strong` cells are
    the best of their column and `second` those after them; `raised` are small signs after a cell,
    `beside` is what follows these. Cells are (row, column). `lead` is a sentence above the title,
    `below` a paragraph that says what the table shows, `caption` what to print under it in a paper;
    `plain` is what a terminal shows instead.
    """

    header: list[str]
    rows: list[list[str]]
    labels: int
    settings: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    lead: str = ""
    above: tuple[list[str], ...] = ()
    strong: frozenset[Cell] = frozenset()
    second: frozenset[Cell] = frozenset()
    raised: Mapping[Cell, str] = field(default_factory=dict)
    beside: Mapping[Cell, str] = field(default_factory=dict)
    below: str = ""
    caption: str = ""
    plain: str = ""

    def cells(
        self, escaped: Callable[[str], str], strong: str, second: str, raised: str, beside: str
    ) -> list[list[str]]:
        """The rows, escaped; the other words are what is drawn around or after some cells."""

        def cell(place: Cell, text: str) -> str:
            marked = strong if place in self.strong else second if place in self.second else "{}"
            shown = marked.format(escaped(text))
            if sign := self.raised.get(place):
                shown = raised.format(shown, escaped(sign))
            more = self.beside.get(place)
            return shown + beside.format(escaped(more)) if more else shown

        return [
            [cell((row, column), text) for column, text in enumerate(cells)]
            for row, cells in enumerate(self.rows)
        ]


def fields_of(result: object, names: str) -> dict[str, Any]:
    """Fields of a result by their names, as JSON holds them."""
    return {name: getattr(result, name) for name in names.split()}


def in_group(name: str, title: str) -> str:
    """The title of a table that is about a group of topics."""
    return f"group {name}: {title}"


def labels_table(
    frame: pl.DataFrame, settings: Mapping[str, str] | None = None, plain: str = ""
) -> Table:
    """A frame as a table in which every cell is a label."""
    rows = [["" if cell is None else str(cell) for cell in row] for row in frame.iter_rows()]
    return Table(frame.columns, rows, len(frame.columns), settings or {}, plain=plain)
