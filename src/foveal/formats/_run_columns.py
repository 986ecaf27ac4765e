"""The run table as the formats with named columns hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.formats._lines import Source

NAMES = (c.TOPIC, c.DOC, c.START, c.END, c.RANK, c.SCORE)


def run_columns(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """The columns that hold anything, and the run's name as its tag."""
    filled = [column for column in NAMES if frame[column].null_count() < frame.height]
    return frame.select(*filled, pl.lit(name).alias(c.TAG))


def run_name(frame: pl.DataFrame, source: Source) -> str:
    """The tag if all rows have the same, else what the file is called."""
    if c.TAG not in frame.columns:
        return source.stem
    tags = frame[c.TAG].cast(pl.String, strict=False).unique().head(2).to_list()
    (name,) = tags if len(tags) == 1 else (None,)
    return name or source.stem
