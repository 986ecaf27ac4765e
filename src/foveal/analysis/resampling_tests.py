"""Tests that ask what chance alone would do."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from foveal.analysis._resamples import BLOCK
from foveal.analysis._significance_test import ScoreMatrix, significance_test
from foveal.choices import Interval, Tail
from foveal.spans import Bools, Floats, Ints

PLACE_IN_LISTS = 10
# So few resamples that their differences stay in the processor's cache and counts fit 16 bits.
CACHED = 1024
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
        # Every resample is the one topic, so that the better run is always ahead: this tests nothing.
        return np.where(np.abs(matrix.differences) <= matrix.slack, 1.0, np.nan)
    blocks = np.array_split(matrix.bootstrap_means, _block_count(matrix), axis=1)
    slack = matrix.slack
    behind, ahead = _claim_counts(
        matrix, blocks, lambda means, pairs: means <= slack, lambda means, pairs: means >= -slack
    )
    if matrix.tail is Tail.ONE:
        return _p_values(matrix, behind)
    return np.minimum(1.0, 2 * _p_values(matrix, np.minimum(behind, ahead)))


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
    # Topics on which no runs differ change no difference.
    values = matrix.values[:, matrix.differing] if takes_all else matrix.values
    count = values.shape[1]
    flips = matrix.resamples.all_flips(count) if takes_all else matrix.resamples.flips(count)
    blocks = ((signs @ values.T / matrix.topics).T for signs in flips)
    both = matrix.tail is Tail.TWO
    observed = (np.abs(matrix.differences) if both else matrix.differences) - matrix.slack
    claims: tuple[Claim, ...] = (
        lambda means, pairs: means >= observed[pairs, None],
        # The differences with all signs reversed.
        lambda means, pairs: -means >= observed[pairs, None],
    )
    if both:
        claims = (lambda means, pairs: np.abs(means) >= observed[pairs, None],)
    if takes_all:
        shares: Floats = np.mean(_claim_counts(matrix, blocks, *claims), axis=0)
        shares /= 2.0 ** max(0, count - 1)
        return shares
    return _p_values(matrix, _claim_counts(matrix, blocks, claims[0])[0])


def _block_count(matrix: ScoreMatrix) -> int:
    """The number of blocks into which the resamples are split."""
    return 1 + matrix.bootstrap_means.size // BLOCK


def _claim_counts(matrix: ScoreMatrix, blocks: Iterable[Floats], *claims: Claim) -> list[Ints]:
    """Counts of the resamples in which a claim holds, by claim and pair; blocks are runs × resamples."""
    runs = len(matrix.values)
    counts = [np.zeros(len(matrix.pairs[0]), dtype=np.int64) for _ in claims]
    for block in blocks:
        for offset in range(0, block.shape[1], CACHED):
            by_run = np.ascontiguousarray(block[:, offset : offset + CACHED])
            start = 0
            for run in range(runs - 1):
                pairs = slice(start, start + runs - 1 - run)
                differences = by_run[run] - by_run[run + 1 :]
                for count, claim in zip(counts, claims, strict=True):
                    holds = claim(differences, pairs).view(np.uint8)
                    count[pairs] += holds.sum(axis=1, dtype=np.uint16)
                start = pairs.stop
    return counts


def _p_values(matrix: ScoreMatrix, counts: Ints) -> Floats:
    """Counts as p-values; the observation counts as one more resample, so that p is never 0."""
    return (counts + 1) / (matrix.resamples.count + 1)
