"""Parquet: the columns of a run or of judgements."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING

from foveal.errors import BadInput, Problem
from foveal.files import PARQUET_MAGIC, Head, Source, refuse_columns
from foveal.formats._format import (
    QrelsRows,
    ReadOptions,
    RunRows,
    qrels_format,
    refuse_other_than_run,
    run_format,
)
from foveal.formats._qrels_rows import (
    QrelsTable,
    assessor_rows,
    judged_rows,
    long_rows,
    passages_in,
)
from foveal.formats._run_rows import constant, run_columns
from foveal.late import pl
from foveal.tables import Qrels, Run, aliases
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

COLUMN = "column"


def write_run(run: Run) -> bytes:
    """Columns of a run that are not empty, and its tag."""
    return parquet_bytes(run_columns(run))


def parquet_bytes(frame: pl.DataFrame) -> bytes:
    """A table as a Parquet file."""
    target = io.BytesIO()
    frame.write_parquet(target)
    return target.getvalue()


def _is_parquet(head: Head) -> bool:
    return head.magic == PARQUET_MAGIC


@run_format(
    name="parquet",
    title="Parquet run",
    sentence="The columns of a run, compressed; ranked by rank, else by score.",
    shape="columns topic, doc and any of start, end, rank, score, text, tag",
    examples=(),
    extensions=(".parquet",),
    recognises=_is_parquet,
    is_text=False,
    write=write_run,
)
def read_run(source: Source, options: ReadOptions) -> RunRows:
    """Run in a Parquet file; problems name rows, counted from 1."""
    rows = parquet_table(source)
    refuse_other_than_run(rows.columns, source, None, COLUMN)
    rows, aliases_used = aliases.renamed(rows, aliases.RUN_FIELDS, options.extra_columns)
    return RunRows(
        frame=rows, name=constant(rows, c.RUN), tag=constant(rows, c.TAG), aliases_used=aliases_used
    )


def write_qrels(qrels: Qrels, elements: ElementLookup | None = None) -> bytes:
    """Row per passage, or per document without any."""
    return parquet_bytes(long_rows(qrels))


def write_assessors(tables: Mapping[str, Qrels]) -> bytes:
    """The same for several assessors, with a column of their names."""
    return parquet_bytes(assessor_rows(tables))


@qrels_format(
    name="parquet",
    title="Parquet judgements",
    sentence="A row per passage (start, end), or per document with its grade, length or highlights.",
    shape="columns topic, doc and start, end, or any of grade, length, entry, highlights",
    examples=(),
    extensions=(".parquet",),
    recognises=_is_parquet,
    is_text=False,
    write=write_qrels,
    write_assessors=write_assessors,
    names=lambda source: parquet_table(source).columns,
)
def read_qrels(source: Source, options: ReadOptions) -> QrelsRows:
    """Judgements in a Parquet file; problems name rows, counted from 1."""
    frame = parquet_table(source)
    frame = frame.with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).alias(c.LINE))
    problems: list[Problem] = []
    highlights = passages_in(frame)
    if highlights is None and c.HIGHLIGHTS in frame.columns:
        problems = [Problem(None, "highlights must be a list of pairs [start, end]")]
    return judged_rows(QrelsTable(frame, source, None, COLUMN), options, problems, highlights)


def parquet_table(source: Source) -> pl.DataFrame:
    """Table in a Parquet file."""
    data = source.all_bytes()
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    # A damaged file can make Polars panic, and a panic is not an Exception.
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = f"a damaged Parquet file (cut off?): {error}"
        raise BadInput(source.name, [Problem(None, reason)]) from error
    if reason := refuse_columns(frame.width):
        raise BadInput(source.name, [Problem(None, reason)])
    # A column named line would be taken for line numbers, which Parquet does not have.
    return frame.drop(c.LINE, strict=False)
