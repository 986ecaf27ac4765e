"""Parquet: the columns of the run table."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from foveal.errors import BadInput, Problem
from foveal.files import PARQUET_MAGIC
from foveal.formats._misnamed import refuse_missing
from foveal.formats._records import Reading, RunRows, run_format
from foveal.formats._run_rows import run_columns, run_name
from foveal.late import pl
from foveal.tables import OF_RUNS, Run, renamed
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.files import Source

COLUMN = "column"


def write_run(run: Run) -> bytes:
    """The columns of a run that are not empty, and its name as tag."""
    return parquet_bytes(run_columns(run))


def parquet_bytes(frame: pl.DataFrame) -> bytes:
    """A table as a Parquet file."""
    target = io.BytesIO()
    frame.write_parquet(target)
    return target.getvalue()


@run_format(
    name="parquet",
    title="Parquet run",
    sentence="The columns of a run, compressed; ranked by rank, else by score.",
    shape="columns topic, doc and any of start, end, rank, score, text, tag",
    examples=(),
    extensions=(".parquet",),
    recognises=lambda head: head.magic == PARQUET_MAGIC,
    is_text=False,
    write=write_run,
)
def read_run(source: Source, reading: Reading) -> RunRows:
    """The run in a Parquet file; problems name rows, counted from 1."""
    data = source.whole()
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    # A damaged file can make Polars panic, and a panic is not an Exception.
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = f"a damaged Parquet file (cut off?): {error}"
        raise BadInput(source.name, [Problem(None, reason)]) from error
    # A column of this name would be taken for line numbers, which Parquet does not have.
    rows = frame.drop(c.LINE, strict=False)
    refuse_missing(rows.columns, source, None, COLUMN)
    rows, taken = renamed(rows, OF_RUNS)
    return RunRows(frame=rows, name=run_name(frame, source), taken=taken)
