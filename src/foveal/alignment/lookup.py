"""Which of many returned documents are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from foveal.spans import Bools, Ints

if TYPE_CHECKING:
    from foveal.tables import Names

Keys = NDArray[np.uint64]
# A table of eight megabytes, of which the rows of one topic need a small part.
LEADING_BITS = 23
SHIFT = np.uint64(64 - LEADING_BITS)


@dataclass(frozen=True, eq=False)
class DocumentLookup:
    """The judged documents of all topics by a key, in which no two are alike.

    `keys` are sorted, and `row` is in their order; `names` are those of all rows. `begins` tells with which leading
    bits keys begin: most documents that are looked up have no judgement and are out after that.
    """

    topics: int
    seed: int
    keys: Keys
    names: Names
    row: Ints
    begins: Bools

    @classmethod
    def of(cls, topic: Ints, topics: int, names: Names, seed: int = 0) -> Self:
        """The lookup of documents that differ in topic or name."""
        keys = _keys(topic, topics, names.hashes(seed))
        row = np.argsort(keys)
        keys = keys[row]
        if np.any(keys[1:] == keys[:-1]):
            return cls.of(topic, topics, names, seed + 1)
        begins = np.zeros(1 << LEADING_BITS, dtype=bool)
        begins[keys >> SHIFT] = True
        return cls(topics, seed, keys, names, row, begins)

    def found(self, topic: Ints, names: Names, begin: int = 0) -> tuple[Ints, Ints]:
        """The judged ones among documents from one row on: their rows here, and there.

        `topic` has the number of each one's topic; as many names are looked at.
        """
        hashes = names.hashes(self.seed, begin, begin + len(topic))
        keys = _keys(topic, self.topics, hashes)
        at = np.flatnonzero(self.begins[keys >> SHIFT])
        keys = keys[at]
        place = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        same = self.keys[place] == keys
        at, row = begin + at[same], self.row[place[same]]
        same = names.same(at, self.names, row)
        return at[same], row[same]


def _keys(topic: Ints, topics: int, hashes: Keys) -> Keys:
    """A number for each topic and document: equal for equal ones, rarely for others.

    It begins with the topic's number, so that what is looked up for one topic lies together.
    """
    width = np.uint64(max((topics - 1).bit_length(), 1))
    keys = topic.astype(np.uint64) << (np.uint64(64) - width)
    keys |= hashes >> width
    return keys
