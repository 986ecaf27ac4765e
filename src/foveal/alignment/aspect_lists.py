"""Which answers have which aspects: documents or parts, those of a run and those that it could return.

A part has an aspect if it shares text with one of the aspect's passages, which is all of a document
that is judged as a whole. A document has the aspects of its parts, and those that it has as a whole.
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
from foveal.spans import LARGEST_OFFSET, Axis, Bools, Ints, Segments, distinct, in_common
from foveal.tables import Names


@frozen
class AspectRule:
    """Rule for the aspects of a result, which is a document or a part.

    Aspects count from the grade `rel` on, and a part has one if it holds the share `cover` of one
    of its passages; None: any character of it.
    """

    rel: float
    parts: bool = False
    cover: Fraction | None = None
    judged_only: bool = False


@frozen(eq=False)
class RelevantAspects:
    """Aspects of the judged topics that have relevant text or documents, numbered by topic.

    `topic` has the topic of each. An entry is a passage, or a whole document, that has an aspect;
    entries are by `row` of the judged document, of which there are `documents`.
    """

    topic: Ints
    documents: int
    row: Ints
    aspect: Ints
    start: Ints
    end: Ints
    length: Ints

    @classmethod
    def of(cls, judged: PreparedQrels, rel: float) -> RelevantAspects:
        """The aspects that count from a grade on, numbered once for all runs and measures."""
        return judged.once((cls, rel), lambda: cls._of(judged, rel))

    @classmethod
    def _of(cls, judged: PreparedQrels, rel: float) -> RelevantAspects:
        named = judged.aspects
        # A negative grade means unjudged.
        own = named.where(np.flatnonzero(named.grade >= max(rel, 0.0)))
        count, number = max(len(named.names), 1), _in_order(named.names)
        every, aspect = distinct(judged.topic[own.row] * count + number[own.aspect])
        return cls(
            topic=every // count,
            documents=len(judged.topic),
            row=own.row,
            aspect=aspect,
            start=own.start,
            end=own.end,
            length=judged.length[own.row],
        )

    def count(self, topics: int) -> Ints:
        """M: the number of aspects of each topic."""
        return np.bincount(self.topic, minlength=topics)

    @cached_property
    def of_documents(self) -> tuple[Ints, Ints]:
        """The aspects of whole documents: (row, aspect), by row."""
        return self.each_once(self.row, self.aspect)

    def of_parts(
        self, row: Ints, start: Ints, end: Ints, cover: Fraction | None, names: Names
    ) -> tuple[Ints, Ints]:
        """The aspects of parts of the judged documents in some rows: (part, aspect), by part.

        `names` are those of the documents, of one sample of the judgements.
        """
        part, entry = self._sharing(row, start, end, cover)
        on_whole, at = self._whole_rows.entries_of(row)
        whole = self._whole[at]
        size = (end - start)[on_whole]
        has = size > 0
        if cover is not None:
            length, is_all = self.length[whole], end[on_whole] == LARGEST_OFFSET
            _refuse_unknown(row[on_whole[(length == UNKNOWN) & ~is_all]], names)
            has &= is_all | _is_share(size, length, cover)
        entry = np.concatenate([entry, whole[has]])
        return self.each_once(np.concatenate([part, on_whole[has]]), self.aspect[entry])

    def of_returned(
        self, row: Ints, start: Ints, end: Ints, cover: Fraction | None
    ) -> tuple[Ints, Ints]:
        """The aspects of the documents that parts are of: (row, aspect), by row.

        What documents have as a whole, they have whatever is returned of them.
        """
        part, entry = self._sharing(row, start, end, cover)
        entry = np.concatenate([entry, self._whole])
        return self.each_once(
            np.concatenate([row[part], self.row[self._whole]]), self.aspect[entry]
        )

    def _sharing(
        self, row: Ints, start: Ints, end: Ints, cover: Fraction | None
    ) -> tuple[Ints, Ints]:
        """The parts that hold text of a passage, or a share of it, and the entry of that."""
        placed = np.flatnonzero(self.start != UNKNOWN)
        passages = self.row[placed], self.start[placed], self.end[placed]
        axis = Axis.holding(passages[0], passages[2], self.documents)
        part, entry, common = in_common(axis, (row, start, end), passages)
        entry = placed[entry]
        if cover is None:
            return part, entry
        enough = _is_share(common, self.end[entry] - self.start[entry], cover)
        return part[enough], entry[enough]

    @cached_property
    def _whole(self) -> Ints:
        """The entries that are about whole documents."""
        return np.flatnonzero(self.start == UNKNOWN)

    @cached_property
    def _whole_rows(self) -> Segments:
        """Those of each document."""
        return Segments.sized(np.bincount(self.row[self._whole], minlength=self.documents))

    def each_once(self, answer: Ints, aspect: Ints) -> tuple[Ints, Ints]:
        """Answers and their aspects, each pair once, by answer and aspect."""
        aspects = max(len(self.topic), 1)
        key = answer * aspects + aspect
        if (key[1:] > key[:-1]).all():
            return answer, aspect
        key.sort()
        answer, aspect = np.divmod(key[_is_new(key)], aspects)
        return answer, aspect


@frozen(eq=False)
class Candidates:
    """The answers of the judgements, by topic; of equally good ones the first is ranked first.

    `topic` has the topic of each, and `held` cuts `aspect` into the aspects of each, of which there
    is one at least.
    """

    topic: Ints
    held: Segments
    aspect: Ints

    @classmethod
    def of(cls, judged: PreparedQrels, names: Names, answering: AspectRule) -> Candidates:
        """Judged documents or passages, made ready once for all runs and measures.

        Of equally good ones the document whose id sorts last as bytes is first, and of a document
        the last passage.
        """
        key = (cls, answering.rel, answering.parts, answering.cover)
        return judged.once(key, lambda: cls._of(judged, names, answering))

    def blocks(self, size: int) -> Iterator[Candidates]:
        """The candidates of some topics after the other, with about as many aspects each.

        Aspects are numbered from the first one of each block on.
        """
        begins = np.append(np.flatnonzero(_is_new(self.topic)), len(self.topic))
        entry = self.held.offsets[begins]
        first = 0
        while first + 1 < len(begins):
            last = max(int(np.searchsorted(entry, entry[first] + size)), first + 1)
            last = min(last, len(begins) - 1)
            aspect = self.aspect[entry[first] : entry[last]]
            yield Candidates(
                self.topic[begins[first] : begins[last]],
                Segments(self.held.offsets[begins[first] : begins[last] + 1] - entry[first]),
                aspect - aspect.min(),
            )
            first = last

    @classmethod
    def _of(cls, judged: PreparedQrels, names: Names, answering: AspectRule) -> Candidates:
        wanted = RelevantAspects.of(judged, answering.rel)
        if not answering.parts:
            document, aspect = wanted.of_documents
            is_new = _is_new(document)
            row, answer = document[is_new], np.cumsum(is_new) - 1
            order = np.argsort(_places(judged, names, row))
        else:
            row, start, end = _passages(wanted)
            answer, aspect = wanted.of_parts(row, start, end, answering.cover, names)
            order = np.lexsort((-end, -start, _places(judged, names, row)))
        held = Segments.sized(np.bincount(answer, minlength=len(order)))
        return cls(
            topic=judged.topic[row[order]],
            held=Segments.sized(held.held[order]),
            aspect=aspect[held.entries_of(order)[1]],
        )


@frozen(eq=False)
class AspectLists(RankedLists):
    """The aspects of all topics' answers: an entry for each answer and aspect, by topic and rank.

    `topics` are the numbers of the evaluated topics among the judged ones, `aspect` numbers the
    aspects as `wanted` does.
    """

    topics: Ints
    aspect: Ints
    judged: PreparedQrels
    wanted: RelevantAspects
    candidates: Candidates

    @classmethod
    def of_documents(cls, lists: GradedLists, names: Names, answering: AspectRule) -> Self:
        """The lists of a run of whole documents, which have the aspects judged for them."""
        wanted = RelevantAspects.of(lists.judged, answering.rel)
        return cls._of_rows(lists, wanted.of_documents, names, answering)

    @classmethod
    def of_parts(
        cls, laid: PlacedParts, lists: GradedLists, names: Names, answering: AspectRule
    ) -> Self:
        """The lists of a run of parts: its parts, or its documents with the aspects of their parts.

        `lists` rank the documents, for one sample of the judgements after the other.
        """
        judged = lists.judged
        wanted = RelevantAspects.of(judged, answering.rel)
        place, row, start, end, sample = _known_parts(laid, judged)
        if not answering.parts:
            pairs = wanted.of_returned(row, start, end, answering.cover)
            return cls._of_rows(lists, pairs, names, answering)
        part, aspect = wanted.of_parts(row, start, end, answering.cover, names)
        segments = Segments.grouped(laid.document_topic[laid.returned.document], len(laid.topics))
        return cls(
            count=np.tile(segments.held, judged.samples),
            topic=segments.segment_of(place[part]) + sample[part] * len(laid.topics),
            rank=segments.nth[place[part]],
            topics=lists.topics,
            aspect=aspect,
            judged=judged,
            wanted=wanted,
            candidates=Candidates.of(judged, names, answering),
        )

    @classmethod
    def _of_rows(
        cls, lists: GradedLists, pairs: tuple[Ints, Ints], names: Names, answering: AspectRule
    ) -> Self:
        """The documents of lists with their aspects, given as (row, aspect) by row."""
        rows = Segments.sized(np.bincount(pairs[0], minlength=len(lists.judged.topic)))
        document, entry = rows.entries_of(lists.row)
        return cls(
            count=lists.count,
            topic=lists.topic[document],
            rank=lists.rank[document],
            topics=lists.topics,
            aspect=pairs[1][entry],
            judged=lists.judged,
            wanted=RelevantAspects.of(lists.judged, answering.rel),
            candidates=Candidates.of(lists.judged, names, answering),
        )

    @cached_property
    def earlier(self) -> Ints:
        """How many earlier answers of the list have the same aspect."""
        order = np.argsort(self.aspect, kind="stable")
        earlier = np.empty(len(order), dtype=np.int64)
        earlier[order] = Segments.grouped(self.aspect[order], len(self.wanted.topic)).nth - 1
        return earlier

    @cached_property
    def aspects(self) -> Ints:
        """M: the number of aspects of each evaluated topic."""
        return self.wanted.count(len(self.judged.topics))[self.topics]


def _known_parts(laid: PlacedParts, judged: PreparedQrels) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """The returned parts of judged documents: place in the run, row, start, end and sample."""
    parts = laid.returned
    row = laid.document_row[parts.document]
    known = np.flatnonzero(row != UNKNOWN)
    sample = np.repeat(np.arange(judged.samples), len(known))
    known = np.tile(known, judged.samples)
    return (
        known,
        row[known] + sample * judged.documents,
        parts.start[known],
        parts.end[known],
        sample,
    )


def _passages(wanted: RelevantAspects) -> tuple[Ints, Ints, Ints]:
    """The passages of all aspects, each once: row, start and end; a whole document has no end."""
    whole = wanted.start == UNKNOWN
    start, end = np.where(whole, 0, wanted.start), np.where(whole, LARGEST_OFFSET, wanted.end)
    order = np.lexsort((end, start, wanted.row))
    row, start, end = wanted.row[order], start[order], end[order]
    is_new = _is_new(row) | _is_new(start) | _is_new(end)
    return row[is_new], start[is_new], end[is_new]


def _places(judged: PreparedQrels, names: Names, row: Ints) -> Ints:
    """Where the documents in some rows, given in order, come by topic and falling name."""
    every = row[_is_new(row)]
    sample, document = np.divmod(every, judged.documents)
    topics = judged.topic[every]
    # Falling names give back documents: their sample is that of the topic at the same place.
    by_topic = np.argsort(topics, kind="stable")
    falling = names.descending(document, topics) + sample[by_topic] * judged.documents
    place = np.empty(len(judged.topic), dtype=np.int64)
    place[falling] = np.arange(len(falling))
    return place[row]


def _in_order(names: list[str]) -> Ints:
    """Numbers of names that do not depend on other topics or on the order of a file.

    Sums are added up in this order, and so are the same to the last digit. 2 comes before 10.
    """
    order = sorted(range(len(names)), key=lambda place: (len(names[place]), names[place]))
    number = np.empty(len(names), dtype=np.int64)
    number[order] = np.arange(len(names))
    return number


def _is_new(values: Ints) -> Bools:
    """Whether each value differs from the one before it."""
    new = np.ones(len(values), dtype=bool)
    new[1:] = values[1:] != values[:-1]
    return new


def _is_share(held: Ints, size: Ints, share: Fraction) -> Bools:
    return held * share.denominator >= share.numerator * size


def _refuse_unknown(rows: Ints, names: Names) -> None:
    """Refuse documents whose length decides whether a part of them has an aspect."""
    documents = np.unique(rows % max(len(names), 1))
    if len(documents):
        raise DataError(
            f"cover needs the length of {counted(len(documents), 'document')} that"
            f" {'has' if len(documents) == 1 else 'have'} aspects as a whole, first"
            f" {names.at(int(documents[0]))!r}: give the length in the judgements, or leave out cover"
        )
