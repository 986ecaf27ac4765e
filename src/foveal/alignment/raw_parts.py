"""Parts as they were returned, whatever the overlap policy, and the passages that they overlap."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from foveal.alignment.overlap_policies import first_reads
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
    matched_greedily,
    overlapping_pairs,
    totals,
    united,
)

FIRST_CHUNKS = 5


@frozen(eq=False)
class SharedText:
    """Text that parts and passages share, one entry for each pair that shares any.

    `part` is the index of the part among all that were returned, once for each sample of the
    judgements; `rank` is its rank, `size` its characters, `common_size` the characters shared.
    """

    topic: Ints
    part: Ints
    rank: Ints
    size: Ints
    passage: Ints
    common_size: Ints


@frozen(eq=False)
class RawParts(CharacterLists):
    """The parts that hold highlighted text, in lists that repeat what the system repeated.

    `count` has the number of parts of each topic's list, `shared_text` the text that they share with
    passages, `fresh_text` the same without text that an earlier part contains.
    """

    shared_text: SharedText
    fresh_text: SharedText

    @classmethod
    def of(cls, parts: PlacedParts, qrels: PreparedQrels, topics: Ints) -> Self:
        """All parts of a run, for one sample of the judgements after the other."""
        qrels.need_highlights()
        spans = parts.returned_spans
        segments = parts.returned_segments
        part = np.arange(len(spans.start))
        shared_text = _shared_text(parts, qrels, (part, spans.start, spans.end))
        pieces = first_reads(spans)
        sharing = np.unique(shared_text.part)
        count = len(part)
        return cls(
            count=np.tile(segments.entry_count, qrels.sample_count),
            topic=segments.segment_of(sharing % count) + sharing // count * len(parts.topics),
            rank=segments.nth[sharing % count],
            placed_parts=parts,
            qrels=qrels,
            topics=topics,
            shared_text=shared_text,
            fresh_text=_shared_text(parts, qrels, (pieces.part, pieces.start, pieces.end)),
        )

    @cached_property
    def passage_size(self) -> Ints:
        """The characters of each passage."""
        return self.qrels.passages.size

    def passage_count(self, keep: Bools | None = None) -> Ints:
        """The number of passages of each evaluated topic, all of them or those in the mask."""
        topic = self.qrels.topic[self.qrels.passages.row]
        topic = topic if keep is None else topic[keep]
        return np.bincount(topic, minlength=len(self.qrels.topics))[self.topics]

    def has_share(self, share: Fraction, cutoff: int | None) -> Bools:
        """Mask of topics in which one of the first parts contains at least a share of a passage."""
        text = self.shared_text
        is_enough = self._is_share(text.common_size, text.passage, share) & _within(text, cutoff)
        return np.bincount(text.topic[is_enough], minlength=len(self.count)) > 0

    def is_covered(self, share: Fraction, cutoff: int | None) -> Bools:
        """Mask of passages of which the first parts together contain at least a share."""
        text = self.fresh_text
        keep = _within(text, cutoff)
        size = totals(text.passage[keep], text.common_size[keep], len(self.passage_size))
        return self._is_share(size, np.arange(len(size)), share)

    def _is_share(self, size: Ints, passage: Ints, share: Fraction) -> Bools:
        return size * share.denominator >= share.numerator * self.passage_size[passage]

    def matched_count(self, share: Fraction) -> Ints:
        """The number of parts of each topic that are matched with a passage each, best pairs first.

        The intersection of a pair is at least this share of its union.
        """
        self.placed_parts.refuse_unknown_lengths()
        text = self.shared_text
        union = text.size + self.passage_size[text.passage] - text.common_size
        near = np.flatnonzero(text.common_size * share.denominator >= share.numerator * union)
        ratio = text.common_size[near] / union[near]
        # Part numbers rise with rank, and passages are in the order of their table.
        order = near[np.lexsort((text.passage[near], text.part[near], -ratio))]
        pairs = order[matched_greedily(text.part[order], text.passage[order])]
        return np.bincount(text.topic[pairs], minlength=len(self.count))


@frozen
class RunFacts:
    """Amount of text that a run returns for topics with results: longer chunks raise recall."""

    chunks: float
    """Parts per topic."""

    median_characters: float
    """The median size of its parts."""

    characters_at_5: float
    """Characters of the first five parts of a topic, repeated ones included."""

    repeated: float
    """The share of the text that an earlier part of the topic contains."""


def run_facts(parts: PlacedParts) -> RunFacts | None:
    """Facts about a run; `None` if it returns documents of unknown length, or nothing."""
    spans = parts.returned_spans
    if parts.document_unknown.any() or not len(spans.start):
        return None
    segments = parts.returned_segments
    size = spans.end - spans.start
    topic_count = int(np.count_nonzero(segments.entry_count))
    fresh = int(first_reads(spans).size.sum())
    return RunFacts(
        chunks=len(size) / topic_count,
        median_characters=float(np.median(size)),
        characters_at_5=int(size[segments.nth <= FIRST_CHUNKS].sum()) / topic_count,
        repeated=1 - fresh / max(int(size.sum()), 1) if size.any() else 0.0,
    )


def _within(text: SharedText, cutoff: int | None) -> Bools:
    return text.rank <= (np.iinfo(np.int64).max if cutoff is None else cutoff)


def _shared_text(
    parts: PlacedParts, qrels: PreparedQrels, pieces: tuple[Ints, Ints, Ints]
) -> SharedText:
    """The text that pieces of the returned parts, (part, start, end), share with passages."""
    part, start, end = pieces
    spans, segments = parts.returned_spans, parts.returned_segments
    row = parts.document_row[spans.document[part]]
    index = np.flatnonzero((row >= 0) & parts.qrels.relevant[row] & (end > start))
    sample = np.repeat(np.arange(qrels.sample_count), len(index))
    part, start, end, row = (
        np.tile(values[index], qrels.sample_count) for values in (part, start, end, row)
    )
    span, passage, common = qrels.highlights.overlaps(
        row + sample * qrels.document_count, start, end
    )
    part, sample = part[span], sample[span]
    return SharedText(
        topic=segments.segment_of(part) + sample * len(parts.topics),
        part=part + sample * len(spans.start),
        rank=segments.nth[part],
        size=(spans.end - spans.start)[part],
        passage=passage,
        common_size=common,
    )


@frozen(eq=False)
class PassagePairs:
    """All parts that a run returned and the passages that they overlap, passages being unmerged.

    Arrays named `part_*` have an entry per part, in lists that repeat what the system repeated,
    once for each sample of the judgements; those named `pair_*` one for each part and passage with
    common text, in the order in which the passages were judged. `row` has the document of each
    passage, `aspect_passage` the passage of each entry of the judged aspects, -1 if it is the whole
    document.
    """

    placed_parts: PlacedParts
    qrels: PreparedQrels
    topics: Ints
    part_topic: Ints
    row: Ints
    aspect_passage: Ints
    pair_part: Ints
    pair_passage: Ints
    pair_common_size: Ints

    @classmethod
    def of(cls, parts: PlacedParts, qrels: PreparedQrels, topics: Ints) -> Self:
        """All parts of a run, for one sample of the judgements after the other."""
        returned, samples = parts.returned_spans, qrels.sample_count
        (row, start, end), aspect_passage = _unmerged_passages(qrels)
        document = np.tile(parts.document_row[returned.document], samples)
        sample = np.repeat(np.arange(samples), len(returned.start))
        judged_part = np.flatnonzero(document >= 0)
        judged_spans = (
            document[judged_part] + sample[judged_part] * qrels.document_count,
            np.tile(returned.start, samples)[judged_part],
            np.tile(returned.end, samples)[judged_part],
        )
        axis = Axis.of_ends(row, end, samples * qrels.document_count)
        part, passage, common_size = overlapping_pairs(axis, judged_spans, (row, start, end))
        return cls(
            placed_parts=parts,
            qrels=qrels,
            topics=topics,
            part_topic=np.tile(parts.document_topic[returned.document], samples)
            + sample * len(parts.topics),
            row=row,
            aspect_passage=aspect_passage,
            pair_part=judged_part[part],
            pair_passage=passage,
            pair_common_size=common_size,
        )

    @cached_property
    def part_size(self) -> Ints:
        """The characters of each part; raises UnknownLength if any is unknown."""
        self.placed_parts.refuse_unknown_lengths()
        return np.tile(self.placed_parts.returned_size, self.qrels.sample_count)

    @cached_property
    def lists(self) -> Segments:
        """The parts of each topic."""
        return Segments.grouped(self.part_topic, len(self.topics))

    @cached_property
    def is_first(self) -> Bools:
        """Mask of the pairs of a part and the first passage that it overlaps."""
        is_first = np.ones(len(self.pair_part), dtype=bool)
        is_first[1:] = self.pair_part[1:] != self.pair_part[:-1]
        return is_first

    def passage_count(self, passages: Ints | None = None) -> Ints:
        """The number of different passages of each evaluated topic, all of them or those given."""
        row = self.row if passages is None else self.row[np.unique(passages)]
        count = np.bincount(self.qrels.topic[row], minlength=len(self.qrels.topics))
        return count[self.topics]

    def aspects(self, rel: float, *, first_only: bool) -> tuple[Ints, Ints, Ints]:
        """The aspects of parts: (part, aspect), each pair once; and how many each topic has.

        An aspect counts from the grade `rel` on. A part has the aspects of the passages that it
        overlaps, or of the first of them, and those of its whole document if it has any text.
        """
        aspects = self.qrels.aspects
        is_relevant = aspects.grade >= rel
        key = self.qrels.topic[aspects.row] * len(aspects.names) + aspects.aspect
        pairs = np.flatnonzero(self.is_first) if first_only else np.arange(len(self.pair_part))
        passage_entries = np.flatnonzero(is_relevant & ~aspects.is_whole)
        pair, entry = _equal_pairs(self.pair_passage[pairs], self.aspect_passage[passage_entries])
        whole_entries = np.flatnonzero(is_relevant & aspects.is_whole)
        part, row = self._parts_with_text()
        index, document = _equal_pairs(row, aspects.row[whole_entries])
        part_aspects = [
            np.concatenate([self.pair_part[pairs[pair]], part[index]]),
            key[np.concatenate([passage_entries[entry], whole_entries[document]])],
        ]
        (part, aspect), topic = np.unique(part_aspects, axis=1), np.unique(key[is_relevant])
        count = np.bincount(topic // max(len(aspects.names), 1), minlength=len(self.qrels.topics))
        return part, aspect, count[self.topics]

    def _parts_with_text(self) -> tuple[Ints, Ints]:
        """The parts of judged documents that have text, and the row of each one's document."""
        spans, samples = self.placed_parts.returned_spans, self.qrels.sample_count
        row = self.placed_parts.document_row[spans.document]
        index = np.flatnonzero((row >= 0) & (spans.end > spans.start))
        sample = np.repeat(np.arange(samples), len(index))
        part = np.tile(index, samples) + sample * len(row)
        return part, np.tile(row[index], samples) + sample * self.qrels.document_count


def _equal_pairs(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Indices of all pairs of equal numbers."""
    order = np.argsort(second, kind="stable")
    start, end = (np.searchsorted(second[order], first, side=side) for side in ("left", "right"))
    index = np.repeat(np.arange(len(first)), end - start)
    return index, order[start[index] + Segments.sized(end - start).nth - 1]


def _unmerged_passages(qrels: PreparedQrels) -> tuple[tuple[Ints, Ints, Ints], Ints]:
    """Passages (row, start, end) before merging, by row, and the passage of each aspect.

    Only passages with aspects are stored unmerged; the rest of the merged ones follows them.
    """
    merged, aspects = qrels.passages, qrels.aspect_columns
    if aspects is None:
        return (merged.row, merged.start, merged.end), np.arange(0)
    with_span = np.flatnonzero(~aspects.is_whole)
    spans = np.stack([aspects.row[with_span], aspects.start[with_span], aspects.end[with_span]])
    # The entries of a passage are together.
    is_new = np.ones(len(with_span), dtype=bool)
    is_new[1:] = (spans[:, 1:] != spans[:, :-1]).any(axis=0)
    row, start, end = spans[:, is_new]
    count = qrels.sample_count * qrels.document_count
    with_aspects = Highlights.of(*united(row, start, end, count), count)
    span, rest_start, rest_end = with_aspects.outside(merged.row, merged.start, merged.end)
    row = np.concatenate([row, merged.row[span]])
    start, end = np.concatenate([start, rest_start]), np.concatenate([end, rest_end])
    order = np.argsort(row, kind="stable")
    passage = np.full(len(aspects), -1, dtype=np.int64)
    passage[with_span] = np.argsort(order)[np.cumsum(is_new) - 1]
    return (row[order], start[order], end[order]), passage
