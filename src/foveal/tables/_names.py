"""Columns of names, wherever they are kept: topics by row, and which of many documents are judged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Bools, Ints, Segments
from foveal.tables import _columns as c
from foveal.work import BLOCK, threaded

Keys = NDArray[np.uint64]
# A table of eight megabytes, of which the rows of one topic need a small part.
LEADING_BITS = 23
SHIFT = np.uint64(64 - LEADING_BITS)


class Names(ABC):
    """The names of documents, row by row: in the bytes of a file, or in a column of a frame."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def taken(self, rows: Ints | Bools) -> Names:
        """The names of some rows."""

    @abstractmethod
    def strings(self) -> list[str]:
        """All names as text."""

    @abstractmethod
    def series(self) -> pl.Series:
        """All names as a column of a frame."""

    @abstractmethod
    def first_rows(self, segments: Segments) -> Ints:
        """For each row the first one of its segment, which is of one topic, with the same name."""

    @abstractmethod
    def falling(self, rows: Ints, group: Ints) -> Ints:
        """Some rows by group, in each the greatest name first; of equal names in their order."""

    @abstractmethod
    def lookup_of(self, judged: Names, topic: Ints, topics: Sequence[str]) -> DocumentLookup:
        """Judged documents, to be found by names that are kept as these are.

        `topic` has the number of each one's topic, `topics` their names.
        """

    @property
    def kind(self) -> object:
        """What names must share to be found by the same look-up."""
        return type(self)

    def at(self, row: int) -> str:
        """The name in a row."""
        (name,) = self.taken(np.array([row])).strings()
        return name


class DocumentLookup(ABC):
    """The judged documents of all topics by topic and name."""

    @abstractmethod
    def found(self, topic: Ints, names: Names, begin: int = 0) -> tuple[Ints, Ints]:
        """The judged ones among documents from one row on: their rows here, and there.

        `topic` has the number of each one's topic; as many names are looked at.
        """


def _document_keys(table: pl.DataFrame) -> NDArray[np.uint64]:
    """A number for each topic and document: equal for equal ones, rarely for others."""
    keys = np.empty(table.height, dtype=np.uint64)
    for begin in range(0, table.height, BLOCK):
        rows, own = table.slice(begin, BLOCK), keys[begin : begin + BLOCK]
        np.multiply(rows[c.TOPIC].hash(1).to_numpy(), np.uint64(0x9E3779B97F4A7C15), out=own)
        own += rows[c.DOC].hash(2).to_numpy()
    return keys


def may_repeat(table: pl.DataFrame) -> bool:
    """Whether two rows may be about the same document of the same topic; a no is certain.

    Sorting hashes is five times faster than grouping rows.
    """

    def repeats(cut: tuple[int, int]) -> bool:
        keys = _document_keys(table.slice(cut[0], cut[1] - cut[0]))
        keys.sort()
        return bool(np.any(keys[1:] == keys[:-1]))

    return any(threaded(repeats, pairwise(_cuts(table[c.TOPIC]))))


def _cuts(topic: pl.Series) -> list[int]:
    """Where to cut a table into blocks so that no topic is in two of them."""
    first = stretches(topic)
    if len(first) == len(topic) or topic.gather(first).n_unique() < len(first):
        return [0, len(topic)]
    wanted = np.arange(0, len(topic), BLOCK)
    at = np.searchsorted(first, wanted)
    return [*np.unique(first[at[at < len(first)]]).tolist(), len(topic)]


def stretches(names: pl.Series) -> Ints:
    """Where each stretch of equal names begins; every row, if hardly any neighbours are equal."""

    def changes(begin: int) -> Ints:
        block = names.slice(begin, BLOCK + 1)
        before = (block[1:] != block[:-1]).arg_true().to_numpy()
        return begin + 1 + before.astype(np.int64)

    later = threaded(changes, range(0, len(names), BLOCK))
    first = np.concatenate([np.arange(min(len(names), 1)), *later])
    return np.arange(len(names)) if 10 * len(first) > len(names) + 10 else first


@frozen(eq=False)
class TopicColumn:
    """Topic numbers from 0 to `topics` - 1: stretch after stretch, each from its `first` row on.

    Results mostly come topic by topic, so that a run of millions of rows has few stretches.
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

    def between(self, begin: int, end: int) -> Ints:
        """The topics of the rows from one to before another."""
        low = np.searchsorted(self.first, begin, side="right") - 1
        high = np.searchsorted(self.first, end)
        edges = np.append(self.first[low:high], end).clip(begin)
        return np.repeat(self.topic[low:high], np.diff(edges))

    @property
    def lengths(self) -> Ints:
        """The number of rows of each stretch."""
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
        """Whether the rows are in the order of their topics' numbers."""
        return bool(np.all(self.topic[1:] >= self.topic[:-1]))

    @property
    def is_mixed(self) -> bool:
        """Whether the rows of topics are scattered, so that nothing is in order yet."""
        return len(self.first) == self.height > 1

    def only(self, kept: Bools) -> Self:
        """The column without the stretches that are not kept."""
        lengths = self.lengths[kept]
        ends = np.cumsum(lengths)
        return type(self)(ends - lengths, self.topic[kept], int(lengths.sum()), self.topics)


@frozen(eq=False)
class SeriesNames(Names):
    """Names in a column of a frame."""

    column: pl.Series

    def __len__(self) -> int:
        return len(self.column)

    def taken(self, rows: Ints | Bools) -> SeriesNames:
        """The names of some rows."""
        is_mask = rows.dtype == bool
        return SeriesNames(self.column.filter(rows) if is_mask else self.column.gather(rows))

    def strings(self) -> list[str]:
        """All names as text."""
        return self.column.to_list()

    def series(self) -> pl.Series:
        """The column itself."""
        return self.column

    def hashes(self, seed: int, begin: int = 0, end: int | None = None) -> Keys:
        """A number for each name from one row to before another: equal for equal names."""
        count = None if end is None else end - begin
        return self.column.slice(begin, count).hash(seed).to_numpy()

    def first_rows(self, segments: Segments) -> Ints:
        """For each row the first one of its segment with the same name."""
        column = self.column.cast(pl.Categorical(pl.Categories.random()))
        code = column.to_physical().to_numpy().astype(np.int64)
        segment = np.repeat(np.arange(len(segments.held)), segments.held)
        key = segment * (int(code.max(initial=0)) + 1) + code
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        return first[which]

    def falling(self, rows: Ints, group: Ints) -> Ints:
        """Some rows by group, in each the greatest name first."""
        ordered = pl.DataFrame({c.GROUP: group, c.DOC: self.column.gather(rows), c.ROW: rows}).sort(
            c.GROUP, c.DOC, c.ROW, descending=[False, True, False]
        )
        return ordered[c.ROW].to_numpy()

    def lookup_of(self, judged: Names, topic: Ints, topics: Sequence[str]) -> SeriesLookup:
        """Judged documents, to be found by names in a column."""
        return SeriesLookup.of(topic, len(topics), type(self)(judged.series()))


@frozen(eq=False)
class SeriesLookup(DocumentLookup):
    """The judged documents of all topics by a key, in which no two are alike.

    `keys` are sorted, and `names` and `row` are in their order. `begins` tells with which leading
    bits keys begin: most documents that are looked up have no judgement and are out after that.
    """

    topics: int
    seed: int
    keys: Keys
    names: pl.Series
    row: Ints
    begins: Bools

    @classmethod
    def of(cls, topic: Ints, topics: int, names: SeriesNames, seed: int = 0) -> Self:
        """The lookup of documents that differ in topic or name."""
        keys = _keys(topic, topics, names.hashes(seed))
        row = np.argsort(keys)
        keys = keys[row]
        if np.any(keys[1:] == keys[:-1]):
            return cls.of(topic, topics, names, seed + 1)
        begins = np.zeros(1 << LEADING_BITS, dtype=bool)
        begins[keys >> SHIFT] = True
        return cls(topics, seed, keys, names.column[row], row, begins)

    def found(self, topic: Ints, names: Names, begin: int = 0) -> tuple[Ints, Ints]:
        """The judged ones among documents from one row on: their rows here, and there."""
        own = names if isinstance(names, SeriesNames) else SeriesNames(names.series())
        keys = _keys(topic, self.topics, own.hashes(self.seed, begin, begin + len(topic)))
        at = np.flatnonzero(self.begins[keys >> SHIFT])
        keys = keys[at]
        place = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        same = self.keys[place] == keys
        at, place = begin + at[same], place[same]
        same = (self.names[place] == own.column[at]).to_numpy()
        return at[same], self.row[place[same]]


def _keys(topic: Ints, topics: int, hashes: Keys) -> Keys:
    """A number for each topic and document: equal for equal ones, rarely for others.

    It begins with the topic's number, so that what is looked up for one topic lies together.
    """
    width = np.uint64(max((topics - 1).bit_length(), 1))
    keys = topic.astype(np.uint64) << (np.uint64(64) - width)
    keys |= hashes >> width
    return keys
