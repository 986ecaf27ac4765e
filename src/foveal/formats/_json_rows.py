"""Reads lines of JSON with the same keys into columns, decoded by msgspec.

What msgspec accepts, Python's json accepts with the same value. What msgspec refuses may still be
valid: such a file is read line by line, by a reader that can name a wrong line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from operator import attrgetter
from typing import Annotated, Any

import numpy as np

from foveal.choices import Order
from foveal.compiled import compiled_module, hash_names
from foveal.errors import INT64, Problem
from foveal.files import HEAD_SIZE, Source
from foveal.formats._format import RunRows
from foveal.formats._json_values import finite_numbers, identifiers, texts, whole_numbers
from foveal.formats._qrels_rows import passages_in
from foveal.frozen import frozen
from foveal.late import msgspec, pl
from foveal.spans import LARGEST_OFFSET, Ints
from foveal.tables import SEED, Names, RunColumns, TopicColumn, aliases
from foveal.tables import columns as c

Reader = Callable[..., Any]
Readers = Mapping[str, Reader]
# A block of this many bytes stays in the processor's cache until it is decoded.
BLOCK_SIZE = 1 << 19
# Keys of an object with a list of results whose values hold for all of them.
SHARED = (c.TOPIC, *aliases.BY_COLUMN[c.TOPIC], c.TAG, c.RUN)
MAX_KEYS = 200
NEW_LINE = ord("\n")
NUMBERS = (c.START, c.END, c.RANK, c.SCORE)
PLAIN_KEYS = {c.TOPIC, c.DOC, c.TAG, c.RUN, *NUMBERS}


@frozen(eq=False)
class JsonColumns:
    """Values of objects by key, and the line of each object.

    The values of a key are an unchecked list, or else valid: names joined by newlines, an array of
    numbers without gaps, or a column. `keys` are all that occur, `nonempty` those with a value.
    """

    values: Mapping[str, Any]
    lines: Ints | list[int]
    keys: set[str]
    nonempty: set[str]
    highlights: Ints | list[tuple[int, Any, Any]]
    """Row, start and end of each highlight."""

    @property
    def first_line(self) -> int | None:
        """Line of the first object."""
        return int(self.lines[0]) if len(self.lines) else None

    def read(self, key: str, read: Reader, problems: list[Problem]) -> pl.Series:
        """Column of a key; a value of another type becomes a problem."""
        values = self.values.get(key, [None] * len(self.lines))
        if isinstance(values, list):
            values = read(key, values, self.lines, problems)
        if isinstance(values, str):
            return pl.Series(key, [values]).str.split("\n").explode()
        return pl.Series(key, values)


def decoded_columns(source: Source, readers: Readers, results: str = "") -> JsonColumns | None:
    """Objects of all lines as columns; None if they must be read line by line.

    `readers` are those of the keys that are used. If objects have a list of `results`, these are
    the rows, with the SHARED keys of their object.
    """
    lines: list[Ints] = []
    parts: dict[str, list[Any]] = defaultdict(list)
    spans = [np.empty((0, 3), dtype=np.int64)]
    nonempty: set[str] = set()
    try:
        for line, columns in _blocks(source, readers, results):
            for key, values in columns:
                read = readers.get(key)
                parts[key].append(_packed(values, read))
                if read is passages_in:
                    spans.append(_pairs(values, sum(map(len, lines))))
                if any(value is not None for value in values):
                    nonempty.add(key)
            lines.append(line)
    # msgspec raises ValueError for a key that cannot be the name of a field.
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None
    if not lines:
        return None
    merged = {key: _concat(blocks) for key, blocks in parts.items() if key in readers}
    return JsonColumns(merged, np.concatenate(lines), {*parts}, nonempty, np.concatenate(spans))


def _packed(values: list[Any], read: Reader | None) -> Any:
    """Values of a block in a form that needs little memory; None if the key is not used."""
    if read is None:
        return None
    if read is identifiers:
        # All values are text, or all are numbers.
        names = "\n".join(values if isinstance(values[0], str) else map(str, values))
        if names.count("\n") != len(values) - 1:
            raise ValueError("a name has several lines")
        return names
    if read is passages_in:
        values = [None if pairs is None else len(pairs) for pairs in values]
    if read is not texts and None not in values:
        return np.fromiter(values, float if read is finite_numbers else np.int64, len(values))
    kinds: dict[Reader, type[pl.DataType]] = {texts: pl.String, finite_numbers: pl.Float64}
    return pl.Series(values, dtype=kinds.get(read, pl.Int64))


def _concat(parts: list[Any]) -> Any:
    """Values of all blocks, from those of each."""
    if isinstance(parts[0], str):
        return "\n".join(parts)
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return pl.concat(map(pl.Series, parts), rechunk=True)


def _pairs(lists: list[Any], first_row: int) -> Ints:
    """Row, start and end of the pairs in the lists of rows that begin with `first_row`."""
    row = np.repeat(first_row + np.arange(len(lists)), [len(pairs or ()) for pairs in lists])
    numbers = chain.from_iterable(chain.from_iterable(filter(None, lists)))
    return np.column_stack([row, np.fromiter(numbers, np.int64).reshape(-1, 2)])


def _blocks(
    source: Source, readers: Readers, results: str
) -> Iterator[tuple[Ints, Iterator[tuple[str, list[Any]]]]]:
    """Lines of rows, and their values by key, block by block."""
    decode, fields = None, dict[str, str]()
    for block in source.blocks(BLOCK_SIZE):
        data = block.data
        if decode is None:
            decode, fields = _decoder(data, readers, results)
        rows = outer = decode(data)
        # Inside an object, } and { are never separated by a line end alone.
        separator = b"}\r\n{" if b"\r" in data else b"}\n{"
        if not data.startswith(b"{") or not len(rows) == data.count(separator) + 1 == block.lines:
            raise ValueError("not one object per line")
        line = block.first_line + np.arange(block.lines)
        if results and hasattr(rows[0], results):
            lists = list(map(attrgetter(results), rows))
            row = np.repeat(np.arange(len(rows)), list(map(len, lists)))
            outer, line = [rows[index] for index in row.tolist()], line[row]
            rows = list(chain.from_iterable(lists))
        if rows:
            columns = (
                (key, list(map(attrgetter(field), outer if key in SHARED else rows)))
                for key, field in fields.items()
            )
            yield line, columns


def _decoder(
    data: bytes, readers: Readers, results: str
) -> tuple[Callable[[bytes], list[Any]], dict[str, str]]:
    """Decoder of objects with the keys and types of the first ones, and the field of each key."""
    end = data.rfind(b"\n", 0, HEAD_SIZE) + 1 or data.find(b"\n") + 1
    first = msgspec.json.Decoder(dict[str, Any]).decode_lines(data[:end])
    if not results or not any(results in item for item in first):
        row, fields = _struct(first, readers)
        return msgspec.json.Decoder(row).decode_lines, fields
    lists = [item.pop(results, None) for item in first]
    inner = list(chain.from_iterable(msgspec.convert(lists, list[list[dict[str, Any]]])))
    row, fields = _struct(inner, readers)
    outer, outer_fields = _struct(first, readers, (results, list[row]))  # type: ignore[valid-type]
    if {*SHARED} & fields.keys() or readers.keys() & outer_fields.keys() - {*SHARED}:
        raise ValueError("a key is both in results and around them")
    fields |= {key: field for key, field in outer_fields.items() if key in SHARED}
    return msgspec.json.Decoder(outer).decode_lines, fields


def _struct(
    objects: list[dict[str, Any]], readers: Readers, *extra_fields: tuple[str, Any]
) -> tuple[type, dict[str, str]]:
    """Class with a field for every key of the objects, and these fields by key."""
    name = Annotated[str, msgspec.Meta(min_length=1)]
    integer = Annotated[int, msgspec.Meta(ge=INT64[0], le=INT64[-1])]
    types: dict[Reader | None, Any] = {
        texts: str | None,
        whole_numbers: integer | None,
        finite_numbers: float | None,
        passages_in: list[tuple[integer, integer]] | None,
        None: str | float | bool | None,
    }
    # In the order of the file: msgspec looks for fields in the order of their definition.
    keys = dict.fromkeys(chain.from_iterable(objects))
    if len(keys) > MAX_KEYS:
        raise ValueError("every key takes room in every row")
    fields = {key: f"field{index}" for index, key in enumerate(keys)}
    definitions: list[Any] = [*extra_fields]
    for key, field in fields.items():
        if (read := readers.get(key)) is identifiers:
            # Names may be numbers, if all are.
            are_whole = all(type(item.get(key)) is int for item in objects)
            definitions.append((field, int if are_whole else name))
        else:
            definitions.append((field, types[read], None))
    key_of = {field: key for key, field in fields.items()}
    struct = msgspec.defstruct(
        "Row", definitions, rename=key_of, kw_only=True, forbid_unknown_fields=True, gc=False
    )
    return struct, fields


def plain_run(table: JsonColumns) -> RunRows | None:
    """Run of objects with foveal's own keys only, made without Polars, whose loading takes longer.

    None if only a frame can show what is wrong.
    """
    start, end, rank, score = numbers = [table.values.get(name) for name in NUMBERS]
    has_gaps = not all(values is None or isinstance(values, np.ndarray) for values in numbers)
    has_other_keys = not table.keys <= PLAIN_KEYS
    if isinstance(table.lines, list) or has_gaps or has_other_keys or not compiled_module():
        return None
    topics, documents = (_names(table.values[name]) for name in (c.TOPIC, c.DOC))
    key, count = hash_names(documents.bytes, hash_names(topics.bytes, SEED)), len(table.lines)
    if start is None or end is None:
        is_sound = start is end and len(np.unique(key)) == count
    else:
        is_sound = start.min() >= 0 and (start <= end).all() and end.max() <= LARGEST_OFFSET
    labels = [table.values.get(column, "") for column in (c.RUN, c.TAG)]
    name, tag = (values.partition("\n")[0] for values in labels)
    if not is_sound or labels != [values and "\n".join([values] * count) for values in (name, tag)]:
        return None
    row = np.arange(count)
    first = row[np.append(True, ~topics.are_equal(row[1:], topics, row[:-1]))]
    topic_names = topics.take(first).strings()
    number = {name: index for index, name in enumerate(dict.fromkeys(topic_names))}
    topic = TopicColumn(first, np.array([number[name] for name in topic_names]), count, len(number))
    is_whole = None if start is None else np.zeros(count, dtype=bool)
    names, lines = Names(documents.source, key), table.lines
    values = (score, rank, start, end, is_whole)
    results = RunColumns([*number], topic, names, lines.astype(np.uint32), *values)
    by_score = Order.FILE if score is None else Order.SCORE
    order = by_score if rank is None else Order.RANK
    return RunRows(frame=results, name=name, tag=tag, order=order)


def _names(lines: str) -> Names:
    """Names that are separated by newlines."""
    data = lines.encode()
    ends = np.append(np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == NEW_LINE), len(data))
    starts = np.append(0, ends[:-1] + 1)
    return Names((data, starts.astype(np.uint64), (ends - starts).astype(np.uint32)))
