"""Places the parts of one document: compares their stated offsets with their texts."""

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
    MAX_MATCHES,
    FoldedMatch,
    FoldedText,
    Matches,
    SearchText,
    TextMatch,
    fold,
    occurrences,
    ordered_matches,
)
from foveal.spans import INSIDE, Ints, boundaries, in_characters
from foveal.tables import AuditStatus
from foveal.tables import columns as c

# A message about a text with several matches names this many of them.
SHOWN_STARTS = 3
# Units that offsets may count besides characters, and the verdict on a text that fits only so.
_OTHER_UNITS = {OffsetUnit.BYTES: AuditStatus.BYTES, OffsetUnit.UTF16: AuditStatus.UTF16}


class Part(NamedTuple):
    """A part of a document: its text, its offsets, or both.

    `ordinal` is its number among the chunks of the document, if that is known.
    """

    text: str | None
    start: int | None
    end: int | None
    ordinal: int | None = None


class Placement(NamedTuple):
    """Span of a part, its shift from the stated offsets, and the number of matches of its text."""

    verdict: AuditStatus
    start: int | None = None
    end: int | None = None
    shift: int = 0
    matches: int = 0
    exact: bool = True
    starts: tuple[int, ...] = ()


@frozen
class DocumentPlacement:
    """Places the parts of one document.

    `chunk_matches` has the matches of the texts of a chunk list; a text that is not in the list is
    searched for in the document.
    """

    folded: FoldedText
    unit: OffsetUnit = OffsetUnit.CHARACTERS
    copies: Copies = Copies.REFUSE
    chunk_matches: Mapping[str, Matches] = field(default_factory=dict)

    def placements(self, parts: Sequence[Part]) -> list[Placement]:
        """Placement of each part."""
        texts = list(dict.fromkeys(part.text for part in parts if part.text is not None))
        matches_by_text = dict(zip(texts, self._matches_of(texts), strict=True))
        offsets = _Offsets.of(parts, self.folded, self.unit)
        placements = [
            self._without_text(part, offsets, row)
            if part.text is None
            else self._with_text(*matches_by_text[part.text], offsets, row)
            for row, part in enumerate(parts)
        ]
        self._decide_by_order(offsets, placements, matches_by_text)
        return placements

    def _decide_by_order(
        self,
        offsets: _Offsets,
        placements: list[Placement],
        matches_by_text: Mapping[str, tuple[SearchText, Matches]],
    ) -> None:
        """Place copies whose number in the document leaves one match between their neighbours."""
        parts = offsets.parts
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
                pattern, matches = matches_by_text[part.text]
                previous = bisect_left(settled, (part.ordinal, -1))
                following = bisect_left(settled, (part.ordinal + 1, -1))
                lower = starts[previous - 1] if previous else -1
                upper = starts[following] if following < len(starts) else len(self.folded.text)
                spans = [self.folded.text_match(pattern, match) for match in matches]
                between = [span for span in spans if lower < span.start < upper]
                if len(between) == 1 and len(matches) < MAX_MATCHES:
                    verdict = AuditStatus.SHIFTED if offsets.is_stated(row) else AuditStatus.FOUND
                    shift = offsets.shift(row, between[0])
                    placements[row] = _placement(verdict, between[0], len(matches), shift)

    def _matches_of(self, texts: Sequence[str]) -> list[tuple[SearchText, Matches]]:
        patterns = [self.folded.pattern(text) for text in texts]
        if not self.chunk_matches:
            return list(zip(patterns, occurrences(self.folded, patterns), strict=True))
        matches = [self.chunk_matches.get(fold(text), []) for text in texts]
        absent = [row for row, row_matches in enumerate(matches) if not row_matches]
        elsewhere = occurrences(self.folded, [patterns[row] for row in absent])
        for row, row_matches in zip(absent, elsewhere, strict=True):
            matches[row] = row_matches
        return list(zip(patterns, matches, strict=True))

    def _without_text(self, part: Part, offsets: _Offsets, row: int) -> Placement:
        start, end = offsets.start[row], offsets.end[row]
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
        self, pattern: SearchText, matches: Matches, offsets: _Offsets, row: int
    ) -> Placement:
        if not matches:
            return self._with_blank_text(pattern.text, offsets, row)
        for verdict, (start, end) in offsets.spans(row):
            for match in self._candidates(pattern, matches, start):
                if match.start == start and end in {None, match.end}:
                    span = self.folded.text_match(pattern, match)
                    if verdict is AuditStatus.AGREED and not offsets.equals(row, span):
                        verdict = AuditStatus.EDGES  # noqa: PLW2901  # the same, but for blanks
                    return _placement(verdict, span, len(matches), offsets.shift(row, span))
        return self._best(pattern, matches, offsets, row)

    def _with_blank_text(self, text: str, offsets: _Offsets, row: int) -> Placement:
        """Placement of a text without matches; a blank text is compared at its stated offsets only."""
        start = int(offsets.start[row])
        end = start + len(text)
        if start >= 0 and text.isspace() and self.folded.text[start:end] == text:
            return Placement(AuditStatus.AGREED, start, end, matches=1)
        return Placement(AuditStatus.LOST)

    def _candidates(self, pattern: SearchText, matches: Matches, start: int) -> Matches:
        """Matches that may start at `start`; `matches` may be an incomplete list."""
        if fold(pattern.text) in self.chunk_matches or pattern.slack:
            return matches
        match = self.folded.match(pattern, start)
        return [match] if match else []

    def _best(
        self, pattern: SearchText, matches: Matches, offsets: _Offsets, row: int
    ) -> Placement:
        """Placement by the only match of a text, or by the only exact one."""
        spans = [self.folded.text_match(pattern, match) for match in matches]
        best = spans if len(spans) == 1 else [span for span in spans if span.exact]
        is_stated = offsets.is_stated(row)
        if len(best) == 1:
            verdict = AuditStatus.SHIFTED if is_stated else AuditStatus.FOUND
            return _placement(verdict, best[0], len(matches), offsets.shift(row, best[0]))
        starts = tuple(span.start for span in spans[:SHOWN_STARTS])
        if self.copies is Copies.FIRST:
            span = (best or spans)[0]
            shift = offsets.shift(row, span)
            return _placement(AuditStatus.COPIES, span, len(matches), shift)._replace(starts=starts)
        return Placement(AuditStatus.COPIES, matches=len(matches), starts=starts)


def _placement(verdict: AuditStatus, span: TextMatch, match_count: int, shift: int) -> Placement:
    return Placement(verdict, span.start, span.end, shift, match_count, span.exact)


@frozen
class _Offsets:
    """Stated offsets of parts in characters; -1 if a part states none."""

    parts: Sequence[Part]
    folded: FoldedText
    start: Ints
    end: Ints
    unit: OffsetUnit

    @classmethod
    def of(cls, parts: Sequence[Part], folded: FoldedText, unit: OffsetUnit) -> _Offsets:
        """Offsets that parts state, converted to characters."""
        start, end = (
            np.array([c.UNMAPPED if value is None else value for value in values], dtype=np.int64)
            for values in ([part.start for part in parts], [part.end for part in parts])
        )
        if unit is not OffsetUnit.CHARACTERS:
            bounds = boundaries(folded.text, unit)
            start, end = in_characters(start, bounds), in_characters(end, bounds)
        return cls(parts, folded, start, end, unit)

    def is_stated(self, row: int) -> bool:
        """True if a part states its start."""
        return self.parts[row].start not in {None, c.UNMAPPED}

    def equals(self, row: int, span: TextMatch) -> bool:
        """True if a part states exactly this span."""
        return bool(self.start[row] == span.start and self.end[row] in {c.UNMAPPED, span.end})

    def shift(self, row: int, span: TextMatch) -> int:
        """Characters from the stated start to the actual one; if they agree, between the ends."""
        if not self.is_stated(row):
            return 0
        shift = span.start - int(self.start[row])
        return shift or (0 if self.end[row] == c.UNMAPPED else span.end - int(self.end[row]))

    def spans(self, row: int) -> list[tuple[AuditStatus, tuple[int, int | None]]]:
        """Spans in the folded text that a part may state, by the unit that its offsets may count."""
        if not self.is_stated(row):
            return []
        has_end = self.parts[row].end is not None
        return [
            (verdict, (int(start[row]), int(end[row]) if has_end else None))
            for verdict, start, end in self._by_unit
            if start[row] >= 0
        ]

    @cached_property
    def _by_unit(self) -> list[tuple[AuditStatus, Ints, Ints]]:
        text, pairs = self.folded.text, [(AuditStatus.AGREED, self.start, self.end)]
        if self.unit is OffsetUnit.CHARACTERS and not text.isascii():
            for unit, verdict in _OTHER_UNITS.items():
                bounds = boundaries(text, unit)
                pairs.append(
                    (verdict, in_characters(self.start, bounds), in_characters(self.end, bounds))
                )
        return [(verdict, self._fold(start), self._fold(end)) for verdict, start, end in pairs]

    def _fold(self, offsets: Ints) -> Ints:
        """Offsets in the folded text; -1 for those that are missing or beyond the end."""
        is_inside = (offsets >= 0) & (offsets <= len(self.folded.text))
        return np.where(is_inside, np.searchsorted(self.folded.offsets[:-1], offsets), INSIDE)


def match_chunks(folded: FoldedText, chunks: Sequence[Part]) -> list[tuple[SearchText, Matches]]:
    """Pattern and possible matches of each chunk of a whole list in document order.

    A chunk that is not in the document has no match; one that neither its order nor its stated
    offsets decide has several. A chunk without text is at its stated offsets.
    """
    texts = [
        folded.text[chunk.start : chunk.end] if chunk.text is None else chunk.text
        for chunk in chunks
    ]
    patterns = [folded.pattern(text) for text in texts]
    remaining = ordered_matches(folded, patterns)
    offsets = _Offsets.of(chunks, folded, OffsetUnit.CHARACTERS)
    for row, matches in enumerate(remaining):
        spans = offsets.spans(row)[:1] if len(matches) > 1 or chunks[row].text is None else []
        if chunks[row].text is None:
            remaining[row] = [
                FoldedMatch(start, start, end)
                for _, (start, end) in spans
                if end is not None and 0 <= start < end
            ]
        elif len(matches) > 1:
            starts = {start for _, (start, _) in spans}
            remaining[row] = [match for match in matches if match.start in starts] or matches
    return list(zip(patterns, remaining, strict=True))
