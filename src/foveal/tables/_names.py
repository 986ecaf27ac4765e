"""Columns of names: of documents, in files' bytes or frames, and of topics; look-up of judged documents."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np

from foveal.compiled import Keys, NameBytes, equal, find, hash_names, make_table, repeats, words
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Bools, Ints, Segments
from foveal.tables import _columns as c
from foveal.work import BLOCK, threaded

# One for the whole process, as keys of judged and of returned documents must agree; random, so that
# the author of a file cannot construct collisions.
SEED = int.from_bytes(os.urandom(8), "little")
# Polars' values end at 4 GiB.
LARGEST_VALUE = (1 << 32) - 1
# Names up to this length are sorted as numbers, eight bytes at a time.
LONGEST_SORTED_AS_NUMBERS = 64
NEW_LINE = ord("\n")
FREED_BLOCK = 1 << 20
# Names in one block of a look-up: few enough to stay in the processor's cache.
LOOKUP_SIZE = 1 << 16


@frozen(eq=False)
class Names:
    """The names of documents, row by row.

    `source` is the bytes that hold them, such as those of a file, with the offset and the length of
    each; or a column of a frame, which is made into bytes if these are needed. `key` has the hashes
    of topic and name from SEED, if they were computed.
    """

    source: NameBytes | pl.Series
    key: Keys | None = None

    @classmethod
    def of_strings(cls, strings: Sequence[str]) -> Self:
        """Names from a list of texts."""
        return cls(_joined([text.encode(errors="surrogatepass") for text in strings]))

    @cached_property
    def bytes(self) -> NameBytes:
        """The names as bytes, offsets and lengths."""
        if isinstance(self.source, tuple):
            return self.source
        # Until so large a block has been freed, glibc returns memory after every evaluation and
        # requests it again page by page, which costs more than all work on names here.
        np.empty(FREED_BLOCK)
        length = self.source.str.len_bytes().to_numpy()
        ends = np.cumsum(length, dtype=np.uint64)
        count = max(min(BLOCK, LARGEST_VALUE // max(int(length.max(initial=0)), 1)), 1)
        blocks = (self.source.slice(start, count) for start in range(0, len(length), count))
        return b"".join(block.str.join().item().encode() for block in blocks), ends - length, length

    def __len__(self) -> int:
        return len(self.source[1] if isinstance(self.source, tuple) else self.source)

    def take(self, rows: Ints | Bools | slice) -> Names:
        """The names of the given rows."""
        if isinstance(rows, np.ndarray) and rows.dtype == bool:
            rows = np.flatnonzero(rows)
        key = None if self.key is None else self.key[rows]
        if isinstance(self.source, tuple):
            return Names(self._bytes_of(rows), key)
        names = Names(self.source[rows], key)
        if "bytes" in vars(self):
            vars(names)["bytes"] = self._bytes_of(rows)
        return names

    def _bytes_of(self, rows: Ints | Bools | slice) -> NameBytes:
        data, offset, length = self.bytes
        return data, offset[rows], length[rows]

    def strings(self) -> list[str]:
        """All names as text."""
        if isinstance(self.source, tuple):
            return [name.decode(errors="surrogatepass") for name in _cut_out(self.source)]
        return self.source.to_list()

    def series(self) -> pl.Series:
        """All names as a column of a frame."""
        if not isinstance(self.source, tuple):
            return self.source
        if lines := _lines(self.source):
            return pl.Series([lines]).str.split("\n").explode()
        return pl.Series(self.strings(), dtype=pl.String)

    def name_at(self, row: int) -> str:
        """The name in a row."""
        return self.take(np.array([row])).strings()[0]

    def are_equal(self, rows: Ints, other_names: Names, other_rows: Ints) -> Bools:
        """True where the names of two rows are the same, pair by pair."""
        return equal(self._bytes_of(rows), other_names._bytes_of(other_rows))

    def first_rows(self, segments: Segments, seed: int = SEED) -> Ints:
        """For each row, the first row of the same name in its segment (a topic)."""
        key = hash_names(self.bytes, seed) if self.key is None or seed != SEED else self.key
        rows, first = repeats(key, segments.offsets)
        if not self.are_equal(rows, self, first).all():
            return self.first_rows(segments, (seed + 1) % 2**64)
        first_rows = np.arange(len(self))
        first_rows[rows] = first
        return first_rows

    def descending(self, rows: Ints, group: Ints) -> Ints:
        """The given rows by group, within it by falling name; rows of equal names keep their order."""
        _, _, length = names = self.take(rows).bytes
        longest = int(length.max(initial=0))
        if longest > LONGEST_SORTED_AS_NUMBERS:
            texts = _cut_out(names)
            order = sorted(range(len(rows)), key=texts.__getitem__, reverse=True)
            order.sort(key=group.__getitem__)
            return rows[order]
        # If names differ only in zero bytes at their end, the longer is greater.
        lengths = [length.astype(np.int64)] if length.min(initial=longest) < longest else []
        return rows[np.lexsort((*[~key for key in (*lengths, *reversed(words(*names)))], group))]

    def __getstate__(self) -> dict[str, object]:
        """Pickle the names alone, not the file's bytes; keys are dropped because hash seeds differ."""
        source = self.source
        return {"source": _joined(_cut_out(source)) if isinstance(source, tuple) else source}


@frozen(eq=False)
class Lookup:
    """The judged documents of all topics by topic and name.

    `topic` has the index of each document's topic, `names` its name; `table` is a hash table from keys
    to rows, whose keys hash the topic, then the name.
    """

    names: Names
    topic: Ints
    seed: int
    topic_hash: Keys
    table: tuple[Keys, Ints]

    @classmethod
    def of(cls, names: Names, topic: Ints, topics: Sequence[str], seed: int = SEED) -> Self:
        """The look-up of documents, each given once per topic; `topics` are the topics' names."""
        # The last hash is for index -1, an unjudged topic.
        topic_hash = hash_names(Names.of_strings([*topics, ""]).bytes, seed)
        table = make_table(_keys(names, topic, seed, topic_hash))
        if table is None:
            return cls.of(names, topic, topics, (seed + 1) % 2**64)
        return cls(names, topic, seed, topic_hash, table)

    def rows_of(self, topic: Ints, names: Names, start: int = 0) -> tuple[Ints, Ints]:
        """The rows of `names` that are judged, from row `start` on, and their rows in this look-up.

        `topic` has the index of each row's topic; as many names are looked up.
        """
        starts = range(0, max(len(topic), 1), LOOKUP_SIZE)
        parts = [self._rows_of(topic[i : i + LOOKUP_SIZE], names, start + i) for i in starts]
        rows, judged = map(np.concatenate, zip(*parts, strict=True))
        return rows, judged

    def _rows_of(self, topic: Ints, names: Names, start: int) -> tuple[Ints, Ints]:
        block = names.take(slice(start, start + len(topic)))
        rows, judged = find(_keys(block, topic, self.seed, self.topic_hash), self.table)
        is_same = (topic[rows] == self.topic[judged]) & block.are_equal(rows, self.names, judged)
        return start + rows[is_same], judged[is_same]


def _keys(names: Names, topic: Ints, seed: int, topic_hash: Keys) -> Keys:
    """The hashes of topic and name from a seed; computed if the names have none from SEED."""
    key = names.key if seed == SEED else None
    return hash_names(names.bytes, topic_hash[topic]) if key is None else key


def _joined(names: Sequence[bytes]) -> NameBytes:
    """Names joined in new bytes."""
    length = np.array([len(name) for name in names], dtype=np.uint32)
    return b"".join(names), np.cumsum(length, dtype=np.uint64) - length, length


def _cut_out(names: NameBytes) -> list[bytes]:
    """The bytes of each name."""
    data, offset, length = names
    view, ends = memoryview(data), (offset + length).tolist()
    return [bytes(view[start:end]) for start, end in zip(offset.tolist(), ends, strict=True)]


def _lines(names: NameBytes) -> str | None:
    """The names as lines of text; None if they are not UTF-8 or a name has a line break."""
    data, offset, length = names
    if not len(offset) or not len(data):
        return None
    # Every name has one more byte, for the end of its line.
    sizes = length.astype(np.int64) + 1
    ends = np.cumsum(sizes)
    index = np.arange(ends[-1]) + np.repeat(offset.astype(np.int64) - (ends - sizes), sizes)
    text = np.frombuffer(data, dtype=np.uint8)[np.minimum(index, len(data) - 1)]
    text[ends - 1] = NEW_LINE
    if np.count_nonzero(text == NEW_LINE) != len(ends):
        return None
    try:
        return str(text[:-1].tobytes(), "utf-8")
    except UnicodeDecodeError:
        return None


def _document_keys(table: pl.DataFrame) -> Keys:
    """A hash for each topic and document; different pairs rarely have the same."""
    keys = np.empty(table.height, dtype=np.uint64)
    for start in range(0, table.height, BLOCK):
        rows, block_keys = table.slice(start, BLOCK), keys[start : start + BLOCK]
        np.multiply(rows[c.TOPIC].hash(1).to_numpy(), np.uint64(0x9E3779B97F4A7C15), out=block_keys)
        block_keys += rows[c.DOC].hash(2).to_numpy()
    return keys


def may_repeat(table: pl.DataFrame) -> bool:
    """Whether two rows may have the same topic and document; a negative answer is certain.

    Sorting hashes is five times faster than grouping rows.
    """

    def repeats(bounds: tuple[int, int]) -> bool:
        keys = _document_keys(table.slice(bounds[0], bounds[1] - bounds[0]))
        keys.sort()
        return bool(np.any(keys[1:] == keys[:-1]))

    return any(threaded(repeats, pairwise(_cuts(table[c.TOPIC]))))


def _cuts(topic: pl.Series) -> list[int]:
    """Bounds of blocks of a table, chosen so that no topic is in two blocks."""
    first = section_starts(topic)
    if len(first) == len(topic) or topic.gather(first).n_unique() < len(first):
        return [0, len(topic)]
    block_starts = np.arange(0, len(topic), BLOCK)
    section = np.searchsorted(first, block_starts)
    return [*np.unique(first[section[section < len(first)]]).tolist(), len(topic)]


def section_starts(names: pl.Series) -> Ints:
    """The first row of each section of equal names; every row, if few neighbours are equal."""

    def changes(start: int) -> Ints:
        block = names.slice(start, BLOCK + 1)
        last_rows = (block[1:] != block[:-1]).arg_true().to_numpy()
        return start + 1 + last_rows.astype(np.int64)

    changed_rows = threaded(changes, range(0, len(names), BLOCK))
    first = np.concatenate([np.arange(min(len(names), 1)), *changed_rows])
    return np.arange(len(names)) if 10 * len(first) > len(names) + 10 else first


@frozen(eq=False)
class TopicColumn:
    """Topic indices from 0 to `topics` - 1: one per section of rows, which begins at its `first` row.

    Results mostly come topic by topic, so that a run of millions of rows has few sections.
    """

    first: Ints
    topic: Ints
    height: int
    topics: int

    @classmethod
    def of(cls, topic: Ints, topics: int | None = None) -> Self:
        """The column of an array with every row's topic."""
        first = np.flatnonzero(np.append(True, topic[1:] != topic[:-1])[: len(topic)])
        count = int(topic.max(initial=-1)) + 1 if topics is None else topics
        return cls(first, topic[first], len(topic), count)

    @cached_property
    def rows(self) -> Ints:
        """Every row's topic."""
        return self.topic if self.is_mixed else np.repeat(self.topic, self.lengths)

    def between(self, start: int, end: int) -> Ints:
        """The topics of the rows from `start` to before `end`."""
        low = np.searchsorted(self.first, start, side="right") - 1
        high = np.searchsorted(self.first, end)
        edges = np.append(self.first[low:high], end).clip(start)
        return np.repeat(self.topic[low:high], np.diff(edges))

    @property
    def lengths(self) -> Ints:
        """The number of rows of each section."""
        return np.diff(self.first, append=self.height)

    @cached_property
    def counts(self) -> Ints:
        """The number of rows of each topic."""
        # The sums are far smaller than the largest integer that doubles represent exactly.
        lengths = None if self.is_mixed else self.lengths
        return np.bincount(self.topic, lengths, self.topics).astype(np.int64, copy=False)

    @cached_property
    def segments(self) -> Segments:
        """The rows of each topic once they are ordered by topic."""
        return Segments.sized(self.counts)

    @property
    def is_ordered(self) -> bool:
        """Whether the rows are in the order of their topics' indices."""
        return bool(np.all(self.topic[1:] >= self.topic[:-1]))

    @property
    def is_mixed(self) -> bool:
        """Whether the rows of topics are scattered, so that every row is a section."""
        return len(self.first) == self.height > 1

    def only(self, keep: Bools) -> Self:
        """The column with only the sections to keep."""
        lengths = self.lengths[keep]
        ends = np.cumsum(lengths)
        return type(self)(ends - lengths, self.topic[keep], int(lengths.sum()), self.topics)
