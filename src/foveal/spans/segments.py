"""Flat arrays cut into segments, one for each topic, and sums within segments."""

from __future__ import annotations

from functools import cached_property
from typing import Self, TypeVar

import numpy as np

from foveal.frozen import frozen
from foveal.spans.axis import Floats, Ints

Values = TypeVar("Values", Ints, Floats)
# Keys are dense if the largest is at most this many times as large as their number.
DENSE = 8


@frozen(eq=False)
class Segments:
    """Consecutive entries of a flat array: segment s is from `offsets[s]` to `offsets[s + 1]`."""

    offsets: Ints

    @classmethod
    def grouped(cls, segment: Ints, count: int) -> Self:
        """Make segments from the segment of each entry, in ascending order."""
        return cls(np.searchsorted(segment, np.arange(count + 1)).astype(np.int64))

    @classmethod
    def sized(cls, sizes: Ints) -> Self:
        """Make consecutive segments of the given sizes."""
        return cls(np.concatenate([[0], np.cumsum(sizes)]))

    @cached_property
    def entry_count(self) -> Ints:
        """The number of entries of each segment."""
        return np.diff(self.offsets)

    @cached_property
    def nth(self) -> Ints:
        """The number of each entry within its segment, from 1."""
        first_entry = np.repeat(self.offsets[:-1], self.entry_count)
        return np.arange(1, self.offsets[-1] + 1) - first_entry

    def segment_of(self, index: Ints) -> Ints:
        """Segment of each entry, by the entry's index in the flat array."""
        return np.searchsorted(self.offsets, index, side="right") - 1

    def entries_of(self, segments: Ints) -> tuple[Ints, Ints]:
        """Entries of the given segments: (index among these segments, index of the entry)."""
        count = self.entry_count[segments]
        segment = np.repeat(np.arange(len(segments)), count)
        return segment, self.offsets[segments][segment] + Segments.sized(count).nth - 1

    def running(self, values: Values) -> Values:
        """Running sums within each segment."""
        if np.issubdtype(values.dtype, np.floating):
            return _running_floats(values, self.offsets)
        sums = np.cumsum(values)
        sum_before = np.concatenate([[0], sums])[self.offsets[:-1]]
        within: Values = sums - np.repeat(sum_before, self.entry_count)
        return within

    def sums_after(
        self, running: Values, count: Ints, segments: Ints | slice = slice(None)
    ) -> Values:
        """Running sums after `count` entries of each segment, or of the given segments."""
        padded: Values = np.append(running, running.dtype.type(0))
        return padded[np.where(count > 0, self.offsets[:-1][segments] + count - 1, len(running))]


def _running_floats(values: Values, offsets: Ints) -> Values:
    """Running sums in which no segment's rounding affects the next.

    Segments of similar length are the rows of one table; there are as many tables as powers of two
    among the lengths.
    """
    count = np.diff(offsets)
    running = np.empty_like(values)
    scale = np.frexp(count.astype(np.float64))[1]
    # Every power that occurs, in order; `np.unique` would load masked arrays first.
    for power in np.flatnonzero(np.bincount(scale[count > 0])):
        rows = np.flatnonzero(scale == power)
        step = np.arange(count[rows].max())
        is_entry = step < count[rows][:, None]
        index = np.where(is_entry, offsets[rows][:, None] + step, 0)
        sums = np.cumsum(np.where(is_entry, values[index], 0.0), axis=1)
        running[index[is_entry]] = sums[is_entry]
    return running


def distinct(key: Ints) -> tuple[Ints, Ints]:
    """Distinct non-negative keys in order, and each entry's index among them."""
    largest = int(key.max(initial=0))
    # `np.unique` takes ten times as long where keys are dense.
    if largest > DENSE * len(key):
        keys, index = np.unique(key, return_inverse=True)
        return keys, index.astype(np.int64)
    occurs = np.zeros(largest + 1, dtype=bool)
    occurs[key] = True
    keys = np.flatnonzero(occurs)
    if len(keys) and keys[-1] - keys[0] == len(keys) - 1:
        return keys, key - keys[0]
    return keys, (np.cumsum(occurs) - 1)[key]


def totals(segment: Ints, values: Values, count: int) -> Values:
    """The sum of each segment's values, added up in order; segments may come in any order."""
    if np.issubdtype(values.dtype, np.floating):
        return np.bincount(segment, values, count).astype(values.dtype, copy=False)
    sums = np.zeros(count, dtype=values.dtype)
    np.add.at(sums, segment, values)
    return sums


def affordable(segment: Ints, size: Ints, budget: int) -> Ints:
    """Part of each size that fits a budget, which is spent in order within each segment."""
    order = np.argsort(segment, kind="stable")
    size = size[order]
    segments = Segments.grouped(segment[order], int(segment.max(initial=-1)) + 1)
    paid = np.empty(len(order), dtype=np.int64)
    paid[order] = np.clip(budget - (segments.running(size) - size), 0, size)
    return paid
