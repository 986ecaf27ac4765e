"""Intervals and bands against scipy, textbook formulas, and resamples drawn without our help."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy import stats

import foveal
from tests.cli import small_world
from tests.cli.small_world import QRELS, RUNS, asked, document
from tests.scored import scores_of, simulated

Floats = NDArray[np.float64]
Bounds = dict[tuple[str, ...], tuple[float, float]]
ALPHAS = [0.05, 0.32]
MANY = 20_000
# Skewed, so that no symmetric interval passes for one that is not.
RUNS_BY_TOPIC = {
    name: np.asarray(values) ** 2 for name, values in simulated(4, 30, spread=0.2).items()
}


def _bounds(frame: pl.DataFrame, *key: str) -> Bounds:
    return {tuple(row[:-2]): row[-2:] for row in frame.select(*key, "low", "high").iter_rows()}


def _found(interval: str, alpha: float, tail: str) -> tuple[Bounds, Bounds]:
    """The intervals of all means, and of all differences."""
    scores = scores_of(RUNS_BY_TOPIC)
    compared = foveal.compare(
        scores, interval=interval, alpha=alpha, tail=tail, correct="none", resamples=MANY
    )
    return _bounds(compared.means, "run"), _bounds(compared.effects, "better", "worse")


def _level(alpha: float, tail: str) -> float:
    """The level of a difference: beside a one-tailed test alpha is left out at either end."""
    return 1 - 2 * alpha if tail == "one" else 1 - alpha


def _differences() -> dict[tuple[str, str], Floats]:
    best_first = sorted(RUNS_BY_TOPIC, key=lambda name: -RUNS_BY_TOPIC[name].mean())
    return {
        (one, other): RUNS_BY_TOPIC[one] - RUNS_BY_TOPIC[other]
        for one, other in combinations(best_first, 2)
    }


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("tail", ["one", "two"])
def test_t_intervals_are_scipys(alpha: float, tail: str) -> None:
    means, differences = _found("t", alpha, tail)

    def expected(values: Floats, level: float) -> tuple[float, float]:
        error = stats.sem(values)
        low, high = stats.t.interval(level, len(values) - 1, values.mean(), error)
        return low, high

    assert len(means) == 4
    for name, values in RUNS_BY_TOPIC.items():
        assert means[(name,)] == pytest.approx(expected(values, 1 - alpha))
    assert set(differences) == set(_differences())
    for pair, values in _differences().items():
        assert differences[pair] == pytest.approx(expected(values, _level(alpha, tail)))


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("tail", ["one", "two"])
def test_intervals_of_the_analysis_of_variance_are_the_textbooks(alpha: float, tail: str) -> None:
    """Tague-Sutcliffe and Blustein 1995: t of the residual's freedom times its standard error."""
    means, differences = _found("anova", alpha, tail)
    table = np.array(list(RUNS_BY_TOPIC.values()))
    runs, topics = table.shape
    residual = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    freedom = (runs - 1) * (topics - 1)
    variance = (residual**2).sum() / freedom
    wider = stats.t.ppf((1 + _level(alpha, tail)) / 2, freedom)
    # The model leaves topics out; a mean varies with them, so its own spread is what counts.
    for name, values in RUNS_BY_TOPIC.items():
        low, high = stats.t.interval(1 - alpha, topics - 1, values.mean(), stats.sem(values))
        assert means[(name,)] == pytest.approx((low, high))
    for pair, values in _differences().items():
        margin, centre = wider * np.sqrt(2 * variance / topics), values.mean()
        assert differences[pair] == pytest.approx((centre - margin, centre + margin))


@pytest.mark.parametrize("alpha", ALPHAS)
def test_intervals_beside_tukeys_test_reach_as_far_as_the_studentized_range(alpha: float) -> None:
    scores = scores_of(RUNS_BY_TOPIC)
    for test in ("tukey", "tukey-rand"):
        found = foveal.compare(scores, test=test, alpha=alpha, resamples=200)
        for name, (low, high) in _bounds(found.means, "run").items():
            values = RUNS_BY_TOPIC[name[0]]
            ends = stats.t.interval(1 - alpha, len(values) - 1, values.mean(), stats.sem(values))
            assert (low, high) == pytest.approx(tuple(ends))
        table = np.array(list(RUNS_BY_TOPIC.values()))
        runs, topics = table.shape
        freedom = (runs - 1) * (topics - 1)
        (residual,) = found.anova.filter(source="residual")["squares"]
        critical = stats.studentized_range.ppf(1 - alpha, runs, freedom)
        margin = critical * np.sqrt(residual / freedom / topics)
        for pair, (low, high) in _bounds(found.effects, "better", "worse").items():
            centre = _differences()[pair[0], pair[1]].mean()
            assert (low, high) == pytest.approx((centre - margin, centre + margin), abs=1e-6)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(
    ("method", "tail"),
    [("percentile", "one"), ("percentile", "two"), ("bca", "one"), ("bca", "two")],
)
def test_bootstrap_intervals_hold_at_every_level(method: str, tail: str, alpha: float) -> None:
    means, differences = _found(method, alpha, tail)

    def check(found: tuple[float, float], values: Floats, level: float) -> None:
        theirs = stats.bootstrap(
            (values,), np.mean, n_resamples=MANY, method=method, confidence_level=level,
            rng=np.random.default_rng(8),
        ).confidence_interval  # fmt: skip
        # Far less than between levels of 95 and 90 %, a third of a standard error.
        assert found == pytest.approx(tuple(theirs), abs=0.1 * stats.sem(values))

    for name, values in list(RUNS_BY_TOPIC.items())[:2]:
        check(means[(name,)], values, 1 - alpha)
    pair, values = next(iter(_differences().items()))
    check(differences[pair], values, _level(alpha, tail))


@pytest.mark.parametrize("interval", ["t", "anova", "percentile", "bca"])
def test_where_less_is_better_the_bounds_are_still_those_of_the_measure(interval: str) -> None:
    more = foveal.compare(scores_of(RUNS_BY_TOPIC), interval=interval)
    less = foveal.compare(scores_of(RUNS_BY_TOPIC, "ESL(rels=1)"), interval=interval)
    assert less.ranking("ESL(rels=1)") == more.ranking("AP")[::-1]
    ours, theirs = _bounds(less.means, "run"), _bounds(more.means, "run")
    for name, bounds in ours.items():
        assert bounds == pytest.approx(theirs[name], abs=1e-12)


# Many runs, alike on average, so that resamples of the topics rank them in many ways.
RANKED = 9
AGREED = (simulated(RANKED, 30, 12, spread=0.3), simulated(RANKED, 30, 11, spread=0.3))
COEFFICIENTS: dict[str, Callable[[Floats, Floats], float]] = {
    "tau": lambda one, other: float(stats.kendalltau(one, other).statistic),
    "spearman": lambda one, other: float(stats.spearmanr(one, other).statistic),
}


@pytest.fixture(scope="module")
def resampled() -> dict[str, Floats]:
    """How alike two measures rank the runs when topics are drawn again, thousands of times."""
    rng = np.random.default_rng(9)
    one, other = (np.array([runs[f"run{n}"] for n in range(RANKED)]) for runs in AGREED)
    drawn = rng.integers(30, size=(2_000, 30))
    pairs = [(one[:, topics].mean(axis=1), other[:, topics].mean(axis=1)) for topics in drawn]
    return {name: np.array([work(*pair) for pair in pairs]) for name, work in COEFFICIENTS.items()}


@pytest.mark.parametrize("alpha", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_agreement_leaves_half_of_alpha_outside_at_either_end(
    resampled: dict[str, Floats], coefficient: str, alpha: float
) -> None:
    first, second = AGREED
    found = foveal.agree(scores_of(first, "AP", AgP=second), alpha=alpha, resamples=4_000)
    low, high = _bounds(found.intervals, "coefficient")[(coefficient,)]
    drawn = resampled[coefficient]
    # Rankings of few runs agree in few ways: a bound is where the share outside passes α/2.
    noise = 5 * np.sqrt(alpha / 2 * (1 - alpha / 2) / len(drawn))
    assert np.mean(drawn < low - 1e-9) - noise <= alpha / 2 <= np.mean(drawn <= low + 1e-9) + noise
    assert (
        np.mean(drawn > high + 1e-9) - noise <= alpha / 2 <= np.mean(drawn >= high - 1e-9) + noise
    )


def test_wider_agreement_is_claimed_where_more_certainty_is_asked_for() -> None:
    first, second = AGREED
    scores = scores_of(first, "AP", AgP=second)
    sure, unsure = (foveal.agree(scores, alpha=alpha).intervals for alpha in (0.02, 0.8))
    assert sure["coefficient"].to_list() == ["tau", "tau_ap", "spearman", "rbo"]
    assert (sure["high"] - sure["low"] > unsure["high"] - unsure["low"]).all()


LEVELS = range(10, 100, 10)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_world.write(tmp_path_factory.mktemp("bands"))


@pytest.mark.parametrize("experiment", ["pool", "topics"])
def test_bands_of_stability_hold_95_of_100_means_of_other_samples(
    world: Path, experiment: str
) -> None:
    levels = ",".join(map(str, LEVELS))
    measures = asked("AiP", "iP[0.10]", "charP", "AP", "AgP")
    found = document(world, "stability", experiment, QRELS, *RUNS, "--levels", levels, *measures)
    taus: dict[tuple[str, int], list[float]] = {}
    for row in found["samples"]:
        taus.setdefault((row["measure"], row["level"]), []).append(row["tau"])
    rng = np.random.default_rng(10)
    ratios, sides = [], []
    for row in found["bands"]:
        own = np.array(taus[row["measure"], row["level"]])
        if np.ptp(own):
            means = rng.choice(own, (MANY, len(own))).mean(axis=1)
            low, high = np.quantile(means, [0.025, 0.975])
            ratios.append((row["high"] - row["low"]) / (high - low))
            sides.append((row["high"] + row["low"] - high - low) / (high - low))
        else:
            assert (row["low"], row["high"]) == pytest.approx((own[0], own[0]))
    # One band is known to a tenth, the mean of many to a hundredth; 90 % would be a sixth narrower.
    assert len(ratios) > 25
    assert np.mean(ratios) == pytest.approx(1, abs=0.04)
    assert np.mean(sides) == pytest.approx(0, abs=0.04)


@pytest.mark.parametrize("experiment", ["pool", "topics"])
def test_curves_of_stability_are_means_and_deviations_of_their_samples(
    world: Path, experiment: str
) -> None:
    words = ("stability", experiment, QRELS, *RUNS, "-m", "AiP", "-m", "charP", "--samples", "6")
    found = document(world, *words)
    for curves, samples, key in (
        ("curves", "samples", "tau"),
        ("tau_ap_curves", "tau_ap_samples", "tau_ap"),
    ):
        assert len(found[curves]) == 8
        for row in found[curves]:
            own = [
                sample[key]
                for sample in found[samples]
                if (sample["measure"], sample["level"]) == (row["measure"], row["level"])
            ]
            assert len(own) == 6
            assert row["mean"] == pytest.approx(np.mean(own))
            assert row["spread"] == pytest.approx(np.std(own, ddof=1))
