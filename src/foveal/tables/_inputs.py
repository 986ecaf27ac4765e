"""What callers give as a table, and that table as a Polars frame under our column names."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from numbers import Real
from operator import itemgetter
from typing import Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np

from foveal.errors import BadInput, Problem, UsageError, shortened
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables._aliases import METADATA, renamed, unfolded
from foveal.tables._pandas import is_pandas, of_pandas


@runtime_checkable
class Frame(Protocol):
    """A Polars or pandas frame or a pyarrow table, seen through the Arrow stream all can give."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The frame's data."""


class ScoredDocument(Protocol):
    """A result of ir_measures or ir_datasets: ScoredDoc(query_id, doc_id, score) and its likes."""

    @property
    def query_id(self) -> str:
        """The topic."""

    @property
    def doc_id(self) -> str:
        """The document."""

    @property
    def score(self) -> float:
        """What ranks the document."""


class JudgedDocument(Protocol):
    """A judgement of ir_measures or ir_datasets: Qrel(query_id, doc_id, relevance) and its likes."""

    @property
    def query_id(self) -> str:
        """The topic."""

    @property
    def doc_id(self) -> str:
        """The document."""

    @property
    def relevance(self) -> float:
        """The grade."""


# Values of one of these types, or of none, make a column whose type is known beforehand.
PLAIN = {
    frozenset([kind, *missing]): dtype
    for kind, dtype in ((str, "String"), (int, "Int64"), (float, "Float64"))
    for missing in ((), (type(None),))
}
Row: TypeAlias = Mapping[str, object]
Rows: TypeAlias = Iterable[Row] | list[object]
"""Dicts; a list of dicts with different keys is a list of objects to a type checker."""

NumbersByTopic: TypeAlias = Mapping[str, Mapping[str, float]]


# What Polars and pyarrow raise on columns that mix kinds or share a name.
def _not_a_table() -> tuple[type[Exception], ...]:
    return (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError, AttributeError)


_FORMS = (
    "give a pandas, Polars or pyarrow frame, a list of dicts, named tuples such as those of"
    " ir_measures, or {topic: {document: number}}"
)


def as_frame(
    data: object, wanted: Iterable[str], source: str, also: Collection[str] = ()
) -> tuple[pl.DataFrame, dict[str, str]]:
    """The caller's table as a Polars frame; the caller's object is never changed.

    A wanted column may have the name that another tool gives it, unless it is in `also`; the second
    value tells which was taken for which.
    """
    if isinstance(data, pl.DataFrame):
        return renamed(data, wanted, also)
    try:
        if is_pandas(data):
            frame = of_pandas(data, source)
        elif is_frame(data):
            frame = pl.DataFrame(data)
        else:
            frame = _of_rows(data, source)
    except _not_a_table() as error:
        raise BadInput(source, [Problem(None, f"not a table: {error}")]) from error
    return renamed(frame, wanted, also)


def is_frame(data: object) -> TypeGuard[Frame]:
    """Whether this is a table of columns; a single column (a Series) is not."""
    return isinstance(data, Frame) and hasattr(data, "columns")


def is_named_tuple(data: object) -> bool:
    """Whether this is a tuple whose fields have names."""
    return isinstance(data, tuple) and hasattr(data, "_fields")


def _of_rows(data: object, source: str) -> pl.DataFrame:
    """The frame of dicts or of named tuples, one per row."""
    if not isinstance(data, Iterable) or isinstance(data, str | bytes | Mapping | Frame):
        raise UsageError(f"{source}: cannot read a table from {_kind(data)}: {_FORMS}")
    rows = list(data)
    if rows and isinstance(rows[0], Mapping) and any(name in rows[0] for name in METADATA):
        rows = [unfolded(dict(row)) if isinstance(row, Mapping) else row for row in rows]
    if rows and set(map(type, rows)) == {dict} and (alike := _of_like_dicts(rows)) is not None:
        return alike
    if all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(key for row in rows for key in row))
        return pl.DataFrame(rows, infer_schema_length=None, strict=False, schema=names)
    fields = {row._fields for row in rows if is_named_tuple(row)}
    if len(fields) == 1 and all(map(is_named_tuple, rows)):
        by_name = dict(zip(fields.pop(), zip(*rows, strict=True), strict=True))
        return pl.DataFrame(
            {name: pl.Series(values, strict=False) for name, values in by_name.items()}
        )
    odd = next(
        (row for row in rows if not isinstance(row, Mapping) and not is_named_tuple(row)), None
    )
    if odd is None:
        raise UsageError(f"{source}: the rows are of different types: {_FORMS}")
    raise UsageError(f"{source}: cannot read a row from {_kind(odd)}: {_FORMS}")


def _of_like_dicts(rows: list[dict[str, object]]) -> pl.DataFrame | None:
    """The frame of dicts with the same keys and plain values, which is made column by column.

    None if they are not alike: Polars then finds out, several times more slowly, what is in them.
    """
    names = list(rows[0])
    if len(names) < 2 or set(map(len, rows)) != {len(names)}:
        return None
    columns = []
    try:
        for name in names:
            values = list(map(itemgetter(name), rows))
            dtype = PLAIN.get(frozenset(map(type, values)))
            if dtype is None or not isinstance(name, str):
                return None
            columns.append(pl.Series(name, values, getattr(pl, dtype)))
    except (KeyError, OverflowError, TypeError, UnicodeEncodeError):
        return None
    return pl.DataFrame(columns)


def _kind(data: object) -> str:
    """What something is called in a message: text is quoted, as a path given by mistake."""
    if isinstance(data, str):
        return f"the text {shortened(data, 40)!r} (foveal.read_run and read_qrels read files)"
    return f"{type(data).__module__}.{type(data).__qualname__}".removeprefix("builtins.")


def of_topics(given: Mapping[str, object], name: str, source: str) -> pl.DataFrame:
    """The frame of {topic: {document: number}} with the number in the column of that name."""
    by_topic = {topic: found for topic, found in given.items() if isinstance(found, Mapping)}
    if len(by_topic) < len(given):
        raise UsageError(f"{source}: a dict must be {{topic: {{document: {name}}}}}")
    topics = [topic for topic, found in by_topic.items() for _ in found]
    documents = [document for found in by_topic.values() for document in found]
    values = [value for found in by_topic.values() for value in found.values()]
    try:
        numbers = np.array([_number(value) for value in values], dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(numbers)).tolist()
        frame = pl.DataFrame({c.TOPIC: topics, c.DOC: documents, name: numbers}, strict=False)
    except _not_a_table() as error:
        raise BadInput(source, [Problem(None, f"not a table: {error}")]) from error
    if bad:
        reason = "{} of document {!r} in topic {!r} is {}, not a finite number"
        rows = ((name, documents[row], topics[row], repr(values[row])) for row in bad)
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
