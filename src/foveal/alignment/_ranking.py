"""Ranked lists of all topics in flat arrays, and what is read off them.

A ranking holds the lists of every topic one after the other; `offsets[t]:offsets[t+1]` is the
list of topic t. Nothing here loops over topics or results.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from foveal.alignment._judged import Floats, Judged
from foveal.errors import NoHighlights, UnknownLength
from foveal.spans import Bools, Highlights, Ints

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

Values = TypeVar("Values", Ints, Floats)
LEVELS = 101


def ratio(part: Ints | Floats, whole: Ints | Floats) -> Floats:
    """Part divided by whole; not a number where the whole is 0."""
    part, whole = np.broadcast_arrays(part, whole)
    share = np.full(part.shape, np.nan)
    np.divide(part, whole, out=share, where=whole != 0)
    return share


@dataclass(frozen=True, eq=False)
class Ranking:
    """The ranked lists of all topics."""

    offsets: Ints
    recall_in_doubles: bool

    @cached_property
    def count(self) -> Ints:
        """The length of each topic's list."""
        return np.diff(self.offsets)

    @cached_property
    def topic(self) -> Ints:
        """The topic of each place of the lists."""
        return np.repeat(np.arange(len(self.count)), self.count)

    @cached_property
    def rank(self) -> Ints:
        """The rank of each place of the lists, from 1."""
        return np.arange(self.offsets[-1]) - self.offsets[self.topic] + 1

    def cumulative(self, values: Values) -> Values:
        """Running sums within each topic's list."""
        if np.issubdtype(values.dtype, np.floating):
            return cumulative_floats(values, self.offsets)
        running = np.cumsum(values)
        before = np.concatenate([[0], running])[self.offsets[:-1]]
        within: Values = running - before[self.topic]
        return within

    def total(self, values: Values) -> Values:
        """The sum over each topic's list."""
        totals = np.zeros(len(self.count), dtype=values.dtype)
        np.add.at(totals, self.topic, values)
        return totals

    def at(self, values: Values, cutoff: int | None) -> Values:
        """The value at a rank, or at the end of a shorter list; 0 for an empty one."""
        depth = self.count if cutoff is None else np.minimum(self.count, cutoff)
        padded: Values = np.append(values, values.dtype.type(0))
        return padded[np.where(depth > 0, self.offsets[:-1] + depth - 1, len(values))]

    def best(self, values: Floats, where: Bools) -> Floats:
        """The largest value in each list among the marked places; 0 if none is marked."""
        marked = np.flatnonzero(where)
        best = np.zeros(len(self.count))
        np.maximum.at(best, self.topic[marked], values[marked])
        return best

    def interpolated(self, values: Floats, found: Ints, wanted: Ints, level: Fraction) -> Floats:
        """The best value at or beyond the place where a share of what is wanted was found."""
        if self.recall_in_doubles:
            reached = self._levels(found, wanted)
            return self.best(values, (reached >= float(100 * level)) & (reached < LEVELS))
        needed = -((-level.numerator * wanted) // level.denominator)
        return self.best(values, found >= needed[self.topic])

    def interpolated_mean(self, values: Floats, found: Ints, wanted: Ints) -> Floats:
        """The mean of the interpolated values at recall 0.00, 0.01 … 1.00."""
        reached = self._levels(found, wanted)
        kept = np.flatnonzero(reached < LEVELS)
        best = np.zeros((len(self.count), LEVELS))
        np.maximum.at(best, (self.topic[kept], reached[kept]), values[kept])
        curve = np.maximum.accumulate(best[:, ::-1], axis=1)
        mean: Floats = curve.mean(axis=1)
        return mean

    def _levels(self, found: Ints, wanted: Ints) -> Ints:
        """The highest of the 101 recall levels that each place has reached."""
        if self.recall_in_doubles:
            return np.floor(100 * ratio(found, wanted[self.topic])).astype(np.int64)
        reached: Ints = 100 * found // wanted[self.topic]
        return np.minimum(reached, LEVELS - 1)


def cumulative_floats(values: Values, offsets: Ints) -> Values:
    """Running sums that do not carry one topic's rounding into the next.

    Lists of similar length are laid out as the rows of one table; there are as many tables as
    powers of two among the lengths.
    """
    count = np.diff(offsets)
    running = np.empty_like(values)
    scale = np.frexp(count.astype(np.float64))[1]
    for power in np.unique(scale[count > 0]):
        lists = np.flatnonzero(scale == power)
        step = np.arange(count[lists].max())
        inside = step < count[lists][:, None]
        place = np.where(inside, offsets[lists][:, None] + step, 0)
        sums = np.cumsum(np.where(inside, values[place], 0.0), axis=1)
        running[place[inside]] = sums[inside]
    return running


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Whole documents of a run whose length nobody knows."""

    run: str
    documents: Ints
    names: pl.Series

    def refuse(self, among: Bools | None = None) -> None:
        """Raise if there are any (among the marked documents)."""
        kept = self.documents if among is None else self.documents[among[self.documents]]
        if len(kept):
            raise UnknownLength(self.run, self.names[int(kept[0])], len(kept), whole=True)


@dataclass(frozen=True, eq=False)
class RankedParts(Ranking):
    """The parts of each topic's list: what was read and how much of it was highlighted.

    Text is read in segments: `segment_*` list, in reading order, the stretches that the overlap
    policy lets count; `segment_row` is the judged document, -1 if it has no highlights.
    """

    known_size: Ints
    relevant_size: Ints
    wanted: Ints
    segment_part: Ints
    segment_row: Ints
    segment_start: Ints
    segment_size: Ints
    highlights: Highlights
    unknown: Unknowns

    @property
    def size(self) -> Ints:
        """Characters of each part; refused if there is one of which nobody knows them."""
        self.unknown.refuse()
        return self.known_size

    @cached_property
    def read(self) -> Ints:
        """Characters read up to and including each part."""
        return self.cumulative(self.size)

    @cached_property
    def found(self) -> Ints:
        """Highlighted characters read up to and including each part."""
        return self.cumulative(self.relevant_size)

    @cached_property
    def precision(self) -> Floats:
        """Share of what was read that is highlighted; 0 while nothing has been read."""
        return np.nan_to_num(ratio(self.found, self.read))

    def within(self, budget: int) -> tuple[Ints, Ints]:
        """Characters and highlighted characters read by each topic until a budget is spent.

        The list is cut in the middle of a part if need be.
        """
        self.unknown.refuse()
        topic = self.topic[self.segment_part]
        before = np.concatenate([[0], np.cumsum(self.segment_size)])
        opens = before[np.searchsorted(topic, np.arange(len(self.count)))]
        left = budget - (before[:-1] - opens[topic])
        taken = np.clip(left, 0, self.segment_size)
        read = np.zeros(len(self.count), dtype=np.int64)
        np.add.at(read, topic, taken)
        shown = np.flatnonzero((self.segment_row >= 0) & (taken > 0))
        start = self.segment_start[shown]
        relevant = self.highlights.count(self.segment_row[shown], start, start + taken[shown])
        found = np.zeros(len(self.count), dtype=np.int64)
        np.add.at(found, topic[shown], relevant)
        return read, found


@dataclass(frozen=True, eq=False)
class RankedDocuments(Ranking):
    """The documents of each topic's list by first appearance, with what was shown of each.

    `row` is the judged document, -1 if nobody judged it; `first_start` is where its first-ranked
    part starts, -1 if that is an unmapped element; `shown_*` are the spans read in documents with
    highlights.
    """

    judged: Judged
    topics: Ints
    row: Ints
    first_start: Ints
    size: Ints
    relevant_size: Ints
    unmapped_size: Ints
    shown_document: Ints
    shown_start: Ints
    shown_end: Ints
    unknown: Unknowns
    names: pl.Series
    remembered: dict[object, Floats] = field(default_factory=dict, repr=False)

    @cached_property
    def relevant(self) -> Bools:
        """rel(d): whether each document is relevant."""
        return (self.row >= 0) & self.judged.relevant[self.row]

    @cached_property
    def highlighted(self) -> Ints:
        """Trel(d): the highlighted characters of each whole document."""
        self._need_highlights()
        return np.where(self.row >= 0, self.judged.highlighted[self.row], 0)

    @property
    def topic_relevant(self) -> Ints:
        """Nrel: the relevant documents of each topic."""
        return self.judged.topic_relevant[self.topics]

    @property
    def topic_highlighted(self) -> Ints:
        """Trel: the highlighted characters of each topic."""
        self._need_highlights()
        return self.judged.topic_highlighted[self.topics]

    @cached_property
    def relevant_places(self) -> Ints:
        """The places of the lists that hold a relevant document."""
        self._need_highlights()
        return np.flatnonzero(self.relevant)

    def once(self, key: object, compute: Callable[[], Floats]) -> Floats:
        """The value of `compute`, computed once per key: many measures share a document score."""
        if key not in self.remembered:
            self.remembered[key] = compute()
        return self.remembered[key]

    def _need_highlights(self) -> None:
        if not self.judged.has_highlights:
            raise NoHighlights
