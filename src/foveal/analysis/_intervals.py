"""Confidence intervals of means and of differences of means."""

from __future__ import annotations

import numpy as np

from foveal.analysis._resamples import Resamples
from foveal.analysis._topic_values import EQUAL_WITHIN
from foveal.analysis._trial import Trial
from foveal.analysis.joint_tests import Anova
from foveal.choices import Interval
from foveal.errors import UsageError
from foveal.spans import Floats

Bounds = tuple[Floats, Floats]


def checked_alpha(alpha: float) -> float:
    """A significance level, refused if it is none."""
    if not 0 < alpha < 1:
        raise UsageError(f"alpha lies between 0 and 1, not at {alpha:g}")
    return alpha


def mean_intervals(trial: Trial, kind: Interval, level: float) -> Bounds:
    """The bounds of every run's mean; not a number where one topic leaves them unknown."""
    values = trial.values
    if kind in {Interval.T, Interval.ANOVA}:
        return _symmetric(trial, kind, level, values.mean(axis=1), _errors(values), 1)
    return _resampled(kind, level, _bootstrap_means(values, trial.resamples), values)


def difference_intervals(trial: Trial, kind: Interval, level: float) -> Bounds:
    """The bounds of every pair's difference."""
    if kind in {Interval.T, Interval.ANOVA}:
        return _symmetric(trial, kind, level, trial.differences, trial.over_pairs(_errors), 2)
    means = _bootstrap_means(trial.values, trial.resamples)
    bounds = [
        _resampled(
            kind, level, means[:, [run]] - means[:, run + 1 :], own - trial.values[run + 1 :]
        )
        for run, own in enumerate(trial.values[:-1])
    ]
    low, high = (np.concatenate(side) for side in zip(*bounds, strict=True))
    return low, high


def _errors(values: Floats) -> Floats:
    """Standard errors of means over the last axis."""
    topics = values.shape[-1]
    if topics == 1:
        return np.full(len(values), np.nan)
    error: Floats = values.std(axis=-1, ddof=1) / np.sqrt(topics)
    return error


def _symmetric(  # one formula's letters
    trial: Trial, kind: Interval, level: float, centre: Floats, errors: Floats, terms: int
) -> Bounds:
    """T standard errors to either side; `terms` means enter each centre."""
    from scipy.special import stdtrit

    freedom = trial.topics - 1
    if kind is Interval.ANOVA:
        found = Anova.of(trial.values)
        freedom = found.freedom
        errors = np.full(len(centre), np.sqrt(terms * found.residual / trial.topics))
    if freedom == 0:
        return np.full(len(centre), np.nan), np.full(len(centre), np.nan)
    margin = stdtrit(freedom, (1 + level) / 2) * errors
    return centre - margin, centre + margin


def _bootstrap_means(values: Floats, resamples: Resamples) -> Floats:
    """Every run's mean in every resample of the topics: resamples × runs."""
    topics = values.shape[1]
    totals = [weights @ values.T for weights in resamples.bootstrap(topics)]
    means: Floats = np.concatenate(totals) / topics
    return means


def _resampled(kind: Interval, level: float, means: Floats, values: Floats) -> Bounds:
    """Percentiles of resampled means (resamples × k) of values (k × topics)."""
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    shares = np.repeat(tails[:, None], len(values), axis=1)
    spread = np.ptp(values, axis=1) > EQUAL_WITHIN
    if kind is Interval.BCA:
        shares[:, spread] = _accelerated(tails, means[:, spread], values[spread])
    ordered = np.sort(means, axis=0)
    place = shares * (len(ordered) - 1)
    below = np.floor(place).astype(int)
    above = np.minimum(below + 1, len(ordered) - 1)
    column = np.arange(len(values))
    part = place - below
    bounds = ordered[below, column] * (1 - part) + ordered[above, column] * part
    if values.shape[1] == 1:
        bounds = np.full_like(bounds, np.nan)
    return bounds[0], bounds[1]


def _accelerated(tails: Floats, means: Floats, values: Floats) -> Floats:
    """The percentiles that correct for bias and for acceleration (Efron 1987)."""
    from scipy.special import ndtr, ndtri

    observed = values.mean(axis=1)
    below = ((means < observed).sum(axis=0) + (means <= observed).sum(axis=0)) / 2
    # Half a resample from the ends, where the deviate would be infinite.
    bias = ndtri(np.clip(below / len(means), 0.5 / len(means), 1 - 0.5 / len(means)))
    pull = values - observed[:, None]
    cubes, squares = (pull**3).sum(axis=1), (pull**2).sum(axis=1)
    # The mean without one topic moves by that topic's pull over n - 1, the other way.
    acceleration = cubes / (6 * squares**1.5)
    shifted = bias + ndtri(tails)[:, None]
    found: Floats = ndtr(bias + shifted / (1 - acceleration * shifted))
    return found
