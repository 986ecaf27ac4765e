"""Parts as they were returned, whatever the overlap policy, and the judged passages that they meet."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from foveal.alignment.overlap_policies import first_read
from foveal.alignment.placed_parts import PlacedParts
from foveal.alignment.prepared_qrels import PreparedQrels
from foveal.alignment.ranked_lists import CharacterLists
from foveal.frozen import frozen
from foveal.spans import (
    Axis,
    Bools,
    Highlights,
    Ints,
    Segments,
    in_common,
    matched_greedily,
    totals,
    united,
)

FIRST_CHUNKS = 5


@frozen(eq=False)
class SharedText:
    """Text that parts and passages share, one entry for each pair that shares any.

    `part` is the number of the part among all that were returned, once for each sample of the
    judgements; `rank` is its rank, `size` its characters.
    """

    topic: Ints
    part: Ints
    rank: Ints
    size: Ints
    passage: Ints
    common: Ints


@frozen(eq=False)
class RawParts(CharacterLists):
    """The parts that hold highlighted text, in lists that repeat what the system repeated.

    `count` has the number of parts of each topic's list, `shared` what they share with passages,
    `fresh` the same without text that an earlier part contains.
    """

    shared: SharedText
    fresh: SharedText

    @classmethod
    def of(cls, laid: PlacedParts, judged: PreparedQrels, topics: Ints) -> Self:
        """All parts of a run, for one sample of the judgements after the other."""
        judged.need_highlights()
        parts = laid.returned
        segments = Segments.grouped(laid.document_topic[parts.document], len(laid.topics))
        every = np.arange(len(parts.start))
        shared = _shared(laid, judged, segments, (every, parts.start, parts.end))
        pieces = first_read(parts)
        holding = np.unique(shared.part)
        number = len(every)
        return cls(
            count=np.tile(segments.held, judged.samples),
            topic=segments.segment_of(holding % number) + holding // number * len(laid.topics),
            rank=segments.nth[holding % number],
            laid=laid,
            judged=judged,
            topics=topics,
            shared=shared,
            fresh=_shared(laid, judged, segments, (pieces.part, pieces.start, pieces.end)),
        )

    @cached_property
    def passage_size(self) -> Ints:
        """The characters of each passage."""
        return self.judged.passages.size

    def passages(self, among: Bools | None = None) -> Ints:
        """The number of passages of each evaluated topic, all of them or those marked."""
        topic = self.judged.topic[self.judged.passages.row]
        counted = topic if among is None else topic[among]
        return np.bincount(counted, minlength=len(self.judged.topics))[self.topics]

    def has_share(self, share: Fraction, cutoff: int | None) -> Bools:
        """Whether one of each topic's first parts holds at least a share of one passage."""
        shared = self.shared
        enough = self._is_share(shared.common, shared.passage, share) & _within(shared, cutoff)
        return np.bincount(shared.topic[enough], minlength=len(self.count)) > 0

    def held_together(self, share: Fraction, cutoff: int | None) -> Bools:
        """Of which passages the first parts together hold at least a share."""
        fresh = self.fresh
        kept = _within(fresh, cutoff)
        held = totals(fresh.passage[kept], fresh.common[kept], len(self.passage_size))
        return self._is_share(held, np.arange(len(held)), share)

    def _is_share(self, common: Ints, passage: Ints, share: Fraction) -> Bools:
        return common * share.denominator >= share.numerator * self.passage_size[passage]

    def matched(self, least: Fraction) -> Ints:
        """How many parts of each topic are matched with a passage each, the best pairs first.

        The intersection of a pair is at least the share `least` of its union.
        """
        self.laid.refuse_unknown()
        shared = self.shared
        union = shared.size + self.passage_size[shared.passage] - shared.common
        near = np.flatnonzero(shared.common * least.denominator >= least.numerator * union)
        ratio = shared.common[near] / union[near]
        # Part numbers rise with rank, and passages are in the order of their table.
        order = near[np.lexsort((shared.passage[near], shared.part[near], -ratio))]
        pairs = order[matched_greedily(shared.part[order], shared.passage[order])]
        return np.bincount(shared.topic[pairs], minlength=len(self.count))


@frozen
class RunFacts:
    """How much text a run returns for topics with results: longer chunks raise recall."""

    chunks: float
    """Parts a topic."""

    median_characters: float
    """The median size of its parts."""

    characters_at_5: float
    """Characters of the first five parts of a topic, repeated ones included."""

    repeated: float
    """The share of the text that an earlier part of the topic contains."""


def run_facts(laid: PlacedParts) -> RunFacts | None:
    """How much a run returns; None if it returns documents of unknown length, or nothing."""
    parts = laid.returned
    if laid.document_unknown.any() or not len(parts.start):
        return None
    segments = Segments.grouped(laid.document_topic[parts.document], len(laid.topics))
    size = parts.end - parts.start
    answered = int(np.count_nonzero(segments.held))
    fresh = int(first_read(parts).size.sum())
    return RunFacts(
        chunks=len(size) / answered,
        median_characters=float(np.median(size)),
        characters_at_5=int(size[segments.nth <= FIRST_CHUNKS].sum()) / answered,
        repeated=1 - fresh / max(int(size.sum()), 1) if size.any() else 0.0,
    )


def _within(shared: SharedText, cutoff: int | None) -> Bools:
    return shared.rank <= (np.iinfo(np.int64).max if cutoff is None else cutoff)


def _shared(
    laid: PlacedParts, judged: PreparedQrels, segments: Segments, pieces: tuple[Ints, Ints, Ints]
) -> SharedText:
    """What pieces of the returned parts share with passages: (part, start, end) each."""
    part, start, end = pieces
    parts = laid.returned
    row = laid.document_row[parts.document[part]]
    kept = np.flatnonzero((row >= 0) & laid.judged.relevant[row] & (end > start))
    sample = np.repeat(np.arange(judged.samples), len(kept))
    part, start, end, row = (
        np.tile(values[kept], judged.samples) for values in (part, start, end, row)
    )
    span, passage, common = judged.highlights.overlaps(row + sample * judged.documents, start, end)
    part, sample = part[span], sample[span]
    return SharedText(
        topic=segments.segment_of(part) + sample * len(laid.topics),
        part=part + sample * len(parts.start),
        rank=segments.nth[part],
        size=(parts.end - parts.start)[part],
        passage=passage,
        common=common,
    )


@frozen(eq=False)
class PassagePairs:
    """All parts that a run returned and the passages that they meet, overlapping ones unmerged.

    Arrays named `part_*` have an entry per part, in lists that repeat what the system repeated,
    once for each sample of the judgements; those named `pair_*` one for each part and passage with
    common text, in the order in which the passages were judged. `row` has the document of each
    passage, `aspect_passage` the passage of each entry of the judged aspects, -1 if it is the whole
    document.
    """

    laid: PlacedParts
    judged: PreparedQrels
    topics: Ints
    part_topic: Ints
    row: Ints
    aspect_passage: Ints
    pair_part: Ints
    pair_passage: Ints
    pair_common: Ints

    @classmethod
    def of(cls, laid: PlacedParts, judged: PreparedQrels, topics: Ints) -> Self:
        """All parts of a run, for one sample of the judgements after the other."""
        parts, samples = laid.returned, judged.samples
        (row, start, end), aspect_passage = _as_judged(judged)
        document = np.tile(laid.document_row[parts.document], samples)
        sample = np.repeat(np.arange(samples), len(parts.start))
        known = np.flatnonzero(document >= 0)
        text = (
            document[known] + sample[known] * judged.documents,
            np.tile(parts.start, samples)[known],
            np.tile(parts.end, samples)[known],
        )
        axis = Axis.holding(row, end, samples * judged.documents)
        part, passage, common = in_common(axis, text, (row, start, end))
        return cls(
            laid=laid,
            judged=judged,
            topics=topics,
            part_topic=np.tile(laid.document_topic[parts.document], samples)
            + sample * len(laid.topics),
            row=row,
            aspect_passage=aspect_passage,
            pair_part=known[part],
            pair_passage=passage,
            pair_common=common,
        )

    @cached_property
    def part_size(self) -> Ints:
        """The characters of each part; raises UnknownLength if any is unknown."""
        self.laid.refuse_unknown()
        return np.tile(self.laid.returned_size, self.judged.samples)

    @cached_property
    def lists(self) -> Segments:
        """The parts of each topic."""
        return Segments.grouped(self.part_topic, len(self.topics))

    @cached_property
    def is_first(self) -> Bools:
        """Which pairs are a part and the first passage that it meets."""
        first = np.ones(len(self.pair_part), dtype=bool)
        first[1:] = self.pair_part[1:] != self.pair_part[:-1]
        return first

    def passages(self, among: Ints | None = None) -> Ints:
        """The number of different passages of each evaluated topic, all of them or some."""
        row = self.row if among is None else self.row[np.unique(among)]
        count = np.bincount(self.judged.topic[row], minlength=len(self.judged.topics))
        return count[self.topics]

    def aspects(self, rel: float, *, first_only: bool) -> tuple[Ints, Ints, Ints]:
        """The aspects of parts: (part, aspect), each pair once; and how many each topic has.

        An aspect counts from the grade `rel` on. A part has those of the passages that it meets, or
        of the first of them, and with any text those of its whole document.
        """
        own = self.judged.aspects
        counts = own.grade >= rel
        key = self.judged.topic[own.row] * len(own.names) + own.aspect
        pairs = np.flatnonzero(self.is_first) if first_only else np.arange(len(self.pair_part))
        placed = np.flatnonzero(counts & ~own.is_whole)
        pair, entry = _equal(self.pair_passage[pairs], self.aspect_passage[placed])
        whole = np.flatnonzero(counts & own.is_whole)
        part, row = self._documents_with_text()
        text, document = _equal(row, own.row[whole])
        found = [
            np.concatenate([self.pair_part[pairs[pair]], part[text]]),
            key[np.concatenate([placed[entry], whole[document]])],
        ]
        (parts, aspects), topic = np.unique(found, axis=1), np.unique(key[counts])
        wanted = np.bincount(topic // max(len(own.names), 1), minlength=len(self.judged.topics))
        return parts, aspects, wanted[self.topics]

    def _documents_with_text(self) -> tuple[Ints, Ints]:
        """The parts of judged documents that have text, and the row of each one's document."""
        returned, samples = self.laid.returned, self.judged.samples
        row = self.laid.document_row[returned.document]
        kept = np.flatnonzero((row >= 0) & (returned.end > returned.start))
        sample = np.repeat(np.arange(samples), len(kept))
        part = np.tile(kept, samples) + sample * len(row)
        return part, np.tile(row[kept], samples) + sample * self.judged.documents


def _equal(one: Ints, other: Ints) -> tuple[Ints, Ints]:
    """The places of all pairs of equal numbers."""
    order = np.argsort(other, kind="stable")
    begin, end = (np.searchsorted(other[order], one, side=side) for side in ("left", "right"))
    place = np.repeat(np.arange(len(one)), end - begin)
    return place, order[begin[place] + Segments.sized(end - begin).nth - 1]


def _as_judged(judged: PreparedQrels) -> tuple[tuple[Ints, Ints, Ints], Ints]:
    """The passages before they were merged, in the order of the file, and those of aspects.

    Only passages with aspects are known like that. What they leave of the others follows them.
    """
    merged, own = judged.passages, judged.given_aspects
    if own is None:
        return (merged.row, merged.start, merged.end), np.arange(0)
    placed = np.flatnonzero(~own.is_whole)
    spans = np.stack([own.row[placed], own.start[placed], own.end[placed]])
    # The entries of a passage are together.
    opens = np.ones(len(placed), dtype=bool)
    opens[1:] = (spans[:, 1:] != spans[:, :-1]).any(axis=0)
    row, start, end = spans[:, opens]
    documents = judged.samples * judged.documents
    with_aspects = Highlights.of(*united(row, start, end, documents), documents)
    span, begins, ends = with_aspects.outside(merged.row, merged.start, merged.end)
    row = np.concatenate([row, merged.row[span]])
    start, end = np.concatenate([start, begins]), np.concatenate([end, ends])
    order = np.argsort(row, kind="stable")
    passage = np.full(len(own), -1, dtype=np.int64)
    passage[placed] = np.argsort(order)[np.cumsum(opens) - 1]
    return (row[order], start[order], end[order]), passage
