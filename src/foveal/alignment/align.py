"""A run aligned with the judgements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from foveal.alignment.found import FoundText, RankedDocuments, RankedParts
from foveal.alignment.graded import GradedLists
from foveal.alignment.judged import UNKNOWN, Judged
from foveal.alignment.parts import LaidParts, lay
from foveal.choices import Order
from foveal.conventions import Conventions
from foveal.spans import Ints
from foveal.tables import (
    ReadingOrder,
    Run,
    TopicColumn,
    columns,
    evaluated_topics,
    nearly_tied_topics,
    reading_order,
    stretches,
)


@dataclass(frozen=True, eq=False)
class Alignment(ABC):
    """A run aligned with the judgements, or with many samples of them: what a measure looks at.

    `topics` are the numbers of the evaluated topics. Parts, documents and grades are computed when
    a measure first asks for them.
    """

    run: Run
    judged: Judged
    conventions: Conventions
    topics: Ints

    @property
    @abstractmethod
    def laid(self) -> LaidParts:
        """The parts as spans of the judged documents."""

    @property
    @abstractmethod
    def text(self) -> FoundText:
        """The highlighted text that the parts contain."""

    @cached_property
    def parts(self) -> RankedParts:
        """The ranking of parts."""
        return RankedParts.of(self.laid, self.judged, self.topics, self.text)

    @cached_property
    def documents(self) -> RankedDocuments:
        """The ranking of documents, with what was returned from each."""
        return RankedDocuments.of(self.laid, self.judged, self.topics, self.text)

    @cached_property
    def graded(self) -> GradedLists:
        """The ranking of documents with their grades, cut at the conventions' depth."""
        lists = self._whole_graded
        if self.conventions.depth is not None:
            lists = lists.cut(self.conventions.depth)
        return lists

    @property
    def _whole_graded(self) -> GradedLists:
        return GradedLists.of_documents(self.judged, self.topics, self.laid, self.text.samples)


@dataclass(frozen=True, eq=False)
class AlignedRun(Alignment):
    """One run aligned with the judgements: its evaluated topics, and its rows in reading order.

    `frame` has the rows of evaluated topics, `topic` the place of each row's topic in `topics`, and
    `order` the place of each row in reading order.
    """

    unjudged_topics: int
    frame: pl.DataFrame
    topic: TopicColumn
    order: ReadingOrder

    @property
    def nearly_tied_topics(self) -> int:
        """The number of topics with different scores that are equal as 32-bit numbers."""
        if (self.conventions.order or self.run.order) is not Order.SCORE:
            return 0
        return nearly_tied_topics(self.frame, self.topic, self.order.sorted)

    @cached_property
    def missing_topics(self) -> Ints:
        """The places of the evaluated topics for which nothing was returned."""
        return np.flatnonzero(self.topic.counts == 0)

    @property
    def listed_topics(self) -> Ints:
        """The places of the evaluated topics that are listed, each in a row of its own."""
        every = np.arange(len(self.topics))
        if self.conventions.missing_topics_have_rows:
            return every
        return np.delete(every, self.missing_topics)

    @cached_property
    def laid(self) -> LaidParts:
        """The parts as spans of the judged documents."""
        frame, topic = self.frame, self.topic.rows
        permutation = self.order.permutation
        if permutation is not None:
            frame, topic = frame[permutation], topic[permutation]
        return lay(self.run, self.judged, self.conventions, self.topics, frame, topic)

    @cached_property
    def text(self) -> FoundText:
        """The highlighted text that the parts contain."""
        part = np.flatnonzero(self.laid.part_relevant)
        return FoundText(1, np.zeros_like(part), part, self.laid.part_relevant[part])

    @property
    def _whole_graded(self) -> GradedLists:
        if not self.run.whole_documents_only:
            return super()._whole_graded
        return GradedLists.of_rows(self.judged, self.topics, self.frame, self.topic, self.order)


def align(run: Run, judged: Judged, conventions: Conventions) -> AlignedRun:
    """Align a run with the judgements."""
    frame, topic, topics, unjudged = _evaluated_rows(run, judged, conventions)
    order = reading_order(
        run,
        frame,
        topic,
        conventions.order,
        conventions.ties,
        single_precision=conventions.scores_in_single_precision,
    )
    alignment = AlignedRun(run, judged, conventions, topics, unjudged, frame, topic, order)
    if not run.whole_documents_only:
        # Parts that overlap or reach too far are refused whichever measures are asked for.
        _ = alignment.laid
    return alignment


def _evaluated_rows(
    run: Run, judged: Judged, conventions: Conventions
) -> tuple[pl.DataFrame, TopicColumn, Ints, int]:
    """The rows of evaluated topics, their topics' places, the topics, and how many are unjudged.

    A topic is looked up once for all its consecutive rows.
    """
    names = run.frame[columns.TOPIC]
    first = stretches(names)
    named = names if len(first) == len(names) else names.gather(first)
    number = _topic_numbers(named, judged.topics)
    known = number != UNKNOWN
    topics = evaluated_topics(judged.eligible, number[known], conventions.topics)
    place = np.full(len(judged.topics) + 1, UNKNOWN, dtype=np.int64)
    place[topics] = np.arange(len(topics))
    column = TopicColumn(first, place[number], len(names), len(topics))
    unjudged = named.filter(~known).n_unique()
    evaluated = column.topic != UNKNOWN
    if evaluated.all():
        return run.frame, column, topics, unjudged
    rows = np.repeat(evaluated, column.lengths)
    return run.frame.filter(rows), column.only(evaluated), topics, unjudged


def _topic_numbers(names: pl.Series, topics: list[str]) -> Ints:
    """The number of each topic, -1 for an unjudged one."""
    enum = names.cast(pl.Enum(topics), strict=False)
    return enum.to_physical().cast(pl.Int64).fill_null(UNKNOWN).to_numpy()
