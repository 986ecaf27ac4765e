"""Differences of harmonic numbers, exact to the last digits for any number of terms."""

from __future__ import annotations

import numpy as np

from foveal.spans import Floats, Ints

# From here on the series below is exact to the last digit of a double.
LARGE = 64
FIRST: Floats = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, LARGE + 1))])


def harmonic_between(before: Ints, terms: Ints) -> Floats:
    """The sum of 1 / (before + j) over j = 1 … terms: ψ(before + terms + 1) - ψ(before + 1)."""
    last = before + terms
    few = FIRST[np.minimum(last, LARGE)] - FIRST[np.minimum(before, LARGE)]
    first, last = np.maximum(before, LARGE), np.maximum(last, LARGE)
    # H(n) = ln n + γ + r(n): the logarithms are subtracted before they are rounded.
    many = np.log1p((last - first) / first) + (_remainder(last) - _remainder(first))
    between: Floats = few + many
    return between


def _remainder(number: Ints) -> Floats:
    """What the n-th harmonic number has beyond ln n + γ."""
    square = 1.0 / number.astype(np.float64) ** 2
    remainder: Floats = 0.5 / number - square * (1 / 12 - square * (1 / 120 - square / 252))
    return remainder
