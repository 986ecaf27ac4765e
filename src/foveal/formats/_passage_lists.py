"""Passages in lists, [[start, end], ...], one list per judged document."""

from __future__ import annotations

from foveal.late import pl
from foveal.tables import columns as c


def passages_in(rows: pl.DataFrame) -> pl.DataFrame | None:
    """The passages in the lists of a frame; None if it has none or some are not pairs of numbers."""
    if c.HIGHLIGHTS not in rows.columns:
        return None
    lists = rows.select(pl.int_range(pl.len(), dtype=pl.UInt32).alias(c.JUDGED), c.HIGHLIGHTS)
    try:
        # As floats, so that a fraction is found out instead of cut off.
        lists = lists.cast({c.HIGHLIGHTS: pl.List(pl.List(pl.Float64))})
    except pl.exceptions.PolarsError:
        return None
    pairs = lists.filter(pl.col(c.HIGHLIGHTS).list.len() > 0).explode(c.HIGHLIGHTS)
    pair = pl.col(c.HIGHLIGHTS).list
    if not pairs.select((pair.len() == 2).fill_null(value=False).all()).item():
        return None
    given = pairs.select(c.JUDGED, pair.get(0).alias(c.START), pair.get(1).alias(c.END))
    passages = given.with_columns(pl.col(c.START, c.END).cast(pl.Int64, strict=False))
    is_whole = given.select((pl.col(c.START, c.END) % 1 == 0).fill_null(value=False).all())
    return passages if all(is_whole.row(0)) and not sum(passages.null_count().row(0)) else None
