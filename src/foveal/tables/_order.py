"""The one order in which a topic's results are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from foveal.choices import Order, Ties
from foveal.errors import DataError
from foveal.frozen import frozen
from foveal.spans import Floats, Ints, Segments, distinct
from foveal.tables._names import TopicColumn
from foveal.tables._run_columns import RunColumns
from foveal.tables.run import Run
from foveal.work import BLOCK

# Scores are ratios of counts: differences below this are rounding, not retrieval.
EQUAL_WITHIN = 1e-12

Values = TypeVar("Values", "Ints", "Floats")


@frozen(eq=False)
class ReadingOrder:
    """Which row is where once results are read by topic and rank.

    `sorted` is the permutation by topic and score or rank; None means that the rows are already in
    that order. Then ties have put `rows` at the places `moved`, which are few: a long run that is
    in order needs no long array. `tied` are the numbers of the topics with ties.
    """

    height: int
    sorted: Ints | None
    tied: Ints = field(default_factory=lambda: np.arange(0))
    moved: Ints = field(default_factory=lambda: np.arange(0))
    rows: Ints = field(default_factory=lambda: np.arange(0))

    @classmethod
    def of(
        cls,
        order: Order,
        results: RunColumns,
        topic: TopicColumn,
        ties: Ties,
        *,
        single_precision: bool = False,
    ) -> Self:
        """The order of a run's rows by topic and rank.

        `results` are the rows to be ordered and `topic` their topics. In single precision, scores that
        are equal as 32-bit numbers are ordered like ties, but not counted as such.
        """
        if order is Order.FILE:
            return cls(topic.height, _by(topic))
        if order is Order.RANK:
            rank = _given(results.rank, order)
            keys = _places(results, np.arange(topic.height)) if ties is Ties.PLACE else ()
            by_rank = np.lexsort((*keys, rank, topic.rows))
            equal = _inside(np.flatnonzero(rank[by_rank[1:]] == rank[by_rank[:-1]]), topic)
            return cls(topic.height, by_rank, _topics_of(equal, topic))
        column = _given(results.score, order)
        by_score = _by_score(topic, column, single_precision=single_precision)
        places, group = _runs_of(
            _equal_neighbours(column, by_score, topic, single=single_precision)
        )
        if not len(places):
            return cls(topic.height, by_score)
        rows = places if by_score is None else by_score[places]
        tied = _tied_topics(topic, column, places, rows, group)
        if ties is Ties.FILE:
            return cls(topic.height, by_score, tied)
        if ties is Ties.PLACE:
            by_place = rows[np.lexsort((*_places(results, rows), group))]
            return cls(topic.height, by_score, tied, places, by_place)
        by_id = results.documents.descending(rows, group)
        return cls(topic.height, by_score, tied, places, by_id)

    @property
    def permutation(self) -> Ints | None:
        """The row at each place; None if all are already in order."""
        if not len(self.moved):
            return self.sorted
        permutation = np.arange(self.height) if self.sorted is None else self.sorted.copy()
        permutation[self.moved] = self.rows
        return permutation

    def places(self, rows: Ints) -> Ints:
        """The places of some rows."""
        if self.sorted is None:
            places = rows.copy()
        else:
            place = np.empty(self.height, dtype=np.int32)
            place[self.sorted] = np.arange(self.height, dtype=np.int32)
            places = place[rows].astype(np.int64)
        order = np.argsort(self.rows)
        among = np.searchsorted(self.rows, rows, sorter=order)
        is_moved = among < np.searchsorted(self.rows, rows, sorter=order, side="right")
        places[is_moved] = self.moved[order[among[is_moved]]]
        return places

    def nearly_tied_topics(self, results: RunColumns, topic: TopicColumn) -> Ints:
        """The topics whose scores all differ, but not all as 32-bit numbers.

        Results are ordered by score, however ties were broken. To trec_eval 9 such scores are equal.
        """
        score = results.score
        if score is None:
            return np.arange(0)
        places, group = _runs_of(_equal_neighbours(score, self.sorted, topic, single=True))
        # Most lists have no ties at all, and then this is the answer.
        if not len(places):
            return places
        rows = places if self.sorted is None else self.sorted[places]
        tied = _tied_topics(topic, score, places, rows, group)
        topics = _topics_of(places, topic)
        return topics[~np.isin(topics, tied)]

    def rising_topics(
        self, order: Order, results: RunColumns, topic: TopicColumn
    ) -> tuple[Ints, Ints]:
        """The topics whose scores only rise down the list, as distances do, and those where they mix.

        The list is the one that is read; ranked by score, it is the one that was given. `order` is
        what this reading order is by.
        """
        score = results.score
        # Rows that are already ranked by falling score do not rise.
        if score is None or (order is Order.SCORE and self.sorted is None):
            return np.arange(0), np.arange(0)
        rows = _by(topic) if order is Order.SCORE else self.permutation
        listed = score if rows is None else score[rows]
        rises, falls = np.zeros((2, topic.topics), dtype=bool)
        for marked, steps in ((rises, listed[1:] > listed[:-1]), (falls, listed[1:] < listed[:-1])):
            marked[topic.segments.segment_of(_inside(np.flatnonzero(steps), topic))] = True
        return np.flatnonzero(rises & ~falls), np.flatnonzero(rises & falls)


def _places(results: RunColumns, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """Keys that sort results by document id, offset and length; the last one counts most."""
    start, end, _ = results.spans
    falling = results.documents.descending(rows, np.zeros_like(rows))
    name = np.empty(len(results), dtype=np.int64)
    name[falling] = -results.documents.take(falling).series().rle_id().to_numpy().astype(np.int64)
    return end[rows], start[rows], name[rows]


def rows_in_order(
    run: Run,
    order: Order | None = None,
    ties: Ties | None = None,
    *,
    single_precision: bool = False,
) -> Ints:
    """A run's rows by topic, as the topics first appear, then as they are read."""
    results = run.results
    rows = ReadingOrder.of(
        order or run.order,
        results,
        results.topic,
        ties or run.ties,
        single_precision=single_precision,
    ).permutation
    return np.arange(len(results)) if rows is None else rows


def _given(column: Values | None, order: Order) -> Values:
    if column is None:
        raise DataError(f"not every result has a {order}: use another --order")
    return column


def _by(topic: TopicColumn) -> Ints | None:
    """The stable permutation by topic; None if that is the order already."""
    if topic.is_ordered:
        return None
    # NumPy sorts 16-bit keys by radix, which is several times faster.
    small = topic.rows.astype(np.uint16) if topic.topics <= 1 << 16 else topic.rows
    return np.argsort(small, kind="stable").astype(np.int64)


def _by_score(topic: TopicColumn, score: Floats, *, single_precision: bool) -> Ints | None:
    """The stable permutation by topic and falling score; None if that is the order already."""
    permutation = None if topic.is_mixed else _by(topic)
    if topic.is_mixed or _rises(score, permutation, topic, single=single_precision):
        return _sorted_by_score(topic, _single(score) if single_precision else score)
    return permutation


def _in_order(
    score: Floats, permutation: Ints | None, *, single: bool
) -> Iterator[tuple[int, Floats]]:
    """Scores by reading order, block by block, each with the first score of the next."""
    for begin in range(0, max(len(score), 1), BLOCK):
        rows = slice(begin, begin + BLOCK + 1)
        block = score[rows if permutation is None else permutation[rows]]
        yield begin, _single(block) if single else block


def _rises(score: Floats, permutation: Ints | None, topic: TopicColumn, *, single: bool) -> bool:
    """Whether a score is higher than the one before it in its topic."""
    return any(
        len(_inside(begin + np.flatnonzero(block[1:] > block[:-1]), topic))
        for begin, block in _in_order(score, permutation, single=single)
    )


def _equal_neighbours(
    score: Floats, permutation: Ints | None, topic: TopicColumn, *, single: bool
) -> Ints:
    """The places in the order whose score equals that of the next place in the topic."""
    equal = [
        begin + np.flatnonzero(block[1:] == block[:-1])
        for begin, block in _in_order(score, permutation, single=single)
    ]
    return _inside(np.concatenate(equal), topic)


def _inside(places: Ints, topic: TopicColumn) -> Ints:
    """The places whose next one is of the same topic."""
    segments = topic.segments
    inside: Ints = places[segments.segment_of(places) == segments.segment_of(places + 1)]
    return inside


def _topics_of(places: Ints, topic: TopicColumn) -> Ints:
    """The topics that places in the order belong to."""
    # `np.unique` would load `numpy.ma`, which takes longer than to read a small file.
    return distinct(topic.segments.segment_of(places))[0]


def _single(score: Floats) -> Floats:
    """Scores as the doubles nearest to their 32-bit numbers; beyond those, infinite."""
    with np.errstate(over="ignore"):
        return score.astype(np.float32).astype(np.float64)


def _sorted_by_score(topic: TopicColumn, score: Floats) -> Ints:
    """The same by sorting one number per row, which is many times faster than sorting indices.

    The number is made of the topic, as many leading bits of the score as fit, and the row; rows
    that agree in all but the row are put in order afterwards.
    """
    row_bits = max((topic.height - 1).bit_length(), 1)
    topic_bits = max((topic.topics - 1).bit_length(), 1)
    key = _falling(score)
    key -= key.min()
    unused = int(key.max()).bit_length() - (64 - topic_bits - row_bits)
    for begin in range(0, topic.height, BLOCK):
        block = key[begin : begin + BLOCK]
        end = begin + len(block)
        block >>= np.uint64(max(unused, 0))
        block <<= np.uint64(row_bits)
        block |= topic.between(begin, end).astype(np.uint64) << np.uint64(64 - topic_bits)
        block |= np.arange(begin, end, dtype=np.uint64)
    key.sort()
    alike = [
        begin + np.flatnonzero(block[1:] == block[:-1])
        for begin in range(0, topic.height, BLOCK)
        for block in [key[begin : begin + BLOCK + 1] >> np.uint64(row_bits)]
    ]
    key &= np.uint64((1 << row_bits) - 1)
    permutation = key.view(np.int64)
    places, group = _runs_of(np.concatenate(alike))
    rows = permutation[places]
    permutation[places] = rows[np.lexsort((rows, -score[rows], group))]
    return permutation


def _falling(score: Floats) -> NDArray[np.uint64]:
    """Whole numbers that rise as scores fall."""
    # -0 and 0 are the same score; adding 0 turns both into 0.
    bits = (score + 0.0).view(np.uint64)
    sign = np.uint64(1 << 63)
    # The bits of numbers below 0 rise as they fall, those of others as they rise.
    np.bitwise_xor(bits, ~sign, out=bits, where=bits < sign)
    return bits


def _runs_of(same_as_next: Ints) -> tuple[Ints, Ints]:
    """The places that belong to a run of two or more, and which run each belongs to."""
    opens = np.flatnonzero(np.diff(same_as_next, prepend=-2) != 1)
    sizes = np.diff(opens, append=len(same_as_next)) + 1
    group = np.repeat(np.arange(len(opens)), sizes)
    within = Segments.sized(sizes).nth - 1
    return same_as_next[opens][group] + within, group


def _tied_topics(topic: TopicColumn, score: Floats, places: Ints, rows: Ints, group: Ints) -> Ints:
    """The topics with equal scores among some rows, which are given in groups."""
    value = score[rows]
    order = np.lexsort((value, group))
    value, group = value[order], group[order]
    equal = (group[1:] == group[:-1]) & (value[1:] == value[:-1])
    return _topics_of(places[order[1:][equal]], topic)
