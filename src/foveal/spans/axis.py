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
# The first code points that take one unit more.
_LONGER = {
    OffsetUnit.CHARACTERS: (),
    OffsetUnit.BYTES: (0x80, 0x800, 0x10000),
    OffsetUnit.UTF16: (0x10000,),
}
INSIDE = -1


@frozen
class Axis:
    """Where each document begins on one common axis; a gap of one keeps neighbours apart."""

    base: Ints
    extent: Ints

    @classmethod
    def of(cls, extent: Ints) -> Self:
        """The axis on which document i takes up `extent[i]` places."""
        base = np.zeros(len(extent), dtype=np.int64)
        np.cumsum(extent[:-1] + 1, out=base[1:])
        return cls(base=base, extent=extent)

    @classmethod
    def holding(cls, document: Ints, end: Ints, count: int) -> Self:
        """The axis of `count` documents that are just long enough for spans that end at `end`."""
        extent = np.zeros(count, dtype=np.int64)
        np.maximum.at(extent, document, end)
        return cls.of(extent)

    def place(self, document: Ints, position: Ints) -> Ints:
        """Positions on the axis; a position beyond a document is placed at the document's end."""
        return self.base[document] + np.minimum(position, self.extent[document])


def clipped(start: Ints, end: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Which spans start within their documents, and where those end; a negative length is unknown."""
    end = np.where(length < 0, end, np.minimum(end, length))
    kept = np.flatnonzero(end > start)
    return kept, end[kept]


def moved(start: Ints, end: Ints, first: Ints, last: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Spans with starts moved by `first` and ends by `last`, kept inside their documents.

    A negative length is unknown. If the new end would be before the new start, the span is empty at
    the new start.
    """
    begins, ends = (np.maximum(place, 0) for place in (start + first, end + last))
    begins, ends = (np.where(length < 0, at, np.minimum(at, length)) for at in (begins, ends))
    return begins, np.maximum(begins, ends)


def code_points(text: str) -> NDArray[np.uint32]:
    """The code points of a text; halves of surrogate pairs count as characters."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def boundaries(text: str, unit: OffsetUnit) -> Ints:
    """Where each character of a text begins, counted in a unit, and last where the text ends."""
    codes = code_points(text)
    width = np.ones(len(codes), dtype=np.int64)
    for first in _LONGER[unit]:
        width += codes >= first
    at = np.zeros(len(codes) + 1, dtype=np.int64)
    np.cumsum(width, out=at[1:])
    return at


def in_characters(offsets: Ints, bounds: Ints) -> Ints:
    """Offsets of the unit in which `bounds` counts, as characters.

    -1 (INSIDE) where there is no such place: inside a character, or beyond the end of the text.
    """
    place = np.searchsorted(bounds, offsets)
    there = np.minimum(place, len(bounds) - 1)
    return np.where(bounds[there] == offsets, there, INSIDE)
