"""Tables from callers, made into Polars frames under our column names."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from numbers import Real
from operator import itemgetter
from typing import Any, Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np

from foveal.errors import BadInput, Problem, UsageError, shortened
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables._aliases import BY_COLUMN, METADATA, renamed, with_metadata


@runtime_checkable
class Frame(Protocol):
    """A Polars or pandas frame or a pyarrow table, through the Arrow stream that all provide."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The frame's data."""


class _Pair(Protocol):
    """A topic and a document, as ir_measures and ir_datasets name them."""

    @property
    def query_id(self) -> str:
        """The topic."""

    @property
    def doc_id(self) -> str:
        """The document."""


class ScoredDocument(_Pair, Protocol):
    """A result of ir_measures or ir_datasets: ScoredDoc(query_id, doc_id, score) and its likes."""

    @property
    def score(self) -> float:
        """The score, by which documents are ranked."""


class JudgedDocument(_Pair, Protocol):
    """A judgement of ir_measures or ir_datasets: Qrel(query_id, doc_id, relevance) and its likes."""

    @property
    def relevance(self) -> float:
        """The grade."""


# Columns whose values are of one of these types, or None, need no inference.
PLAIN_TYPES = {
    frozenset([kind, *missing]): dtype
    for kind, dtype in ((str, "String"), (int, "Int64"), (float, "Float64"))
    for missing in ((), (type(None),))
}
Row: TypeAlias = Mapping[str, object]
Rows: TypeAlias = Iterable[Row] | list[object]
"""Dicts; a list of dicts with different keys is a list of objects to a type checker."""

NumbersByTopic: TypeAlias = Mapping[str, Mapping[str, float]]


# Polars and pyarrow raise these on columns that mix types or share a name.
def _not_a_table() -> tuple[type[Exception], ...]:
    return (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError, AttributeError)


_FORMS = (
    "give a pandas, Polars or pyarrow frame, a list of dicts, named tuples such as those of"
    " ir_measures, or {topic: {document: number}}, which from_dict reads"
)


def as_frame(
    data: object, columns: Iterable[str], source: str, kept_columns: Collection[str] = ()
) -> tuple[pl.DataFrame, dict[str, str]]:
    """The caller's table as a Polars frame; the caller's object is never changed.

    Aliases are renamed, except columns in `kept_columns`; the second value is the columns by the
    aliases used.
    """
    if isinstance(data, pl.DataFrame):
        return renamed(data, columns, kept_columns)
    try:
        if is_pandas(data):
            frame = of_pandas(data, source)
        elif is_frame(data):
            frame = pl.DataFrame(data)
        else:
            frame = _of_rows(data, source)
    except _not_a_table() as error:
        raise BadInput(source, [Problem(None, f"not a table: {error}")]) from error
    return renamed(frame, columns, kept_columns)


def is_frame(data: object) -> TypeGuard[Frame]:
    """Whether this is a table of columns; a single column (a Series) is not."""
    return isinstance(data, Frame) and hasattr(data, "columns")


def is_named_tuple(data: object) -> bool:
    """Whether this is a tuple whose fields have names."""
    return isinstance(data, tuple) and hasattr(data, "_fields")


def _of_rows(data: object, source: str) -> pl.DataFrame:
    """The frame of dicts or of named tuples, one per row."""
    if isinstance(data, Mapping):
        raise UsageError(
            f"{source}: one dict is not a table: give a list of dicts, one per row. Run.from_dict and"
            " Qrels.from_dict read {topic: {document: number}}"
        )
    if not isinstance(data, Iterable) or isinstance(data, str | bytes | Frame):
        raise UsageError(f"{source}: cannot read a table from {_type_name(data)}: {_FORMS}")
    rows = list(data)
    if rows and isinstance(rows[0], Mapping) and any(name in rows[0] for name in METADATA):
        rows = [with_metadata(dict(row)) if isinstance(row, Mapping) else row for row in rows]
    if rows and set(map(type, rows)) == {dict} and (frame := _of_uniform_dicts(rows)) is not None:
        return frame
    if all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(key for row in rows for key in row))
        return pl.DataFrame(rows, infer_schema_length=None, strict=False, schema=names)
    fields = {row._fields for row in rows if is_named_tuple(row)}
    if len(fields) == 1 and all(map(is_named_tuple, rows)):
        by_name = dict(zip(fields.pop(), zip(*rows, strict=True), strict=True))
        return pl.DataFrame(
            {name: pl.Series(values, strict=False) for name, values in by_name.items()}
        )
    invalid_row = next(
        (row for row in rows if not isinstance(row, Mapping) and not is_named_tuple(row)), None
    )
    if invalid_row is None:
        raise UsageError(f"{source}: the rows are of different types: {_FORMS}")
    raise UsageError(f"{source}: cannot read a row from {_type_name(invalid_row)}: {_FORMS}")


def _of_uniform_dicts(rows: list[dict[str, object]]) -> pl.DataFrame | None:
    """The frame of dicts with the same keys and plain values, made column by column.

    None if the dicts differ: Polars then infers the types, which is several times slower.
    """
    names = list(rows[0])
    if len(names) < 2 or set(map(len, rows)) != {len(names)}:
        return None
    columns = []
    try:
        for name in names:
            values = list(map(itemgetter(name), rows))
            dtype = PLAIN_TYPES.get(frozenset(map(type, values)))
            if dtype is None or not isinstance(name, str):
                return None
            columns.append(pl.Series(name, values, getattr(pl, dtype)))
    except (KeyError, OverflowError, TypeError, UnicodeEncodeError):
        return None
    return pl.DataFrame(columns)


def _type_name(data: object) -> str:
    """The type of an object for messages; text is quoted, as it may be a path given by mistake."""
    if isinstance(data, str):
        return f"the text {shortened(data, 40)!r} (foveal.read_run and read_qrels read files)"
    return f"{type(data).__module__}.{type(data).__qualname__}".removeprefix("builtins.")


def frame_of_topics(data: Mapping[str, object], name: str, source: str) -> pl.DataFrame:
    """The frame of {topic: {document: number}} with the number in the column of that name."""
    by_topic = {
        topic: numbers_of for topic, numbers_of in data.items() if isinstance(numbers_of, Mapping)
    }
    if len(by_topic) < len(data):
        raise UsageError(f"{source}: a dict must be {{topic: {{document: {name}}}}}")
    topics = [topic for topic, numbers_of in by_topic.items() for _ in numbers_of]
    documents = [document for numbers_of in by_topic.values() for document in numbers_of]
    values = [value for numbers_of in by_topic.values() for value in numbers_of.values()]
    try:
        numbers = np.array([_number(value) for value in values], dtype=np.float64)
        invalid_rows = np.flatnonzero(~np.isfinite(numbers)).tolist()
        frame = pl.DataFrame({c.TOPIC: topics, c.DOC: documents, name: numbers}, strict=False)
    except _not_a_table() as error:
        raise BadInput(source, [Problem(None, f"not a table: {error}")]) from error
    if invalid_rows:
        reason = "{} of document {!r} in topic {!r} is {}, not a finite number"
        rows = ((name, documents[row], topics[row], repr(values[row])) for row in invalid_rows)
        raise BadInput(
            source,
            [Problem(None, reason.format(*row, shortened(value, 40))) for *row, value in rows],
        )
    return frame


def _number(value: object) -> float:
    """A number of any kind as a double; NaN for everything else."""
    if type(value) is float:
        return value
    if isinstance(value, bool) or not isinstance(value, Real | Decimal | str):
        return math.nan
    if isinstance(value, str) and "_" in value:
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


def is_pandas(data: object) -> bool:
    """Whether this is a pandas frame; does not import pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def of_pandas(frame: Any, source: str) -> pl.DataFrame:
    """The frame in Polars; missing values of pandas (NaN, None, NA, NaT) become null."""
    _refuse_unclear_columns(frame, source)
    return pl.DataFrame(
        [_column(frame.iloc[:, index]).alias(str(name)) for index, name in enumerate(frame.columns)]
    )


def _refuse_unclear_columns(frame: Any, source: str) -> None:
    if frame.columns.nlevels > 1:
        reason = f"the column names have {frame.columns.nlevels} levels: flatten them first"
        raise BadInput(source, [Problem(None, reason)])
    names = [str(name) for name in frame.columns]
    repeated = [repr(name) for name, count in Counter(names).items() if count > 1]
    if repeated:
        reason = f"more than one column is called {' or '.join(repeated)}: keep one of them"
        raise BadInput(source, [Problem(None, reason)])
    needed = {c.TOPIC, c.DOC, *BY_COLUMN[c.TOPIC], *BY_COLUMN[c.DOC]}
    hidden = [repr(name) for name in frame.index.names if name in needed and name not in names]
    if hidden:
        are = (
            "is in the index, not a column" if len(hidden) == 1 else "are in the index, not columns"
        )
        reason = f"{' and '.join(hidden)} {are}: give frame.reset_index()"
        raise BadInput(source, [Problem(None, reason)])


def _column(values: Any) -> pl.Series:
    kind = values.dtype.kind if isinstance(values.dtype, np.dtype) else "O"
    if kind in "iub":
        return pl.Series(values.to_numpy())
    if kind == "f":
        return pl.Series(values.to_numpy(dtype=np.float64), nan_to_null=True)
    items = values.to_numpy(dtype=object, na_value=None).tolist()
    # Only columns of objects can have lists, or missing values that pandas does not recognise.
    return pl.Series(
        [_python_value(item) for item in items] if values.dtype == object else items, strict=False
    )


def _python_value(value: Any) -> Any:
    """A value of pandas or NumPy as one of Python."""
    if isinstance(value, np.ndarray):
        return [_python_value(item) for item in value]
    # NA and NaT are recognised by their types: comparing NA with anything gives NA.
    is_na = type(value).__name__ in {"NAType", "NaTType"}
    return None if is_na or (isinstance(value, float | np.floating) and value != value) else value  # noqa: PLR0124  # only NaN differs from itself
