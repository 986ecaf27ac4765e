"""Ranked lists of all topics in flat arrays, and what is computed from them without a loop."""

from __future__ import annotations

from dataclasses import field
from typing import TypeVar

import numpy as np

from foveal.frozen import frozen
from foveal.spans import Floats, Ints, Segments, totals

Values = TypeVar("Values", Ints, Floats)


def ratio(part: Ints | Floats, whole: Ints | Floats) -> Floats:
    """Part divided by whole; NaN where the whole is 0."""
    part, whole = np.broadcast_arrays(part, whole)
    share = np.full(part.shape, np.nan)
    np.divide(part, whole, out=share, where=whole != 0)
    return share


@frozen(eq=False)
class RankedLists(Segments):
    """The places of all topics' lists that matter to a measure, by topic, then by rank.

    `count` has the length of each topic's list; `topic` and `rank` have an entry per place held.
    """

    offsets: Ints = field(init=False, repr=False)
    count: Ints
    topic: Ints
    rank: Ints

    def __post_init__(self) -> None:
        """Find where each topic's places begin."""
        object.__setattr__(self, "offsets", Segments.grouped(self.topic, len(self.count)).offsets)

    def total(self, values: Values) -> Values:
        """The sum over each topic's list, added up in order of rank."""
        return totals(self.topic, values, len(self.count))

    def within(self, depth: int | Ints | None) -> Ints:
        """How many of each topic's places have at most this rank."""
        if depth is None:
            return self.held
        limit = depth if isinstance(depth, int) else depth[self.topic]
        return np.bincount(self.topic[self.rank <= limit], minlength=len(self.count))

    def at(self, running: Values, cutoff: int | None) -> Values:
        """The value of a running sum at a rank, or at the end of a shorter list."""
        return self.reached(running, self.within(cutoff))
