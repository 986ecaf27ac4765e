"""The run table as the formats with named columns hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from foveal.tables import columns as c

if TYPE_CHECKING:
    from collections.abc import Collection

    from foveal.formats._lines import Source

NAMES = (c.TOPIC, c.DOC, c.START, c.END, c.RANK, c.SCORE)


def run_columns(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """The columns that hold anything, and the run's name as its tag."""
    filled = [column for column in NAMES if frame[column].null_count() < frame.height]
    return frame.select(*filled, pl.lit(name).alias(c.TAG))


def run_name(tags: Collection[str], source: Source) -> str:
    """The one tag, or what the file is called."""
    (name,) = tags if len(tags) == 1 else (source.stem,)
    return name or source.stem


def tags_in(frame: pl.DataFrame) -> list[str]:
    """The tags of a frame that may have a column of them."""
    if c.TAG not in frame.columns:
        return []
    return frame[c.TAG].cast(pl.String, strict=False).unique().head(2).drop_nulls().to_list()
