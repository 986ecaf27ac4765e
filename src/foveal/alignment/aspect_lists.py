"""The aspects of results, documents or parts: those of a run and those that it could return.

A part has an aspect if it shares text with one of the aspect's passages, which for a
document judged as a whole is all of it. A document has the aspects of its parts, and those that it
has as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from foveal.alignment.graded_lists import GradedLists
from foveal.alignment.placed_parts import PlacedParts
from foveal.alignment.prepared_qrels import UNKNOWN, PreparedQrels
from foveal.alignment.ranked_lists import RankedLists
from foveal.errors import DataError, counted
from foveal.frozen import frozen
from foveal.spans import LARGEST_OFFSET, Axis, Bools, Ints, Segments, distinct, overlapping_pairs
from foveal.tables import Names


@frozen
class AspectRule:
    """Rule for the aspects of a result, which is a document or a part.

    Aspects count from the grade `rel` on, and a part has one if it holds the share `cover` of one
    of its passages; `None` means any character of it.
    """

    rel: float
    parts: bool = False
    cover: Fraction | None = None
    judged_only: bool = False


@frozen(eq=False)
class RelevantAspects:
    """Aspects of the judged topics that have relevant text or documents, numbered by topic.

    `topic` has the topic of each. An entry is a passage, or a whole document, that has an aspect;
    entries are sorted by `row`, the row of their document among all judged ones.
    """

    topic: Ints
    document_count: int
    row: Ints
    aspect: Ints
    start: Ints
    end: Ints
    length: Ints

    @classmethod
    def of(cls, qrels: PreparedQrels, rel: float) -> RelevantAspects:
        """The aspects that count from a grade on, numbered once for all runs and measures."""
        return qrels.cached((cls, rel), lambda: cls._of(qrels, rel))

    @classmethod
    def _of(cls, qrels: PreparedQrels, rel: float) -> RelevantAspects:
        aspects = qrels.aspects
        # A negative grade means unjudged.
        entries = aspects.where(np.flatnonzero(aspects.grade >= max(rel, 0.0)))
        count, number = max(len(aspects.names), 1), _sum_order(aspects.names)
        key, aspect = distinct(qrels.topic[entries.row] * count + number[entries.aspect])
        return cls(
            topic=key // count,
            document_count=len(qrels.topic),
            row=entries.row,
            aspect=aspect,
            start=entries.start,
            end=entries.end,
            length=qrels.length[entries.row],
        )

    def count(self, topics: int) -> Ints:
        """M: the number of aspects of each topic."""
        return np.bincount(self.topic, minlength=topics)

    @cached_property
    def of_documents(self) -> tuple[Ints, Ints]:
        """The aspects of whole documents: (row, aspect), by row."""
        return self.distinct_pairs(self.row, self.aspect)

    def of_parts(
        self, row: Ints, start: Ints, end: Ints, cover: Fraction | None, names: Names
    ) -> tuple[Ints, Ints]:
        """The aspects of parts of judged documents, given their rows: (part, aspect), by part.

        `names` are the names of the documents in one sample of the judgements.
        """
        part, entry = self._overlapping_entries(row, start, end, cover)
        whole_part, index = self._whole_segments.entries_of(row)
        whole_entry = self._whole_entries[index]
        size = (end - start)[whole_part]
        counts = size > 0
        if cover is not None:
            length, is_all = self.length[whole_entry], end[whole_part] == LARGEST_OFFSET
            _refuse_unknown(row[whole_part[(length == UNKNOWN) & ~is_all]], names)
            counts &= is_all | _has_share(size, length, cover)
        entry = np.concatenate([entry, whole_entry[counts]])
        return self.distinct_pairs(np.concatenate([part, whole_part[counts]]), self.aspect[entry])

    def of_returned_documents(
        self, row: Ints, start: Ints, end: Ints, cover: Fraction | None
    ) -> tuple[Ints, Ints]:
        """The aspects of the documents that parts come from: (row, aspect), by row.

        Aspects of a whole document count whichever of its parts are returned.
        """
        part, entry = self._overlapping_entries(row, start, end, cover)
        entry = np.concatenate([entry, self._whole_entries])
        return self.distinct_pairs(
            np.concatenate([row[part], self.row[self._whole_entries]]), self.aspect[entry]
        )

    def _overlapping_entries(
        self, row: Ints, start: Ints, end: Ints, cover: Fraction | None
    ) -> tuple[Ints, Ints]:
        """Pairs of a part and the entry of a passage that it overlaps, or of which it covers a share."""
        with_span = np.flatnonzero(self.start != UNKNOWN)
        passages = self.row[with_span], self.start[with_span], self.end[with_span]
        axis = Axis.of_ends(passages[0], passages[2], self.document_count)
        part, entry, size = overlapping_pairs(axis, (row, start, end), passages)
        entry = with_span[entry]
        if cover is None:
            return part, entry
        is_covered = _has_share(size, self.end[entry] - self.start[entry], cover)
        return part[is_covered], entry[is_covered]

    @cached_property
    def _whole_entries(self) -> Ints:
        """The entries that are about whole documents."""
        return np.flatnonzero(self.start == UNKNOWN)

    @cached_property
    def _whole_segments(self) -> Segments:
        """The entries about whole documents, by row of the document."""
        row = self.row[self._whole_entries]
        return Segments.sized(np.bincount(row, minlength=self.document_count))

    def distinct_pairs(self, result: Ints, aspect: Ints) -> tuple[Ints, Ints]:
        """Results and their aspects, each pair once, by result and aspect."""
        aspect_count = max(len(self.topic), 1)
        key = result * aspect_count + aspect
        if (key[1:] > key[:-1]).all():
            return result, aspect
        key.sort()
        result, aspect = np.divmod(key[_is_new(key)], aspect_count)
        return result, aspect


@frozen(eq=False)
class Candidates:
    """The best possible results by the judgements, by topic; of equal ones the first is preferred.

    `topic` has the topic of each, and `segments` cuts `aspect` into the aspects of each, of which
    there is at least one.
    """

    topic: Ints
    segments: Segments
    aspect: Ints

    @classmethod
    def of(cls, qrels: PreparedQrels, names: Names, rule: AspectRule) -> Candidates:
        """Judged documents or passages, prepared once for all runs and measures.

        Documents are by falling id, compared as bytes; passages of a document start with the last.
        """
        key = (cls, rule.rel, rule.parts, rule.cover)
        return qrels.cached(key, lambda: cls._of(qrels, names, rule))

    def blocks(self, size: int) -> Iterator[Candidates]:
        """The candidates in blocks of whole topics, with about `size` aspects each.

        Aspects are numbered from the first one of each block on.
        """
        starts = np.append(np.flatnonzero(_is_new(self.topic)), len(self.topic))
        entry = self.segments.offsets[starts]
        first = 0
        while first + 1 < len(starts):
            last = max(int(np.searchsorted(entry, entry[first] + size)), first + 1)
            last = min(last, len(starts) - 1)
            aspect = self.aspect[entry[first] : entry[last]]
            yield Candidates(
                self.topic[starts[first] : starts[last]],
                Segments(self.segments.offsets[starts[first] : starts[last] + 1] - entry[first]),
                aspect - aspect.min(),
            )
            first = last

    @classmethod
    def _of(cls, qrels: PreparedQrels, names: Names, rule: AspectRule) -> Candidates:
        relevant_aspects = RelevantAspects.of(qrels, rule.rel)
        if not rule.parts:
            document, aspect = relevant_aspects.of_documents
            is_new = _is_new(document)
            row, candidate = document[is_new], np.cumsum(is_new) - 1
            order = np.argsort(_sort_keys(qrels, names, row))
        else:
            row, start, end = _passages(relevant_aspects)
            candidate, aspect = relevant_aspects.of_parts(row, start, end, rule.cover, names)
            order = np.lexsort((-end, -start, _sort_keys(qrels, names, row)))
        segments = Segments.sized(np.bincount(candidate, minlength=len(order)))
        return cls(
            topic=qrels.topic[row[order]],
            segments=Segments.sized(segments.entry_count[order]),
            aspect=aspect[segments.entries_of(order)[1]],
        )


@frozen(eq=False)
class AspectLists(RankedLists):
    """The aspects of all topics' results: an entry for each result and aspect, by topic and rank.

    `topics` are the numbers of the evaluated topics among the judged ones, `aspect` numbers the
    aspects as `relevant_aspects` does.
    """

    topics: Ints
    aspect: Ints
    qrels: PreparedQrels
    relevant_aspects: RelevantAspects
    candidates: Candidates

    @classmethod
    def of_documents(cls, lists: GradedLists, names: Names, rule: AspectRule) -> Self:
        """The lists of a run of whole documents, which have the aspects judged for them."""
        relevant_aspects = RelevantAspects.of(lists.qrels, rule.rel)
        return cls._of_rows(lists, relevant_aspects.of_documents, names, rule)

    @classmethod
    def of_parts(
        cls, parts: PlacedParts, lists: GradedLists, names: Names, rule: AspectRule
    ) -> Self:
        """The lists of a run of parts: its parts, or its documents with the aspects of their parts.

        `lists` rank the documents, for one sample of the judgements after the other.
        """
        qrels = lists.qrels
        relevant_aspects = RelevantAspects.of(qrels, rule.rel)
        part, row, start, end, sample = _judged_parts(parts, qrels)
        if not rule.parts:
            pairs = relevant_aspects.of_returned_documents(row, start, end, rule.cover)
            return cls._of_rows(lists, pairs, names, rule)
        index, aspect = relevant_aspects.of_parts(row, start, end, rule.cover, names)
        segments = parts.returned_segments
        return cls(
            count=np.tile(segments.entry_count, qrels.sample_count),
            topic=segments.segment_of(part[index]) + sample[index] * len(parts.topics),
            rank=segments.nth[part[index]],
            topics=lists.topics,
            aspect=aspect,
            qrels=qrels,
            relevant_aspects=relevant_aspects,
            candidates=Candidates.of(qrels, names, rule),
        )

    @classmethod
    def _of_rows(
        cls, lists: GradedLists, pairs: tuple[Ints, Ints], names: Names, rule: AspectRule
    ) -> Self:
        """Lists of documents with their aspects; `pairs` are (row, aspect) by row."""
        rows = Segments.sized(np.bincount(pairs[0], minlength=len(lists.qrels.topic)))
        document, entry = rows.entries_of(lists.row)
        return cls(
            count=lists.count,
            topic=lists.topic[document],
            rank=lists.rank[document],
            topics=lists.topics,
            aspect=pairs[1][entry],
            qrels=lists.qrels,
            relevant_aspects=RelevantAspects.of(lists.qrels, rule.rel),
            candidates=Candidates.of(lists.qrels, names, rule),
        )

    @cached_property
    def earlier_count(self) -> Ints:
        """The number of earlier results in the list with the same aspect."""
        order = np.argsort(self.aspect, kind="stable")
        count = np.empty(len(order), dtype=np.int64)
        segments = Segments.grouped(self.aspect[order], len(self.relevant_aspects.topic))
        count[order] = segments.nth - 1
        return count

    @cached_property
    def aspect_count(self) -> Ints:
        """M: the number of aspects of each evaluated topic."""
        return self.relevant_aspects.count(len(self.qrels.topics))[self.topics]


def _judged_parts(parts: PlacedParts, qrels: PreparedQrels) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """The returned parts of judged documents: index in the run, row, start, end and sample."""
    spans = parts.returned_spans
    row = parts.document_row[spans.document]
    part = np.flatnonzero(row != UNKNOWN)
    sample = np.repeat(np.arange(qrels.sample_count), len(part))
    part = np.tile(part, qrels.sample_count)
    row = row[part] + sample * qrels.document_count
    return part, row, spans.start[part], spans.end[part], sample


def _passages(aspects: RelevantAspects) -> tuple[Ints, Ints, Ints]:
    """The passages of all aspects, each once: row, start and end; a whole document has no end."""
    is_whole = aspects.start == UNKNOWN
    start = np.where(is_whole, 0, aspects.start)
    end = np.where(is_whole, LARGEST_OFFSET, aspects.end)
    order = np.lexsort((end, start, aspects.row))
    row, start, end = aspects.row[order], start[order], end[order]
    is_new = _is_new(row) | _is_new(start) | _is_new(end)
    return row[is_new], start[is_new], end[is_new]


def _sort_keys(qrels: PreparedQrels, names: Names, row: Ints) -> Ints:
    """Sort key of the documents in the given rising rows: by topic and falling name."""
    distinct_rows = row[_is_new(row)]
    sample, document = np.divmod(distinct_rows, qrels.document_count)
    topics = qrels.topic[distinct_rows]
    # Falling names give back documents: their sample is that of the topic at the same place.
    by_topic = np.argsort(topics, kind="stable")
    falling = names.descending(document, topics) + sample[by_topic] * qrels.document_count
    sort_key = np.empty(len(qrels.topic), dtype=np.int64)
    sort_key[falling] = np.arange(len(falling))
    return sort_key[row]


def _sum_order(names: list[str]) -> Ints:
    """Numbers of names that do not depend on other topics or on a file's order; 2 before 10.

    Sums are added up in this order, and so are the same to the last digit.
    """
    order = sorted(range(len(names)), key=lambda index: (len(names[index]), names[index]))
    numbers = np.empty(len(names), dtype=np.int64)
    numbers[order] = np.arange(len(names))
    return numbers


def _is_new(values: Ints) -> Bools:
    """Mask of the values that differ from the previous one."""
    is_new = np.ones(len(values), dtype=bool)
    is_new[1:] = values[1:] != values[:-1]
    return is_new


def _has_share(size: Ints, total: Ints, share: Fraction) -> Bools:
    return size * share.denominator >= share.numerator * total


def _refuse_unknown(rows: Ints, names: Names) -> None:
    """Refuse documents of unknown length if it decides whether a part has an aspect."""
    documents = np.unique(rows % max(len(names), 1))
    if len(documents):
        raise DataError(
            f"cover needs the length of {counted(len(documents), 'document')} that"
            f" {'has' if len(documents) == 1 else 'have'} aspects as a whole, first"
            f" {names.name_at(int(documents[0]))!r}: give the length in the judgements, or leave out cover"
        )
