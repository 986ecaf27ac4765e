"""Tests that ask what chance alone would do."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from foveal.analysis._resamples import BLOCK
from foveal.analysis._significance_test import ScoreMatrix, significance_test
from foveal.choices import Interval, Tail
from foveal.spans import Bools, Floats, Ints

PLACE_IN_LISTS = 10
# Resamples whose differences stay in the processor's cache, and whose counts are small numbers.
NEAR = 1024
Claim = Callable[[Floats, slice], Bools]


@significance_test(
    name="bootstrap",
    title="percentile bootstrap of paired differences",
    cite="Efron and Tibshirani 1993; Kamps et al. 2007",
    interval=Interval.PERCENTILE,
    resampled=True,
    doubles_tails=True,
    advice="Finds too much with fewer than 50 topics, or where few topics differ. The test of the INEX"
    " 2007 study of MAgP, where it is one-tailed with 1,000 resamples (--like kamps2007).",
)
def bootstrap(matrix: ScoreMatrix) -> Floats:
    """How often the better run would not be ahead if the topics were drawn again."""
    if matrix.topics == 1:
        # The one topic would be drawn every time, and the better run would always be ahead.
        return np.where(np.abs(matrix.differences) <= matrix.slack, 1.0, np.nan)
    blocks = np.array_split(matrix.bootstrap_means, _many(matrix), axis=1)
    slack = matrix.slack
    behind, ahead = _counted(
        matrix, blocks, lambda means, pairs: means <= slack, lambda means, pairs: means >= -slack
    )
    if matrix.tail is Tail.ONE:
        return _shares(matrix, behind)
    return np.minimum(1.0, 2 * _shares(matrix, np.minimum(behind, ahead)))


@significance_test(
    name="randomization",
    title="Fisher's randomisation test",
    cite="Fisher 1935; Smucker et al. 2007",
    resampled=True,
    flips=True,
    advice="Assumes only that, without a real difference, the two runs could be swapped on any topic.",
)
def randomization(matrix: ScoreMatrix) -> Floats:
    """How often swapping the two runs on random topics gives a difference as large."""
    takes_all = matrix.resamples.takes_all_flips(len(matrix.differing))
    # Topics on which nothing differs change no mean.
    values = matrix.values[:, matrix.differing] if takes_all else matrix.values
    count = values.shape[1]
    flips = matrix.resamples.all_flips(count) if takes_all else matrix.resamples.flips(count)
    blocks = ((signs @ values.T / matrix.topics).T for signs in flips)
    both = matrix.tail is Tail.TWO
    observed = (np.abs(matrix.differences) if both else matrix.differences) - matrix.slack
    claims: tuple[Claim, ...] = (
        lambda means, pairs: means >= observed[pairs, None],
        # What the opposite signs give.
        lambda means, pairs: -means >= observed[pairs, None],
    )
    if both:
        claims = (lambda means, pairs: np.abs(means) >= observed[pairs, None],)
    if takes_all:
        shares: Floats = np.mean(_counted(matrix, blocks, *claims), axis=0)
        shares /= 2.0 ** max(0, count - 1)
        return shares
    return _shares(matrix, _counted(matrix, blocks, claims[0])[0])


def _many(matrix: ScoreMatrix) -> int:
    """How many blocks of resamples are compared after each other."""
    return 1 + matrix.bootstrap_means.size // BLOCK


def _counted(matrix: ScoreMatrix, blocks: Iterable[Floats], *claims: Claim) -> list[Ints]:
    """How often each claim holds of each pair's difference; blocks are runs × resamples."""
    runs = len(matrix.values)
    counts = [np.zeros(len(matrix.pairs[0]), dtype=np.int64) for _ in claims]
    for block in blocks:
        for first in range(0, block.shape[1], NEAR):
            by_run = np.ascontiguousarray(block[:, first : first + NEAR])
            start = 0
            for run in range(runs - 1):
                pairs = slice(start, start + runs - 1 - run)
                differences = by_run[run] - by_run[run + 1 :]
                for count, claim in zip(counts, claims, strict=True):
                    held = claim(differences, pairs).view(np.uint8)
                    count[pairs] += held.sum(axis=1, dtype=np.uint16)
                start = pairs.stop
    return counts


def _shares(matrix: ScoreMatrix, counts: Ints) -> Floats:
    """Counts as p-values; what was observed counts as one more outcome, so that p is never 0."""
    return (counts + 1) / (matrix.resamples.count + 1)
