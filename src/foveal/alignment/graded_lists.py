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
    and a negative grade means that it was picked for judging and not judged.
    """

    judged: PreparedQrels
    topics: Ints
    row: Ints
    grade: Floats
    views: dict[float, GradedLists] = field(default_factory=dict, repr=False)

    @classmethod
    def of_rows(
        cls,
        judged: PreparedQrels,
        topics: Ints,
        results: RunColumns,
        topic: TopicColumn,
        order: ReadingOrder,
    ) -> Self:
        """The lists of a run of whole documents, each of which has one row.

        Only judged documents are processed further, and no names are sorted.
        """
        where, rank, row = judged_places(judged, topics, results, topic, order)
        return cls(
            judged=judged,
            topics=topics,
            count=topic.counts,
            topic=where,
            rank=rank,
            row=row,
            grade=judged.grade[row],
        )

    @classmethod
    def of_documents(
        cls, judged: PreparedQrels, topics: Ints, laid: PlacedParts, samples: int
    ) -> Self:
        """The lists of documents by first appearance, for one sample of the judgements after the other."""
        known = np.flatnonzero(laid.document_row >= 0)
        sample = np.repeat(np.arange(samples), len(known))
        known = np.tile(known, samples)
        row = laid.document_row[known] + sample * judged.documents
        return cls(
            judged=judged,
            topics=topics,
            count=np.tile(laid.document_segments.held, samples),
            topic=laid.document_topic[known] + sample * len(laid.topics),
            rank=laid.document_segments.nth[known],
            row=row,
            grade=judged.grade[row],
        )

    def cut(self, depth: int) -> GradedLists:
        """The lists cut after a rank."""
        kept = self.rank <= depth
        return self._only(kept, rank=self.rank[kept], count=np.minimum(self.count, depth))

    @cached_property
    def without_unjudged(self) -> GradedLists:
        """The lists without unjudged documents."""
        kept = self.grade >= 0
        count = np.bincount(self.topic[kept], minlength=len(self.topics))
        return self._only(kept, rank=Segments.sized(count).nth, count=count)

    def seen(self, *, judged_only: bool) -> GradedLists:
        """The lists as they are, or without unjudged documents."""
        return self.without_unjudged if judged_only else self

    def relevant(self, rel: float) -> GradedLists:
        """The lists with only the documents of at least this grade; their ranks stay."""
        if rel not in self.views:
            self.views[rel] = self.where(self.grade >= max(rel, 0.0))
        return self.views[rel]

    def where(self, kept: Bools) -> GradedLists:
        """The lists with only some of the documents; their ranks stay."""
        return self._only(kept, rank=self.rank[kept], count=self.count)

    def depth(self, cutoff: int | None) -> Ints:
        """The length of each topic's list, at most the cut-off."""
        return self.count if cutoff is None else np.minimum(self.count, cutoff)

    def of_topics(self, key: object, compute: Callable[[], Floats]) -> Floats:
        """A value per evaluated topic that depends only on the judgements, computed once."""
        return self.judged.once(key, compute)[self.topics]

    def wanted(self, rel: float) -> Floats:
        """R: the number of documents of each topic with at least this grade."""
        judged = self.judged
        return self.of_topics(
            ("wanted", rel), lambda: _counted(judged, judged.grade >= max(rel, 0.0))
        )

    def unwanted(self, rel: float) -> Floats:
        """The number of judged documents of each topic with a lower grade."""
        judged = self.judged
        return self.of_topics(
            ("unwanted", rel), lambda: _counted(judged, (judged.grade >= 0) & (judged.grade < rel))
        )

    def _only(self, kept: Bools, *, rank: Ints, count: Ints) -> GradedLists:
        return replace(
            self,
            count=count,
            topic=self.topic[kept],
            rank=rank,
            row=self.row[kept],
            grade=self.grade[kept],
            views={},
        )


def judged_places(
    judged: PreparedQrels,
    topics: Ints,
    results: RunColumns,
    topic: TopicColumn,
    order: ReadingOrder,
) -> tuple[Ints, Ints, Ints]:
    """The judged documents among results, in order: topic, rank, and row among the judged.

    `topics` are the numbers of the topics that `topic` names; -1 stands for one that is unjudged.
    """
    at, row = _judged_rows(judged, topics, results.documents, topic)
    place = order.places(at)
    by_place = np.argsort(place)
    place, row = place[by_place], row[by_place]
    where = topic.segments.holding(place)
    return where, place - topic.segments.offsets[where] + 1, row


def _judged_rows(
    judged: PreparedQrels, topics: Ints, names: Names, topic: TopicColumn
) -> tuple[Ints, Ints]:
    """The judged ones among a run's documents: their rows in the run and in the judgements."""
    lookup = judged.lookup

    def found(begin: int) -> tuple[Ints, Ints]:
        end = min(begin + BLOCK, len(names))
        return lookup.rows_of(topics[topic.between(begin, end)], names, begin)

    at, row = zip(*threaded(found, range(0, max(len(names), 1), BLOCK)), strict=True)
    return np.concatenate(at), np.concatenate(row)


def _counted(judged: PreparedQrels, which: Bools) -> Floats:
    return np.bincount(judged.topic[which], minlength=len(judged.topics)).astype(np.float64)
