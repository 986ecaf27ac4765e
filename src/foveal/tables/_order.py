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
    """The order in which the rows of a run are read: by topic, then by rank.

    `sorted` is the permutation by topic and score or rank; None means that the rows are already in
    that order. Breaking ties then puts `tied_rows` at `tied_positions`, which are few: a long run that
    is in order needs no long array. `tied_topics` are the indices of the topics with ties.
    """

    height: int
    sorted: Ints | None
    tied_topics: Ints = field(default_factory=lambda: np.arange(0))
    tied_positions: Ints = field(default_factory=lambda: np.arange(0))
    tied_rows: Ints = field(default_factory=lambda: np.arange(0))

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
        are equal as 32-bit numbers are ordered like ties, but not counted as ties.
        """
        if order is Order.FILE:
            return cls(topic.height, _by_topic(topic))
        if order is Order.RANK:
            rank = _required(results.rank, order)
            keys = _place_keys(results, np.arange(topic.height)) if ties is Ties.PLACE else ()
            by_rank = np.lexsort((*keys, rank, topic.rows))
            equal = _within_topics(np.flatnonzero(rank[by_rank[1:]] == rank[by_rank[:-1]]), topic)
            return cls(topic.height, by_rank, _topics_of(equal, topic))
        column = _required(results.score, order)
        by_score = _by_score(topic, column, single_precision=single_precision)
        positions, group = _tied_groups(
            _equal_neighbours(column, by_score, topic, single=single_precision)
        )
        if not len(positions):
            return cls(topic.height, by_score)
        rows = positions if by_score is None else by_score[positions]
        tied_topics = _tied_topics(topic, column, positions, rows, group)
        if ties is Ties.FILE:
            return cls(topic.height, by_score, tied_topics)
        if ties is Ties.PLACE:
            by_place = rows[np.lexsort((*_place_keys(results, rows), group))]
            return cls(topic.height, by_score, tied_topics, positions, by_place)
        by_id = results.documents.descending(rows, group)
        return cls(topic.height, by_score, tied_topics, positions, by_id)

    @property
    def permutation(self) -> Ints | None:
        """The row at each position; None if the rows are already in order."""
        if not len(self.tied_positions):
            return self.sorted
        permutation = np.arange(self.height) if self.sorted is None else self.sorted.copy()
        permutation[self.tied_positions] = self.tied_rows
        return permutation

    def positions(self, rows: Ints) -> Ints:
        """The positions of the given rows in the reading order."""
        if self.sorted is None:
            positions = rows.copy()
        else:
            position_of = np.empty(self.height, dtype=np.int32)
            position_of[self.sorted] = np.arange(self.height, dtype=np.int32)
            positions = position_of[rows].astype(np.int64)
        order = np.argsort(self.tied_rows)
        index = np.searchsorted(self.tied_rows, rows, sorter=order)
        is_tied = index < np.searchsorted(self.tied_rows, rows, sorter=order, side="right")
        positions[is_tied] = self.tied_positions[order[index[is_tied]]]
        return positions

    def nearly_tied_topics(self, results: RunColumns, topic: TopicColumn) -> Ints:
        """The topics whose scores all differ, but not all as 32-bit numbers.

        Results must be ordered by score, with any rule for ties. To trec_eval 9 such scores are equal.
        """
        score = results.score
        if score is None:
            return np.arange(0)
        positions, group = _tied_groups(_equal_neighbours(score, self.sorted, topic, single=True))
        # Most lists have no ties at all.
        if not len(positions):
            return positions
        rows = positions if self.sorted is None else self.sorted[positions]
        tied_topics = _tied_topics(topic, score, positions, rows, group)
        topics = _topics_of(positions, topic)
        return topics[~np.isin(topics, tied_topics)]

    def rising_topics(
        self, order: Order, results: RunColumns, topic: TopicColumn
    ) -> tuple[Ints, Ints]:
        """The topics whose scores only rise down the list, as distances do, and those with rises and falls.

        The list is in reading order, but in file order if it is ranked by score. `order` is how this
        reading order was made.
        """
        score = results.score
        # Scores do not rise if the rows are already ranked by falling score.
        if score is None or (order is Order.SCORE and self.sorted is None):
            return np.arange(0), np.arange(0)
        rows = _by_topic(topic) if order is Order.SCORE else self.permutation
        scores, offsets = score if rows is None else score[rows], topic.segments.offsets
        rises, falls = (
            np.diff(np.searchsorted(_within_topics(np.flatnonzero(steps), topic), offsets)) > 0
            for steps in (scores[1:] > scores[:-1], scores[1:] < scores[:-1])
        )
        return np.flatnonzero(rises & ~falls), np.flatnonzero(rises & falls)


def _place_keys(results: RunColumns, rows: Ints) -> tuple[Ints, Ints, Ints]:
    """Keys that sort results by document id, start and end; the last key counts most."""
    start, end, _ = results.spans
    by_name = results.documents.descending(rows, np.zeros_like(rows))
    name = np.empty(len(results), dtype=np.int64)
    name[by_name] = -results.documents.take(by_name).series().rle_id().to_numpy().astype(np.int64)
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


def _required(column: Values | None, order: Order) -> Values:
    if column is None:
        raise DataError(f"not every result has a {order}: use another --order")
    return column


def _by_topic(topic: TopicColumn) -> Ints | None:
    """The stable permutation by topic; None if that is the order already."""
    if topic.is_ordered:
        return None
    # NumPy sorts 16-bit keys by radix, which is several times faster.
    indices = topic.rows.astype(np.uint16) if topic.topics <= 1 << 16 else topic.rows
    return np.argsort(indices, kind="stable").astype(np.int64)


def _by_score(topic: TopicColumn, score: Floats, *, single_precision: bool) -> Ints | None:
    """The stable permutation by topic and falling score; None if that is the order already."""
    permutation = None if topic.is_mixed else _by_topic(topic)
    if topic.is_mixed or _rises(score, permutation, topic, single=single_precision):
        return _sorted_by_score(topic, _single(score) if single_precision else score)
    return permutation


def _in_order(
    score: Floats, permutation: Ints | None, *, single: bool
) -> Iterator[tuple[int, Floats]]:
    """Scores in reading order, block by block, each with the first score of the next block."""
    for start in range(0, max(len(score), 1), BLOCK):
        rows = slice(start, start + BLOCK + 1)
        block = score[rows if permutation is None else permutation[rows]]
        yield start, _single(block) if single else block


def _rises(score: Floats, permutation: Ints | None, topic: TopicColumn, *, single: bool) -> bool:
    """Whether any score is higher than the previous one in its topic."""
    return any(
        len(_within_topics(start + np.flatnonzero(block[1:] > block[:-1]), topic))
        for start, block in _in_order(score, permutation, single=single)
    )


def _equal_neighbours(
    score: Floats, permutation: Ints | None, topic: TopicColumn, *, single: bool
) -> Ints:
    """The positions whose score equals that of the next position in the topic."""
    equal = [
        start + np.flatnonzero(block[1:] == block[:-1])
        for start, block in _in_order(score, permutation, single=single)
    ]
    return _within_topics(np.concatenate(equal), topic)


def _within_topics(positions: Ints, topic: TopicColumn) -> Ints:
    """The positions whose next one is of the same topic."""
    # Topics are mostly fewer than positions: the last position of each is looked for.
    last = topic.segments.offsets[1:] - 1
    index = np.searchsorted(positions, last)
    is_last = np.append(positions, -2)[index] == last
    return np.delete(positions, index[is_last])


def _topics_of(positions: Ints, topic: TopicColumn) -> Ints:
    """The topics of positions in the order."""
    # `np.unique` would load `numpy.ma`, which takes longer than to read a small file.
    return distinct(topic.segments.segment_of(positions))[0]


def _single(score: Floats) -> Floats:
    """Scores rounded to 32 bits, as doubles; infinite if too large."""
    with np.errstate(over="ignore"):
        return score.astype(np.float32).astype(np.float64)


def _sorted_by_score(topic: TopicColumn, score: Floats) -> Ints:
    """The permutation by topic and falling score, from sorting one number per row.

    This is many times faster than sorting indices. The number has the topic, as many leading bits of
    the score as fit, and the row; rows with equal leading bits are sorted afterwards.
    """
    row_bits = max((topic.height - 1).bit_length(), 1)
    topic_bits = max((topic.topics - 1).bit_length(), 1)
    key = _descending_keys(score)
    key -= key.min()
    unused = int(key.max()).bit_length() - (64 - topic_bits - row_bits)
    for start in range(0, topic.height, BLOCK):
        block = key[start : start + BLOCK]
        end = start + len(block)
        block >>= np.uint64(max(unused, 0))
        block <<= np.uint64(row_bits)
        block |= topic.between(start, end).astype(np.uint64) << np.uint64(64 - topic_bits)
        block |= np.arange(start, end, dtype=np.uint64)
    key.sort()
    equal_keys = [
        start + np.flatnonzero(block[1:] == block[:-1])
        for start in range(0, topic.height, BLOCK)
        for block in [key[start : start + BLOCK + 1] >> np.uint64(row_bits)]
    ]
    key &= np.uint64((1 << row_bits) - 1)
    permutation = key.view(np.int64)
    positions, group = _tied_groups(np.concatenate(equal_keys))
    rows = permutation[positions]
    permutation[positions] = rows[np.lexsort((rows, -score[rows], group))]
    return permutation


def _descending_keys(score: Floats) -> NDArray[np.uint64]:
    """Integers that rise as scores fall."""
    # -0 and 0 are the same score; adding 0 turns both into 0.
    bits = (score + 0.0).view(np.uint64)
    sign = np.uint64(1 << 63)
    # The bits of a negative number, read as an integer, rise as the number falls; others rise with it.
    np.bitwise_xor(bits, ~sign, out=bits, where=bits < sign)
    return bits


def _tied_groups(same_as_next: Ints) -> tuple[Ints, Ints]:
    """The positions in groups of two or more equal neighbours, and the group of each."""
    first = np.flatnonzero(np.diff(same_as_next, prepend=-2) != 1)
    sizes = np.diff(first, append=len(same_as_next)) + 1
    group = np.repeat(np.arange(len(first)), sizes)
    offset = Segments.sized(sizes).nth - 1
    return same_as_next[first][group] + offset, group


def _tied_topics(
    topic: TopicColumn, score: Floats, positions: Ints, rows: Ints, group: Ints
) -> Ints:
    """The topics with equal scores within a group of rows."""
    value = score[rows]
    order = np.lexsort((value, group))
    value, group = value[order], group[order]
    equal = (group[1:] == group[:-1]) & (value[1:] == value[:-1])
    return _topics_of(positions[order[1:][equal]], topic)
