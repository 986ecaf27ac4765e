"""Where each of many texts is in one document: every place, or those that their order leaves."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from foveal.intake._folded import Folded, Match, Needle
from foveal.spans import Segments, code_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

Places = list[Match]

# Beyond so many signs to look at, an index of the document is faster.
_SCANNED = 1 << 23
# Nobody reads more places of a copy. A text with as many has more of them than are listed.
MOST_PLACES = 100
SIZE = 24
# Any odd number has an inverse modulo 2⁶⁴, so that a stretch has the same hash wherever it is.
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
# The first bits of a hash tell quickly that a stretch is none of those asked for.
_FIRST_BITS = 22


def occurrences(folded: Folded, needles: Sequence[Needle]) -> list[Places]:
    """The places of each text in a document in reading order, the first hundred at most."""
    long = [number for number, needle in enumerate(needles) if len(needle.core) >= SIZE]
    if len(long) * len(folded.bare) < _SCANNED:
        return [_first(_scanned(folded, needle)) for needle in needles]
    found: list[Places] = [
        [] if len(needle.core) >= SIZE else _first(_scanned(folded, needle)) for needle in needles
    ]
    places = grams(folded.bare, [needles[number].core for number in long])
    for number, near in zip(long, places, strict=True):
        matches = (folded.match(needles[number], at) for at in near)
        found[number] = _first(match for match in matches if match)
    return found


def _scanned(folded: Folded, needle: Needle) -> Iterator[Match]:
    at = 0
    while found := folded.first(needle, at):
        yield found
        at = found.core + 1


def _first(matches: Iterable[Match]) -> Places:
    return list(islice(matches, MOST_PLACES))


def ordered(folded: Folded, needles: Sequence[Needle]) -> list[Places]:
    """The places that are left to each text of a whole chunk list in document order.

    Each chunk begins after the one before it, or where that does if it repeats all of it. What the
    earliest and the latest places that keep this order agree on is certain. Where they disagree and
    the chunks otherwise leave no gap, a chunk must also begin before the one before it has ended.
    Texts that are nowhere are ignored; if there is no such order, all places are left.
    """
    earliest = _pushed(folded, needles, range(len(needles)), 1)
    known = sorted(earliest or ())
    latest = _pushed(folded, needles, known[::-1], -1) if earliest else None
    if earliest is None or latest is None:
        return occurrences(folded, needles)
    left: list[Places] = [[] for _ in needles]
    for number in known:
        left[number] = _between(folded, needles[number], earliest[number], latest[number])
    if all(len(places) < 2 for places in left):
        return left
    chain = _Chain([left[number] for number in known], len(folded.bare))
    if not chain.has_gaps():
        for number, places in zip(known, chain.closed(), strict=True):
            left[number] = places
    return left


def _pushed(
    folded: Folded, needles: Sequence[Needle], numbers: Iterable[int], step: int
) -> dict[int, Match] | None:
    """The earliest places in order (step 1), or the latest (step -1), of texts that are somewhere.

    None if there is no such order, or if so many texts are nowhere that looking takes too long.
    """
    taken: dict[int, Match] = {}
    at, last, missed = (-1 if step > 0 else len(folded.bare)), None, 0
    for number in numbers:
        needle = needles[number]
        pair = (last, needle) if step > 0 else (needle, last)
        bound = at if _may_begin_together(*pair) else at + step
        match = folded.first(needle, bound) if step > 0 else folded.last(needle, bound)
        if match is None:
            missed += len(folded.bare)
            if missed > _SCANNED << 3 or folded.first(needle):
                return None
            continue
        taken[number] = match
        at, last = match.core, needle
    return taken


def _may_begin_together(before: Needle | None, after: Needle | None) -> bool:
    """Whether a chunk may begin where the one before it does, as that was short and is repeated."""
    if before is None or after is None:
        return False
    return len(after.core) > len(before.core) and after.core.startswith(before.core)


def _between(folded: Folded, needle: Needle, first: Match, last: Match) -> Places:
    """The places of a text from one to another, the first hundred at most."""
    places, at = [first], first.core
    while at < last.core and len(places) < MOST_PLACES:
        if not (match := folded.first(needle, at + 1)):
            break
        places.append(match)
        at = match.core
    return places


class _Chain:
    """Chunks one after another, each with its possible places."""

    def __init__(self, places: Sequence[Places], length: int) -> None:
        self.places, self.length = places, length

    def has_gaps(self) -> bool:
        """Whether there is text between neighbours of certain places, or before or after all."""
        edges = [[Match(-1, -1, 0)], *self.places, [Match(self.length, self.length, self.length)]]
        return any(
            len(before) == len(after) == 1 and after[0].first > before[0].last
            for before, after in pairwise(edges)
        )

    def closed(self) -> list[Places]:
        """The places that leave no gap before them nor after them; all of them if none does."""
        reached, forward = [Match(-1, -1, 0)], []
        for places in self.places:
            reached = [at for at in places if _closes_up(reached, at)]
            forward.append(reached)
        reached, backward = [Match(self.length, self.length, self.length)], []
        for places in reversed(forward):
            reached = [at for at in places if _reaches(at, reached)]
            backward.append(reached)
        return backward[::-1] if all(backward) else list(self.places)


def _closes_up(before: Places, at: Match) -> bool:
    """Whether the last of some places that does not begin after another one reaches it."""
    last = bisect_right(before, at.core, key=_core) - 1
    return last >= 0 and at.first <= before[last].last


def _reaches(at: Match, after: Places) -> bool:
    """Whether a place reaches the first of some others that does not begin before it."""
    first = bisect_left(after, at.core, key=_core)
    return first < len(after) and after[first].first <= at.last


def _core(match: Match) -> int:
    return match.core


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
