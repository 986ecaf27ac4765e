"""Where texts may be in a document: an index of its short stretches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from foveal.spans import code_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

SIZE = 24
# Any odd number has an inverse modulo 2⁶⁴, so that a stretch has the same hash wherever it is.
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)


class Grams:
    """The places of every stretch of `SIZE` characters of a text, sorted by their hashes."""

    def __init__(self, text: str) -> None:
        hashes = _hashed(text)
        self.order = np.argsort(hashes)
        self.hashes = hashes[self.order]

    def places(self, texts: Sequence[str]) -> Iterator[list[int]]:
        """Where each text may begin, sorted, by the rarest of three stretches of it.

        None may be shorter than a stretch. Hashes may collide, so that a text need not be at any of
        these places.
        """
        sizes = np.array([len(text) for text in texts], dtype=np.int64)
        shifts = np.stack([np.zeros_like(sizes), (sizes - SIZE) // 2, sizes - SIZE])
        begins, ends = [], []
        for shift in shifts:
            cut = [text[at : at + SIZE] for text, at in zip(texts, shift.tolist(), strict=True)]
            wanted = _hashed("".join(cut))[::SIZE]
            begins.append(np.searchsorted(self.hashes, wanted, "left"))
            ends.append(np.searchsorted(self.hashes, wanted, "right"))
        begin, end = np.stack(begins), np.stack(ends)
        rarest = np.argmin(end - begin, axis=0)[None]
        taken = (np.take_along_axis(rows, rarest, 0)[0].tolist() for rows in (begin, end, shifts))
        for first, last, shift in zip(*taken, strict=True):
            near = [at - shift for at in self.order[first:last].tolist() if at >= shift]
            yield sorted(near)


def _hashed(text: str) -> Hashes:
    """A hash of the stretch that begins at each character; sums wrap around at 2⁶⁴."""
    codes = code_points(text).astype(np.uint64)
    if len(codes) < SIZE:
        return np.empty(0, dtype=np.uint64)
    sums = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum(codes * _powers(_BASE, len(codes)), out=sums[1:])
    stretches: Hashes = (sums[SIZE:] - sums[:-SIZE]) * _powers(_INVERSE, len(codes) - SIZE + 1)
    return stretches


def _powers(base: int, count: int) -> Hashes:
    powers = np.full(count, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)
