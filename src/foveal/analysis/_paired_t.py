"""Student's paired t-test, of many pairs at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from foveal.analysis._types import EQUAL_WITHIN, Floats, Status, Words


@dataclass(frozen=True, eq=False)
class PairedT:
    """One entry per pair: mean difference, its standard deviation, t, two-sided p, and status.

    p is 1 where nothing differs and not a number where there is no spread to test against.
    """

    mean: Floats
    deviation: Floats
    t: Floats
    p: Floats
    status: Words


def paired_t(differences: Floats) -> PairedT:
    """The t-test of differences, topics along the last axis."""
    from scipy.special import stdtr

    differences = np.asarray(differences, dtype=float)
    topics = differences.shape[-1]
    status = statuses(differences)
    fine = status == Status.FINE
    mean = differences.mean(axis=-1)
    deviation = differences.std(axis=-1, ddof=1) if topics > 1 else np.full(mean.shape, np.nan)
    error = np.where(fine, deviation, 1.0) / np.sqrt(topics)
    t = np.where(fine, mean / error, np.nan)
    # Far out the tail rounds to 0, which no p is.
    tails = np.maximum(2 * stdtr(max(topics - 1, 1), -np.abs(t)), np.finfo(float).tiny)
    p = np.where(fine, tails, np.where(status == Status.NO_DIFFERENCE, 1.0, np.nan))
    return PairedT(mean, deviation, t, p, status)


def statuses(differences: Floats) -> Words:
    """What can be said of each pair before any test."""
    nothing = (np.abs(differences) <= EQUAL_WITHIN).all(axis=-1)
    constant = np.ptp(differences, axis=-1) <= EQUAL_WITHIN
    otherwise = Status.ONE_TOPIC if differences.shape[-1] == 1 else Status.CONSTANT
    return np.select(
        [nothing, constant],
        [np.array(Status.NO_DIFFERENCE.value), np.array(otherwise.value)],
        np.array(Status.FINE.value),
    )
