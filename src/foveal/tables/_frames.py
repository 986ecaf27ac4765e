"""Other people's frames and rows, as Polars frames with our columns and types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import polars as pl

from foveal.errors import BadInput, Problem, UsageError
from foveal.tables import _columns as c


@runtime_checkable
class Frame(Protocol):
    """A pandas frame or a pyarrow table, seen through the Arrow stream both can give."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The frame's data."""


Rows = Sequence[Mapping[str, Any]]


def as_frame(data: object) -> pl.DataFrame:
    """A copy of the caller's rows as a Polars frame; the caller's object is never changed."""
    if isinstance(data, pl.DataFrame):
        return data
    if isinstance(data, Frame):
        return pl.DataFrame(data)
    if isinstance(data, Sequence) and all(isinstance(row, Mapping) for row in data):
        try:
            return pl.DataFrame(
                list(data), infer_schema_length=None, strict=False, schema=_first_seen(data)
            )
        except (pl.exceptions.PolarsError, TypeError, OverflowError) as error:
            raise BadInput("rows", [Problem(None, f"not a table: {error}")]) from error
    raise UsageError(
        f"cannot read a table from {type(data).__name__}: give a pandas, Polars or pyarrow frame,"
        " or a list of dicts"
    )


def _first_seen(rows: Rows) -> list[str]:
    """Every key of every row, in the order of first appearance."""
    return list(dict.fromkeys(key for row in rows for key in row))


def typed(
    frame: pl.DataFrame, schema: Mapping[str, type[pl.DataType]], required: Sequence[str]
) -> tuple[pl.DataFrame, list[Problem]]:
    """The schema's columns of a frame in their types, and a problem for every value that has none.

    Absent columns are filled with nulls; a number column may hold text that spells numbers.
    """
    missing = [name for name in required if name not in frame.columns]
    if missing:
        found = ", ".join(frame.columns) or "none"
        reason = f"no column {', '.join(map(repr, missing))} (found: {found})"
        return pl.DataFrame(schema=dict(schema)), [Problem(None, reason)]
    problems: list[Problem] = []
    columns: dict[str, pl.Series] = {}
    for name, dtype in schema.items():
        if name not in frame.columns:
            columns[name] = _nulls(frame, dtype)
            continue
        column = frame[name]
        columns[name] = cast = _cast(column, dtype)
        bad = column.is_not_null() & cast.is_null()
        if name in required:
            bad |= column.is_null()
        if dtype == pl.String:
            bad |= (cast == "").fill_null(value=False)
        problems += [
            Problem(row + 1, f"{name} is {column[row]!r}, not {_wanted(dtype)}")
            for row in bad.arg_true().to_list()
        ]
    return pl.DataFrame(columns), problems


def numbered_lines(table: pl.DataFrame) -> pl.DataFrame:
    """The table with its line numbers; rows that came from no file count from 1."""
    if not table[c.LINE].null_count():
        return table
    return table.with_columns(pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).alias(c.LINE))


def on_lines(problems: Sequence[Problem], lines: pl.Series) -> list[Problem]:
    """Problems that name a row, naming its line instead."""
    return [
        Problem(lines[problem.line - 1], problem.reason) if problem.line else problem
        for problem in problems
    ]


def bad_input(source: str, problems: Sequence[Problem]) -> BadInput:
    """The error that gathers the problems of a table by line."""
    return BadInput(source, sorted(problems, key=lambda problem: problem.line or 0))


def _cast(column: pl.Series, dtype: type[pl.DataType]) -> pl.Series:
    if dtype == pl.String and column.dtype == pl.Float64:
        # A frame that held a gap somewhere turns whole numbers into 51.0; that is not their name.
        whole = column.cast(pl.Int64, strict=False)
        if (whole == column).all():
            column = whole
    if dtype == pl.Int64 and column.dtype.is_float():
        whole = column.cast(pl.Int64, strict=False)
        return pl.select(pl.when(whole == column).then(whole)).to_series()
    if dtype.is_numeric() and column.dtype == pl.Boolean:
        return pl.repeat(None, len(column), dtype=dtype, eager=True)
    try:
        cast = column.cast(dtype, strict=False)
    except pl.exceptions.PolarsError:
        return pl.repeat(None, len(column), dtype=dtype, eager=True)
    if dtype == pl.Float64:
        return pl.select(pl.when(cast.is_finite()).then(cast)).to_series()
    return cast


def _nulls(frame: pl.DataFrame, dtype: type[pl.DataType]) -> pl.Series:
    """Nulls in the frame's chunks: where chunks differ, Polars copies all columns at every step."""
    lengths = frame.to_series().chunk_lengths() if frame.width else [0]
    chunks = [pl.repeat(None, length, dtype=dtype, eager=True) for length in lengths]
    return pl.concat(chunks, rechunk=False)


def _wanted(dtype: type[pl.DataType]) -> str:
    if dtype == pl.String:
        return "an identifier"
    return "a finite number" if dtype.is_float() else "a whole number"
