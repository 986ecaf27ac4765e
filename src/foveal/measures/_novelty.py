"""Novelty of ranked results: gains by aspect, and the greedy ideal list."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, partial

import numpy as np

from foveal.alignment import AspectLists, Candidates, ratio
from foveal.frozen import frozen
from foveal.spans import Floats, Ints, totals
from foveal.work import BLOCK, threaded

# The weight of a result at each rank.
Weight = Callable[[Ints], Floats]
# Sums of the same powers in another order differ by less, and other sums by more.
SAME_GAIN = 1e-12
# A share of a sum that does not change its last digit.
NEGLIGIBLE = 1e-20
# So that a block fits into the processor's cache.
ASPECTS_AT_A_TIME = 1 << 16
# Ideal lists go at least to ndeval's deepest cut-off, so that all its cut-offs share one list.
USUAL_DEPTH = 20


def by_logarithm(rank: Ints) -> Floats:
    """1 / log2(rank + 1)."""
    weight: Floats = 1 / np.log2(rank + 1.0)
    return weight


def by_rank(rank: Ints) -> Floats:
    """1 / rank."""
    return 1.0 / rank


def _by_patience(beta: float, rank: Ints) -> Floats:
    weight: Floats = np.power(beta, rank - 1.0)
    return weight


def by_patience(beta: float) -> Weight:
    """beta^(rank - 1): the reader goes on to the next rank with probability beta."""
    return partial(_by_patience, beta)


@frozen(eq=False)
class Novelty:
    """Results of a run; an aspect gains (1 - alpha)^n after n earlier results with it."""

    lists: AspectLists
    alpha: float

    @cached_property
    def gain(self) -> Floats:
        """The gain of each entry of the lists, one aspect of one result."""
        return np.power(1 - self.alpha, self.lists.earlier_count)

    def total(self, weight: Weight, k: int | None) -> Floats:
        """The weighted gain of each topic's first k results."""
        values = self.gain * weight(self.lists.rank)
        if k is not None:
            values = np.where(self.lists.rank <= k, values, 0.0)
        return self.lists.total(values)

    def share(self, weight: Weight, k: int) -> Floats:
        """The total as a share of that of a list whose every result has all aspects."""
        greatest = self.lists.aspect_count.astype(np.float64) * _weighted_powers(
            self.alpha, weight, k
        )
        return ratio(self.total(weight, k), greatest)

    def normalised(self, weight: Weight, k: int | None, enough: int | None = None) -> Floats:
        """The total as a share of that of the greedy ideal list.

        Without k, `enough` ranks of the ideal list are added up: later ones weigh nothing.
        """
        return ratio(self.total(weight, k), self._best(weight, enough if k is None else k))

    def _best(self, weight: Weight, k: int | None) -> Floats:
        values = self._ideal(k)[self.lists.topics, :k]
        if not values.size:
            return np.zeros(len(values))
        values = values * weight(np.arange(1, values.shape[1] + 1))
        # cumsum adds in order: a topic's sum must not depend on the length of other lists.
        return np.cumsum(values, axis=1)[:, -1]

    def _ideal(self, k: int | None) -> Floats:
        lists, depth = self.lists, None if k is None else max(k, USUAL_DEPTH)
        return lists.qrels.cached(
            (best_gains, lists.candidates, self.alpha, depth),
            lambda: best_gains(lists.candidates, len(lists.qrels.topics), self.alpha, depth),
        )


def patient_ranks(beta: float) -> int | None:
    """The number of ranks that weigh more than nothing, for patience beta; None: all."""
    if beta == 1:
        return None
    return 1 if beta == 0 else math.ceil(math.log(NEGLIGIBLE) / math.log(beta)) + 1


def _weighted_powers(alpha: float, weight: Weight, k: int) -> float:
    """The sum of the first k powers of 1 - alpha, weighted by rank."""
    total = 0.0
    for start in range(1, k + 1, BLOCK):
        rank = np.arange(start, min(start + BLOCK, k + 1))
        values = np.power(1 - alpha, rank - 1.0) * weight(rank)
        total += float(values.sum())
        if values[-1] <= NEGLIGIBLE * total:
            break
    return total


def best_gains(candidates: Candidates, topics: int, alpha: float, depth: int | None) -> Floats:
    """The gains of each topic's greedy ideal list: topics × ranks, 0 where the list has ended.

    The list ends at `depth`, or where no topic has candidates left.
    """
    longest = int(np.bincount(candidates.topic, minlength=1).max())
    gains = np.zeros((topics, longest if depth is None else min(longest, depth)))

    def fill(block: Candidates) -> None:
        _fill_greedily(gains, block, alpha)

    for _ in threaded(fill, candidates.blocks(ASPECTS_AT_A_TIME)):
        pass
    return gains


def _fill_greedily(gains: Floats, candidates: Candidates, alpha: float) -> None:
    """Fill in the gains of the candidates' topics.

    Each step picks the best candidate of every topic at once, the first of equal ones.
    """
    topic, segments, aspect = candidates.topic, candidates.segments, candidates.aspect
    starts = np.flatnonzero(np.diff(topic, prepend=-1))
    list_index = np.cumsum(np.diff(topic, prepend=topic[0]) != 0)
    value = np.ones(int(aspect.max()) + 1)
    is_unused = np.ones(len(topic), dtype=bool)
    for step in range(gains.shape[1]):
        gain = np.where(is_unused, np.add.reduceat(value[aspect], segments.offsets[:-1]), -1.0)
        best = np.maximum.reduceat(gain, starts)
        tied = np.flatnonzero(gain >= (best - SAME_GAIN * np.abs(best))[list_index])
        tied = tied[is_unused[tied]]
        if not len(tied):
            break
        picked = tied[np.diff(list_index[tied], prepend=-1) != 0]
        gains[topic[picked], step] = gain[picked]
        is_unused[picked] = False
        value[aspect[segments.entries_of(picked)[1]]] *= 1 - alpha


def average_precision(lists: AspectLists) -> Floats:
    """The mean over each topic's aspects of the average precision on the aspect alone."""
    relevant = np.bincount(lists.candidates.aspect, minlength=len(lists.relevant_aspects.topic))
    precision = (lists.earlier_count + 1) / lists.rank
    return ratio(
        totals(lists.topic, precision / relevant[lists.aspect], len(lists.count)),
        lists.aspect_count,
    )
