"""The input of significance tests, and their records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from foveal.analysis._resamples import BLOCK, Resamples
from foveal.choices import Interval, Tail
from foveal.frozen import frozen
from foveal.registry import Registry
from foveal.spans import Floats, Ints
from foveal.tables import EQUAL_WITHIN

Words = NDArray[np.str_]
Kernel = Callable[["ScoreMatrix"], Floats]
Array = TypeVar("Array", Floats, Ints, Words)


@frozen(eq=False)
class ScoreMatrix:
    """One measure's values, runs × topics, the better mean first, and how to test its pairs.

    Pairs are (1, 2), (1, 3) … (2, 3) …, so that the first of a pair is never the worse.
    """

    values: Floats
    tail: Tail
    resamples: Resamples
    by_name: Ints
    """The indices of the runs in order of name, which does not depend on scores."""

    @cached_property
    def differing(self) -> Ints:
        """The indices of the topics on which any runs differ."""
        return differing(self.values)

    @property
    def topics(self) -> int:
        """The number of topics."""
        return int(self.values.shape[1])

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """The indices of the better and the worse run of every pair."""
        better, worse = np.triu_indices(len(self.values), k=1)
        return better, worse

    @cached_property
    def differences(self) -> Floats:
        """The better mean less the worse, for every pair."""
        means = self.values.mean(axis=1)
        better, worse = self.pairs
        ahead: Floats = means[better] - means[worse]
        return ahead

    @cached_property
    def bootstrap_means(self) -> Floats:
        """Every run's mean in every resample of the topics: runs × resamples."""
        totals = [weights @ self.values.T for weights in self.resamples.bootstrap(self.topics)]
        return np.ascontiguousarray(np.concatenate(totals).T) / self.topics

    @property
    def slack(self) -> float:
        """Means closer than this are equal, so that rounding does not decide."""
        return slack(self.values)

    def over_pairs(self, statistic: Callable[[Floats], Array]) -> Array:
        """A statistic of the pairs' differences, pairs × topics, a bounded number of pairs at a time."""
        better, worse = self.pairs
        step = max(1, BLOCK // self.topics)
        parts = [
            statistic(
                self.values[better[start : start + step]] - self.values[worse[start : start + step]]
            )
            for start in range(0, len(better), step)
        ]
        return np.concatenate(parts, axis=-1)


def slack(values: Floats) -> float:
    """Scores closer than this are equal."""
    return EQUAL_WITHIN * max(1.0, float(np.abs(values).max()))


def differing(values: Floats) -> Ints:
    """The indices of the topics on which any runs differ; values are runs × topics."""
    return np.flatnonzero(np.ptp(values, axis=0) > slack(values))


@frozen(eq=False)
class TestRecord:
    """A significance test: its name, what it assumes, and its kernel.

    The kernel gives one p-value per pair, NaN if there is no spread to test against.
    """

    __test__ = False  # pytest collects classes whose name begins with Test.

    name: str
    title: str
    sentence: str
    cite: str
    kernel: Kernel
    advice: str = ""
    tails: tuple[Tail, ...] = field(default=(Tail.TWO, Tail.ONE))
    """The tails it offers, its default first."""

    interval: Interval | None = None
    """The kind of interval that excludes 0 exactly where the test finds a difference, if any."""

    resampled: bool = False
    flips: bool = False
    """Its resamples are signs of topics: if there are few, all are used and p is exact."""

    doubles_tails: bool = False
    """Two-tailed, its p is twice that of the smaller tail."""

    joint: bool = False
    """It tests all runs together: effects are relative to the residual variance of its model."""

    corrected: bool = False
    """Its p-values already hold for all pairs together."""

    shows_variance: bool = False
    """The table of variance is part of its result."""

    @property
    def usual_interval(self) -> Interval:
        """The default kind of interval with this test."""
        return self.interval or (Interval.ANOVA if self.joint else Interval.T)


TESTS: Registry[TestRecord] = Registry("test")


def significance_test(**fields: Any) -> Callable[[Kernel], Kernel]:
    """Register the decorated kernel as a test; its docstring is the test's sentence."""
    return TESTS.registering(TestRecord, **fields)
