"""The step function H: how many highlighted characters come before a position."""

from __future__ import annotations

from typing import Self

import numpy as np

from foveal.frozen import frozen
from foveal.spans.axis import Axis, Ints
from foveal.spans.overlap import gaps
from foveal.spans.segments import Segments, totals


@frozen
class Highlights:
    """The disjoint highlights of many documents, ready to be counted.

    `before[i]` is the number of highlighted characters in the first i highlights, so that H takes
    one binary search.
    """

    axis: Axis
    start: Ints
    end: Ints
    before: Ints

    @classmethod
    def of(cls, document: Ints, start: Ints, end: Ints, count: int) -> Self:
        """Disjoint highlights of `count` documents, given in order of document and start."""
        axis = Axis.holding(document, end, count)
        before = np.zeros(len(start) + 1, dtype=np.int64)
        np.cumsum(end - start, out=before[1:])
        return cls(axis, axis.place(document, start), axis.place(document, end), before)

    def _until(self, place: Ints) -> Ints:
        """H: the highlighted characters before each place of the axis."""
        passed = np.searchsorted(self.start, place, side="left")
        unread = np.zeros(len(place), dtype=np.int64)
        begun = passed > 0
        unread[begun] = np.maximum(self.end[passed[begun] - 1] - place[begun], 0)
        return self.before[passed] - unread

    def count(self, document: Ints, start: Ints, end: Ints) -> Ints:
        """Highlighted characters in each span [start, end)."""
        first = self.axis.place(document, start)
        last = self.axis.place(document, end)
        return self._until(last) - self._until(first)

    def sizes(self) -> Ints:
        """Highlighted characters of each document."""
        first, last = self._of(np.arange(len(self.axis.base)))
        return self.before[last] - self.before[first]

    def in_common(self, first: Ints, second: Ints) -> Ints:
        """Characters that are highlighted at the same offsets of two documents, for each pair."""
        begin, end = self._of(first)
        pair = np.repeat(np.arange(len(first)), end - begin)
        highlight = begin[pair] + Segments.sized(end - begin).nth - 1
        base = self.axis.base[first[pair]]
        counts = self.count(second[pair], self.start[highlight] - base, self.end[highlight] - base)
        return totals(pair, counts, len(first))

    def _of(self, document: Ints) -> tuple[Ints, Ints]:
        """Where the highlights of each document begin and end among all."""
        base = self.axis.base[document]
        last = base + self.axis.extent[document]
        return np.searchsorted(self.start, base), np.searchsorted(self.start, last)

    def shared(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """How much each span shares with each highlight: (span, highlight, characters), by span."""
        first, last = self.axis.place(document, start), self.axis.place(document, end)
        begin = np.searchsorted(self.end, first, side="right")
        count = np.maximum(np.searchsorted(self.start, last, side="left") - begin, 0)
        span = np.repeat(np.arange(len(first)), count)
        highlight = begin[span] + Segments.sized(count).nth - 1
        common = np.minimum(self.end[highlight], last[span])
        common -= np.maximum(self.start[highlight], first[span])
        return span, highlight, common

    def stretches(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """The highlighted stretches of each span: (span, characters before it, its own), in order."""
        first = self.axis.place(document, start)
        span, highlight, common = self.shared(document, start, end)
        return span, np.maximum(self.start[highlight] - first[span], 0), common

    def outside(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """What no highlight covers of each span: (span, start, end), in order."""
        span, covered, common = self.stretches(document, start, end)
        span_of, begins, ends = gaps(span, covered, covered + common, end - start)
        return span_of, start[span_of] + begins, start[span_of] + ends

    def met_before_irrelevant(self, document: Ints, start: Ints, nth: Ints) -> Ints:
        """Highlighted characters from `start` on before the nth one that is not highlighted.

        Reading does not stop at a document's end: the caller limits it by `count`.
        """
        first = self.axis.place(document, start)
        seen = self._until(first)
        irrelevant_before_highlight = self.start - self.before[:-1]
        target = first - seen + nth
        passed = np.searchsorted(irrelevant_before_highlight, target, side="left")
        return self.before[passed] - seen
