"""Ranked lists of all topics in flat arrays, and what is read off them without a loop."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from foveal.spans import Floats, Ints, Segments, totals

Values = TypeVar("Values", Ints, Floats)


def ratio(part: Ints | Floats, whole: Ints | Floats) -> Floats:
    """Part divided by whole; not a number where the whole is 0."""
    part, whole = np.broadcast_arrays(part, whole)
    share = np.full(part.shape, np.nan)
    np.divide(part, whole, out=share, where=whole != 0)
    return share


@dataclass(frozen=True, eq=False)
class RankedLists:
    """The places of all topics' lists that matter to a measure, by topic, then by rank.

    `count` has the length of each topic's list; `topic` and `rank` have an entry per place held.
    """

    count: Ints
    topic: Ints
    rank: Ints

    @cached_property
    def segments(self) -> Segments:
        """The places of each topic."""
        return Segments.of(self.topic, len(self.count))

    @property
    def held(self) -> Ints:
        """The number of places held of each topic."""
        return self.segments.sizes

    @property
    def nth(self) -> Ints:
        """Which of its topic's places each one is, from 1."""
        return self.segments.nth

    def cumulative(self, values: Values) -> Values:
        """Running sums within each topic's list."""
        return self.segments.running(values)

    def total(self, values: Values) -> Values:
        """The sum over each topic's list, added up in order of rank."""
        return totals(self.topic, values, len(self.count))

    def within(self, depth: int | Ints | None) -> Ints:
        """How many of each topic's places are at most at some rank."""
        if depth is None:
            return self.held
        limit = depth if isinstance(depth, int) else depth[self.topic]
        return np.bincount(self.topic[self.rank <= limit], minlength=len(self.count))

    def at(self, running: Values, cutoff: int | None) -> Values:
        """What a running sum has come to at a rank, or at the end of a shorter list."""
        return self.segments.reached(running, self.within(cutoff))
