"""All pairs of runs tested by resampling, against scipy testing them one by one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import combinations, islice
from pathlib import Path

import numpy as np
from scipy.stats import permutation_test

from benchmarks._measured import measured
from foveal.analysis import compare
from foveal.conventions import TestName
from foveal.evaluation import RunScores, Scores

RUNS, TOPICS, RESAMPLES = 20, 111, 100_000
# scipy takes minutes for all 190 pairs: it is timed on some of them, and its time scaled.
SCIPY_PAIRS = 10
LARGE = """
import sys
from benchmarks.compare import scores_of, values_of
from foveal.analysis import compare
test, runs, topics, resamples = sys.argv[1], *map(int, sys.argv[2:])
compare(scores_of(values_of(runs, topics)), test=test, resamples=resamples)
"""


def values_of(runs: int, topics: int) -> np.ndarray:
    """Scores of runs of different quality on topics of different difficulty."""
    rng = np.random.default_rng(2007)
    quality = rng.random(topics) * 0.5 + rng.random(runs)[:, None] * 0.2
    return np.asarray(quality + rng.normal(0, 0.1, (runs, topics)))


def scores_of(values: np.ndarray) -> Scores:
    """The values, runs × topics, as a table of scores."""
    topics = [str(n) for n in range(values.shape[1])]
    runs = [
        RunScores(f"run{n}", topics, run_values[None, :], [float(run_values.mean())])
        for n, run_values in enumerate(values)
    ]
    return Scores(["AP"], runs)


def figures(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Rows: the subject measured, its figure and the target."""
    values = values_of(RUNS, TOPICS)
    scores = scores_of(values)
    pairs = RUNS * (RUNS - 1) // 2
    scipy_seconds = _seconds(lambda: _scipy(values)) * pairs / SCIPY_PAIRS
    yield (
        f"scipy.stats.permutation_test, {pairs} pairs, from {SCIPY_PAIRS}",
        f"{scipy_seconds:.0f} s",
        "",
    )
    for test in ("randomization", "bootstrap"):

        def run_compare(test: TestName = test) -> None:
            compare(scores, test=test, tail="two", resamples=RESAMPLES)

        seconds = min(_seconds(run_compare) for _ in range(3))
        yield f"{test}, {pairs} pairs × {RESAMPLES:,}", f"{seconds:.2f} s", ""
        yield "… scipy takes longer by", f"{scipy_seconds / seconds:.0f}×", "≥ 100×"
    for test, shape, target in (
        ("tukey-rand", (100, 100, 10_000), "≤ 10 s"),
        ("bootstrap", (100, 1000, 100_000), ""),
    ):
        words = [sys.executable, "-c", LARGE, test, *map(str, shape)]
        measurement = measured(words, repeats=1)
        label = " × ".join(f"{number:,}" for number in shape)
        yield f"{test}, {label}, start included", f"{measurement.seconds:.1f} s", target
        yield "… peak memory", f"{measurement.megabytes:.0f} MB", "≤ 1,000 MB"


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _scipy(values: np.ndarray) -> None:
    for pair in islice(combinations(values, 2), SCIPY_PAIRS):
        permutation_test(
            pair,
            lambda first, second, axis: np.mean(first - second, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=RESAMPLES,
            batch=10_000,
            rng=np.random.default_rng(2007),
        )
