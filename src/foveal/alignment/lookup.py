"""Which of many returned documents are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from foveal.spans import Bools, Ints

if TYPE_CHECKING:
    import polars as pl

Keys = NDArray[np.uint64]
# A table of eight megabytes, of which the rows of one topic use only a small part.
LEADING_BITS = 23
SHIFT = np.uint64(64 - LEADING_BITS)


@dataclass(frozen=True, eq=False)
class DocumentLookup:
    """The judged documents of all topics by unique keys.

    `keys` are sorted, and `names` and `row` are in the same order. `begins` marks the leading bits
    that occur among the keys: most documents looked up are unjudged and are sorted out by that.
    """

    topics: int
    seed: int
    keys: Keys
    names: pl.Series
    row: Ints
    begins: Bools

    @classmethod
    def of(cls, topic: Ints, topics: int, names: pl.Series, seed: int = 0) -> Self:
        """The lookup of documents, no two of which have the same topic and name."""
        keys = _keys(topic, topics, names, seed)
        row = np.argsort(keys)
        keys = keys[row]
        if np.any(keys[1:] == keys[:-1]):
            return cls.of(topic, topics, names, seed + 1)
        begins = np.zeros(1 << LEADING_BITS, dtype=bool)
        begins[keys >> SHIFT] = True
        return cls(topics, seed, keys, names[row], row, begins)

    def found(self, topic: Ints, names: pl.Series) -> tuple[Ints, Ints]:
        """The judged ones among documents: their places in `names`, and their rows in the judgements."""
        keys = _keys(topic, self.topics, names, self.seed)
        at = np.flatnonzero(self.begins[keys >> SHIFT])
        keys = keys[at]
        place = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        same = self.keys[place] == keys
        at, place = at[same], place[same]
        same = (self.names[place] == names[at]).to_numpy()
        return at[same], self.row[place[same]]


def _keys(topic: Ints, topics: int, names: pl.Series, seed: int) -> Keys:
    """A number for each topic and document: equal for equal ones, rarely for others.

    It begins with the topic's number, so that the keys of one topic are close together in memory.
    """
    width = np.uint64(max((topics - 1).bit_length(), 1))
    keys = topic.astype(np.uint64) << (np.uint64(64) - width)
    keys |= names.hash(seed).to_numpy() >> width
    return keys
