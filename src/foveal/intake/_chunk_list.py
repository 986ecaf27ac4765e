"""A whole list of chunks in document order, given as a table, a file or what a splitter returns."""

from __future__ import annotations

import os

from foveal.errors import BadInput, Problem
from foveal.intake._fields import fields_of
from foveal.intake._rows import read_rows
from foveal.late import pl
from foveal.tables import ChunksLike, aliased, is_frame
from foveal.tables import columns as c

_SCHEMA = (c.DOC, c.TEXT, c.START, c.END)


def chunk_list(given: ChunksLike) -> pl.DataFrame:
    """The chunks as a frame of doc, text, start and end, in the order given."""
    source = str(given) if isinstance(given, str | os.PathLike) else "chunks"
    given = getattr(given, "frame", given)
    if isinstance(given, str | os.PathLike):
        table = _renamed(read_rows(given))
    elif is_frame(given):
        table = _renamed(pl.DataFrame(given))
    else:
        rows = [fields_of(chunk) for chunk in given]  # type: ignore[union-attr]  # no frame
        table = pl.DataFrame(
            [{name: getattr(row, name) for name in _SCHEMA} for row in rows],
            schema={name: pl.Int64 if name in {c.START, c.END} else pl.String for name in _SCHEMA},
        )
    types = (pl.String, pl.String, pl.Int64, pl.Int64)
    full = table.select(
        pl.col(name).cast(dtype, strict=False)
        if name in table.columns
        else pl.lit(None, dtype=dtype).alias(name)
        for name, dtype in zip(_SCHEMA, types, strict=True)
    )
    _check(full, source)
    return full


def _renamed(table: pl.DataFrame) -> pl.DataFrame:
    taken = aliased(_SCHEMA, table.columns)
    return table.rename({theirs: ours for ours, theirs in taken.items()})


def _check(table: pl.DataFrame, source: str) -> None:
    no_doc = pl.col(c.DOC).is_null()
    no_place = pl.col(c.TEXT).is_null() & (pl.col(c.START).is_null() | pl.col(c.END).is_null())
    for broken, reason in (
        (no_doc, "a chunk without its document: every chunk of the list needs one"),
        (no_place, "a chunk with neither text nor start and end"),
    ):
        rows = table.with_row_index(c.ROW, offset=1).filter(broken)[c.ROW].to_list()
        if rows:
            raise BadInput(source, [Problem(row, reason) for row in rows])
