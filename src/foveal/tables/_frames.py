"""Frames with our columns in our types, and problems with values that do not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from foveal.errors import BadInput, Problem, value_text
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables._aliases import missing_columns
from foveal.tables._text_lookup import KnownDocuments, unknown_documents


class ProblemList:
    """Problems of a table, collected while it is checked."""

    def __init__(self, source: str, problems: Iterable[Problem]) -> None:
        self.source, self.problems = source, list(problems)

    def add(self, problems: Iterable[Problem]) -> None:
        """Add problems on lines that have none yet.

        A second problem on the same line is mostly a consequence of the first.
        """
        lines = {problem.line for problem in self.problems if problem.line is not None}
        self.problems += [problem for problem in problems if problem.line not in lines]

    def typed(
        self,
        frame: pl.DataFrame,
        schema: Mapping[str, type[pl.DataType]],
        required: Sequence[str],
        lines: pl.Series | None = None,
    ) -> pl.DataFrame:
        """The schema's columns of a frame in their types; values that do not fit become problems.

        Absent columns are filled with nulls; a number column may hold text that spells numbers. Rows
        that are not from a file are numbered from 1 as if they were lines.
        """
        missing = [name for name in required if name not in frame.columns]
        if missing:
            if frame.columns:
                self.add([Problem(None, missing_columns(missing, frame.columns))])
            return pl.DataFrame(schema=dict(schema))
        columns: dict[str, pl.Series] = {}
        misfits: list[tuple[int, str]] = []
        for name, dtype in schema.items():
            if name not in frame.columns:
                columns[name] = _nulls(frame, dtype)
                continue
            column = frame[name]
            columns[name] = cast = (
                column if column.dtype == dtype != pl.Float64 else _cast(column, dtype)
            )
            formatted = value_text if column.dtype == pl.Object else repr
            misfits += [
                (row, f"{name} is {formatted(column[row])}, not {_expected_type(name, dtype)}")
                for row in _misfits(column, cast, needed=name in required)
            ]
        numbers = pl.int_range(1, frame.height + 1, dtype=pl.UInt32, eager=True)
        if c.LINE in columns and columns[c.LINE].null_count():
            columns[c.LINE] = numbers
        if lines is None:
            lines = columns.get(c.LINE, numbers)
        self.add([Problem(lines[row], reason) for row, reason in misfits])
        return pl.DataFrame(columns)

    def refuse(
        self,
        table: pl.DataFrame,
        content: str,
        make: Callable[[pl.DataFrame], object] | None = None,
    ) -> None:
        """Raise all problems by line, if there are any or the table is empty.

        The error can `make` a result from the rows without problems, unless one concerns the whole table.
        """
        if not table.height and not self.problems:
            self.problems = [Problem(None, f"no {content}")]
        if not self.problems:
            return
        error = BadInput(self.source, sorted(self.problems, key=lambda problem: problem.line or 0))
        lines = {problem.line for problem in self.problems if problem.hides_line}
        if make and None not in lines:
            valid_rows = table.filter(~pl.col(c.LINE).is_in([*lines]))
            error.rest = partial(make, valid_rows) if valid_rows.height else None
        raise error


def _misfits(column: pl.Series, cast: pl.Series, *, needed: bool) -> list[int]:
    """The rows whose value was lost in the cast, or is needed but missing."""
    # Polars has counted the nulls already, and mostly no value is lost.
    has_lost = cast.null_count() > (0 if needed else column.null_count())
    has_empty = cast.dtype == pl.String and (cast == "").any()
    if not has_lost and not has_empty:
        return []
    is_misfit = cast.is_null() if needed else cast.is_null() & column.is_not_null()
    if has_empty:
        is_misfit |= (cast == "").fill_null(value=False)
    return is_misfit.arg_true().to_list()


def length_table(table: pl.DataFrame, index: KnownDocuments, problems: ProblemList) -> pl.DataFrame:
    """The length of each document of a table (doc, length); unknown documents become problems."""
    documents = table[c.DOC].drop_nulls().unique(maintain_order=True)
    lengths = index.lengths(documents).cast(pl.Int64)
    unknown = documents.filter(lengths.is_null())
    reasons = unknown_documents(unknown.to_list(), index.documents)
    rows = table.filter(pl.col(c.DOC).is_in(unknown.implode())).sort(c.LINE)
    problems.add(
        [Problem(line, reasons[name]) for line, name in rows.select(c.LINE, c.DOC).iter_rows()]
    )
    return pl.DataFrame({c.DOC: documents, c.LENGTH: lengths})


def _cast(column: pl.Series, dtype: type[pl.DataType]) -> pl.Series:
    """A column in another type, null where a value does not fit it."""
    if column.dtype == pl.Object:
        column = _as_text(column, {int} if dtype == pl.String else {int, float})
    if dtype == pl.String:
        return _identifiers(column)
    if dtype == pl.Int64:
        return _whole_numbers(column)
    # Polars would make numbers of Booleans, dates and the codes of categories.
    if not column.dtype.is_numeric() and column.dtype not in {pl.String, pl.Null}:
        return pl.repeat(None, len(column), dtype=dtype, eager=True)
    try:
        cast = column.cast(dtype, strict=False)
    except pl.exceptions.PolarsError:
        return pl.repeat(None, len(column), dtype=dtype, eager=True)
    if dtype == pl.Float64 and not cast.is_finite().all():
        return pl.select(pl.when(cast.is_finite()).then(cast)).to_series()
    return cast


def _as_text(column: pl.Series, number_types: set[type]) -> pl.Series:
    """Python's texts, and numbers of the given types as text; null for all other values."""
    texts = [str(value) if type(value) in number_types else value for value in column]
    # JSON can escape half of a surrogate pair, which is not text.
    valid_texts = [
        text if isinstance(text, str) and text == text.encode(errors="replace").decode() else None
        for text in texts
    ]
    return pl.Series(column.name, valid_texts, dtype=pl.String)


def _identifiers(column: pl.Series) -> pl.Series:
    if isinstance(column.dtype, pl.String | pl.Categorical | pl.Enum) or column.dtype.is_integer():
        return column.cast(pl.String)
    # pandas turns 51 into 51.0 in columns with a missing value; the identifier is still 51.
    if column.dtype.is_float() and (column == column.round()).all():
        return column.cast(pl.Int64, strict=False).cast(pl.String)
    return pl.repeat(None, len(column), dtype=pl.String, eager=True)


def _whole_numbers(column: pl.Series) -> pl.Series:
    if column.dtype.is_integer():
        return column.cast(pl.Int64, strict=False)
    if column.dtype != pl.String and not column.dtype.is_float():
        return pl.repeat(None, len(column), dtype=pl.Int64, eager=True)
    number = column.cast(pl.Float64, strict=False)
    rounded = number.cast(pl.Int64, strict=False)
    integers = pl.select(pl.when(rounded == number).then(rounded)).to_series()
    if column.dtype != pl.String:
        return integers
    # pandas writes 12 as 12.0 in columns with a missing value.
    return pl.select(pl.coalesce(column.cast(pl.Int64, strict=False), integers)).to_series()


def _nulls(frame: pl.DataFrame, dtype: type[pl.DataType]) -> pl.Series:
    """Nulls in the frame's chunks: where chunks differ, Polars copies all columns at every step.

    All chunks are views of the longest, so that columns without values take no memory.
    """
    lengths = frame.to_series().chunk_lengths() if frame.width else [0]
    longest = pl.repeat(None, max(lengths), dtype=dtype, eager=True)
    return pl.concat([longest.head(length) for length in lengths], rechunk=False)


def _expected_type(name: str, dtype: type[pl.DataType]) -> str:
    if dtype == pl.String:
        return "text" if name == c.TEXT else "an identifier"
    return "a finite number" if dtype.is_float() else "a whole number"
