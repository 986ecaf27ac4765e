"""What answers add to those before them: gains by aspect, and the best list that there can be."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, partial

import numpy as np

from foveal.alignment import AspectLists, Candidates, ratio
from foveal.frozen import frozen
from foveal.spans import Floats, Ints, totals
from foveal.work import BLOCK, threaded

# What an answer at each rank is worth.
Weight = Callable[[Ints], Floats]
# Sums of the same powers in another order differ by less, and other sums by more.
SAME_GAIN = 1e-12
# Shares of a sum that do not change its last digit.
NEGLIGIBLE = 1e-20
# Small enough for the memory nearest to a processor.
ASPECTS_AT_A_TIME = 1 << 16
# Ideal lists go at least to this rank, the deepest of ndeval, so that its ranks share one list.
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
    """The answers of a run's lists, each aspect of which is worth (1 - alpha)^(earlier ones)."""

    lists: AspectLists
    alpha: float

    @cached_property
    def gain(self) -> Floats:
        """What each entry of the lists is worth, an aspect of an answer."""
        return np.power(1 - self.alpha, self.lists.earlier_count)

    def total(self, weight: Weight, k: int | None) -> Floats:
        """The weighted gain of each topic's first k answers."""
        values = self.gain * weight(self.lists.rank)
        if k is not None:
            values = np.where(self.lists.rank <= k, values, 0.0)
        return self.lists.total(values)

    def share(self, weight: Weight, k: int) -> Floats:
        """The same as a share of that of a list whose every answer has all aspects."""
        most = self.lists.aspect_count.astype(np.float64) * _falling(self.alpha, weight, k)
        return ratio(self.total(weight, k), most)

    def normalised(self, weight: Weight, k: int | None, needed: int | None = None) -> Floats:
        """The same as a share of that of the greedy ideal list.

        `needed` is the number of ranks that matter there, if fewer do than k or all.
        """
        return ratio(self.total(weight, k), self._best(weight, needed if k is None else k))

    def _best(self, weight: Weight, k: int | None) -> Floats:
        values = self._ideal(k)[self.lists.topics, :k]
        if not values.size:
            return np.zeros(len(values))
        values = values * weight(np.arange(1, values.shape[1] + 1))
        # Added up in order, so that a topic's sum does not depend on how long other lists are.
        return np.cumsum(values, axis=1)[:, -1]

    def _ideal(self, k: int | None) -> Floats:
        lists, depth = self.lists, None if k is None else max(k, USUAL_DEPTH)
        return lists.qrels.cached(
            (best_gains, lists.candidates, self.alpha, depth),
            lambda: best_gains(lists.candidates, len(lists.qrels.topics), self.alpha, depth),
        )


def patient_ranks(beta: float) -> int | None:
    """The number of ranks of which a reader sees any who goes on with probability beta."""
    if beta == 1:
        return None
    return 1 if beta == 0 else math.ceil(math.log(NEGLIGIBLE) / math.log(beta)) + 1


def _falling(alpha: float, weight: Weight, k: int) -> float:
    """The weighted sum of the first k powers of 1 - alpha."""
    total = 0.0
    for begin in range(1, k + 1, BLOCK):
        rank = np.arange(begin, min(begin + BLOCK, k + 1))
        values = np.power(1 - alpha, rank - 1.0) * weight(rank)
        total += float(values.sum())
        if values[-1] <= NEGLIGIBLE * total:
            break
    return total


def best_gains(candidates: Candidates, topics: int, alpha: float, depth: int | None) -> Floats:
    """The gains of each topic's greedy ideal list: topics × ranks, 0 where the list has ended.

    The list ends at `depth`, or where no topic has candidates left.
    """
    most = int(np.bincount(candidates.topic, minlength=1).max())
    gains = np.zeros((topics, most if depth is None else min(most, depth)))

    def fill(block: Candidates) -> None:
        _fill_greedily(gains, block, alpha)

    for _ in threaded(fill, candidates.blocks(ASPECTS_AT_A_TIME)):
        pass
    return gains


def _fill_greedily(gains: Floats, candidates: Candidates, alpha: float) -> None:
    """Fill in the gains of the topics of some candidates.

    At each rank comes the candidate that gains most, for all topics at once; of equal ones the
    first.
    """
    topic, held, aspect = candidates.topic, candidates.segments, candidates.aspect
    begins = np.flatnonzero(np.diff(topic, prepend=-1))
    which = np.cumsum(np.diff(topic, prepend=topic[0]) != 0)
    worth = np.ones(int(aspect.max()) + 1)
    is_left = np.ones(len(topic), dtype=bool)
    for step in range(gains.shape[1]):
        gain = np.where(is_left, np.add.reduceat(worth[aspect], held.offsets[:-1]), -1.0)
        best = np.maximum.reduceat(gain, begins)
        near = np.flatnonzero(gain >= (best - SAME_GAIN * np.abs(best))[which])
        near = near[is_left[near]]
        if not len(near):
            break
        chosen = near[np.diff(which[near], prepend=-1) != 0]
        gains[topic[chosen], step] = gain[chosen]
        is_left[chosen] = False
        worth[aspect[held.entries_of(chosen)[1]]] *= 1 - alpha


def average_precision(lists: AspectLists) -> Floats:
    """The mean over each topic's aspects of the average precision on the aspect alone."""
    wanted = np.bincount(lists.candidates.aspect, minlength=len(lists.relevant_aspects.topic))
    precision = (lists.earlier_count + 1) / lists.rank
    return ratio(
        totals(lists.topic, precision / wanted[lists.aspect], len(lists.count)), lists.aspect_count
    )
