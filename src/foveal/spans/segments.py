"""Flat arrays cut into segments, one for each topic: where each starts, and sums within it."""

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
        """The segments of entries, given the segment of each entry in ascending order."""
        return cls(np.searchsorted(segment, np.arange(count + 1)).astype(np.int64))

    @classmethod
    def sized(cls, sizes: Ints) -> Self:
        """Segments of these sizes, one after the other."""
        return cls(np.concatenate([[0], np.cumsum(sizes)]))

    @cached_property
    def held(self) -> Ints:
        """The number of entries of each segment."""
        return np.diff(self.offsets)

    @cached_property
    def nth(self) -> Ints:
        """The number of each entry within its segment, from 1."""
        before = np.repeat(self.offsets[:-1], self.held)
        return np.arange(1, self.offsets[-1] + 1) - before

    def holding(self, places: Ints) -> Ints:
        """The segment that holds each place."""
        return np.searchsorted(self.offsets, places, side="right") - 1

    def entries_of(self, among: Ints) -> tuple[Ints, Ints]:
        """All entries of some segments: which of these each belongs to, and its place."""
        held = self.held[among]
        which = np.repeat(np.arange(len(among)), held)
        return which, self.offsets[among][which] + Segments.sized(held).nth - 1

    def running(self, values: Values) -> Values:
        """Running sums within each segment."""
        if np.issubdtype(values.dtype, np.floating):
            return _running_floats(values, self.offsets)
        sums = np.cumsum(values)
        before = np.concatenate([[0], sums])[self.offsets[:-1]]
        within: Values = sums - np.repeat(before, self.held)
        return within

    def reached(self, running: Values, count: Ints, among: Ints | slice = slice(None)) -> Values:
        """Running sums after a number of entries of each segment, or of some segments."""
        padded: Values = np.append(running, running.dtype.type(0))
        return padded[np.where(count > 0, self.offsets[:-1][among] + count - 1, len(running))]


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
        inside = step < count[rows][:, None]
        place = np.where(inside, offsets[rows][:, None] + step, 0)
        sums = np.cumsum(np.where(inside, values[place], 0.0), axis=1)
        running[place[inside]] = sums[inside]
    return running


def distinct(key: Ints) -> tuple[Ints, Ints]:
    """The distinct keys, which are not negative, in order, and each entry's number among them."""
    largest = int(key.max(initial=0))
    # `np.unique` takes ten times as long where keys are dense.
    if largest > DENSE * len(key):
        every, number = np.unique(key, return_inverse=True)
        return every, number.astype(np.int64)
    occurs = np.zeros(largest + 1, dtype=bool)
    occurs[key] = True
    every = np.flatnonzero(occurs)
    if len(every) and every[-1] - every[0] == len(every) - 1:
        return every, key - every[0]
    return every, (np.cumsum(occurs) - 1)[key]


def totals(segment: Ints, values: Values, count: int) -> Values:
    """The sum of each segment's values, added up in order; segments may come in any order."""
    if np.issubdtype(values.dtype, np.floating):
        return np.bincount(segment, values, count).astype(values.dtype, copy=False)
    sums = np.zeros(count, dtype=values.dtype)
    np.add.at(sums, segment, values)
    return sums


def affordable(segment: Ints, size: Ints, budget: int) -> Ints:
    """How much of each size is within a budget, which is spent in order within each segment."""
    order = np.argsort(segment, kind="stable")
    size = size[order]
    segments = Segments.grouped(segment[order], int(segment.max(initial=-1)) + 1)
    paid = np.empty(len(order), dtype=np.int64)
    paid[order] = np.clip(budget - (segments.running(size) - size), 0, size)
    return paid
