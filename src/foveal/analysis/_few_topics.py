"""What few topics can show: the smallest difference of two means, and the notes that say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from foveal.analysis._significance_test import differing
from foveal.analysis.joint_tests import Anova
from foveal.errors import counted, listed
from foveal.evaluation import shown_group
from foveal.spans import Floats

# Fewer are few.
FEW_TOPICS = 50
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


def few_topics_notes(
    topics: int, of_one: str, of_few: str, shown: str = "are few"
) -> Iterator[str]:
    """Notes: what follows from one topic, or from few; `shown` is what these can show."""
    if topics == 1:
        yield f"one topic says nothing about others: {of_one}"
    elif topics < FEW_TOPICS:
        yield f"{topics} topics {shown or 'are few'}: with fewer than {FEW_TOPICS} {of_few}"


def group_word(name: str) -> str:
    """A group's name as notes quote it."""
    return repr(shown_group(name))


def small_groups(sizes: Mapping[str, int], one: str, few: str) -> Iterator[str]:
    """Which groups have too few topics to say much; `one` and `few` are what follows from it."""
    single = [group_word(name) for name, size in sizes.items() if size == 1]
    if single:
        yield f"{_groups(single)} one topic, which says nothing about others: {one}"
    small = [
        f"{group_word(name)} ({counted(size, 'topic')})"
        for name, size in sizes.items()
        if 1 < size < FEW_TOPICS
    ]
    if small:
        yield f"{_groups(small)} few topics: with fewer than {FEW_TOPICS} {few}"


def _groups(names: list[str]) -> str:
    return f"group {names[0]} has" if len(names) == 1 else f"groups {listed(names)} have"
