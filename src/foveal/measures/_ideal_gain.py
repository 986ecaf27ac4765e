"""The gains of documents, and the best ranking that a topic's judgements allow."""

from __future__ import annotations

from typing import Self

import numpy as np

from foveal.alignment import GradedLists, PreparedQrels
from foveal.errors import DataError
from foveal.frozen import frozen
from foveal.spans import Floats, Ints, Segments

# Grades above this are not ordered in whole steps: no scale has as many.
MANY_GRADES = 1000
# Sums of 2^grade stay finite up to this grade.
STEEPEST = 900


@frozen
class GainScale:
    """The gain of a grade: the grade, 2^grade - 1, or the one in `gains`; 0 below `rel`.

    With `whole_steps`, gains that differ by less than 1 count as equal in the ideal ranking.
    """

    exponential: bool = False
    rel: float = 0.0
    gains: tuple[tuple[float, float], ...] = ()
    whole_steps: bool = False

    def of(self, grade: Floats) -> Floats:
        """The gain of each grade."""
        if self.exponential and grade.max(initial=0.0) > STEEPEST:
            raise DataError(
                f"grades must be at most {STEEPEST} for exponential gains (2^grade),"
                f" got {grade.max():g}"
            )
        gain = np.exp2(grade) - 1 if self.exponential else grade.copy()
        for level, value in self.gains:
            gain[grade == level] = value
        gain[grade < max(self.rel, 0.0)] = 0.0
        return gain

    def best_first(self, grade: Floats, topic: Ints) -> Ints:
        """The documents by topic, those with the highest gain first."""
        keys = -self.of(grade)
        levels = np.concatenate([grade, [level for level, _ in self.gains]])
        if self.whole_steps and (levels == np.clip(np.floor(levels), -1, MANY_GRADES)).all():
            top = np.zeros(int(topic.max(initial=0)) + 1, dtype=np.int64)
            np.maximum.at(top, topic, grade.astype(np.int64))
            for highest in np.unique(top):
                key_of_level = np.full(MANY_GRADES + 1, np.inf)
                ordered = _in_whole_steps(self.gains, int(highest))
                key_of_level[[int(level) for level, _ in ordered]] = -np.arange(len(ordered))
                is_ranked = (top[topic] == highest) & (grade >= 0)
                keys[is_ranked] = key_of_level[grade[is_ranked].astype(np.int64)]
        return np.lexsort((keys, topic))


def _in_whole_steps(
    gains: tuple[tuple[float, float], ...], highest: int
) -> list[tuple[float, float]]:
    """Grades and their gains in trec_eval's order, the smallest first.

    Its comparison treats gains that differ by less than 1 as equal, so the order depends on the
    sorting algorithm: the merge sort of the C library on Linux.
    """
    levels = dict(gains)
    implicit = [(float(grade), float(grade)) for grade in range(highest + 1) if grade not in levels]
    return _merged([*gains, *implicit])


def _merged(pairs: list[tuple[float, float]]) -> list[tuple[float, float]]:
    if len(pairs) < 2:
        return pairs
    left, right = _merged(pairs[: len(pairs) // 2]), _merged(pairs[len(pairs) // 2 :])
    merged = []
    while left and right:
        merged.append((left if int(left[0][1] - right[0][1]) <= 0 else right).pop(0))
    return merged + left + right


@frozen
class Discount:
    """The divisor of a gain at a rank: log2(rank + 1), or 1 if the discount is flat.

    With a base b it is Järvelin and Kekäläinen's max(1, log_b rank): the first b ranks count fully.
    """

    base: float | None = None
    flat: bool = False

    def of(self, rank: Ints) -> Floats:
        """The divisor at each rank."""
        if self.flat:
            return np.ones(len(rank))
        if self.base is None:
            discount: Floats = np.log2(rank + 1.0)
        else:
            discount = np.maximum(1.0, np.log(rank) / np.log(self.base))
        return discount


@frozen(eq=False)
class IdealRanking:
    """The documents of every judged topic that have a gain, the best first."""

    qrels: PreparedQrels
    scale: GainScale
    segments: Segments
    topic: Ints
    gain: Floats

    @classmethod
    def of(cls, qrels: PreparedQrels, scale: GainScale) -> IdealRanking:
        """The ideal rankings, computed once for all runs and measures."""

        def ranking() -> IdealRanking:
            order = qrels.by_grade
            if scale.gains:
                order = scale.best_first(qrels.grade, qrels.topic)
            gain, topic = scale.of(qrels.grade[order]), qrels.topic[order]
            has_gain = gain > 0
            gain, topic = gain[has_gain], topic[has_gain]
            return cls(qrels, scale, Segments.grouped(topic, len(qrels.topics)), topic, gain)

        return qrels.cached(("ideal", scale), ranking)

    @property
    def count(self) -> Ints:
        """The number of documents of each topic that have a gain."""
        return self.segments.entry_count

    @property
    def rank(self) -> Ints:
        """The rank of each document."""
        return self.segments.nth

    def discounted(self, discount: Discount) -> Floats:
        """Running sums of the discounted gains within each topic."""
        return self.qrels.cached(
            ("discounted", self.scale, discount),
            lambda: self.segments.running(self.gain / discount.of(self.rank)),
        )

    def upto(self, running: Floats, topics: Ints, depth: Ints | int | None) -> Floats:
        """The topics' running sums at a rank, or at the end of a shorter list."""
        count = self.count[topics]
        depth = count if depth is None else np.minimum(count, depth)
        return self.segments.sums_after(running, depth, segments=topics)


@frozen(eq=False)
class GainLists:
    """The documents of a run's lists that have a gain, and the ideal rankings."""

    lists: GradedLists
    gain: Floats
    ideal: IdealRanking

    @classmethod
    def of(cls, lists: GradedLists, scale: GainScale) -> Self:
        """The lists with the gains of their documents."""
        gain = scale.of(lists.grade)
        return cls(lists.where(gain != 0), gain[gain != 0], IdealRanking.of(lists.qrels, scale))

    def discounted(self, discount: Discount, cutoff: int | None) -> Floats:
        """The sum of the discounted gains of each topic up to a rank."""
        values = self.gain / discount.of(self.lists.rank)
        if cutoff is not None:
            values = np.where(self.lists.rank <= cutoff, values, 0.0)
        return self.lists.total(values)

    def best(self, discount: Discount, cutoff: int | None) -> Floats:
        """The largest sum of discounted gains that the judgements allow."""
        return self.ideal.upto(self.ideal.discounted(discount), self.lists.topics, cutoff)
