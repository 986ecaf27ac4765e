"""Confidence intervals of means and of differences of means.

`outside` is the share of the distribution outside the interval, at either end: half of alpha for a
two-tailed test, all of it for a one-tailed one, where only one end matters.
"""

from __future__ import annotations

import numpy as np

from foveal.analysis._resamples import BLOCK
from foveal.analysis._significance_test import ScoreMatrix
from foveal.analysis._studentized_range import studentized_range_reach
from foveal.analysis.joint_tests import Anova
from foveal.analysis.paired_tests import Status, statuses
from foveal.choices import Interval
from foveal.spans import Floats
from foveal.tables import EQUAL_WITHIN, columns
from foveal.work import stage

Bounds = tuple[Floats, Floats]
# Intervals that reach equally far to either side, perhaps beyond a measure's bounds.
SYMMETRIC = frozenset({Interval.T, Interval.ANOVA})


def mean_intervals(matrix: ScoreMatrix, kind: Interval, outside: float) -> Bounds:
    """The bounds of every run's mean; NaN for one topic."""
    values = matrix.values
    if kind in SYMMETRIC:
        # The analysis of variance leaves topics out, and a mean varies with them.
        return _symmetric(matrix, Interval.T, outside, values.mean(axis=1), _errors(values))
    return _resampled(kind, outside, matrix.bootstrap_means, values)


def difference_intervals(
    matrix: ScoreMatrix, kind: Interval, outside: float, *, together: bool = False
) -> Bounds:
    """The bounds of every pair's difference; a bound that is 0 but for rounding is 0.

    Intervals of the analysis of variance can hold for all pairs `together` (Tukey).
    """
    if kind in SYMMETRIC:
        centre, errors = matrix.differences, matrix.over_pairs(_errors_of_differences)
        bounds = _symmetric(matrix, kind, outside, centre, errors, together=together)
    else:
        bounds = _resampled_differences(matrix, kind, outside)
    low, high = np.where(np.abs(bounds) <= matrix.slack, 0.0, bounds)
    return low, high


def bounded(bounds: Bounds, sign: float, minimum: float, maximum: float) -> dict[str, Floats]:
    """Intervals with the measure's sign restored, cut at its bounds."""
    low, high = bounds if sign > 0 else (0.0 - bounds[1], 0.0 - bounds[0])
    return {columns.LOW: np.maximum(low, minimum), columns.HIGH: np.minimum(high, maximum)}


def count_outside(count: int, outside: float) -> int:
    """The number of `count` resampled means at or beyond a bound.

    As in the bootstrap test: with one more beyond 0, its p would exceed the share.
    """
    return int(np.count_nonzero(np.arange(1, count + 1) / (count + 1) <= outside))


def _errors(values: Floats) -> Floats:
    """Standard errors of means over the last axis."""
    topics = values.shape[-1]
    if topics == 1:
        return np.full(len(values), np.nan)
    error: Floats = values.std(axis=-1, ddof=1) / np.sqrt(topics)
    return error


def _errors_of_differences(differences: Floats) -> Floats:
    """Standard errors; NaN for constant differences, which t cannot test either."""
    errors = _errors(differences)
    return np.where(statuses(differences) == Status.CONSTANT, np.nan, errors)


def _symmetric(
    matrix: ScoreMatrix,
    kind: Interval,
    outside: float,
    centre: Floats,
    errors: Floats,
    *,
    together: bool = False,
) -> Bounds:
    """Bounds by standard errors: the given ones, or the analysis of variance's of a difference."""
    from scipy.special import stdtrit

    freedom = matrix.topics - 1
    if kind is Interval.ANOVA:
        anova = Anova.of(matrix.values)
        freedom = anova.freedom
        errors = np.full(len(centre), np.sqrt(2 * anova.residual / matrix.topics))
    if freedom == 0:
        return np.full(len(centre), np.nan), np.full(len(centre), np.nan)
    if together and kind is Interval.ANOVA:
        # The studentized range counts standard errors of a mean, not of a difference.
        reach = studentized_range_reach(2 * outside, len(matrix.values), freedom) / np.sqrt(2)
    else:
        reach = stdtrit(freedom, 1 - outside)
    return centre - reach * errors, centre + reach * errors


def _resampled_differences(matrix: ScoreMatrix, kind: Interval, outside: float) -> Bounds:
    """The bounds of differences, a bounded number of pairs at a time."""
    means, values = matrix.bootstrap_means, matrix.values
    runs, count = means.shape
    step = max(1, BLOCK // count)
    bounds = []
    with stage("finding intervals", len(matrix.differences)) as advance:
        for run in range(runs - 1):
            for start in range(run + 1, runs, step):
                worse = slice(start, start + step)
                differences, by_topic = means[run] - means[worse], values[run] - values[worse]
                bounds.append(_resampled(kind, outside, differences, by_topic))
                advance(len(by_topic))
    low, high = (np.concatenate(side) for side in zip(*bounds, strict=True))
    return low, high


def _resampled(kind: Interval, outside: float, means: Floats, values: Floats) -> Bounds:
    """Bounds among the resampled means (k × resamples) of values (k × topics)."""
    count = means.shape[1]
    beyond = count_outside(count, outside)
    if not beyond or values.shape[1] == 1:
        # So few resamples, or topics, do not show the end of such a small share.
        return np.full(len(values), np.nan), np.full(len(values), np.nan)
    if kind is Interval.PERCENTILE:
        ends = [beyond - 1, count - beyond]
        low, high = np.partition(means, ends, axis=1)[:, ends].T
        return low, high
    shares = np.repeat(np.array([[outside], [1 - outside]]), len(values), axis=1)
    spread = np.ptp(values, axis=1) > EQUAL_WITHIN
    shares[:, spread] = _accelerated(shares[:, 0], means[spread], values[spread])
    low_rank, high_rank = shares * (count + 1)
    indices = np.stack([np.floor(low_rank), np.ceil(high_rank)], axis=1).astype(int) - 1
    ordered = np.sort(means, axis=1)
    low, high = np.take_along_axis(ordered, indices.clip(0, count - 1), axis=1).T
    return low, high


def _accelerated(tails: Floats, means: Floats, values: Floats) -> Floats:
    """The percentiles that correct for bias and for acceleration (Efron 1987)."""
    from scipy.special import ndtr, ndtri

    observed = values.mean(axis=1)
    count = means.shape[1]
    differences = means - observed[:, None]
    below = ((differences < 0).sum(axis=1) + (differences <= 0).sum(axis=1)) / 2
    # Half a resample from the ends, where the deviate would be infinite.
    bias = ndtri(np.clip(below / count, 0.5 / count, 1 - 0.5 / count))
    pull = values - observed[:, None]
    cubes, squares = (pull**3).sum(axis=1), (pull**2).sum(axis=1)
    # The mean without one topic moves by that topic's pull over n - 1, the other way.
    acceleration = cubes / (6 * squares**1.5)
    shifted = bias + ndtri(tails)[:, None]
    shares: Floats = ndtr(bias + shifted / (1 - acceleration * shifted))
    return shares
