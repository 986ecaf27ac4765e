"""How far a campaign of judging has come: what is done, what is left, and how long it takes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

# Seconds without an act after which somebody is taken to have left.
IDLE = 120.0


def active_seconds(times_ms: Iterable[int], idle_seconds: float = IDLE) -> float:
    """How long somebody worked: the gaps between acts, in any order, that are not too long.

    >>> from foveal.judging import active_seconds
    >>> active_seconds([0, 30_000, 600_000, 601_000])
    31.0
    """
    gaps = (later - earlier for earlier, later in pairwise(sorted(times_ms)))
    return sum(gap for gap in gaps if gap <= idle_seconds * 1000) / 1000
