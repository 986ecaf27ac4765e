"""The smallest difference of two means that so many topics can show."""

from __future__ import annotations

import numpy as np

from foveal.analysis._significance_test import differing
from foveal.analysis.joint_tests import Anova
from foveal.spans import Floats

POWER = 0.8
HALVINGS = 60


def smallest_difference(values: Floats, alpha: float, pairs: int = 1) -> float:
    """The difference that a two-tailed t-test finds four times in five; NaN if there is none.

    There is none if scores have no spread, or so few topics differ that swapping runs is never rare,
    were p corrected for so many pairs. Values are runs × topics. Two runs have the spread of their differences, more that of what the
    analysis of variance leaves unexplained. The difference that was observed does not enter: its
    power would be its p in other words.
    """
    topics = values.shape[1]
    if len(values) < 2 or alpha >= POWER or pairs * 2.0 ** (1 - len(differing(values))) > alpha:
        return np.nan
    # For two runs twice the residual is the variance of the differences.
    spread = np.sqrt(2 * Anova.of(values).residual)
    return float(spread * smallest_effect(topics, alpha))


def smallest_effect(topics: int, alpha: float) -> float:
    """The same as a share of the standard deviation of the differences (Cohen 1988)."""
    from scipy.special import ncfdtr, stdtrit

    critical = stdtrit(topics - 1, 1 - alpha / 2) ** 2
    low, high = 0.0, 1.0
    while 1 - ncfdtr(1, topics - 1, topics * high**2, critical) < POWER:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        found = 1 - ncfdtr(1, topics - 1, topics * middle**2, critical)
        low, high = (middle, high) if found < POWER else (low, middle)
    return high
