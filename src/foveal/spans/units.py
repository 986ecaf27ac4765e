"""Offsets in other units: code points, bytes of UTF-8 and code units of UTF-16."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foveal.choices import OffsetUnit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from foveal.spans.types import Ints

# The first code points that take one unit more.
_LONGER = {
    OffsetUnit.CHARACTERS: (),
    OffsetUnit.BYTES: (0x80, 0x800, 0x10000),
    OffsetUnit.UTF16: (0x10000,),
}
INSIDE = -1


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
