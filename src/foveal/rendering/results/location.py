"""An element's place in its document, one fact per line."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from foveal.choices import Form
from foveal.elements import Location
from foveal.errors import harmless
from foveal.late import pl
from foveal.rendering._table import Table, labels_table


def tables(found: Location, form: Form) -> list[Table]:
    """Document, path and span, and below them the text, as it is in the document."""
    lines = [f"doc     {found.doc}", f"path    {found.path}", f"start   {found.start}"]
    lines.append(f"end     {found.end}")
    shown = [] if found.text is None else ["", harmless(found.text)]
    return [labels_table(rows(found), plain="\n".join([*lines, *shown]) + "\n")]


def rows(found: Location) -> pl.DataFrame:
    """One row."""
    return found.rows()


def document(found: Location) -> dict[str, Any]:
    """The place as a JSON document."""
    return asdict(found)
