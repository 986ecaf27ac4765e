"""Where the parts of one document are: their stated offsets, compared with their texts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from foveal.choices import Copies, OffsetUnit
from foveal.frozen import frozen
from foveal.intake._search import (
    MOST_PLACES,
    Folded,
    FoldedMatch,
    Places,
    SearchText,
    TextMatch,
    bared,
    occurrences,
    ordered,
)
from foveal.spans import INSIDE, Ints, boundaries, in_characters
from foveal.tables import AuditStatus
from foveal.tables import columns as c

# The places of a copy that a message names.
SHOWN_PLACES = 3
# What offsets may count besides characters, and what is said of a text that fits only so.
_OTHER_UNITS = {OffsetUnit.BYTES: AuditStatus.BYTES, OffsetUnit.UTF16: AuditStatus.UTF16}


class Part(NamedTuple):
    """Text of a part of a document, its offsets, or both.

    `ordinal` is its number among the chunks of the document, if that is known.
    """

    text: str | None
    start: int | None
    end: int | None
    ordinal: int | None = None


class Placement(NamedTuple):
    """Where a part is, how far from its stated offsets, and how often its text occurs."""

    verdict: AuditStatus
    start: int | None = None
    end: int | None = None
    shift: int = 0
    places: int = 0
    exact: bool = True
    seen: tuple[int, ...] = ()


@frozen
class DocumentPlacement:
    """Places the parts of one document.

    `listed` has the places of the texts of a chunk list; a text that is not in the list is searched
    for in the document.
    """

    folded: Folded
    unit: OffsetUnit = OffsetUnit.CHARACTERS
    copies: Copies = Copies.REFUSE
    listed: Mapping[str, Places] = field(default_factory=dict)

    def placements(self, parts: Sequence[Part]) -> list[Placement]:
        """Placement of each part."""
        texts = list(dict.fromkeys(part.text for part in parts if part.text is not None))
        found = dict(zip(texts, self._found(texts), strict=True))
        stated = _Stated.of(parts, self.folded, self.unit)
        placements = [
            self._without_text(part, stated, row)
            if part.text is None
            else self._with_text(*found[part.text], stated, row)
            for row, part in enumerate(parts)
        ]
        self._tell_apart_by_order(stated, placements, found)
        return placements

    def _tell_apart_by_order(
        self,
        stated: _Stated,
        placements: list[Placement],
        found: Mapping[str, tuple[SearchText, Places]],
    ) -> None:
        """Place copies whose number leaves one place between those before and those after them."""
        parts = stated.parts
        settled = sorted(
            {
                (part.ordinal, placement.start)
                for part, placement in zip(parts, placements, strict=True)
                if part.ordinal is not None
                and placement.start is not None
                and placement.verdict is not AuditStatus.COPIES
            }
        )
        starts = [start for _, start in settled]
        if not settled or starts != sorted(starts):
            return
        for row, (part, placement) in enumerate(zip(parts, placements, strict=True)):
            if placement.verdict is AuditStatus.COPIES and part.ordinal is not None and part.text:
                needle, places = found[part.text]
                before = bisect_left(settled, (part.ordinal, -1))
                after = bisect_left(settled, (part.ordinal + 1, -1))
                least = starts[before - 1] if before else -1
                most = starts[after] if after < len(starts) else len(self.folded.text)
                spots = [self.folded.spot(needle, match) for match in places]
                between = [spot for spot in spots if least < spot.start < most]
                if len(between) == 1 and len(places) < MOST_PLACES:
                    verdict = AuditStatus.SHIFTED if stated.is_stated(row) else AuditStatus.FOUND
                    shift = stated.shift(row, between[0])
                    placements[row] = _placement(verdict, between[0], len(places), shift)

    def _found(self, texts: Sequence[str]) -> list[tuple[SearchText, Places]]:
        needles = [self.folded.needle(text) for text in texts]
        if not self.listed:
            return list(zip(needles, occurrences(self.folded, needles), strict=True))
        places = [self.listed.get(bared(text), []) for text in texts]
        absent = [row for row, listed in enumerate(places) if not listed]
        elsewhere = occurrences(self.folded, [needles[row] for row in absent])
        for row, matches in zip(absent, elsewhere, strict=True):
            places[row] = matches
        return list(zip(needles, places, strict=True))

    def _without_text(self, part: Part, stated: _Stated, row: int) -> Placement:
        start, end = stated.start[row], stated.end[row]
        if part.start == c.UNMAPPED:
            return Placement(AuditStatus.UNCHECKED, part.start, part.end)
        if INSIDE in {start, end} and part.start is not None:
            return Placement(AuditStatus.INSIDE)
        if end > len(self.folded.text):
            return Placement(AuditStatus.BEYOND, int(start), int(end))
        if part.start is None:
            return Placement(AuditStatus.UNCHECKED)
        return Placement(AuditStatus.UNCHECKED, int(start), int(end))

    def _with_text(
        self, needle: SearchText, places: Places, stated: _Stated, row: int
    ) -> Placement:
        if not places:
            return self._blank(needle.text, stated, row)
        for verdict, (first, last) in stated.edges(row):
            for match in self._candidates(needle, places, first):
                if match.first == first and last in {None, match.last}:
                    spot = self.folded.spot(needle, match)
                    if verdict is AuditStatus.AGREED and not stated.equals(row, spot):
                        verdict = AuditStatus.EDGES  # noqa: PLW2901  # the same, but for blanks
                    return _placement(verdict, spot, len(places), stated.shift(row, spot))
        return self._by_text(needle, places, stated, row)

    def _blank(self, text: str, stated: _Stated, row: int) -> Placement:
        """A text that is nowhere; one of blanks alone is searched for nowhere but where it says."""
        start = int(stated.start[row])
        end = start + len(text)
        if start >= 0 and text.isspace() and self.folded.text[start:end] == text:
            return Placement(AuditStatus.AGREED, start, end, places=1)
        return Placement(AuditStatus.LOST)

    def _candidates(self, needle: SearchText, places: Places, first: int) -> Places:
        """The places of a text that may begin at a stated one; lists of places may be incomplete."""
        if bared(needle.text) in self.listed or needle.slack:
            return places
        match = self.folded.match(needle, first)
        return [match] if match else []

    def _by_text(self, needle: SearchText, places: Places, stated: _Stated, row: int) -> Placement:
        """The only place of a text, or the only one where it is sign by sign."""
        spots = [self.folded.spot(needle, match) for match in places]
        sole = spots if len(spots) == 1 else [spot for spot in spots if spot.exact]
        is_stated = stated.is_stated(row)
        if len(sole) == 1:
            verdict = AuditStatus.SHIFTED if is_stated else AuditStatus.FOUND
            return _placement(verdict, sole[0], len(places), stated.shift(row, sole[0]))
        seen = tuple(spot.start for spot in spots[:SHOWN_PLACES])
        if self.copies is Copies.FIRST:
            first = (sole or spots)[0]
            shift = stated.shift(row, first)
            return _placement(AuditStatus.COPIES, first, len(places), shift)._replace(seen=seen)
        return Placement(AuditStatus.COPIES, places=len(places), seen=seen)


def _placement(verdict: AuditStatus, spot: TextMatch, places: int, shift: int) -> Placement:
    return Placement(verdict, spot.start, spot.end, shift, places, spot.exact)


@frozen
class _Stated:
    """The stated offsets of parts in characters; -1 where there is none."""

    parts: Sequence[Part]
    folded: Folded
    start: Ints
    end: Ints
    unit: OffsetUnit

    @classmethod
    def of(cls, parts: Sequence[Part], folded: Folded, unit: OffsetUnit) -> _Stated:
        """What parts state, in characters."""
        start, end = (
            np.array(
                [c.UNMAPPED if offset is None else offset for offset in offsets], dtype=np.int64
            )
            for offsets in ([part.start for part in parts], [part.end for part in parts])
        )
        if unit is not OffsetUnit.CHARACTERS:
            bounds = boundaries(folded.text, unit)
            start, end = in_characters(start, bounds), in_characters(end, bounds)
        return cls(parts, folded, start, end, unit)

    def is_stated(self, row: int) -> bool:
        """Whether a part states where it begins."""
        return self.parts[row].start not in {None, c.UNMAPPED}

    def equals(self, row: int, spot: TextMatch) -> bool:
        """Whether a part states exactly this place."""
        return bool(self.start[row] == spot.start and self.end[row] in {c.UNMAPPED, spot.end})

    def shift(self, row: int, spot: TextMatch) -> int:
        """By how many characters the text is elsewhere: where it begins, else where it ends."""
        if not self.is_stated(row):
            return 0
        by = spot.start - int(self.start[row])
        return by or (0 if self.end[row] == c.UNMAPPED else spot.end - int(self.end[row]))

    def edges(self, row: int) -> list[tuple[AuditStatus, tuple[int, int | None]]]:
        """Where a part would begin and end in the folded text, by what its offsets may count."""
        if not self.is_stated(row):
            return []
        told = []
        for verdict, first, last in self._counted:
            if first[row] >= 0:
                ends = None if self.parts[row].end is None else int(last[row])
                told.append((verdict, (int(first[row]), ends)))
        return told

    @cached_property
    def _counted(self) -> list[tuple[AuditStatus, Ints, Ints]]:
        text, counts = self.folded.text, [(AuditStatus.AGREED, self.start, self.end)]
        if self.unit is OffsetUnit.CHARACTERS and not text.isascii():
            for unit, verdict in _OTHER_UNITS.items():
                bounds = boundaries(text, unit)
                counts.append(
                    (verdict, in_characters(self.start, bounds), in_characters(self.end, bounds))
                )
        return [(verdict, self._bare(start), self._bare(end)) for verdict, start, end in counts]

    def _bare(self, offsets: Ints) -> Ints:
        """The offsets in the folded text; -1 for those that are missing or beyond the end."""
        there = (offsets >= 0) & (offsets <= len(self.folded.text))
        return np.where(there, np.searchsorted(self.folded.place[:-1], offsets), INSIDE)


def chunk_places(folded: Folded, chunks: Sequence[Part]) -> list[tuple[SearchText, Places]]:
    """Where each chunk of a whole list, which is in document order, may be.

    None for one that is not in the document, several for one that neither its order nor what it
    states decides. A chunk without text is where it says.
    """
    texts = [
        folded.text[chunk.start : chunk.end] if chunk.text is None else chunk.text
        for chunk in chunks
    ]
    needles = [folded.needle(text) for text in texts]
    left = ordered(folded, needles)
    stated = _Stated.of(chunks, folded, OffsetUnit.CHARACTERS)
    for row, places in enumerate(left):
        edges = stated.edges(row)[:1] if len(places) > 1 or chunks[row].text is None else []
        if chunks[row].text is None:
            left[row] = [
                FoldedMatch(first, first, last)
                for _, (first, last) in edges
                if last is not None and 0 <= first < last
            ]
        elif len(places) > 1:
            begins = {first for _, (first, _) in edges}
            left[row] = [place for place in places if place.first in begins] or places
    return list(zip(needles, left, strict=True))
