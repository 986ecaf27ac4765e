"""Significance tests against scipy, statsmodels, and every possible resample."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from typing import TypeVar

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.api import OLS
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.multitest import multipletests

from foveal.analysis import TESTS, compare
from foveal.analysis._compare import corrected
from foveal.analysis._studentized_range import studentized_range_tail
from foveal.choices import Correction
from tests.scored import Rows, scores_of, simulated

RUNS = simulated(5, 30)
# Coarse scores, so that differences are 0 and tied.
COARSE = {name: np.round(np.asarray(values), 1) for name, values in simulated(5, 30).items()}


CHECKED: set[str] = set()
Check = TypeVar("Check", bound=Callable[..., None])


def of(*names: str) -> Callable[[Check], Check]:
    """Say whose p-values a function checks."""
    CHECKED.update(names)
    return lambda check: check


def test_every_test_is_checked_here() -> None:
    assert set(TESTS) == CHECKED, "check its p-values against another program, or every resample"


def _ordered(runs: Rows) -> list[tuple[str, str]]:
    best_first = sorted(runs, key=lambda name: -float(np.mean(runs[name])))
    return list(combinations(best_first, 2))


def _p(runs: Rows, **options: object) -> dict[tuple[str, str], float]:
    found = compare(scores_of(runs), **options)  # type: ignore[arg-type]  # one per choice
    return {(a, b): p for a, b, p in found.pairs.select("better", "worse", "p").iter_rows()}


@of("t", "wilcoxon", "sign")
@pytest.mark.parametrize("runs", [RUNS, COARSE], ids=["fine", "coarse"])
@pytest.mark.parametrize("tail", ["one", "two"])
def test_paired_tests_are_scipys(runs: Rows, tail: str) -> None:
    alternative = "two-sided" if tail == "two" else "greater"
    found = {name: _p(runs, test=name, tail=tail) for name in ("t", "wilcoxon", "sign")}
    for pair in _ordered(runs):
        one, other = (np.asarray(runs[name]) for name in pair)
        differences = np.round(one - other, 12)
        wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
        t = stats.ttest_rel(one, other, alternative=alternative)
        clean = len({*np.abs(differences), 0.0}) == len(differences) + 1
        method = "exact" if clean else "approx"
        wilcoxon = stats.wilcoxon(differences, alternative=alternative, method=method)
        sign = stats.binomtest(wins, wins + losses, alternative=alternative)
        assert found["t"][pair] == pytest.approx(t.pvalue, rel=1e-9)
        assert found["wilcoxon"][pair] == pytest.approx(wilcoxon.pvalue, rel=1e-9)
        assert found["sign"][pair] == pytest.approx(sign.pvalue, rel=1e-9)


def test_the_tail_of_the_studentized_range_is_scipys() -> None:
    q = np.array([0.01, 0.5, 1.0, 2.5, 3.7, 5.0, 8.0])
    for groups, freedom in ((2, 1), (2, 19), (3, 4), (5, 116), (20, 2090), (100, 9801)):
        expected = stats.studentized_range.sf(q, groups, freedom)
        found = studentized_range_tail(q, groups, freedom)
        assert found == pytest.approx(expected, abs=2e-7), (groups, freedom)


@of("tukey", "anova")
def test_tukeys_test_of_two_runs_is_the_paired_t_test() -> None:
    two = dict(list(RUNS.items())[:2])
    t, tukey, anova = (_p(two, test=name) for name in ("t", "tukey", "anova"))
    for pair, p in t.items():
        assert tukey[pair] == pytest.approx(p, abs=1e-8)
        assert anova[pair] == pytest.approx(p, rel=1e-9)


def test_the_analysis_of_variance_is_statsmodels() -> None:
    values = np.array(list(RUNS.values()))
    runs, topics = values.shape
    run, topic = np.indices(values.shape)
    factors = [np.eye(runs)[run.ravel()][:, 1:], np.eye(topics)[topic.ravel()][:, 1:]]
    constant = np.ones((values.size, 1))
    whole = OLS(values.ravel(), np.hstack([constant, *factors])).fit()
    found = compare(scores_of(RUNS), test="anova").anova
    for source, other in (("runs", factors[1]), ("topics", factors[0])):
        without = OLS(values.ravel(), np.hstack([constant, other])).fit()
        row = anova_lm(without, whole).iloc[1]
        ours = found.filter(pl.col("source") == source).row(0, named=True)
        assert ours["squares"] == pytest.approx(row["ss_diff"])
        assert ours["f"] == pytest.approx(row["F"])
        assert ours["p"] == pytest.approx(row["Pr(>F)"])


@pytest.mark.parametrize(
    ("ours", "theirs"), [("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh")]
)
def test_corrections_are_statsmodels(ours: str, theirs: str) -> None:
    p = np.random.default_rng(7).random(40) ** 3
    p[7] = p[9]
    expected = multipletests(p, method=theirs)[1]
    assert corrected(p, Correction(ours)) == pytest.approx(expected)
    with_untested = np.append(p, np.nan)
    assert corrected(with_untested, Correction(ours))[:-1] == pytest.approx(expected)


SMALL = {"a": [0.5, 0.4, 0.9, 0.3, 0.7, 0.6], "b": [0.4, 0.45, 0.6, 0.3, 0.5, 0.65]}
MANY = 40_000


def _near(share: float) -> object:
    """Within four standard errors of a share that was estimated from many resamples."""
    return pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / MANY) + 2 / MANY)


@of("randomization")
def test_randomization_is_the_share_of_all_sign_flips() -> None:
    differences = np.subtract(SMALL["a"], SMALL["b"])
    flipped = [np.mean(np.multiply(signs, differences)) for signs in product((1, -1), repeat=6)]
    observed = differences.mean() - 1e-12
    two, one = np.mean(np.abs(flipped) >= observed), np.mean(np.array(flipped) >= observed)
    options = {"test": "randomization", "resamples": MANY}
    assert _p(SMALL, tail="two", **options)["a", "b"] == _near(float(two))
    assert _p(SMALL, tail="one", **options)["a", "b"] == _near(float(one))


@of("bootstrap")
def test_bootstrap_is_the_share_of_all_resamples() -> None:
    differences = np.subtract(SMALL["a"], SMALL["b"])
    drawn = np.array(list(product(range(6), repeat=6)))
    means = differences[drawn].mean(axis=1)
    behind, ahead = np.mean(means <= 1e-12), np.mean(means >= -1e-12)
    assert _p(SMALL, resamples=MANY)["a", "b"] == _near(float(behind))
    two = _p(SMALL, tail="two", resamples=MANY)["a", "b"]
    assert two / 2 == _near(float(min(behind, ahead)))


@of("tukey-rand")
def test_randomised_tukey_is_the_share_of_all_ways_to_deal_scores() -> None:
    runs = {"a": [0.9, 0.6, 0.7], "b": [0.5, 0.5, 0.4], "c": [0.4, 0.7, 0.2]}
    values = np.array(list(runs.values())).T
    ranges = []
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    for dealt in product(orders, repeat=3):
        means = np.mean([values[topic, order] for topic, order in enumerate(dealt)], axis=0)
        ranges.append(np.ptp(means))
    found = _p(runs, test="tukey-rand", resamples=MANY)
    means = {name: np.mean(values) for name, values in runs.items()}
    for (better, worse), p in found.items():
        share = np.mean(np.array(ranges) >= means[better] - means[worse] - 1e-12)
        assert p == _near(float(share))


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstrap_intervals_are_scipys(method: str) -> None:
    values = np.random.default_rng(7).random(25) ** 3
    runs = {"a": values, "b": np.zeros(25)}
    found = compare(scores_of(runs), tail="two", interval=method, resamples=MANY)
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=MANY, method=method, rng=np.random.default_rng(8)
    ).confidence_interval
    for row in (found.means.row(0, named=True), found.effects.row(0, named=True)):
        assert (row["low"], row["high"]) == pytest.approx(tuple(expected), abs=0.003)
    assert found.means.row(1)[2:] == (0.0, 0.0, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "tail"),
    [("randomization", "two"), ("t", "two"), ("bootstrap", "two"), ("bootstrap", "one")],
)
def test_p_is_uniform_where_nothing_differs(test: str, tail: str) -> None:
    rng = np.random.default_rng(7)
    found: list[float] = []
    # Pairs that share no run are independent; ten of them, a0 and b0 to a9 and b9, come from one
    # comparison. They share resamples too, which runs that know nothing of each other do not feel.
    names = [f"{side}{number}" for number in range(10) for side in "ab"]
    own = pl.col("better").str.tail(1) == pl.col("worse").str.tail(1)
    for experiment in range(100):
        runs = dict(zip(names, rng.random((20, 60)), strict=True))
        pairs = compare(
            scores_of(runs), test=test, tail=tail, resamples=999, rng=experiment
        ).pairs.filter(own)
        # The run called better is the better one by construction: one tail is half of the two.
        found += [2 * p if tail == "one" else p for p in pairs["p"]]
    assert len(found) == 1000
    spread = rng.random(1000) / 1000 if test != "t" else 0.0
    assert stats.kstest(np.minimum(np.array(found) - spread, 1), "uniform").pvalue > 0.001


@pytest.mark.slow
def test_some_pair_of_equal_runs_is_called_different_as_often_as_alpha_says() -> None:
    rng = np.random.default_rng(7)
    least = []
    for experiment in range(250):
        runs = dict(zip("abcde", rng.random((5, 40)), strict=True))
        found = compare(scores_of(runs), test="tukey-rand", resamples=499, rng=experiment)
        least.append(found.pairs["p"].min())
    assert np.mean(np.array(least) <= 0.05) == pytest.approx(0.05, abs=0.03)
