"""The location of an element in its document, one fact per line."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from foveal.choices import Form
from foveal.elements import Location
from foveal.errors import harmless
from foveal.late import pl
from foveal.rendering._table import Table, labels_table


def tables(location: Location, form: Form) -> list[Table]:
    """Document, path and span, and below them the text of the element."""
    lines = [f"doc     {location.doc}", f"path    {location.path}", f"start   {location.start}"]
    lines.append(f"end     {location.end}")
    text_lines = [] if location.text is None else ["", harmless(location.text)]
    return [labels_table(rows(location), text="\n".join([*lines, *text_lines]) + "\n")]


def rows(location: Location) -> pl.DataFrame:
    """One row."""
    return location.rows()


def document(location: Location) -> dict[str, Any]:
    """The location as a JSON document."""
    return asdict(location)
