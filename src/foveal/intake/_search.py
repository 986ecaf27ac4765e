"""Where each of many texts is in one document: every place, or those that their order leaves."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foveal.spans import Ints, Segments, code_points

Hashes = NDArray[np.uint64]

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# What Python calls a blank; all of them are below this code point.
_BEYOND_BLANKS = 0x3001
_IS_BLANK = np.array([chr(code).isspace() for code in range(_BEYOND_BLANKS + 1)])
_NO_BLANKS = dict.fromkeys(np.flatnonzero(_IS_BLANK).tolist())


class SearchText(NamedTuple):
    """A text to search for: `core` is its first part without blanks and U+FFFD.

    `before` and `after` are the numbers of U+FFFD cut off at the edges; if there are some inside,
    `rest` is what follows the core: numbers of them and the texts between. `size` is the number of
    characters that core and rest match at most.
    """

    text: str
    core: str
    size: int
    rest: tuple[int | str, ...] = ()
    before: int = 0
    after: int = 0

    @classmethod
    def of(cls, text: str) -> SearchText:
        """What to search for, if nothing of the text is to be taken literally but its signs."""
        bare = bared(text)
        if REPLACEMENT not in bare:
            return cls(text, bare, len(bare))
        inner = bare.strip(REPLACEMENT)
        before = len(bare) - len(bare.lstrip(REPLACEMENT)) if inner else 0
        after = len(bare) - before - len(inner)
        pieces = re.split(f"({REPLACEMENT}+)", inner)
        if len(pieces) == 1:
            return cls(text, inner, len(inner), (), before, after)
        rest = [len(piece) if piece[0] == REPLACEMENT else piece for piece in pieces[1:]]
        return cls(text, pieces[0], len(inner), tuple(rest), before, after)

    @property
    def is_plain(self) -> bool:
        """Whether the core is all there is to find."""
        return not self.rest and not self.before and not self.after

    @property
    def slack(self) -> int:
        """How many characters the core may be away from the edges of the text."""
        return self.before + self.after


class FoldedMatch(NamedTuple):
    """Place of a search text in a folded text: its core, and from the first character to the last."""

    core: int
    first: int
    last: int


class TextMatch(NamedTuple):
    """Place of a text in its document, and whether it is there character by character."""

    start: int
    end: int
    exact: bool


def bared(text: str) -> str:
    """A text without its blanks."""
    # Each is several times as fast as the other on such texts.
    return text.translate(_NO_BLANKS) if text.isascii() else "".join(text.split())


class Folded:
    """A document's text, the same without blanks, and where each sign of that was."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.bare = bared(text)

    @cached_property
    def place(self) -> Ints:
        """Where each sign that is not blank is in the text, and last where the text ends."""
        codes = np.minimum(code_points(self.text), _BEYOND_BLANKS)
        signs = np.flatnonzero(~_IS_BLANK[codes])
        return np.append(signs, len(self.text))

    def needle(self, text: str) -> SearchText:
        """What to search for in this document; its own U+FFFD are taken literally if they fit."""
        if REPLACEMENT in text and REPLACEMENT in self.bare and (bare := bared(text)) in self.bare:
            return SearchText(text, bare, len(bare))
        return SearchText.of(text)

    def first(self, needle: SearchText, at: int = 0) -> FoldedMatch | None:
        """The first place of a needle from a place on."""
        if not needle.core:
            return None
        while (at := self.bare.find(needle.core, at)) >= 0:
            if needle.is_plain:
                return FoldedMatch(at, at, at + needle.size)
            if found := self.match(needle, at):
                return found
            at += 1
        return None

    def last(self, needle: SearchText, at: int) -> FoldedMatch | None:
        """The last place of a needle that is not after a place."""
        if not needle.core:
            return None
        while at >= 0 and (at := self.bare.rfind(needle.core, 0, at + len(needle.core))) >= 0:
            if needle.is_plain:
                return FoldedMatch(at, at, at + needle.size)
            if found := self.match(needle, at):
                return found
            at -= 1
        return None

    def match(self, needle: SearchText, at: int) -> FoldedMatch | None:
        """The place of a needle whose core is at a place, if all of it fits there."""
        if not self.bare.startswith(needle.core, at):
            return None
        ends = {at + len(needle.core)}
        for piece in needle.rest:
            ends = self._after(piece, ends)
        if not ends:
            return None
        end = max(ends)
        if not needle.slack:
            return FoldedMatch(at, at, end)
        begin = self._cut_before(at, needle.before)
        finish = self._cut_after(end, needle.after)
        return None if begin < 0 or finish < 0 else FoldedMatch(at, begin, finish)

    def _after(self, piece: int | str, ends: set[int]) -> set[int]:
        """Where a text ends that begins at one of some places, or so many U+FFFD.

        Each of these stands for a character of several bytes or a part of one. All ends are kept
        instead of trying one after the other, which takes exponential time.
        """
        if isinstance(piece, str):
            return {end + len(piece) for end in ends if self.bare.startswith(piece, end)}
        reached = set()
        for begin in ends:
            for end in range(begin, min(begin + piece, len(self.bare))):
                if self.bare[end] < "\x80":
                    break
                reached.add(end + 1)
        return reached

    def _cut_before(self, at: int, signs: int) -> int:
        """Where the characters begin of which so many U+FFFD are the rest: each is a byte or more."""
        left = signs
        while left > 0:
            at -= 1
            if at < 0 or self.bare[at] < "\x80":
                return -1
            left -= len(self.bare[at].encode(errors="surrogatepass"))
        return at

    def _cut_after(self, at: int, signs: int) -> int:
        left = signs
        while left > 0:
            if at >= len(self.bare) or self.bare[at] < "\x80":
                return -1
            left -= len(self.bare[at].encode(errors="surrogatepass"))
            at += 1
        return at

    def spot(self, needle: SearchText, found: FoldedMatch) -> TextMatch:
        """The offsets of a match in the document; blanks at the edges count if they are there."""
        text, place = needle.text, self.place
        start, end = int(place[found.first]), int(place[found.last - 1]) + 1
        lead = text[: len(text) - len(text.lstrip())]
        trail = text[len(text.rstrip()) :]
        if lead and self.text.startswith(lead, max(start - len(lead), 0), start):
            start -= len(lead)
        if trail and self.text.startswith(trail, end):
            end += len(trail)
        return TextMatch(start, end, self.text[start:end] == text)


Places = list[FoldedMatch]

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


def occurrences(folded: Folded, needles: Sequence[SearchText]) -> list[Places]:
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


def _scanned(folded: Folded, needle: SearchText) -> Iterator[FoldedMatch]:
    at = 0
    while found := folded.first(needle, at):
        yield found
        at = found.core + 1


def _first(matches: Iterable[FoldedMatch]) -> Places:
    return list(islice(matches, MOST_PLACES))


def ordered(folded: Folded, needles: Sequence[SearchText]) -> list[Places]:
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
    folded: Folded, needles: Sequence[SearchText], numbers: Iterable[int], step: int
) -> dict[int, FoldedMatch] | None:
    """The earliest places in order (step 1), or the latest (step -1), of texts that are somewhere.

    None if there is no such order, or if so many texts are nowhere that looking takes too long.
    """
    taken: dict[int, FoldedMatch] = {}
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


def _may_begin_together(before: SearchText | None, after: SearchText | None) -> bool:
    """Whether a chunk may begin where the one before it does, as that was short and is repeated."""
    if before is None or after is None:
        return False
    return len(after.core) > len(before.core) and after.core.startswith(before.core)


def _between(folded: Folded, needle: SearchText, first: FoldedMatch, last: FoldedMatch) -> Places:
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
        edges = [
            [FoldedMatch(-1, -1, 0)],
            *self.places,
            [FoldedMatch(self.length, self.length, self.length)],
        ]
        return any(
            len(before) == len(after) == 1 and after[0].first > before[0].last
            for before, after in pairwise(edges)
        )

    def closed(self) -> list[Places]:
        """The places that leave no gap before them nor after them; all of them if none does."""
        reached, forward = [FoldedMatch(-1, -1, 0)], []
        for places in self.places:
            reached = [at for at in places if _closes_up(reached, at)]
            forward.append(reached)
        reached, backward = [FoldedMatch(self.length, self.length, self.length)], []
        for places in reversed(forward):
            reached = [at for at in places if _reaches(at, reached)]
            backward.append(reached)
        return backward[::-1] if all(backward) else list(self.places)


def _closes_up(before: Places, at: FoldedMatch) -> bool:
    """Whether the last of some places that does not begin after another one reaches it."""
    last = bisect_right(before, at.core, key=_core) - 1
    return last >= 0 and at.first <= before[last].last


def _reaches(at: FoldedMatch, after: Places) -> bool:
    """Whether a place reaches the first of some others that does not begin before it."""
    first = bisect_left(after, at.core, key=_core)
    return first < len(after) and after[first].first <= at.last


def _core(match: FoldedMatch) -> int:
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
    return (sums[SIZE:] - sums[:-SIZE]) * _powers(_INVERSE, room)[: len(codes) - SIZE + 1]


@lru_cache(maxsize=4)
def _powers(base: int, count: int) -> Hashes:
    powers = np.full(count, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)
