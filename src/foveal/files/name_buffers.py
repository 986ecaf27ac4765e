"""Names that stay in the bytes of their file until someone needs them as text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Self

import numpy as np

from foveal.compiled import KeyTable, NamesInBytes, repeats
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Bools, Ints, Segments
from foveal.tables import DocumentLookup, Keys, Names, SeriesNames

# One for the whole process, as keys of judged and of returned documents must agree; and random, so
# that the author of a file cannot guess it.
SEED = int.from_bytes(os.urandom(8), "little")
# Names up to this length are put in order as numbers, eight bytes at a time.
LONGEST_SORTED_AS_NUMBERS = 64
WORD = 8


@frozen(eq=False)
class FileNames(Names):
    """Names by where they are in some bytes; `key` has the hashes of topic and name, if known."""

    names: NamesInBytes
    key: Keys | None = None

    @classmethod
    def of_strings(cls, strings: Sequence[str]) -> Self:
        """Names that are at hand as text."""
        return cls(NamesInBytes.of([text.encode(errors="surrogatepass") for text in strings]))

    def __len__(self) -> int:
        return len(self.names.place)

    def taken(self, rows: Ints | Bools) -> FileNames:
        """The names of some rows."""
        return FileNames(self.names.taken(rows), None if self.key is None else self.key[rows])

    def strings(self) -> list[str]:
        """All names as text."""
        return [name.decode(errors="surrogatepass") for name in self.names.texts()]

    def series(self) -> pl.Series:
        """All names as a column of a frame."""
        lines = self.names.lines()
        if lines is None:
            return pl.Series(self.strings(), dtype=pl.String)
        return pl.Series([lines]).str.split("\n").explode()

    def first_rows(self, segments: Segments) -> Ints:
        """For each row the first one of its segment, which is of one topic, with the same name."""
        if self.key is None:
            return self._in_a_column.first_rows(segments)
        at, first = repeats(self.key, segments.offsets)
        if not self.names.taken(at).equal(self.names.taken(first)).all():
            return self._in_a_column.first_rows(segments)
        rows = np.arange(len(self))
        rows[at] = first
        return rows

    def falling(self, rows: Ints, group: Ints) -> Ints:
        """Some rows by group, in each the greatest name first; of equal names in their order."""
        names = self.names.taken(rows)
        longest = int(names.length.max(initial=0))
        if longest > LONGEST_SORTED_AS_NUMBERS:
            texts = names.texts()
            order = sorted(range(len(rows)), key=texts.__getitem__, reverse=True)
            order.sort(key=group.__getitem__)
            return rows[order]
        words = _words(names, -(-longest // WORD))
        # Of names that differ only in zero bytes at their end, the longer is greater.
        is_uneven = longest != int(names.length.min(initial=longest))
        keys = [*[names.length.astype(np.int64)][:is_uneven], *words[::-1]]
        return rows[np.lexsort((*[~key for key in keys], group))]

    def lookup_of(self, judged: Names, topic: Ints, topics: Sequence[str]) -> DocumentLookup:
        """Judged documents, to be found by names that are kept in bytes."""
        if self.key is None:
            return self._in_a_column.lookup_of(judged, topic, topics)
        own = judged if isinstance(judged, FileNames) else FileNames.of_strings(judged.strings())
        topic_hash = FileNames.of_strings(topics).names.hashes(SEED)
        table = KeyTable.of(own.names.hashes(topic_hash[topic]))
        # Two documents have one key: keys of another kind tell them apart.
        if table is None:
            return self._in_a_column.lookup_of(judged, topic, topics)
        return FileLookup(table, own.names, topic)

    @property
    def kind(self) -> object:
        """Names without keys, such as those of a run from another process, are found by text."""
        return FileNames, self.key is not None

    @property
    def _in_a_column(self) -> SeriesNames:
        return SeriesNames(self.series())

    def __getstate__(self) -> dict[str, object]:
        """Travel between processes without the rest of the file, and to where the seed differs."""
        return {"names": NamesInBytes.of(self.names.texts()), "key": None}


@frozen(eq=False)
class FileLookup(DocumentLookup):
    """The judged documents of all topics by key; `topic` has the number of each one's topic."""

    table: KeyTable
    names: NamesInBytes
    topic: Ints

    def found(self, topic: Ints, names: Names, begin: int = 0) -> tuple[Ints, Ints]:
        """The judged ones among documents from one row on: their rows here, and there."""
        if not isinstance(names, FileNames) or names.key is None:
            raise TypeError("a look-up of names in bytes was asked for names of another kind")
        at, row = self.table.find(names.key[begin : begin + len(topic)])
        same = topic[at] == self.topic[row]
        same &= names.names.taken(begin + at).equal(self.names.taken(row))
        return begin + at[same], row[same]


def _words(names: NamesInBytes, count: int) -> list[Keys]:
    """The first bytes of all names as numbers that are ordered as the bytes are."""
    padded = np.zeros((len(names.place), count * WORD), dtype=np.uint8)
    data = np.frombuffer(names.data, dtype=np.uint8)
    place = names.place.astype(np.int64)
    for column in range(int(names.length.max(initial=0))):
        rows = np.flatnonzero(names.length > column)
        # Most names are of the same length.
        if len(rows) == len(place):
            padded[:, column] = data[place + column]
        else:
            padded[rows, column] = data[place[rows] + column]
    return list(padded.view(">u8").astype(np.uint64).T)
