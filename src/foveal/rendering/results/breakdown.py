"""Documents or results, a row each."""

from __future__ import annotations

from typing import Any

from foveal.choices import Form
from foveal.evaluation import Breakdown
from foveal.late import pl
from foveal.rendering._numbers import rounded
from foveal.rendering._table import Table
from foveal.tables import columns as c


def tables(found: Breakdown, form: Form) -> list[Table]:
    """All rows; blank where a number is unknown."""
    frame = found.rows
    cells = [_cells(column) for column in frame.iter_columns()]
    # The name of the document is the last that names a row.
    labels = frame.get_column_index(c.DOC) + 1
    return [Table(frame.columns, [*map(list, zip(*cells, strict=True))], labels, found.settings)]


def rows(found: Breakdown) -> pl.DataFrame:
    """A row per document or result."""
    return found.rows


def document(found: Breakdown) -> dict[str, Any]:
    """The rows as a JSON document."""
    return {"settings": found.settings, "rows": found.rows, "notes": found.notes}


def _cells(column: pl.Series) -> list[str]:
    if column.dtype == pl.Boolean:
        return ["true" if value else "false" for value in column]
    shown = rounded if column.dtype == pl.Float64 else str
    return ["" if value is None else shown(value) for value in column]
