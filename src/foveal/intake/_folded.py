"""A document as its chunks are compared with it: without blanks, U+FFFD standing for anything.

Splitters strip and merge blanks, and splitters by tokens cut characters apart, which leaves U+FFFD
(the replacement character) at the edges. So a text is searched for without its blanks, and where it
is found, the document's own offsets are looked up.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from foveal.spans import code_points

if TYPE_CHECKING:
    from foveal.spans import Ints

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# What Python calls a blank; all of them are below this code point.
_BEYOND_BLANKS = 0x3001
_IS_BLANK = np.array([chr(code).isspace() for code in range(_BEYOND_BLANKS + 1)])
_NO_BLANKS = dict.fromkeys(np.flatnonzero(_IS_BLANK).tolist())


class Needle(NamedTuple):
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
    def of(cls, text: str) -> Needle:
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


class Match(NamedTuple):
    """Where a needle was found in a folded text: its core, and from the first sign to the last."""

    core: int
    first: int
    last: int


class Spot(NamedTuple):
    """Where a text is in its document, and whether it is there sign by sign."""

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

    def needle(self, text: str) -> Needle:
        """What to search for in this document; its own U+FFFD are taken literally if they fit."""
        if REPLACEMENT in text and REPLACEMENT in self.bare and (bare := bared(text)) in self.bare:
            return Needle(text, bare, len(bare))
        return Needle.of(text)

    def first(self, needle: Needle, at: int = 0) -> Match | None:
        """The first place of a needle from a place on."""
        if not needle.core:
            return None
        while (at := self.bare.find(needle.core, at)) >= 0:
            if needle.is_plain:
                return Match(at, at, at + needle.size)
            if found := self.match(needle, at):
                return found
            at += 1
        return None

    def last(self, needle: Needle, at: int) -> Match | None:
        """The last place of a needle that is not after a place."""
        if not needle.core:
            return None
        while at >= 0 and (at := self.bare.rfind(needle.core, 0, at + len(needle.core))) >= 0:
            if needle.is_plain:
                return Match(at, at, at + needle.size)
            if found := self.match(needle, at):
                return found
            at -= 1
        return None

    def match(self, needle: Needle, at: int) -> Match | None:
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
            return Match(at, at, end)
        begin = self._cut_before(at, needle.before)
        finish = self._cut_after(end, needle.after)
        return None if begin < 0 or finish < 0 else Match(at, begin, finish)

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

    def spot(self, needle: Needle, found: Match) -> Spot:
        """The offsets of a match in the document; blanks at the edges count if they are there."""
        text, place = needle.text, self.place
        start, end = int(place[found.first]), int(place[found.last - 1]) + 1
        lead = text[: len(text) - len(text.lstrip())]
        trail = text[len(text.rstrip()) :]
        if lead and self.text.startswith(lead, max(start - len(lead), 0), start):
            start -= len(lead)
        if trail and self.text.startswith(trail, end):
            end += len(trail)
        return Spot(start, end, self.text[start:end] == text)
