"""Names in a column of a frame, and which of many are judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Bools, Ints
from foveal.tables import _columns as c
from foveal.tables._names import DocumentLookup, Keys, Names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.spans import Segments

# A table of eight megabytes, of which the rows of one topic need a small part.
LEADING_BITS = 23
SHIFT = np.uint64(64 - LEADING_BITS)


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
