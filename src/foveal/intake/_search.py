"""Searches one document for many texts: all matches of each, or those that fit their order."""

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
# All characters that Python calls a space are below this code point.
_BEYOND_BLANKS = 0x3001
_IS_BLANK = np.array([chr(code).isspace() for code in range(_BEYOND_BLANKS + 1)])
_NO_BLANKS = dict.fromkeys(np.flatnonzero(_IS_BLANK).tolist())


class SearchText(NamedTuple):
    """Pattern of a text to search for: `core` is its first part without blanks and U+FFFD.

    `before` and `after` are the numbers of U+FFFD cut off at the edges; if there are some inside,
    `rest` is what follows the core: numbers of them and the texts between. `size` is the number of
    characters that core and rest match at most.
    """

    text: str
    core: str
    size: int
    rest: tuple[int | str, ...] = ()
    lost_before: int = 0
    lost_after: int = 0

    @classmethod
    def of(cls, text: str) -> SearchText:
        """Pattern of a text in which blanks do not count and U+FFFD stands for lost characters."""
        chars = fold(text)
        if REPLACEMENT not in chars:
            return cls(text, chars, len(chars))
        inner = chars.strip(REPLACEMENT)
        lost_before = len(chars) - len(chars.lstrip(REPLACEMENT)) if inner else 0
        lost_after = len(chars) - lost_before - len(inner)
        pieces = re.split(f"({REPLACEMENT}+)", inner)
        if len(pieces) == 1:
            return cls(text, inner, len(inner), (), lost_before, lost_after)
        rest = [len(piece) if piece[0] == REPLACEMENT else piece for piece in pieces[1:]]
        return cls(text, pieces[0], len(inner), tuple(rest), lost_before, lost_after)

    @property
    def is_plain(self) -> bool:
        """True if the core is the whole pattern."""
        return not self.rest and not self.lost_before and not self.lost_after

    @property
    def slack(self) -> int:
        """Number of U+FFFD at the edges of the text, outside the core."""
        return self.lost_before + self.lost_after


class FoldedMatch(NamedTuple):
    """Match of a pattern in a folded text: start of the core, and start and end of the whole text."""

    core: int
    start: int
    end: int


class TextMatch(NamedTuple):
    """Span of a text in its document; `exact` if it is there character by character."""

    start: int
    end: int
    exact: bool


def fold(text: str) -> str:
    """A text without its blanks."""
    # Each is several times as fast as the other on such texts.
    return text.translate(_NO_BLANKS) if text.isascii() else "".join(text.split())


class FoldedText:
    """A document's text, its characters that are not blanks (`chars`), and their offsets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.chars = fold(text)

    @cached_property
    def offsets(self) -> Ints:
        """Offset in the text of each character of `chars`, and last the length of the text."""
        codes = np.minimum(code_points(self.text), _BEYOND_BLANKS)
        offsets = np.flatnonzero(~_IS_BLANK[codes])
        return np.append(offsets, len(self.text))

    def pattern(self, text: str) -> SearchText:
        """Pattern of a text; U+FFFD is literal if the document has the text with just these."""
        if REPLACEMENT in text and REPLACEMENT in self.chars and (core := fold(text)) in self.chars:
            return SearchText(text, core, len(core))
        return SearchText.of(text)

    def first(self, pattern: SearchText, start: int = 0) -> FoldedMatch | None:
        """First match of a pattern whose core starts at `start` or later."""
        if not pattern.core:
            return None
        while (start := self.chars.find(pattern.core, start)) >= 0:
            if pattern.is_plain:
                return FoldedMatch(start, start, start + pattern.size)
            if match := self.match(pattern, start):
                return match
            start += 1
        return None

    def last(self, pattern: SearchText, start: int) -> FoldedMatch | None:
        """Last match of a pattern whose core starts at `start` or earlier."""
        if not (core := pattern.core):
            return None
        while start >= 0 and (start := self.chars.rfind(core, 0, start + len(core))) >= 0:
            if pattern.is_plain:
                return FoldedMatch(start, start, start + pattern.size)
            if match := self.match(pattern, start):
                return match
            start -= 1
        return None

    def match(self, pattern: SearchText, start: int) -> FoldedMatch | None:
        """Match of a pattern whose core starts at `start`; None if any of it does not fit."""
        if not self.chars.startswith(pattern.core, start):
            return None
        ends = {start + len(pattern.core)}
        for piece in pattern.rest:
            ends = self._ends_of_piece(piece, ends)
        if not ends:
            return None
        end = max(ends)
        if not pattern.slack:
            return FoldedMatch(start, start, end)
        text_start = self._start_before(start, pattern.lost_before)
        text_end = self._end_after(end, pattern.lost_after)
        return None if text_start < 0 or text_end < 0 else FoldedMatch(start, text_start, text_end)

    def _ends_of_piece(self, piece: int | str, ends: set[int]) -> set[int]:
        """Ends of a piece, a text or a number of U+FFFD, that starts at any of `ends`.

        Each U+FFFD stands for a character of several bytes or a part of one. All ends are kept
        instead of trying one after the other, which takes exponential time.
        """
        if isinstance(piece, str):
            return {end + len(piece) for end in ends if self.chars.startswith(piece, end)}
        new_ends = set()
        for start in ends:
            for end in range(start, min(start + piece, len(self.chars))):
                if self.chars[end] < "\x80":
                    break
                new_ends.add(end + 1)
        return new_ends

    def _start_before(self, start: int, count: int) -> int:
        """Start of the characters before `start` that `count` U+FFFD replace; -1 if they cannot."""
        bytes_left = count
        while bytes_left > 0:
            start -= 1
            if start < 0 or self.chars[start] < "\x80":
                return -1
            bytes_left -= len(self.chars[start].encode(errors="surrogatepass"))
        return start

    def _end_after(self, end: int, count: int) -> int:
        bytes_left = count
        while bytes_left > 0:
            if end >= len(self.chars) or self.chars[end] < "\x80":
                return -1
            bytes_left -= len(self.chars[end].encode(errors="surrogatepass"))
            end += 1
        return end

    def text_match(self, pattern: SearchText, match: FoldedMatch) -> TextMatch:
        """Span of a match in the document, with the text's blanks at the edges if they are there."""
        text, offsets = pattern.text, self.offsets
        start, end = int(offsets[match.start]), int(offsets[match.end - 1]) + 1
        lead = text[: len(text) - len(text.lstrip())]
        trail = text[len(text.rstrip()) :]
        if lead and self.text.startswith(lead, max(start - len(lead), 0), start):
            start -= len(lead)
        if trail and self.text.startswith(trail, end):
            end += len(trail)
        return TextMatch(start, end, self.text[start:end] == text)


Matches = list[FoldedMatch]

# To search more characters than this, an index of the document is faster.
_MAX_SCANNED = 1 << 23
# Matches that are kept of a text; one with this many may have more.
MAX_MATCHES = 100
# Characters of a gram.
GRAM = 24
# Any odd number has an inverse modulo 2⁶⁴, so that a gram has the same hash wherever it is.
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
# The first bits of a hash rule out most grams that are not searched for.
_FIRST_BITS = 22


def occurrences(folded: FoldedText, patterns: Sequence[SearchText]) -> list[Matches]:
    """Matches of each pattern in a document in reading order, at most the first MAX_MATCHES."""
    long = [number for number, pattern in enumerate(patterns) if len(pattern.core) >= GRAM]
    if len(long) * len(folded.chars) < _MAX_SCANNED:
        return [_capped(_scan(folded, pattern)) for pattern in patterns]
    matches_of: list[Matches] = [
        [] if len(pattern.core) >= GRAM else _capped(_scan(folded, pattern)) for pattern in patterns
    ]
    candidates = candidate_starts(folded.chars, [patterns[number].core for number in long])
    for number, starts in zip(long, candidates, strict=True):
        fitting = (folded.match(patterns[number], start) for start in starts)
        matches_of[number] = _capped(match for match in fitting if match)
    return matches_of


def _scan(folded: FoldedText, pattern: SearchText) -> Iterator[FoldedMatch]:
    start = 0
    while match := folded.first(pattern, start):
        yield match
        start = match.core + 1


def _capped(matches: Iterable[FoldedMatch]) -> Matches:
    return list(islice(matches, MAX_MATCHES))


def ordered_matches(folded: FoldedText, patterns: Sequence[SearchText]) -> list[Matches]:
    """Matches that remain for each text of a whole chunk list in document order.

    Each chunk starts after the previous one, or with it if it repeats all of that. A match is
    certain where the earliest and the latest matches in this order agree. Where they disagree and
    the chunks otherwise leave no gap, a chunk must also start before the previous one has ended.
    Texts without a match are ignored; if there is no such order, all matches remain.
    """
    earliest = _outermost(folded, patterns, range(len(patterns)), 1)
    numbers = sorted(earliest or ())
    latest = _outermost(folded, patterns, numbers[::-1], -1) if earliest else None
    if earliest is None or latest is None:
        return occurrences(folded, patterns)
    remaining: list[Matches] = [[] for _ in patterns]
    for number in numbers:
        remaining[number] = _between(folded, patterns[number], earliest[number], latest[number])
    if all(len(matches) < 2 for matches in remaining):
        return remaining
    chain = _Chain([remaining[number] for number in numbers], len(folded.chars))
    if not chain.has_gaps():
        for number, matches in zip(numbers, chain.without_gaps(), strict=True):
            remaining[number] = matches
    return remaining


def _outermost(
    folded: FoldedText, patterns: Sequence[SearchText], numbers: Iterable[int], step: int
) -> dict[int, FoldedMatch] | None:
    """Earliest matches in order (step 1), or latest (step -1), by number of their pattern.

    None if there is no such order, or if so many texts have no match that searching takes too long.
    """
    matches: dict[int, FoldedMatch] = {}
    core_start, previous, searched = (-1 if step > 0 else len(folded.chars)), None, 0
    for number in numbers:
        pattern = patterns[number]
        pair = (previous, pattern) if step > 0 else (pattern, previous)
        bound = core_start if _may_start_together(*pair) else core_start + step
        match = folded.first(pattern, bound) if step > 0 else folded.last(pattern, bound)
        if match is None:
            searched += len(folded.chars)
            if searched > _MAX_SCANNED << 3 or folded.first(pattern):
                return None
            continue
        matches[number] = match
        core_start, previous = match.core, pattern
    return matches


def _may_start_together(previous: SearchText | None, chunk: SearchText | None) -> bool:
    """True if a chunk may start with the previous one, which is short and repeated in it."""
    if previous is None or chunk is None:
        return False
    return len(chunk.core) > len(previous.core) and chunk.core.startswith(previous.core)


def _between(
    folded: FoldedText, pattern: SearchText, first: FoldedMatch, last: FoldedMatch
) -> Matches:
    """Matches of a pattern from `first` to `last`, at most the first MAX_MATCHES."""
    matches, start = [first], first.core
    while start < last.core and len(matches) < MAX_MATCHES:
        if not (match := folded.first(pattern, start + 1)):
            break
        matches.append(match)
        start = match.core
    return matches


class _Chain:
    """Chunks in document order, each with its possible matches."""

    def __init__(self, matches: Sequence[Matches], length: int) -> None:
        self.matches = matches
        self.before, self.after = [FoldedMatch(-1, -1, 0)], [FoldedMatch(length, length, length)]

    def has_gaps(self) -> bool:
        """True if there is text between neighbours with one match each, or before or after all."""
        edges = [self.before, *self.matches, self.after]
        return any(
            len(previous) == len(following) == 1 and following[0].start > previous[0].end
            for previous, following in pairwise(edges)
        )

    def without_gaps(self) -> list[Matches]:
        """Matches that leave no gap before nor after them; all matches if a chunk has none."""
        previous, forward = self.before, []
        for matches in self.matches:
            previous = [match for match in matches if _meets_previous(previous, match)]
            forward.append(previous)
        following, backward = self.after, []
        for matches in reversed(forward):
            following = [match for match in matches if _meets_next(match, following)]
            backward.append(following)
        return backward[::-1] if all(backward) else list(self.matches)


def _meets_previous(previous: Matches, match: FoldedMatch) -> bool:
    """True if the last of `previous` that does not start after a match ends there or later."""
    index = bisect_right(previous, match.core, key=_core) - 1
    return index >= 0 and match.start <= previous[index].end


def _meets_next(match: FoldedMatch, following: Matches) -> bool:
    """True if a match reaches the first of `following` that does not start before it."""
    index = bisect_left(following, match.core, key=_core)
    return index < len(following) and following[index].start <= match.end


def _core(match: FoldedMatch) -> int:
    return match.core


def candidate_starts(document: str, texts: Sequence[str]) -> Iterator[list[int]]:
    """Sorted starts where each text may be, found by the rarest of three of its grams.

    A gram is GRAM characters; no text may be shorter. Hashes may collide, so that a text need
    not be at any of these starts.
    """
    sizes = np.array([len(text) for text in texts], dtype=np.int64)
    shifts = np.stack([np.zeros_like(sizes), (sizes - GRAM) // 2, sizes - GRAM])
    grams = [
        text[n : n + GRAM] for row in shifts for text, n in zip(texts, row.tolist(), strict=True)
    ]
    sought, numbers = np.unique(_hashed("".join(grams))[::GRAM], return_inverse=True)
    is_sought = np.zeros(1 << _FIRST_BITS, dtype=bool)
    is_sought[_first_bits(sought)] = True
    hashes = _hashed(document)
    starts = np.flatnonzero(is_sought[_first_bits(hashes)])
    number = np.minimum(np.searchsorted(sought, hashes[starts]), len(sought) - 1)
    is_match = sought[number] == hashes[starts]
    starts, number = starts[is_match], number[is_match]
    sorted_starts = starts[np.argsort(number, kind="stable")]
    bounds = Segments.sized(np.bincount(number, minlength=len(sought))).offsets
    counts = np.diff(bounds)[numbers].reshape(shifts.shape)
    rarest = np.argmin(counts, axis=0)[None]
    for gram, shift in zip(
        np.take_along_axis(numbers.reshape(shifts.shape), rarest, 0)[0].tolist(),
        np.take_along_axis(shifts, rarest, 0)[0].tolist(),
        strict=True,
    ):
        gram_starts = sorted_starts[bounds[gram] : bounds[gram + 1]].tolist()
        yield [n - shift for n in gram_starts if n >= shift]


def _first_bits(hashes: Hashes) -> Hashes:
    return hashes >> np.uint64(64 - _FIRST_BITS)


def _hashed(text: str) -> Hashes:
    """Hash of the gram that starts at each character; sums wrap around at 2⁶⁴."""
    codes = code_points(text).astype(np.uint64)
    if len(codes) < GRAM:
        return np.empty(0, dtype=np.uint64)
    size = 1 << len(codes).bit_length()
    sums = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum(codes * _powers(_BASE, size)[: len(codes)], out=sums[1:])
    return (sums[GRAM:] - sums[:-GRAM]) * _powers(_INVERSE, size)[: len(codes) - GRAM + 1]


@lru_cache(maxsize=4)
def _powers(base: int, count: int) -> Hashes:
    powers = np.full(count, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)
