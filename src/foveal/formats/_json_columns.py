"""Lines of JSON read into columns at once, where that surely gives what reading each line gives.

Polars reads JSON as strictly as Python does, with these exceptions: of a key that occurs twice it
takes the first value, not the last; keys that the schema lacks are dropped; any value goes into a
column of text; half a surrogate pair becomes something else; blank lines are not counted. So bytes
are counted: if a block has as many colons, quotes, braces and brackets as the values in its columns
need, every key was taken, and whatever is text in a column was text in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from foveal.files import count_byte
from foveal.formats._json_values import DECODER
from foveal.late import pl
from foveal.tables import ALIASES
from foveal.tables import columns as c

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from foveal.files import Block, Source

    Type = pl.DataType | type[pl.DataType]

COLON, QUOTE, BRACE, BRACKET = (ord(sign) for sign in ':"{[')
# The types are taken from as many lines. Later lines may lack keys; if they have others, they are
# read one by one.
LINES_LOOKED_AT = 100
# Memory that is used again and again is faster than new memory.
BLOCK_SIZE = 8 << 20
# Escapes that hide a quote, a backslash or a colon from the count, or may be half a character.
HIDING = (b'\\"', b"\\\\", b"\\ud", b"\\uD", b"\\u003")
# Takes the place of null, so that it is counted like any other value.
NULL_MARK = -(2**63)
# What an object with a list of results says about all of them.
SHARED = (c.TOPIC, *ALIASES[c.TOPIC], c.TAG, c.RUN)


def object_columns(
    source: Source, types: Mapping[str, Type], results: str = ""
) -> pl.DataFrame | None:
    """The objects of all lines, with the line of each; None if they must be read line by line.

    `types` has the types of the keys that are known; what should be text may also be whole
    numbers, if it is so on all lines. Other keys must have plain values. If objects have a list
    of `results`, these are the rows, with what is SHARED.
    """
    frames: list[pl.DataFrame] = []
    schema: dict[str, Type] | None = None
    for block in source.blocks(BLOCK_SIZE):
        schema = schema or _schema(block.data, types, results)
        frame = _columns(block, schema, results) if schema else None
        if frame is None:
            return None
        frames.append(frame)
    if not frames:
        return None
    rows = pl.concat(frames)
    texts = [name for name in rows.columns if types.get(name) == pl.String]
    return rows.with_columns(pl.col(texts).cast(pl.String))


def _schema(data: bytes, types: Mapping[str, Type], results: str) -> dict[str, Type] | None:
    """The types of the keys in the first lines; None if some cannot be a column.

    Polars is not asked: it crashes on objects in objects in objects.
    """
    # It would also inflate a text that begins as compressed data does.
    if not data.startswith(b"{"):
        return None
    found = _first_objects(data)
    if not found:
        return None
    lists = [item.pop(results, None) for item in found]
    schema = _typed(found, types)
    if schema is None or all(inner is None for inner in lists):
        return schema
    if not all(isinstance(inner, list) for inner in lists):
        return None
    inside = _typed([result for inner in lists for result in inner], types)
    if not inside or any(name in inside for name in SHARED):
        return None
    return schema | {results: pl.List(pl.Struct(inside))}


def _first_objects(data: bytes) -> list[Any]:
    end = 0
    for _ in range(LINES_LOOKED_AT):
        end = data.find(b"\n", end) + 1 or len(data)
    try:
        found = [DECODER.decode(line) for line in data[:end].decode().rstrip("\n").split("\n")]
    except (ValueError, RecursionError):
        return []
    return found if all(isinstance(item, dict) for item in found) else []


def _typed(objects: list[Any], types: Mapping[str, Type]) -> dict[str, Type] | None:
    """The types as which to read the values of objects; None if some cannot be read."""
    if not all(isinstance(item, dict) for item in objects):
        return None
    schema: dict[str, Type] = {}
    for name in {name for item in objects for name in item}:
        kinds = {type(item[name]) for item in objects if item.get(name) is not None}
        dtype = _type(types.get(name), kinds)
        if dtype is None or ":" in name:
            return None
        schema[name] = dtype
    return schema


def _type(wanted: Type | None, kinds: set[type]) -> Type | None:
    """The type as which to read values of some kinds in Python; None if they have none in common."""
    if wanted and wanted != pl.String:
        return wanted
    if kinds == {str}:
        return pl.String
    if wanted:
        return pl.Int64 if kinds <= {int} else None
    if kinds == {bool}:
        return pl.Boolean
    return pl.Float64 if kinds <= {int, float} else None


def _parsed(data: bytes, schema: dict[str, Type]) -> pl.DataFrame | None:
    try:
        return pl.read_ndjson(data, schema=schema)
    # Odd lines may make Polars panic, and a panic is not an Exception.
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None


def _columns(block: Block, schema: dict[str, Type], results: str) -> pl.DataFrame | None:
    """The rows of a block if its bytes count up to them, else None."""
    data = block.data
    if b"\\" in data and any(hiding in data for hiding in HIDING):
        return None
    tables = _tables(block, data, schema, results)
    if tables and not _count_up(tables, data):
        # Perhaps because of nulls, which leave no value to be counted.
        data, marks = _with_marks(data)
        tables = _tables(block, data, schema, results) if marks else []
        if not _count_up(tables, data, marks):
            return None
        tables = [frame.with_columns(map(_without_marks, frame)) for frame in tables]
    if not tables:
        return None
    lines = np.arange(block.first_line, block.first_line + block.lines, dtype=np.uint32)
    outer, *inner = (frame.drop(c.LINE, strict=False) for frame in tables)
    if not inner:
        return outer.with_columns(pl.Series(c.LINE, lines))
    row = np.repeat(np.arange(block.lines), outer[results].list.len().to_numpy())
    kept = [name for name in SHARED if name in outer.columns]
    if not kept:
        return None
    return inner[0].hstack(outer[kept][row]).with_columns(pl.Series(c.LINE, lines[row]))


def _tables(block: Block, data: bytes, schema: dict[str, Type], results: str) -> list[pl.DataFrame]:
    """The objects of a block, and those in the lists of results, if there are any.

    Nothing if they cannot be read.
    """
    frame = _parsed(data, schema)
    if frame is None or frame.height != block.lines:
        return []
    if results not in schema:
        return [frame]
    inner = frame[results].filter(frame[results].list.len() > 0).explode()
    if frame[results].null_count() or inner.null_count():
        return []
    return [frame, inner.struct.unnest()]


def _count_up(tables: list[pl.DataFrame], data: bytes, marks: int = 0) -> bool:
    """Whether the bytes have nothing but the values of tables, `marks` of them for null."""
    columns = [column for frame in tables for column in frame]
    texts = [column for column in columns if column.dtype == pl.String]
    lists = [column for column in columns if isinstance(column.dtype, pl.List)]
    pairs = [column.list.len().sum() for column in lists if column.dtype == pl.List(pl.List)]
    keys = _filled(columns)
    marked = sum(_marked(column) for column in columns) if marks else 0
    marked_texts = sum(_marked(column) for column in texts) if marks else 0
    colons = count_byte(data, COLON) - keys
    if colons:
        colons -= sum(int(column.str.count_matches(":", literal=True).sum()) for column in texts)
    return (
        marked == marks
        and colons == 0
        and count_byte(data, QUOTE) == 2 * (keys + _filled(texts) - marked_texts)
        and count_byte(data, BRACE) == sum(frame.height for frame in tables)
        and count_byte(data, BRACKET) == _filled(lists) + sum(pairs)
    )


def _filled(columns: Iterable[pl.Series]) -> int:
    return sum(len(column) - column.null_count() for column in columns)


def _with_marks(data: bytes) -> tuple[bytes, int]:
    """The bytes with a number for null, and how many there are; none if the number is in use."""
    mark = str(NULL_MARK).encode()
    nulls = [b":null", b": null"]
    marks = sum(data.count(null) for null in nulls)
    if not marks or mark[1:] in data:
        return data, 0
    for null in nulls:
        data = data.replace(null, b":" + mark)
    return data, marks


def _marked(column: pl.Series) -> int:
    if column.dtype == pl.String:
        return int((column == str(NULL_MARK)).sum())
    return int((column == NULL_MARK).sum()) if column.dtype.is_numeric() else 0


def _without_marks(column: pl.Series) -> pl.Series:
    if not _marked(column):
        return column
    mark = str(NULL_MARK) if column.dtype == pl.String else NULL_MARK
    return column.set(column == mark, None)
