"""Lines of JSON that are alike, decoded by msgspec into columns.

What msgspec takes, Python's json takes with the same value. What it refuses may be fine or wrong:
such a file is read line by line, by the reader that names the line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from operator import attrgetter
from typing import Annotated, Any

import numpy as np

from foveal.choices import Order
from foveal.compiled import compiled, hash_names
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
# Objects of so many bytes are used up while they are in the processor's cache.
BLOCK_SIZE = 1 << 19
# What an object with a list of results says about all of them.
SHARED = (c.TOPIC, *aliases.BY_COLUMN[c.TOPIC], c.TAG, c.RUN)
MOST_KEYS = 200
NEW_LINE = ord("\n")
NUMBERS = (c.START, c.END, c.RANK, c.SCORE)
PLAIN = {c.TOPIC, c.DOC, c.TAG, c.RUN, *NUMBERS}


@frozen(eq=False)
class JsonColumns:
    """The values of objects by key, and the line of each object.

    Values are a list of anything, or else in order: names joined by newlines, numbers without
    gaps, or a column. `keys` are all that occur, and those that are `filled` have a value.
    """

    values: Mapping[str, Any]
    lines: Ints | list[int]
    keys: set[str]
    filled: set[str]
    highlights: Ints | list[tuple[int, Any, Any]]
    """Row, start and end of each highlight."""

    @property
    def first_line(self) -> int | None:
        """The line of the first object."""
        return int(self.lines[0]) if len(self.lines) else None

    def read(self, key: str, read: Reader, problems: list[Problem]) -> pl.Series:
        """The column of a key; what does not fit into it becomes a problem."""
        values = self.values.get(key, [None] * len(self.lines))
        if isinstance(values, list):
            values = read(key, values, self.lines, problems)
        if isinstance(values, str):
            return pl.Series(key, [values]).str.split("\n").explode()
        return pl.Series(key, values)


def columns_of_alike(source: Source, readers: Readers, results: str = "") -> JsonColumns | None:
    """The objects of all lines as columns; None if they must be read line by line.

    `readers` are those of the keys that matter. If objects have a list of `results`, these are the
    rows, with what is SHARED.
    """
    lines: list[Ints] = []
    parts: dict[str, list[Any]] = defaultdict(list)
    highlights = [np.empty((0, 3), dtype=np.int64)]
    filled: set[str] = set()
    try:
        for line, columns in _blocks(source, readers, results):
            for key, values in columns:
                read = readers.get(key)
                parts[key].append(_packed(values, read))
                if read is passages_in:
                    highlights.append(_pairs(values, sum(map(len, lines))))
                if any(value is not None for value in values):
                    filled.add(key)
            lines.append(line)
    # A key that cannot be a field's name is a ValueError.
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None
    if not lines:
        return None
    joined = {key: _joined(own) for key, own in parts.items() if key in readers}
    return JsonColumns(joined, np.concatenate(lines), {*parts}, filled, np.concatenate(highlights))


def _packed(values: list[Any], read: Reader | None) -> Any:
    """The values of a block in little room; None if the key is not used."""
    if read is None:
        return None
    if read is identifiers:
        # All are text, or all are numbers.
        names = "\n".join(values if isinstance(values[0], str) else map(str, values))
        if names.count("\n") != len(values) - 1:
            raise ValueError("a name has several lines")
        return names
    if read is passages_in:
        values = [None if own is None else len(own) for own in values]
    if read is not texts and None not in values:
        return np.fromiter(values, float if read is finite_numbers else np.int64, len(values))
    kinds: dict[Reader, type[pl.DataType]] = {texts: pl.String, finite_numbers: pl.Float64}
    return pl.Series(values, dtype=kinds.get(read, pl.Int64))


def _joined(parts: list[Any]) -> Any:
    """The values of all blocks."""
    if isinstance(parts[0], str):
        return "\n".join(parts)
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    return pl.concat(map(pl.Series, parts), rechunk=True)


def _pairs(lists: list[Any], first: int) -> Ints:
    """Row, start and end of the pairs in lists, which begin in a row."""
    row = np.repeat(first + np.arange(len(lists)), [len(own or ()) for own in lists])
    numbers = chain.from_iterable(chain.from_iterable(filter(None, lists)))
    return np.column_stack([row, np.fromiter(numbers, np.int64).reshape(-1, 2)])


def _blocks(
    source: Source, readers: Readers, results: str
) -> Iterator[tuple[Ints, Iterator[tuple[str, list[Any]]]]]:
    """The lines of rows, and their values by key, block by block."""
    decode, fields = None, dict[str, str]()
    for block in source.blocks(BLOCK_SIZE):
        data = block.data
        if decode is None:
            decode, fields = _decoder(data, readers, results)
        rows = around = decode(data)
        # Inside of an object, a line never ends between } and {.
        between = b"}\r\n{" if b"\r" in data else b"}\n{"
        if not data.startswith(b"{") or not len(rows) == data.count(between) + 1 == block.lines:
            raise ValueError("not one object per line")
        line = block.first_line + np.arange(block.lines)
        if results and hasattr(rows[0], results):
            lists = list(map(attrgetter(results), rows))
            row = np.repeat(np.arange(len(rows)), list(map(len, lists)))
            around, line = [rows[place] for place in row.tolist()], line[row]
            rows = list(chain.from_iterable(lists))
        if rows:
            yield (
                line,
                (
                    (key, list(map(attrgetter(field), around if key in SHARED else rows)))
                    for key, field in fields.items()
                ),
            )


def _decoder(
    data: bytes, readers: Readers, results: str
) -> tuple[Callable[[bytes], list[Any]], dict[str, str]]:
    """What decodes objects with the keys and types of the first ones, and the field of each key."""
    end = data.rfind(b"\n", 0, HEAD_SIZE) + 1 or data.find(b"\n") + 1
    first = msgspec.json.Decoder(dict[str, Any]).decode_lines(data[:end])
    if not results or not any(results in item for item in first):
        row, fields = _struct(first, readers)
        return msgspec.json.Decoder(row).decode_lines, fields
    lists = [item.pop(results, None) for item in first]
    inner = list(chain.from_iterable(msgspec.convert(lists, list[list[dict[str, Any]]])))
    row, fields = _struct(inner, readers)
    outer, around = _struct(first, readers, (results, list[row]))  # type: ignore[valid-type]
    if {*SHARED} & fields.keys() or readers.keys() & around.keys() - {*SHARED}:
        raise ValueError("a key is both in results and around them")
    fields |= {key: field for key, field in around.items() if key in SHARED}
    return msgspec.json.Decoder(outer).decode_lines, fields


def _struct(
    objects: list[dict[str, Any]], readers: Readers, *more: tuple[str, Any]
) -> tuple[type, dict[str, str]]:
    """A class with a field for every key of some objects, and these fields by key."""
    name = Annotated[str, msgspec.Meta(min_length=1)]
    whole = Annotated[int, msgspec.Meta(ge=INT64[0], le=INT64[-1])]
    types: dict[Reader | None, Any] = {
        texts: str | None,
        whole_numbers: whole | None,
        finite_numbers: float | None,
        passages_in: list[tuple[whole, whole]] | None,
        None: str | float | bool | None,
    }
    # In the order of the file, in which msgspec looks for them.
    known = dict.fromkeys(chain.from_iterable(objects))
    if len(known) > MOST_KEYS:
        raise ValueError("every key takes room in every row")
    fields = {key: f"field{place}" for place, key in enumerate(known)}
    defined: list[Any] = [*more]
    for key, field in fields.items():
        if (read := readers.get(key)) is identifiers:
            # Names may be numbers, if all are.
            are_whole = all(type(item.get(key)) is int for item in objects)
            defined.append((field, int if are_whole else name))
        else:
            defined.append((field, types[read], None))
    keys = {field: key for key, field in fields.items()}
    struct = msgspec.defstruct(
        "Row", defined, rename=keys, kw_only=True, forbid_unknown_fields=True, gc=False
    )
    return struct, fields


def plain_run(found: JsonColumns) -> RunRows | None:
    """A run with our keys alone, without a frame: loading Polars takes longer than reading.

    None if a frame must show what is odd about it.
    """
    start, end, rank, score = numbers = [found.values.get(name) for name in NUMBERS]
    has_gaps = not all(own is None or isinstance(own, np.ndarray) for own in numbers)
    if isinstance(found.lines, list) or has_gaps or not found.keys <= PLAIN or not compiled():
        return None
    topics, documents = (_names(found.values[name]) for name in (c.TOPIC, c.DOC))
    key, count = hash_names(documents.bytes, hash_names(topics.bytes, SEED)), len(found.lines)
    if start is None or end is None:
        is_sound = start is end and len(np.unique(key)) == count
    else:
        is_sound = start.min() >= 0 and (start <= end).all() and end.max() <= LARGEST_OFFSET
    said = [found.values.get(column, "") for column in (c.RUN, c.TAG)]
    name, tag = (values.partition("\n")[0] for values in said)
    if not is_sound or said != [own and "\n".join([own] * count) for own in (name, tag)]:
        return None
    row = np.arange(count)
    first = row[np.append(True, ~topics.are_equal(row[1:], topics, row[:-1]))]
    told = topics.take(first).strings()
    number = {name: place for place, name in enumerate(dict.fromkeys(told))}
    results = RunColumns(
        topics=[*number],
        topic=TopicColumn(first, np.array([number[name] for name in told]), count, len(number)),
        documents=Names(documents.source, key),
        score=score,
        rank=rank,
        start=start,
        end=end,
        whole=None if start is None else np.zeros(count, dtype=bool),
        line=found.lines.astype(np.uint32),
    )
    by_score = Order.FILE if score is None else Order.SCORE
    order = by_score if rank is None else Order.RANK
    return RunRows(frame=results, name=name, tag=tag, order=order)


def _names(lines: str) -> Names:
    """Names separated by newlines."""
    data = lines.encode()
    ends = np.append(np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == NEW_LINE), len(data))
    place = np.append(0, ends[:-1] + 1)
    return Names((data, place.astype(np.uint64), (ends - place).astype(np.uint32)))
