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
        for parents, rows in zip(self.levels, self.levels[1:], strict=False):
            parent[rows] = parents[np.searchsorted(parents, rows) - 1]
        return parent

    @cached_property
    def is_leaf(self) -> Bools:
        """Mask of the rows that have no element inside them."""
        is_leaf = np.ones(len(self.depth), dtype=bool)
        is_leaf[:-1] = self.depth[1:] <= self.depth[:-1]
        return is_leaf

    @cached_property
    def _axis(self) -> Axis:
        return Axis.of(self.length)

    @cached_property
    def _nonempty(self) -> Ints:
        return np.flatnonzero(self.end > self.start)

    @cached_property
    def _starts(self) -> Ints:
        """Start positions on the axis of the elements with text, ascending."""
        return self._axis.position(self.document[self._nonempty], self.start[self._nonempty])

    def only(self, keep: Bools) -> Nesting:
        """Nesting of the rows to keep; a dropped element must have no elements inside it."""
        first = np.concatenate([[0], np.cumsum(keep)])[self.first]
        return Nesting(first, self.length, self.depth[keep], self.start[keep], self.end[keep])

    def ordinals(self, name: Ints) -> Ints:
        """The number of each element among those of the same name and parent, from 1."""
        parent = np.where(self.parent < 0, -1 - self.document, self.parent)
        order = np.lexsort((name, parent))
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = (np.diff(parent[order]) != 0) | (np.diff(name[order]) != 0)
        index = np.arange(len(order))
        ordinal = np.empty(len(order), dtype=np.int64)
        ordinal[order] = index - np.maximum.accumulate(np.where(is_first, index, 0)) + 1
        return ordinal

    def smallest_containing(self, document: Ints, start: Ints, end: Ints) -> Ints:
        """The row of the smallest element that contains each span, -1 for none.

        Of elements with the same span it is the outermost. An empty span is treated as the character
        after it, or as the document's last one.
        """
        length = self.length[document]
        at_end = (start == end) & (start == length)
        start = np.where(at_end, start - 1, start)
        end = np.where(start == end, end + 1, end)
        fits = np.flatnonzero((start >= 0) & (end <= length) & (end > start))
        smallest = np.full(len(document), -1, dtype=np.int64)
        if not len(self._nonempty) or not len(fits):
            return smallest
        row = self.innermost(document[fits], start[fits])
        row = self._climbed(row, lambda rows, climbing: self.end[rows] < end[fits][climbing])
        smallest[fits] = self._outermost(row)
        return smallest

    def innermost(self, document: Ints, character: Ints) -> Ints:
        """The row of the innermost element that contains each character, -1 for none."""
        if not len(self._nonempty):
            return np.full(len(document), -1, dtype=np.int64)
        # It is the last element that starts at or before the character, or one of its ancestors.
        position = self._axis.position(document, character)
        row = self._nonempty[
            np.maximum(np.searchsorted(self._starts, position, side="right") - 1, 0)
        ]
        row = np.where(self.document[row] == document, row, -1)
        return self._climbed(row, lambda rows, climbing: self.end[rows] <= character[climbing])

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

        def is_wrapped(rows: Ints, _: Ints) -> Bools:
            parent = self.parent[rows]
            has_same_span: Bools = (
                (parent >= 0)
                & (self.start[parent] == self.start[rows])
                & (self.end[parent] == self.end[rows])
            )
            return has_same_span

        return self._climbed(row, is_wrapped)

    def largest_inside(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """(span, row) of the elements inside each span that no other such element contains."""

        def outermost(span: Ints, row: Ints) -> Bools:
            parent = self.parent[row]
            # If any ancestor of an element is inside the span, its parent is.
            reaches_out = (self.start[parent] < start[span]) | (self.end[parent] > end[span])
            return (parent < 0) | reaches_out

        return self._inside(document, start, end, outermost)

    def leaves_inside(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """(span, row) of the elements inside each span that contain no other element."""
        return self._inside(document, start, end, lambda _, row: self.is_leaf[row])

    def _inside(
        self, document: Ints, start: Ints, end: Ints, is_match: Callable[[Ints, Ints], Bools]
    ) -> tuple[Ints, Ints]:
        # A negative start would be a position in the previous document.
        low = np.searchsorted(self._starts, self._axis.position(document, np.maximum(start, 0)))
        high = np.searchsorted(self._starts, self._axis.position(document, end))
        spans, rows = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for span, index in _ranges(low, np.maximum(high - low, 0)):
            row = self._nonempty[index]
            fits = self.end[row] <= end[span]
            span, row = span[fits], row[fits]  # noqa: PLW2901  # the same rows, fewer
            matching = is_match(span, row)
            spans.append(span[matching])
            rows.append(row[matching])
        return np.concatenate(spans), np.concatenate(rows)

    def text_nodes(self, row: Ints, break_row: Ints, break_offset: Ints) -> tuple[Ints, Ints, Ints]:
        """(index among the rows, start, end) of the text directly inside elements, in order.

        Rows are distinct. A comment in the text of row `break_row[i]` splits it at `break_offset[i]`.
        """
        index = np.full(len(self.depth) + 1, -1, dtype=np.int64)
        index[row] = np.arange(len(row))
        children = np.flatnonzero(index[self.parent] >= 0)
        breaks = np.flatnonzero(index[break_row] >= 0)
        element = index[np.concatenate([self.parent[children], break_row[breaks]])]
        base = self.start[row]
        cut_start = np.concatenate([self.start[children], break_offset[breaks]])
        cut_end = np.concatenate([self.end[children], break_offset[breaks]])
        order = np.lexsort((cut_end, cut_start, element))
        element = element[order]
        piece, start, end = gaps(
            element,
            cut_start[order] - base[element],
            cut_end[order] - base[element],
            self.end[row] - base,
        )
        return piece, start + base[piece], end + base[piece]


def _ranges(first: Ints, count: Ints) -> Iterator[tuple[Ints, Ints]]:
    """(index of the range, number) for all numbers in ranges, in order, a limited number at a time."""
    totals = np.cumsum(count)
    start = 0
    while start < len(count):
        done = totals[start - 1] if start else 0
        end = max(int(np.searchsorted(totals, done + CANDIDATES, side="right")), start + 1)
        counts = count[start:end]
        index = np.repeat(np.arange(start, end), counts)
        yield index, first[index] + Segments.sized(counts).nth - 1
        start = end
