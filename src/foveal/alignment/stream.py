"""A run laid over the judgements block by block: only its judged documents are kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import chain, islice

import numpy as np

from foveal.alignment.alignment import AlignedResults, AlignedRun, align
from foveal.alignment.graded_lists import GradedLists, judged_places
from foveal.alignment.placed_parts import PlacedParts
from foveal.alignment.prepared_qrels import UNKNOWN, PreparedQrels
from foveal.alignment.ranked_lists import FoundCharacters
from foveal.choices import Order, Ties
from foveal.conventions import Conventions
from foveal.frozen import frozen
from foveal.spans import Ints
from foveal.tables import (
    ReadBlock,
    UnreadRun,
    evaluated_topics,
    nearly_tied_topics,
    reading_order,
    rising_topics,
)
from foveal.work import threaded


@frozen(eq=False)
class _Found:
    """What one block tells: of each topic its number among the judged, its results, its ties.

    `hit_*` have an entry per judged document that was returned.
    """

    names: list[str]
    number: Ints
    count: Ints
    tied: Ints
    nearly_tied: Ints
    rising: Ints
    hit_topic: Ints
    hit_rank: Ints
    hit_row: Ints
    tag: str


@frozen(eq=False)
class AlignedStream(AlignedRun):
    """A run of which nothing but the judged documents was kept."""

    unread: UnreadRun
    lists: GradedLists

    @property
    def _whole_graded(self) -> GradedLists:
        return self.lists

    @cached_property
    def _whole(self) -> AlignedResults:
        """The run read again and kept, for measures that look at more than judged documents."""
        return align(self.unread.whole(), self.judged, self.conventions)

    @property
    def laid(self) -> PlacedParts:
        """The parts laid over the judged documents."""
        return self._whole.laid

    @property
    def text(self) -> FoundCharacters:
        """The highlighted text that the parts show."""
        return self._whole.text


def align_unread(unread: UnreadRun, judged: PreparedQrels, conventions: Conventions) -> AlignedRun:
    """Lay a run over the judgements while it is read; read it whole where that cannot be."""
    found = _streamed(unread, judged, conventions)
    if not found:
        return align(unread.whole(), judged, conventions)
    return _joined(unread, judged, conventions, found)


def _streamed(
    unread: UnreadRun, judged: PreparedQrels, conventions: Conventions
) -> list[_Found] | None:
    """What all blocks tell; None if one is odd or a topic's results are not together."""
    if (conventions.order or Order.SCORE) is not Order.SCORE:
        return None

    def work(read: Callable[[], ReadBlock | None]) -> _Found | None:
        block = read()
        return None if block is None else _found(block, judged, conventions)

    every: list[_Found] = []
    seen: set[str] = set()
    blocks = iter(unread.blocks())
    # The first block makes the judgements ready for the threads that read the others.
    first = [work(block) for block in islice(blocks, 1)]
    for found in chain(first, threaded(work, blocks)):
        if found is None or not seen.isdisjoint(found.names):
            return None
        seen.update(found.names)
        every.append(found)
    return every


def _found(block: ReadBlock, judged: PreparedQrels, conventions: Conventions) -> _Found:
    """What the results of some whole topics tell."""
    results = block.results
    number = judged.topic_numbers(results.topics)
    order = reading_order(
        Order.SCORE,
        results,
        results.topic,
        conventions.ties or Ties.ID,
        single_precision=conventions.scores_in_single_precision,
    )
    topic, rank, row = judged_places(judged, number, results, results.topic, order)
    return _Found(
        names=results.topics,
        number=number,
        count=results.topic.counts,
        tied=order.tied,
        nearly_tied=nearly_tied_topics(results, results.topic, order.sorted),
        rising=rising_topics(Order.SCORE, results, results.topic, order)[0],
        hit_topic=number[topic],
        hit_rank=rank,
        hit_row=row,
        tag=block.tag,
    )


def _joined(
    unread: UnreadRun, judged: PreparedQrels, conventions: Conventions, every: list[_Found]
) -> AlignedRun:
    number = np.concatenate([found.number for found in every])
    topics = evaluated_topics(judged.eligible, number[number != UNKNOWN], conventions.topics)
    place = np.full(len(judged.topics) + 1, UNKNOWN, dtype=np.int64)
    place[topics] = np.arange(len(topics))

    def evaluated(which: str) -> int:
        return sum(
            int(np.count_nonzero(place[found.number[getattr(found, which)]] != UNKNOWN))
            for found in every
        )

    count = np.zeros(len(topics) + 1, dtype=np.int64)
    count[place[number]] = np.concatenate([found.count for found in every])
    topic = place[np.concatenate([found.hit_topic for found in every])]
    kept = topic != UNKNOWN
    order = np.argsort(topic[kept], kind="stable")
    rank = np.concatenate([found.hit_rank for found in every])[kept][order]
    row = np.concatenate([found.hit_row for found in every])[kept][order]
    lists = GradedLists(
        judged=judged,
        topics=topics,
        count=count[:-1],
        topic=topic[kept][order],
        rank=rank,
        row=row,
        grade=judged.grade[row],
    )
    return AlignedStream(
        run=unread.tagged(every[-1].tag),
        judged=judged,
        conventions=conventions,
        topics=topics,
        unjudged_topics=int(np.count_nonzero(number == UNKNOWN)),
        counts=count[:-1],
        tied_topics=evaluated("tied"),
        nearly_tied_topics=evaluated("nearly_tied"),
        rising_topics=evaluated("rising"),
        # Only said of runs that are not ranked by score.
        mixed_topics=0,
        unread=unread,
        lists=lists,
    )
