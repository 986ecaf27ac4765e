"""Breakdown of scores: a row per document or result."""

from __future__ import annotations

from typing import Any

from foveal.choices import Form
from foveal.evaluation import Breakdown
from foveal.late import pl
from foveal.rendering._numbers import rounded
from foveal.rendering._table import Table
from foveal.tables import columns as c


def tables(breakdown: Breakdown, form: Form) -> list[Table]:
    """All rows; blank where a number is unknown."""
    frame = breakdown.rows
    cells = [_cells(column) for column in frame.iter_columns()]
    # The column of the document is the last of the labels.
    labels = frame.get_column_index(c.DOC) + 1
    rows = [*map(list, zip(*cells, strict=True))]
    return [Table(frame.columns, rows, labels, breakdown.settings)]


def rows(breakdown: Breakdown) -> pl.DataFrame:
    """A row per document or result."""
    return breakdown.rows


def document(breakdown: Breakdown) -> dict[str, Any]:
    """The rows as a JSON document."""
    return {"settings": breakdown.settings, "rows": breakdown.rows, "notes": breakdown.notes}


def _cells(column: pl.Series) -> list[str]:
    if column.dtype == pl.Boolean:
        return ["true" if value else "false" for value in column]
    formatted = rounded if column.dtype == pl.Float64 else str
    return ["" if value is None else formatted(value) for value in column]
