"""Documents placed end to end on one axis, and spans kept inside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from foveal.frozen import frozen

if TYPE_CHECKING:
    from foveal.spans.types import Ints


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
