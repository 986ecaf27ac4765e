"""Blocks of a run, each in the order in which it is read."""

from __future__ import annotations

from itertools import chain, islice

import numpy as np

from foveal.alignment.graded_lists import judged_places
from foveal.alignment.prepared_qrels import UNKNOWN, PreparedQrels
from foveal.choices import Order, Task
from foveal.conventions import Conventions
from foveal.errors import DataError
from foveal.frozen import frozen
from foveal.spans import Ints
from foveal.tables import (
    ReadingOrder,
    Run,
    RunBlock,
    RunColumns,
    StoredResults,
    TopicColumn,
    UnreadBlock,
)
from foveal.work import threaded


@frozen(eq=False)
class OrderedResults:
    """Results of evaluated topics: `topic` has each one's place among these, `order` its rank."""

    results: RunColumns
    topic: TopicColumn
    order: ReadingOrder


@frozen(eq=False)
class AlignedBlock:
    """All results of some topics: `topics` are the numbers of those that are evaluated.

    `topic_names` are the names of all. In memory the `ordered` results are kept, by number of
    topic; otherwise the judged documents alone, in the order of the file: the numbers of their
    topics, their ranks, and their rows in the judgements.
    """

    topic_names: list[str]
    unjudged_topics: int
    topics: Ints
    counts: Ints
    tied_topics: int
    nearly_tied_topics: int
    rising_topics: int
    mixed_topics: int
    ordered: OrderedResults | None
    judged_documents: tuple[Ints, Ints, Ints]
    name: str
    tag: str


def ranked_by(run: Run, conventions: Conventions) -> Order:
    """What ranks a run's results: in task rag a score ranks chunks only if it is asked to."""
    if conventions.order:
        return conventions.order
    if conventions.task is not Task.RAG or run.whole_documents_only:
        return run.order
    return Order.FILE if run.results.rank is None else Order.RANK


def aligned_blocks(run: Run, judged: PreparedQrels, conventions: Conventions) -> list[AlignedBlock]:
    """The blocks of a run; none if it must be read whole: one is odd, or topics go on in others."""
    is_stored = isinstance(run.rows, StoredResults)

    def aligned(read: UnreadBlock) -> AlignedBlock | None:
        block = read()
        if block is None:
            return None
        try:
            return _aligned(block, run, judged, conventions, in_memory=not is_stored)
        except DataError as error:
            # What a run is called is known once it has been read.
            if is_stored:
                return None
            error.add_note(f"asked of run {run.name!r} ({run.source})")
            raise

    found: list[AlignedBlock] = []
    seen: set[str] = set()
    unread = run.blocks()
    # The first block makes the judgements ready for the threads that read the others.
    first = [aligned(block) for block in islice(unread, 1)]
    for block in chain(first, threaded(aligned, unread)):
        if block is None or not seen.isdisjoint(block.topic_names):
            return []
        seen.update(block.topic_names)
        found.append(block)
    return found


def _aligned(
    block: RunBlock, run: Run, judged: PreparedQrels, conventions: Conventions, *, in_memory: bool
) -> AlignedBlock:
    number = judged.topic_numbers(block.results.topics)
    # No other block decides whether a returned topic counts.
    topics = number[number != UNKNOWN]
    topics = topics[judged.eligible[topics]]
    if in_memory:
        topics = np.sort(topics)
    results, topic = _evaluated(block.results, number, topics, len(judged.topics))
    how = ranked_by(run, conventions)
    order = ReadingOrder.of(
        how,
        results,
        topic,
        conventions.ties or run.ties,
        single_precision=conventions.scores_in_single_precision,
    )
    nearly = order.nearly_tied_topics(results, topic) if how is Order.SCORE else ()
    rising, mixed = order.rising_topics(how, results, topic)
    none = np.arange(0)
    place, rank, row = (
        (none, none, none) if in_memory else judged_places(judged, topics, results, topic, order)
    )
    return AlignedBlock(
        topic_names=block.results.topics,
        unjudged_topics=int(np.count_nonzero(number == UNKNOWN)),
        topics=topics,
        counts=topic.counts,
        tied_topics=len(order.tied),
        nearly_tied_topics=len(nearly),
        rising_topics=len(rising),
        mixed_topics=len(mixed),
        ordered=OrderedResults(results, topic, order) if in_memory else None,
        judged_documents=(topics[place], rank, row),
        name=block.name,
        tag=block.tag,
    )


def _evaluated(
    results: RunColumns, number: Ints, topics: Ints, judged_topics: int
) -> tuple[RunColumns, TopicColumn]:
    """The results of evaluated topics, and each one's place among those topics."""
    place = np.full(judged_topics + 1, UNKNOWN, dtype=np.int64)
    place[topics] = np.arange(len(topics))
    given = results.topic
    column = TopicColumn(given.first, place[number][given.topic], given.height, len(topics))
    is_evaluated = column.topic != UNKNOWN
    if is_evaluated.all():
        return results, column
    rows = np.repeat(is_evaluated, column.lengths)
    return results.taken(rows), column.only(is_evaluated)
