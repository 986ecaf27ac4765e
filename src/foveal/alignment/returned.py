"""Parts as they were returned, whatever the overlap policy: what single parts and passages tell."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from foveal.alignment.found import FoundLists
from foveal.alignment.judged import Judged
from foveal.alignment.parts import LaidParts
from foveal.alignment.policies import first_read
from foveal.frozen import frozen
from foveal.spans import Bools, Ints, Segments, matched_greedily, totals
from foveal.tables import RunFacts

FIRST_CHUNKS = 5


@frozen(eq=False)
class Shared:
    """Text that parts and passages have in common, one entry for each pair of them that has any.

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
class ReturnedParts(FoundLists):
    """The parts that hold highlighted text, in lists that repeat what the system repeated.

    `count` has the number of parts of each topic's list, `shared` what they share with passages,
    `fresh` the same without text that an earlier part contains.
    """

    shared: Shared
    fresh: Shared

    @classmethod
    def of(cls, laid: LaidParts, judged: Judged, topics: Ints) -> Self:
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
            topic=segments.holding(holding % number) + holding // number * len(laid.topics),
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
        enough: Bools = common * share.denominator >= share.numerator * self.passage_size[passage]
        return enough

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


def run_facts(laid: LaidParts) -> RunFacts | None:
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


def _within(shared: Shared, cutoff: int | None) -> Bools:
    return shared.rank <= (np.iinfo(np.int64).max if cutoff is None else cutoff)


def _shared(
    laid: LaidParts, judged: Judged, segments: Segments, pieces: tuple[Ints, Ints, Ints]
) -> Shared:
    """What pieces of the returned parts share with passages: (part, start, end) each."""
    part, start, end = pieces
    parts = laid.returned
    row = laid.document_row[parts.document[part]]
    kept = np.flatnonzero((row >= 0) & laid.judged.relevant[row] & (end > start))
    sample = np.repeat(np.arange(judged.samples), len(kept))
    part, start, end, row = (
        np.tile(values[kept], judged.samples) for values in (part, start, end, row)
    )
    span, passage, common = judged.highlights.shared(row + sample * judged.documents, start, end)
    part, sample = part[span], sample[span]
    return Shared(
        topic=segments.holding(part) + sample * len(laid.topics),
        part=part + sample * len(parts.start),
        rank=segments.nth[part],
        size=(parts.end - parts.start)[part],
        passage=passage,
        common=common,
    )
