"""The topic of every row, stored once for neighbouring rows of the same topic."""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np

from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Bools, Ints, Segments
from foveal.work import BLOCK, threaded


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
