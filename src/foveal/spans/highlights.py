"""The step function H: the number of highlighted characters before a position."""

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

    `characters_before[i]` is the size of the first i highlights together, so that H takes one binary
    search.
    """

    axis: Axis
    start: Ints
    end: Ints
    characters_before: Ints

    @classmethod
    def of(cls, document: Ints, start: Ints, end: Ints, count: int) -> Self:
        """Make the highlights of `count` documents from spans sorted by document and start."""
        axis = Axis.of_ends(document, end, count)
        characters_before = np.zeros(len(start) + 1, dtype=np.int64)
        np.cumsum(end - start, out=characters_before[1:])
        return cls(axis, *axis.span_positions(document, start, end), characters_before)

    def _count_before(self, position: Ints) -> Ints:
        """H: the highlighted characters before each position on the axis."""
        started = np.searchsorted(self.start, position, side="left")
        remaining = np.zeros(len(position), dtype=np.int64)
        is_after = started > 0
        remaining[is_after] = np.maximum(self.end[started[is_after] - 1] - position[is_after], 0)
        return self.characters_before[started] - remaining

    def count(self, document: Ints, start: Ints, end: Ints) -> Ints:
        """Highlighted characters in each span [start, end)."""
        start, end = self.axis.span_positions(document, start, end)
        return self._count_before(end) - self._count_before(start)

    def sizes(self) -> Ints:
        """Highlighted characters of each document."""
        start, end = self._ranges_of(np.arange(len(self.axis.base)))
        return self.characters_before[end] - self.characters_before[start]

    def common_characters(self, first: Ints, second: Ints) -> Ints:
        """Characters that are highlighted at the same offsets of two documents, for each pair."""
        start, end = self._ranges_of(first)
        pair = np.repeat(np.arange(len(first)), end - start)
        highlight = start[pair] + Segments.sized(end - start).nth - 1
        base = self.axis.base[first[pair]]
        counts = self.count(second[pair], self.start[highlight] - base, self.end[highlight] - base)
        return totals(pair, counts, len(first))

    def _ranges_of(self, document: Ints) -> tuple[Ints, Ints]:
        """First index and end index of each document's highlights."""
        base = self.axis.base[document]
        end = base + self.axis.length[document]
        return np.searchsorted(self.start, base), np.searchsorted(self.start, end)

    def overlaps(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """Overlaps of spans and highlights: (span, highlight, common characters), by span."""
        start, end = self.axis.span_positions(document, start, end)
        first_highlight = np.searchsorted(self.end, start, side="right")
        count = np.maximum(np.searchsorted(self.start, end, side="left") - first_highlight, 0)
        span = np.repeat(np.arange(len(start)), count)
        highlight = first_highlight[span] + Segments.sized(count).nth - 1
        common = np.minimum(self.end[highlight], end[span])
        common -= np.maximum(self.start[highlight], start[span])
        return span, highlight, common

    def pieces(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """Highlighted pieces of each span: (span, offset in the span, size), in order."""
        position = self.axis.position(document, start)
        span, highlight, common = self.overlaps(document, start, end)
        return span, np.maximum(self.start[highlight] - position[span], 0), common

    def outside(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """Pieces of each span outside all highlights: (span, start, end), in order."""
        span, covered, common = self.pieces(document, start, end)
        gap_span, starts, ends = gaps(span, covered, covered + common, end - start)
        return gap_span, start[gap_span] + starts, start[gap_span] + ends

    def highlighted_before_irrelevant(self, document: Ints, start: Ints, nth: Ints) -> Ints:
        """Highlighted characters from `start` on before the nth one that is not highlighted.

        Reading does not stop at a document's end: the caller limits it by `count`.
        """
        position = self.axis.position(document, start)
        before_start = self._count_before(position)
        irrelevant_before_highlight = self.start - self.characters_before[:-1]
        irrelevant_target = position - before_start + nth
        started = np.searchsorted(irrelevant_before_highlight, irrelevant_target, side="left")
        return self.characters_before[started] - before_start
