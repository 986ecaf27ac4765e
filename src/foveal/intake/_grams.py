"""Where many texts may be in a document, by short stretches of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from foveal.spans import Segments, code_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

SIZE = 24
# Any odd number has an inverse modulo 2⁶⁴, so that a stretch has the same hash wherever it is.
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
# The first bits of a hash tell quickly that a stretch is none of those asked for.
_FIRST_BITS = 22


def grams(document: str, texts: Sequence[str]) -> Iterator[list[int]]:
    """Where each text may begin, sorted, by the rarest of three stretches of it.

    None may be shorter than a stretch. Hashes may collide, so that a text need not be at any of
    these places.
    """
    sizes = np.array([len(text) for text in texts], dtype=np.int64)
    shifts = np.stack([np.zeros_like(sizes), (sizes - SIZE) // 2, sizes - SIZE])
    cuts = [
        text[at : at + SIZE] for row in shifts for text, at in zip(texts, row.tolist(), strict=True)
    ]
    wanted, numbers = np.unique(_hashed("".join(cuts))[::SIZE], return_inverse=True)
    there = np.zeros(1 << _FIRST_BITS, dtype=bool)
    there[_first_bits(wanted)] = True
    hashes = _hashed(document)
    near = np.flatnonzero(there[_first_bits(hashes)])
    number = np.minimum(np.searchsorted(wanted, hashes[near]), len(wanted) - 1)
    same = wanted[number] == hashes[near]
    near, number = near[same], number[same]
    places = near[np.argsort(number, kind="stable")]
    begins = Segments.sized(np.bincount(number, minlength=len(wanted))).offsets
    counts = np.diff(begins)[numbers].reshape(shifts.shape)
    rarest = np.argmin(counts, axis=0)[None]
    for own, shift in zip(
        np.take_along_axis(numbers.reshape(shifts.shape), rarest, 0)[0].tolist(),
        np.take_along_axis(shifts, rarest, 0)[0].tolist(),
        strict=True,
    ):
        found = places[begins[own] : begins[own + 1]].tolist()
        yield [at - shift for at in found if at >= shift]


def _first_bits(hashes: Hashes) -> Hashes:
    return hashes >> np.uint64(64 - _FIRST_BITS)


def _hashed(text: str) -> Hashes:
    """A hash of the stretch that begins at each character; sums wrap around at 2⁶⁴."""
    codes = code_points(text).astype(np.uint64)
    if len(codes) < SIZE:
        return np.empty(0, dtype=np.uint64)
    room = 1 << len(codes).bit_length()
    sums = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum(codes * _powers(_BASE, room)[: len(codes)], out=sums[1:])
    stretches: Hashes = (sums[SIZE:] - sums[:-SIZE]) * _powers(_INVERSE, room)[
        : len(codes) - SIZE + 1
    ]
    return stretches


@lru_cache(maxsize=4)
def _powers(base: int, count: int) -> Hashes:
    powers = np.full(count, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)
