"""Tests that ask what chance alone would do."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from foveal.analysis._resamples import BLOCK
from foveal.analysis._significance_test import Trial, significance_test
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
def bootstrap(trial: Trial) -> Floats:
    """How often the better run would not be ahead if the topics were drawn again."""
    if trial.topics == 1:
        # The one topic would be drawn every time, and the better run would always be ahead.
        return np.where(np.abs(trial.differences) <= trial.slack, 1.0, np.nan)
    blocks = np.array_split(trial.bootstrap_means, _many(trial), axis=1)
    slack = trial.slack
    behind, ahead = _counted(
        trial,
        blocks,
        lambda means, pairs: means <= slack,
        lambda means, pairs: means >= -slack,
    )
    if trial.tail is Tail.ONE:
        return _shares(trial, behind)
    return np.minimum(1.0, 2 * _shares(trial, np.minimum(behind, ahead)))


@significance_test(
    name="randomization",
    title="Fisher's randomisation test",
    cite="Fisher 1935; Smucker et al. 2007",
    resampled=True,
    flips=True,
    advice="Assumes only that, without a real difference, the two runs could be swapped on any topic.",
)
def randomization(trial: Trial) -> Floats:
    """How often swapping the two runs on random topics gives a difference as large."""
    takes_all = trial.resamples.takes_all_flips(len(trial.differing))
    # Topics on which nothing differs change no mean.
    values = trial.values[:, trial.differing] if takes_all else trial.values
    count = values.shape[1]
    flips = trial.resamples.all_flips(count) if takes_all else trial.resamples.flips(count)
    blocks = ((signs @ values.T / trial.topics).T for signs in flips)
    both = trial.tail is Tail.TWO
    observed = (np.abs(trial.differences) if both else trial.differences) - trial.slack
    claims: tuple[Claim, ...] = (
        lambda means, pairs: means >= observed[pairs, None],
        # What the opposite signs give.
        lambda means, pairs: -means >= observed[pairs, None],
    )
    if both:
        claims = (lambda means, pairs: np.abs(means) >= observed[pairs, None],)
    if takes_all:
        shares: Floats = np.mean(_counted(trial, blocks, *claims), axis=0)
        shares /= 2.0 ** max(0, count - 1)
        return shares
    return _shares(trial, _counted(trial, blocks, claims[0])[0])


def _many(trial: Trial) -> int:
    """How many blocks of resamples are compared after each other."""
    return 1 + trial.bootstrap_means.size // BLOCK


def _counted(trial: Trial, blocks: Iterable[Floats], *claims: Claim) -> list[Ints]:
    """How often each claim holds of each pair's difference; blocks are runs × resamples."""
    runs = len(trial.values)
    counts = [np.zeros(len(trial.pairs[0]), dtype=np.int64) for _ in claims]
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


def _shares(trial: Trial, counts: Ints) -> Floats:
    """Counts as p-values; what was observed counts as one more outcome, so that p is never 0."""
    return (counts + 1) / (trial.resamples.count + 1)
