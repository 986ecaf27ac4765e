"""The array types of the analysis, and when two scores count as one."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.str_]

# Scores are ratios of counts: differences below this are rounding, not retrieval.
EQUAL_WITHIN = 1e-12


class Status(StrEnum):
    """What became of a test on one pair."""

    FINE = "fine"
    NO_DIFFERENCE = "no difference"
    """The two runs score the same on every topic: p is 1."""

    CONSTANT = "constant difference"
    """The runs differ by the same amount on every topic: no spread to test against."""

    ONE_TOPIC = "one topic"
    """A single topic: no spread is known."""
