"""The tail of the studentized range, for thousands of values at once.

scipy integrates it one value at a time, a hundredth of a second each; a hundred runs have 4,950
pairs. Here the range of normal deviates is tabulated once, by Gauss-Legendre quadrature, and
averaged over the estimates that a standard deviation may have.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from foveal.spans import Floats

NODES = 128
# Beyond it, the probability of normal deviates and standard errors is 0 in doubles.
REACH = 9.0
# Interpolation between so many widths is off by less than 1e-7.
WIDTHS = 20_001
WIDTHS_AT_ONCE = 1000
# Halving so often reaches the precision of doubles.
BISECTIONS = 55


def studentized_range_tail(q: Floats, groups: int, freedom: int) -> Floats:
    """The probability that the range of `groups` equal means exceeds q standard errors."""
    scales, weights = _scales(freedom)
    widths, tails = _normal_ranges(groups)
    by_scale: Floats = np.interp(q[:, None] * scales, widths, tails, right=0.0)
    return np.asarray((by_scale * weights).sum(axis=1))


def studentized_range_reach(share: float, groups: int, freedom: int) -> float:
    """The standard errors that the range of `groups` equal means exceeds with probability `share`."""
    reach = 1.0
    while studentized_range_tail(np.array([reach]), groups, freedom)[0] > share:
        reach *= 2
    low, high = 0.0, reach
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        beyond = studentized_range_tail(np.array([middle]), groups, freedom)[0]
        low, high = (middle, high) if beyond > share else (low, middle)
    return high


# Every measure of a comparison has the same number of runs.
@lru_cache(maxsize=1)
def _normal_ranges(groups: int) -> tuple[Floats, Floats]:
    """Widths, and the probability that the range of normal deviates exceeds each."""
    widths = np.linspace(0, 2 * REACH, WIDTHS)
    blocks = np.split(widths, range(WIDTHS_AT_ONCE, WIDTHS, WIDTHS_AT_ONCE))
    return widths, np.concatenate([_normal_range_tail(block, groups) for block in blocks])


def _nodes(low: float, high: float) -> tuple[Floats, Floats]:
    nodes, weights = _legendre()
    half = (high - low) / 2
    return low + half * (nodes + 1), half * weights


# Computing the nodes decomposes a matrix, which takes longer than all else here.
@lru_cache(maxsize=1)
def _legendre() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(NODES)


def _scales(freedom: int) -> tuple[Floats, Floats]:
    """Estimates of a standard deviation of 1, and how likely each is."""
    from scipy.special import gammaln

    spread = REACH / np.sqrt(2 * freedom)
    scales, weights = _nodes(max(0.0, 1 - spread), 1 + spread)
    half = freedom / 2
    density = half * np.log(freedom) - gammaln(half) - (half - 1) * np.log(2)
    density = density + (freedom - 1) * np.log(scales) - half * scales**2
    return scales, weights * np.exp(density)


def _normal_range_tail(widths: Floats, groups: int) -> Floats:
    """The probability that the range of normal deviates exceeds each width."""
    from scipy.special import ndtr

    highest, weights = _nodes(-REACH, REACH)
    weights = weights * np.exp(-(highest**2) / 2) / np.sqrt(2 * np.pi) * groups
    # All others lie within a width below the highest.
    inside = ndtr(highest) - ndtr(highest - widths[:, None])
    return np.asarray(1 - (inside ** (groups - 1) * weights).sum(axis=1))
