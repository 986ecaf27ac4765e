"""Ranked documents with their grades, only the judged ones: classical measures need no others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from functools import cached_property
from typing import Self

import numpy as np

from foveal.alignment.placed_parts import PlacedParts
from foveal.alignment.prepared_qrels import PreparedQrels
from foveal.alignment.ranked_lists import RankedLists
from foveal.frozen import frozen
from foveal.spans import Bools, Floats, Ints, Segments
from foveal.tables import Names, ReadingOrder, RunColumns, TopicColumn
from foveal.work import BLOCK, threaded


@frozen(eq=False)
class GradedLists(RankedLists):
    """The judged documents of all topics' rankings, by topic and rank, in flat arrays.

    `count` has the length of each topic's list, unjudged documents included. `topic`, `rank`, `row`
    and `grade` have an entry for every returned document in the judgements: `row` is its row there,
    and a negative grade means that it was picked for judging but not judged.
    """

    qrels: PreparedQrels
    topics: Ints
    row: Ints
    grade: Floats
    relevant_views: dict[float, GradedLists] = field(default_factory=dict, repr=False)

    @classmethod
    def of_rows(
        cls,
        qrels: PreparedQrels,
        topics: Ints,
        results: RunColumns,
        topic: TopicColumn,
        order: ReadingOrder,
    ) -> Self:
        """The lists of a run of whole documents, each of which has one row.

        It looks up every name, but goes on with judged documents only, and sorts no names.
        """
        topic_index, rank, row = judged_results(qrels, topics, results, topic, order)
        return cls(
            qrels=qrels,
            topics=topics,
            count=topic.counts,
            topic=topic_index,
            rank=rank,
            row=row,
            grade=qrels.grade[row],
        )

    @classmethod
    def of_documents(
        cls, qrels: PreparedQrels, topics: Ints, parts: PlacedParts, sample_count: int
    ) -> Self:
        """The lists of documents by first appearance, for one sample of the judgements after the other."""
        document = np.flatnonzero(parts.document_row >= 0)
        sample = np.repeat(np.arange(sample_count), len(document))
        document = np.tile(document, sample_count)
        row = parts.document_row[document] + sample * qrels.document_count
        return cls(
            qrels=qrels,
            topics=topics,
            count=np.tile(parts.document_segments.entry_count, sample_count),
            topic=parts.document_topic[document] + sample * len(parts.topics),
            rank=parts.document_segments.nth[document],
            row=row,
            grade=qrels.grade[row],
        )

    def cut(self, depth: int) -> GradedLists:
        """The lists cut after a rank."""
        keep = self.rank <= depth
        return self._only(keep, rank=self.rank[keep], count=np.minimum(self.count, depth))

    @cached_property
    def without_unjudged(self) -> GradedLists:
        """The lists without unjudged documents."""
        keep = self.grade >= 0
        count = np.bincount(self.topic[keep], minlength=len(self.topics))
        return self._only(keep, rank=Segments.sized(count).nth, count=count)

    def filtered(self, *, judged_only: bool) -> GradedLists:
        """The lists as they are, or without unjudged documents."""
        return self.without_unjudged if judged_only else self

    def relevant(self, rel: float) -> GradedLists:
        """The lists with only the documents of at least this grade; their ranks stay."""
        if rel not in self.relevant_views:
            self.relevant_views[rel] = self.where(self.grade >= max(rel, 0.0))
        return self.relevant_views[rel]

    def where(self, keep: Bools) -> GradedLists:
        """The lists with only some of the documents; their ranks stay."""
        return self._only(keep, rank=self.rank[keep], count=self.count)

    def depth(self, cutoff: int | None) -> Ints:
        """The length of each topic's list, at most the cut-off."""
        return self.count if cutoff is None else np.minimum(self.count, cutoff)

    def of_topics(self, key: object, compute: Callable[[], Floats]) -> Floats:
        """A value per evaluated topic that depends only on the judgements, computed once."""
        return self.qrels.cached(key, compute)[self.topics]

    def relevant_count(self, rel: float) -> Floats:
        """R: the number of documents of each topic with at least this grade."""
        qrels = self.qrels
        return self.of_topics(
            ("relevant", rel), lambda: _per_topic(qrels, qrels.grade >= max(rel, 0.0))
        )

    def irrelevant_count(self, rel: float) -> Floats:
        """The number of judged documents of each topic with a lower grade."""
        qrels = self.qrels
        return self.of_topics(
            ("irrelevant", rel), lambda: _per_topic(qrels, (qrels.grade >= 0) & (qrels.grade < rel))
        )

    def _only(self, keep: Bools, *, rank: Ints, count: Ints) -> GradedLists:
        return replace(
            self,
            count=count,
            topic=self.topic[keep],
            rank=rank,
            row=self.row[keep],
            grade=self.grade[keep],
            relevant_views={},
        )


def judged_results(
    qrels: PreparedQrels, topics: Ints, results: RunColumns, topic: TopicColumn, order: ReadingOrder
) -> tuple[Ints, Ints, Ints]:
    """The judged documents among results, in order: topic, rank, and row among the judged.

    `topics` are the numbers of the topics that `topic` indexes, -1 for one that is unjudged.
    """
    result, row = _judged_rows(qrels, topics, results.documents, topic)
    index = order.positions(result)
    by_index = np.argsort(index)
    index, row = index[by_index], row[by_index]
    topic_index = topic.segments.segment_of(index)
    return topic_index, index - topic.segments.offsets[topic_index] + 1, row


def _judged_rows(
    qrels: PreparedQrels, topics: Ints, names: Names, topic: TopicColumn
) -> tuple[Ints, Ints]:
    """The judged ones among a run's documents: their rows in the run and in the judgements."""
    lookup = qrels.lookup

    def rows_of_block(start: int) -> tuple[Ints, Ints]:
        end = min(start + BLOCK, len(names))
        return lookup.rows_of(topics[topic.between(start, end)], names, start)

    index, row = zip(*threaded(rows_of_block, range(0, max(len(names), 1), BLOCK)), strict=True)
    return np.concatenate(index), np.concatenate(row)


def _per_topic(qrels: PreparedQrels, is_counted: Bools) -> Floats:
    return np.bincount(qrels.topic[is_counted], minlength=len(qrels.topics)).astype(np.float64)
