"""Power of few topics: the smallest difference of two means that they show, and notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from foveal.analysis._significance_test import differing
from foveal.analysis.joint_tests import Anova
from foveal.errors import and_list, counted
from foveal.evaluation import group_label
from foveal.spans import Floats

# Notes warn of fewer topics.
FEW_TOPICS = 50
POWER = 0.8
HALVINGS = 60


def smallest_difference(values: Floats, alpha: float, pairs: int = 1) -> float:
    """The difference that a two-tailed t-test finds four times in five; NaN if there is none.

    Values are runs × topics. There is none if scores have no spread, or if so few topics differ that
    p, corrected for the pairs, cannot be alpha or less. The spread is that of the differences of two
    runs, or the residual one of the analysis of variance of more. The observed difference does not
    enter: its power would be its p in other words.
    """
    topics = values.shape[1]
    if len(values) < 2 or alpha >= POWER or pairs * 2.0 ** (1 - len(differing(values))) > alpha:
        return np.nan
    # For two runs twice the residual is the variance of the differences.
    spread = np.sqrt(2 * Anova.of(values).residual)
    return float(spread * smallest_effect(topics, alpha))


def smallest_effect(topics: int, alpha: float) -> float:
    """The smallest difference in standard deviations of the differences (Cohen 1988)."""
    from scipy.special import ncfdtr, stdtrit

    critical = stdtrit(topics - 1, 1 - alpha / 2) ** 2
    low, high = 0.0, 1.0
    while 1 - ncfdtr(1, topics - 1, topics * high**2, critical) < POWER:
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        power = 1 - ncfdtr(1, topics - 1, topics * middle**2, critical)
        low, high = (middle, high) if power < POWER else (low, middle)
    return high


def few_topics_notes(
    topics: int, one_topic: str, few_topics: str, power: str = "are few"
) -> Iterator[str]:
    """Note on one topic or few: what follows from that, and the `power` of few."""
    if topics == 1:
        yield f"one topic says nothing about others: {one_topic}"
    elif topics < FEW_TOPICS:
        yield f"{topics} topics {power or 'are few'}: with fewer than {FEW_TOPICS} {few_topics}"


def quoted_group(name: str) -> str:
    """A group's name in quotes."""
    return repr(group_label(name))


def small_group_notes(sizes: Mapping[str, int], one_topic: str, few_topics: str) -> Iterator[str]:
    """Notes: groups with one topic or few, and what follows from that."""
    single = [quoted_group(name) for name, size in sizes.items() if size == 1]
    if single:
        yield f"{_groups_have(single)} one topic, which says nothing about others: {one_topic}"
    small = [
        f"{quoted_group(name)} ({counted(size, 'topic')})"
        for name, size in sizes.items()
        if 1 < size < FEW_TOPICS
    ]
    if small:
        yield f"{_groups_have(small)} few topics: with fewer than {FEW_TOPICS} {few_topics}"


def _groups_have(names: list[str]) -> str:
    return f"group {names[0]} has" if len(names) == 1 else f"groups {and_list(names)} have"
