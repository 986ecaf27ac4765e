"""Tests of one pair of runs at a time, from the differences on each topic."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from foveal.analysis._significance_test import ScoreMatrix, Words, significance_test
from foveal.choices import Interval, Tail
from foveal.frozen import frozen
from foveal.spans import Floats
from foveal.tables import EQUAL_WITHIN

PLACE_IN_LISTS = 20
LEAST = np.finfo(np.float64).tiny
DECIMALS = 12
# With more differences that are not 0, the normal approximation of Wilcoxon's statistic will do.
EXACT_TOPICS = 50


class Status(StrEnum):
    """The outcome of testing a pair: fine, or the reason why it could not be tested."""

    FINE = "fine"
    NO_DIFFERENCE = "no difference"
    """The two runs score the same on every topic: p is 1."""

    CONSTANT = "constant difference"
    """The runs differ by the same amount on every topic: no spread to test against."""

    ONE_TOPIC = "one topic"
    """A single topic: the spread is unknown."""


@frozen(eq=False)
class PairedT:
    """One entry per pair: mean difference, its standard deviation, t, two-sided p, and status.

    p is 1 if nothing differs, and NaN if there is no spread to test against.
    """

    mean: Floats
    deviation: Floats
    t: Floats
    p: Floats
    status: Words


def paired_t(differences: Floats) -> PairedT:
    """The t-test of differences, topics along the last axis."""
    differences = np.asarray(differences, dtype=float)
    topics = differences.shape[-1]
    status = statuses(differences)
    is_fine = status == Status.FINE
    mean = differences.mean(axis=-1)
    deviation = differences.std(axis=-1, ddof=1) if topics > 1 else np.full(mean.shape, np.nan)
    t = np.where(is_fine, mean / (np.where(is_fine, deviation, 1.0) / np.sqrt(topics)), np.nan)
    p = np.where(status == Status.NO_DIFFERENCE, 1.0, t_tails(t, topics - 1, Tail.TWO))
    return PairedT(mean, deviation, t, p, status)


def t_tails(t: Floats, freedom: int, tail: Tail) -> Floats:
    """The p-values of t-values; for one tail, t is positive where the better run is ahead."""
    from scipy.special import stdtr

    both = tail is Tail.TWO
    beyond = stdtr(max(freedom, 1), -np.abs(t) if both else -t)
    # Far out the tail rounds to 0, but p is never 0; NaN stays NaN.
    p: Floats = np.maximum(beyond * (2 if both else 1), LEAST)
    return p


def statuses(differences: Floats) -> Words:
    """The status of each pair, known before any test."""
    is_equal = (np.abs(differences) <= EQUAL_WITHIN).all(axis=-1)
    is_constant = np.ptp(differences, axis=-1) <= EQUAL_WITHIN
    otherwise = Status.ONE_TOPIC if differences.shape[-1] == 1 else Status.CONSTANT
    return np.select(
        [is_equal, is_constant],
        [np.array(Status.NO_DIFFERENCE.value), np.array(otherwise.value)],
        np.array(Status.FINE.value),
    )


@significance_test(
    name="t",
    title="Student's paired t-test",
    cite="Student 1908",
    interval=Interval.T,
    advice="Assumes that differences are roughly normal; with 50 topics or more it hardly matters.",
)
def student(matrix: ScoreMatrix) -> Floats:
    """Whether the mean difference is large compared with its standard error."""

    def tested(differences: Floats) -> Floats:
        result = paired_t(differences)
        if matrix.tail is Tail.TWO:
            return result.p
        p = t_tails(result.t, matrix.topics - 1, Tail.ONE)
        return np.where(result.status == Status.NO_DIFFERENCE, 1.0, p)

    return matrix.over_pairs(tested)


@significance_test(
    name="wilcoxon",
    title="Wilcoxon's signed-rank test",
    cite="Wilcoxon 1945",
    advice="Tests ranks of differences, not means: where the scores of two runs have other shapes it"
    " calls equal means different, the more topics the more often.",
)
def wilcoxon(matrix: ScoreMatrix) -> Floats:
    """Whether the better run's gains rank above its losses; equal topics are left out."""
    from scipy.stats import wilcoxon as scipy_wilcoxon

    alternative = "two-sided" if matrix.tail is Tail.TWO else "greater"

    def tested(differences: Floats) -> Floats:
        # Noise in the last digits must not decide which ranks are tied.
        clean = np.round(differences, DECIMALS)
        unequal = np.count_nonzero(clean, axis=1)
        p, many = np.ones(len(clean)), unequal > EXACT_TOPICS
        if many.any():
            result = scipy_wilcoxon(clean[many], axis=1, alternative=alternative, method="approx")
            p[many] = result.pvalue
        for pair in np.flatnonzero((unequal > 0) & ~many):
            p[pair] = _signed_rank_p(clean[pair], matrix.tail)
        return np.maximum(p, LEAST)

    return matrix.over_pairs(tested)


@significance_test(
    name="sign",
    title="sign test",
    cite="Arbuthnot 1710",
    advice="Counts topics won and lost, by however little: it needs many topics.",
)
def sign(matrix: ScoreMatrix) -> Floats:
    """Whether the better run wins more topics than a fair coin would; equal topics are left out."""
    from scipy.special import bdtr

    def tested(differences: Floats) -> Floats:
        wins = (differences > EQUAL_WITHIN).sum(axis=1)
        losses = (differences < -EQUAL_WITHIN).sum(axis=1)
        both = matrix.tail is Tail.TWO
        fewer = np.minimum(wins, losses) if both else losses
        p: Floats = bdtr(fewer * 1.0, wins + losses, 0.5) * (2 if both else 1)
        return np.clip(p, LEAST, 1.0)

    return matrix.over_pairs(tested)


def _signed_rank_p(differences: Floats, tail: Tail) -> float:
    """The share of all ways to sign the ranks that are as extreme; tied ranks are their mean."""
    from scipy.stats import rankdata

    unequal = differences[differences != 0]
    # Twice the ranks, as a mean of ranks may be a half.
    ranks = (2 * rankdata(np.abs(unequal))).astype(np.int64)
    # The number of ways to get each sum of positive ranks.
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1
    for rank in ranks:
        ways[rank:] += ways[:-rank].copy()
    positive = int(ranks[unequal > 0].sum())
    higher, lower = ways[positive:].sum(), ways[: positive + 1].sum()
    as_extreme = higher if tail is Tail.ONE else 2 * min(higher, lower)
    return float(min(1.0, as_extreme / 2.0 ** len(ranks)))
