"""Nested spans: the elements of documents, their parents, and the text between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from foveal.frozen import frozen
from foveal.spans.axis import Axis, Bools, Ints
from foveal.spans.overlap import gaps
from foveal.spans.segments import Segments

# How many candidates are processed at once, at about a hundred bytes each.
CANDIDATES = 1 << 22


@frozen(eq=False)
class Nesting:
    """The elements of many documents in document order, each after the element that contains it.

    Document d has the rows from `first[d]` up to `first[d + 1]`; a root has depth 1. An element comes
    before those inside it, so that starts never decrease within a document. Methods that look for
    elements never return one without text.
    """

    first: Ints
    length: Ints
    depth: Ints
    start: Ints
    end: Ints

    @cached_property
    def document(self) -> Ints:
        """The document of each row."""
        return np.repeat(np.arange(len(self.length)), np.diff(self.first))

    @cached_property
    def levels(self) -> list[Ints]:
        """The rows of each depth, in order, from the roots down."""
        order = np.argsort(self.depth.astype(np.uint16), kind="stable")
        counts = np.bincount(self.depth, minlength=1)
        return np.split(order, np.cumsum(counts)[:-1])[1:]

    @cached_property
    def parent(self) -> Ints:
        """The row of each row's parent, -1 for a root."""
        parent = np.full(len(self.depth), -1, dtype=np.int64)
        for above, rows in zip(self.levels, self.levels[1:], strict=False):
            parent[rows] = above[np.searchsorted(above, rows) - 1]
        return parent

    @cached_property
    def is_leaf(self) -> Bools:
        """Whether each row has no element inside it."""
        leaf = np.ones(len(self.depth), dtype=bool)
        leaf[:-1] = self.depth[1:] <= self.depth[:-1]
        return leaf

    @cached_property
    def _axis(self) -> Axis:
        return Axis.of(self.length)

    @cached_property
    def _filled(self) -> Ints:
        return np.flatnonzero(self.end > self.start)

    @cached_property
    def _places(self) -> Ints:
        """Where on the axis the elements with text start, in ascending order."""
        return self._axis.place(self.document[self._filled], self.start[self._filled])

    def only(self, kept: Bools) -> Nesting:
        """The rows that are kept; an element that is left out must have no elements inside it."""
        first = np.concatenate([[0], np.cumsum(kept)])[self.first]
        return Nesting(first, self.length, self.depth[kept], self.start[kept], self.end[kept])

    def ordinals(self, name: Ints) -> Ints:
        """The number of each element among those of the same name and parent, from 1."""
        around = np.where(self.parent < 0, -1 - self.document, self.parent)
        order = np.lexsort((name, around))
        changes = np.ones(len(order), dtype=bool)
        changes[1:] = (np.diff(around[order]) != 0) | (np.diff(name[order]) != 0)
        place = np.arange(len(order))
        ordinal = np.empty(len(order), dtype=np.int64)
        ordinal[order] = place - np.maximum.accumulate(np.where(changes, place, 0)) + 1
        return ordinal

    def smallest_containing(self, document: Ints, start: Ints, end: Ints) -> Ints:
        """The row of the smallest element that contains each span, -1 for none.

        Of elements with the same span it is the outermost. An empty span stands for the character
        after it, or for the document's last one.
        """
        length = self.length[document]
        at_end = (start == end) & (start == length)
        start = np.where(at_end, start - 1, start)
        end = np.where(start == end, end + 1, end)
        fits = np.flatnonzero((start >= 0) & (end <= length) & (end > start))
        answer = np.full(len(document), -1, dtype=np.int64)
        if not len(self._filled) or not len(fits):
            return answer
        row = self.innermost(document[fits], start[fits])
        row = self._climbed(row, lambda at, climbing: self.end[at] < end[fits][climbing])
        answer[fits] = self._outermost(row)
        return answer

    def innermost(self, document: Ints, character: Ints) -> Ints:
        """The row of the innermost element that contains each character, -1 for none."""
        if not len(self._filled):
            return np.full(len(document), -1, dtype=np.int64)
        # It is the last element that starts at or before the character, or one of its ancestors.
        place = self._axis.place(document, character)
        row = self._filled[np.maximum(np.searchsorted(self._places, place, side="right") - 1, 0)]
        row = np.where(self.document[row] == document, row, -1)
        return self._climbed(row, lambda at, climbing: self.end[at] <= character[climbing])

    def _climbed(self, row: Ints, too_small: Callable[[Ints, Ints], Bools]) -> Ints:
        """Each row, or its first ancestor that is not too small."""
        row = row.copy()
        climbing = np.flatnonzero(row >= 0)
        while len(climbing):
            climbing = climbing[too_small(row[climbing], climbing)]
            row[climbing] = self.parent[row[climbing]]
            climbing = climbing[row[climbing] >= 0]
        return row

    def _outermost(self, row: Ints) -> Ints:
        """The outermost element with the same span as each row."""

        def is_wrapped(at: Ints, _: Ints) -> Bools:
            around = self.parent[at]
            same: Bools = (
                (around >= 0)
                & (self.start[around] == self.start[at])
                & (self.end[around] == self.end[at])
            )
            return same

        return self._climbed(row, is_wrapped)

    def largest_inside(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """(span, row) of the elements inside each span that no other such element contains."""

        def outermost(span: Ints, row: Ints) -> Bools:
            around = self.parent[row]
            # If any ancestor of an element is inside the span, its parent is.
            reaches_out = (self.start[around] < start[span]) | (self.end[around] > end[span])
            return (around < 0) | reaches_out

        return self._inside(document, start, end, outermost)

    def leaves_inside(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """(span, row) of the elements inside each span that contain no other element."""
        return self._inside(document, start, end, lambda _, row: self.is_leaf[row])

    def _inside(
        self, document: Ints, start: Ints, end: Ints, kept: Callable[[Ints, Ints], Bools]
    ) -> tuple[Ints, Ints]:
        # A negative start would be a place in the document before.
        low = np.searchsorted(self._places, self._axis.place(document, np.maximum(start, 0)))
        high = np.searchsorted(self._places, self._axis.place(document, end))
        spans, rows = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for span, place in _ranges(low, np.maximum(high - low, 0)):
            row = self._filled[place]
            inside = self.end[row] <= end[span]
            span, row = span[inside], row[inside]  # noqa: PLW2901  # the same rows, fewer
            chosen = kept(span, row)
            spans.append(span[chosen])
            rows.append(row[chosen])
        return np.concatenate(spans), np.concatenate(rows)

    def text_nodes(self, row: Ints, broken: Ints, at: Ints) -> tuple[Ints, Ints, Ints]:
        """(which of the rows, start, end) of the text directly inside elements, in order.

        Each row is given once. A comment in the text of row `broken[i]` splits it at `at[i]`.
        """
        number = np.full(len(self.depth) + 1, -1, dtype=np.int64)
        number[row] = np.arange(len(row))
        child = np.flatnonzero(number[self.parent] >= 0)
        split = np.flatnonzero(number[broken] >= 0)
        which = number[np.concatenate([self.parent[child], broken[split]])]
        base = self.start[row]
        cut_start = np.concatenate([self.start[child], at[split]])
        cut_end = np.concatenate([self.end[child], at[split]])
        order = np.lexsort((cut_end, cut_start, which))
        which = which[order]
        piece, start, end = gaps(
            which,
            cut_start[order] - base[which],
            cut_end[order] - base[which],
            self.end[row] - base,
        )
        return piece, start + base[piece], end + base[piece]


def _ranges(first: Ints, count: Ints) -> Iterator[tuple[Ints, Ints]]:
    """(which range, place) of all places in ranges, in order, a limited number at a time."""
    reached = np.cumsum(count)
    begin = 0
    while begin < len(count):
        done = reached[begin - 1] if begin else 0
        stop = max(int(np.searchsorted(reached, done + CANDIDATES, side="right")), begin + 1)
        here = count[begin:stop]
        which = np.repeat(np.arange(begin, stop), here)
        yield which, first[which] + Segments.sized(here).nth - 1
        begin = stop
