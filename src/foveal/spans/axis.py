"""Documents placed end to end on one axis, spans kept inside them, and offsets in other units."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

from foveal.choices import OffsetUnit
from foveal.frozen import frozen

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# Documents are placed end to end on one int64 axis: with offsets up to this bound,
# 900 million documents fit before an addition could overflow.
LARGEST_OFFSET = 10_000_000_000
# The code points from which a character takes one more unit.
_WIDER_FROM = {
    OffsetUnit.CHARACTERS: (),
    OffsetUnit.BYTES: (0x80, 0x800, 0x10000),
    OffsetUnit.UTF16: (0x10000,),
}
INSIDE = -1


@frozen
class Axis:
    """Position of each document on one common axis; a gap of one keeps neighbours apart."""

    base: Ints
    length: Ints

    @classmethod
    def of(cls, length: Ints) -> Self:
        """Make the axis on which document i takes up `length[i]` positions."""
        base = np.zeros(len(length), dtype=np.int64)
        np.cumsum(length[:-1] + 1, out=base[1:])
        return cls(base=base, length=length)

    @classmethod
    def of_ends(cls, document: Ints, end: Ints, count: int) -> Self:
        """Make the axis of `count` documents that are just long enough for spans that end at `end`."""
        length = np.zeros(count, dtype=np.int64)
        np.maximum.at(length, document, end)
        return cls.of(length)

    def position(self, document: Ints, offset: Ints) -> Ints:
        """Positions of offsets on the axis; one beyond a document is at the document's end."""
        return self.base[document] + np.minimum(offset, self.length[document])

    def span_positions(self, document: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Positions of the starts and of the ends of spans."""
        return self.position(document, start), self.position(document, end)


def clipped(start: Ints, end: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Rows and ends of the spans that start within their documents; a negative length is unknown."""
    end = np.where(length < 0, end, np.minimum(end, length))
    rows = np.flatnonzero(end > start)
    return rows, end[rows]


def moved(
    start: Ints, end: Ints, start_shift: Ints, end_shift: Ints, length: Ints
) -> tuple[Ints, Ints]:
    """Spans with both ends shifted, kept inside their documents.

    A negative length is unknown. If the new end would be before the new start, the span is empty at
    the new start.
    """
    starts, ends = (np.maximum(edge, 0) for edge in (start + start_shift, end + end_shift))
    starts, ends = (np.where(length < 0, edge, np.minimum(edge, length)) for edge in (starts, ends))
    return starts, np.maximum(starts, ends)


def code_points(text: str) -> NDArray[np.uint32]:
    """The code points of a text; halves of surrogate pairs count as characters."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def boundaries(text: str, unit: OffsetUnit) -> Ints:
    """Offset of each character of a text, counted in a unit, and last the end of the text."""
    codes = code_points(text)
    width = np.ones(len(codes), dtype=np.int64)
    for threshold in _WIDER_FROM[unit]:
        width += codes >= threshold
    offsets = np.zeros(len(codes) + 1, dtype=np.int64)
    np.cumsum(width, out=offsets[1:])
    return offsets


def in_characters(offsets: Ints, bounds: Ints) -> Ints:
    """Offsets in characters, from offsets in the unit of `bounds`.

    An offset inside a character, or beyond the end of the text, becomes -1 (INSIDE).
    """
    index = np.searchsorted(bounds, offsets)
    candidate = np.minimum(index, len(bounds) - 1)
    return np.where(bounds[candidate] == offsets, candidate, INSIDE)
