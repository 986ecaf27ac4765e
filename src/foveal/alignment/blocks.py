"""Blocks of a run, each in the order in which it is read."""

from __future__ import annotations

from itertools import chain, islice

import numpy as np

from foveal.alignment.graded_lists import judged_results
from foveal.alignment.prepared_qrels import UNKNOWN, PreparedQrels
from foveal.choices import Order, Task
from foveal.conventions import Conventions
from foveal.errors import DataError
from foveal.frozen import frozen
from foveal.spans import Ints
from foveal.tables import (
    BlockReader,
    ReadingOrder,
    Run,
    RunBlock,
    RunColumns,
    StoredResults,
    TopicColumn,
)
from foveal.work import threaded


@frozen(eq=False)
class OrderedResults:
    """Results of evaluated topics: `topic` indexes these topics, `order` ranks the results."""

    results: RunColumns
    topic: TopicColumn
    order: ReadingOrder


@frozen(eq=False)
class AlignedBlock:
    """All results of a block of topics: `topics` are the numbers of those that are evaluated.

    `topic_names` are the names of all. A run in memory has its `ordered` results, by number of
    topic; a run in its file only the judged documents, in the order of the file: the numbers of
    their topics, their ranks, and their rows in the judgements.
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
    """The order that ranks a run's results; task rag ranks chunks by score only on request."""
    if conventions.order:
        return conventions.order
    if conventions.task is not Task.RAG or run.whole_documents_only:
        return run.order
    return Order.FILE if run.results.rank is None else Order.RANK


def aligned_blocks(run: Run, qrels: PreparedQrels, conventions: Conventions) -> list[AlignedBlock]:
    """The blocks of a run; none if it must be read whole: one is irregular, or shares a topic."""
    is_stored = isinstance(run.rows, StoredResults)

    def aligned(read_block: BlockReader) -> AlignedBlock | None:
        block = read_block()
        if block is None:
            return None
        try:
            return _aligned(block, run, qrels, conventions, in_memory=not is_stored)
        except DataError as error:
            # The name of a run in its file, which the message needs, is known at the end.
            if is_stored:
                return None
            error.add_note(f"asked of run {run.name!r} ({run.source})")
            raise

    blocks: list[AlignedBlock] = []
    topic_names: set[str] = set()
    unread_blocks = run.blocks()
    # The first block fills the caches of the judgements before other threads read them.
    first_block = [aligned(block) for block in islice(unread_blocks, 1)]
    for block in chain(first_block, threaded(aligned, unread_blocks)):
        if block is None or not topic_names.isdisjoint(block.topic_names):
            return []
        topic_names.update(block.topic_names)
        blocks.append(block)
    return blocks


def _aligned(
    block: RunBlock, run: Run, qrels: PreparedQrels, conventions: Conventions, *, in_memory: bool
) -> AlignedBlock:
    number = qrels.topic_numbers(block.results.topics)
    # Whether a returned topic counts does not depend on other blocks.
    topics = number[number != UNKNOWN]
    topics = topics[qrels.eligible[topics]]
    if in_memory:
        topics = np.sort(topics)
    results, topic = _evaluated(block.results, number, topics, len(qrels.topics))
    order_by = ranked_by(run, conventions)
    ties = conventions.ties or run.ties
    order = ReadingOrder.of(
        order_by, results, topic, ties, single_precision=conventions.scores_in_single_precision
    )
    near_ties = order.nearly_tied_topics(results, topic) if order_by is Order.SCORE else ()
    rising, mixed = order.rising_topics(order_by, results, topic)
    none = np.arange(0)
    topic_index, rank, row = (
        (none, none, none) if in_memory else judged_results(qrels, topics, results, topic, order)
    )
    return AlignedBlock(
        topic_names=block.results.topics,
        unjudged_topics=int(np.count_nonzero(number == UNKNOWN)),
        topics=topics,
        counts=topic.counts,
        tied_topics=len(order.tied_topics),
        nearly_tied_topics=len(near_ties),
        rising_topics=len(rising),
        mixed_topics=len(mixed),
        ordered=OrderedResults(results, topic, order) if in_memory else None,
        judged_documents=(topics[topic_index], rank, row),
        name=block.name,
        tag=block.tag,
    )


def _evaluated(
    results: RunColumns, number: Ints, topics: Ints, judged_topics: int
) -> tuple[RunColumns, TopicColumn]:
    """The results of evaluated topics, and the index of each one's topic among these."""
    topic_index = np.full(judged_topics + 1, UNKNOWN, dtype=np.int64)
    topic_index[topics] = np.arange(len(topics))
    topic = results.topic
    column = TopicColumn(topic.first, topic_index[number][topic.topic], topic.height, len(topics))
    is_evaluated = column.topic != UNKNOWN
    if is_evaluated.all():
        return results, column
    rows = np.repeat(is_evaluated, column.lengths)
    return results.take(rows), column.only(is_evaluated)
