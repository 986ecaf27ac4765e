"""Significance tests against scipy, statsmodels, and every possible resample."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from math import sqrt
from typing import TypeVar

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.api import OLS
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.multitest import multipletests

from foveal.analysis import compare
from foveal.analysis._compare import corrected
from foveal.analysis._studentized_range import studentized_range_tail
from foveal.choices import Correction
from foveal.conventions import TestName
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
        # Of zeros and ties scipy has no exact p: their twin is below.
        expected = (
            stats.wilcoxon(differences, alternative=alternative, method="exact").pvalue
            if clean
            else _signed_ranks(differences, tail)
        )
        sign = stats.binomtest(wins, wins + losses, alternative=alternative)
        assert found["t"][pair] == pytest.approx(t.pvalue, rel=1e-9)
        assert found["wilcoxon"][pair] == pytest.approx(expected, rel=1e-9)
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
    errors = np.zeros(40)
    assert corrected(p, errors, Correction(ours))[0] == pytest.approx(expected)
    with_untested = np.append(p, np.nan)
    adjusted, missed = corrected(with_untested, np.append(errors, np.nan), Correction(ours))
    assert adjusted[:-1] == pytest.approx(expected)
    assert missed[:-1].tolist() == [0.0] * 40
    assert np.isnan([adjusted[-1], missed[-1]]).all()


# STATS.md §1.2: five raw p of 10,000 resamples.
RAW = [0.0008, 0.0021, 0.012, 0.04, 0.3]


def _share_errors(p: list[float], count: int) -> np.ndarray:
    return np.array([sqrt(one * (1 - one) / count) for one in p])


@pytest.mark.parametrize(
    ("correction", "adjusted", "errors"),
    [
        ("none", RAW, [0.000282729, 0.000457777, 0.001088853, 0.001959592, 0.004582576]),
        ("holm", [0.0040, 0.0084, 0.0360, 0.0800, 0.3000],
         [0.001414, 0.001831, 0.003267, 0.003919, 0.004583]),
        # Five times the error of each; two of it do not reach from 1.5 to below 1, where p is cut.
        ("bonferroni", [0.0040, 0.0105, 0.0600, 0.2000, 1.0],
         [0.001413646, 0.002288885, 0.005444263, 0.009797959, 0.0]),
        # 5/rank times: 5, 5/2, 5/3, 5/4, 1.
        ("bh", [0.0040, 0.00525, 0.0200, 0.0500, 0.3000],
         [0.001413646, 0.001144443, 0.001814754, 0.002449490, 0.004582576]),
    ],
)  # fmt: skip
def test_corrected_p_has_the_error_that_was_worked_out(
    correction: str, adjusted: list[float], errors: list[float]
) -> None:
    found, missed = corrected(np.array(RAW), _share_errors(RAW, 10_000), Correction(correction))
    assert found.tolist() == pytest.approx(adjusted, abs=1e-12)
    assert missed.tolist() == pytest.approx(errors, abs=5e-7)
    order = [3, 0, 4, 2, 1]
    again, mixed = corrected(
        np.array(RAW)[order], _share_errors(RAW, 10_000)[order], Correction(correction)
    )
    assert again.tolist() == found[order].tolist()
    assert mixed.tolist() == missed[order].tolist()


def _stepwise(p: list[float], errors: list[float], correction: str) -> list[tuple[float, float]]:
    """Each adjusted p and its error, one by one: that of the pair whose p it is."""
    count = len(p)
    ranked = sorted(range(count), key=lambda place: p[place])
    raised = {}
    for rank, place in enumerate(ranked, 1):
        factor = count - rank + 1 if correction == "holm" else count / rank
        raised[place] = (p[place] * factor, errors[place] * factor)
    found = []
    for place in range(count):
        rank = ranked.index(place)
        if correction == "holm":
            value, error = max((raised[one] for one in ranked[: rank + 1]), key=lambda own: own[0])
        else:
            value, error = min((raised[one] for one in ranked[rank:]), key=lambda own: own[0])
        # Where p is cut at 1, twice the error reaches as far below 1 as it did.
        found.append((min(1.0, value), max(0.0, error - max(0.0, value - 1) / 2)))
    return found


@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_a_p_that_another_raises_or_lowers_has_the_error_of_that_one(correction: str) -> None:
    rng = np.random.default_rng(7)
    inherited = 0
    for _ in range(200):
        # No ties: which of two equal ones is taken must not matter for p, but does for errors.
        p = rng.random(rng.integers(1, 9)) ** 3
        errors = rng.random(len(p))
        found, missed = corrected(p, errors, Correction(correction))
        expected = _stepwise(p.tolist(), errors.tolist(), correction)
        assert list(zip(found, missed, strict=True)) == [
            (pytest.approx(value), pytest.approx(error)) for value, error in expected
        ]
        inherited += len({value for value, _ in expected}) < len(p)
    assert inherited > 50


SMALL = {"a": [0.5, 0.4, 0.9, 0.3, 0.7, 0.6], "b": [0.4, 0.45, 0.6, 0.3, 0.5, 0.65]}
MANY = 40_000


def _near(share: float) -> object:
    """Within four standard errors of a share that was estimated from many resamples."""
    return pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / MANY) + 2 / MANY)


def _over_all_signs(one: np.ndarray, other: np.ndarray, tail: str) -> float:
    """The share of all 2^n ways to swap two runs on topics that leaves a difference as large."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    as_extreme = total = 0
    observed = sum(differences) / len(differences)
    for signs in product((1, -1), repeat=len(differences)):
        mean = sum(sign * own for sign, own in zip(signs, differences, strict=True)) / len(signs)
        total += 1
        if tail == "two":
            mean = abs(mean)
        as_extreme += mean >= observed - 1e-12
    assert total == 2 ** len(differences)
    return as_extreme / total


@of("randomization")
@pytest.mark.parametrize("tail", ["one", "two"])
def test_randomization_is_the_share_of_all_sign_flips(tail: str) -> None:
    expected = _over_all_signs(np.array(SMALL["a"]), np.array(SMALL["b"]), tail)
    # On one topic the two are equal: 32 vectors of five signs say the same as 64 of six.
    assert _p(SMALL, test="randomization", tail=tail) == {("a", "b"): expected}


@pytest.mark.parametrize("tail", ["one", "two"])
def test_an_exact_p_is_the_share_of_all_ways_to_swap_two_runs(tail: str) -> None:
    rng = np.random.default_rng(7)
    for topics in range(2, 11):
        for steps in (2, 10, 10**6):
            runs = dict(zip("abc", np.round(rng.random((3, topics)) * steps) / steps, strict=True))
            # Topics on which nothing differs, and some on which only two of the three do.
            runs["b"] = np.where(rng.random(topics) < 0.3, runs["a"], runs["b"])
            runs["c"] = np.where(rng.random(topics) < 0.2, runs["b"], runs["c"])
            # The correction is none of the loop's business; a number of resamples neither.
            for (better, worse), p in _p(runs, tail=tail, resamples=7).items():
                expected = _over_all_signs(np.asarray(runs[better]), np.asarray(runs[worse]), tail)
                assert p == pytest.approx(expected, abs=1e-12), (topics, steps, better, worse)


@pytest.mark.parametrize("tail", ["one", "two"])
def test_drawn_flips_come_near_the_share_of_all(tail: str) -> None:
    rng = np.random.default_rng(8)
    values = rng.random((2, 18)) + np.array([[0.12], [0.0]])
    runs = dict(zip("ab", values, strict=True))
    exact = compare(scores_of(runs), tail=tail, resamples="all")
    # The twin of 2^18 vectors at once: no loop, but no half of them either.
    signs = 1.0 - 2 * (np.arange(2**18)[:, None] >> np.arange(18) & 1)
    means = signs @ (values[0] - values[1]) / 18
    means = np.abs(means) if tail == "two" else means
    share = np.mean(means >= (values[0] - values[1]).mean() - 1e-12)
    assert exact.pairs["p"].to_list() == [share]
    assert _p(runs, tail=tail, resamples=MANY)["a", "b"] == _near(float(share))


def _signed_ranks(differences: np.ndarray, tail: str) -> float:
    """Wilcoxon's exact p from all ways to sign the ranks: zeros are dropped, ties share a mean rank.

    Sums are added up one rank at a time, so that 50 differences are no more than their sums.
    """
    unequal = [one for one in differences.tolist() if one]
    sizes = sorted(abs(one) for one in unequal)
    # Twice the mean of the first and the last place of those that are as large.
    ranks = [2 * sizes.index(abs(one)) + 1 + sizes.count(abs(one)) for one in unequal]
    sums = {0: 1.0}
    for rank in ranks:
        added: dict[int, float] = {}
        for total, ways in sums.items():
            for own in (total, total + rank):
                added[own] = added.get(own, 0.0) + ways
        sums = added
    gained = sum(rank for rank, one in zip(ranks, unequal, strict=True) if one > 0)
    every = sum(sums.values())
    higher = sum(ways for total, ways in sums.items() if total >= gained) / every
    lower = sum(ways for total, ways in sums.items() if total <= gained) / every
    return higher if tail == "one" else min(1.0, 2 * min(higher, lower))


def _over_all_signed_ranks(differences: np.ndarray, tail: str) -> float:
    """The same by a loop over all vectors of signs."""
    unequal = differences[differences != 0]
    ranks = stats.rankdata(np.abs(unequal))
    gained = ranks[unequal > 0].sum()
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign > 0)
        for signs in product((1, -1), repeat=len(ranks))
    ]
    higher, lower = (
        np.mean([own >= gained for own in sums]),
        np.mean([own <= gained for own in sums]),
    )
    return float(higher if tail == "one" else min(1.0, 2 * min(higher, lower)))


@pytest.mark.parametrize("tail", ["one", "two"])
def test_wilcoxons_p_is_the_share_of_all_ways_to_sign_ranks(tail: str) -> None:
    rng = np.random.default_rng(7)
    seen = set()
    for topics in range(2, 11):
        for steps in (3, 8):
            runs = dict(zip("ab", np.round(rng.random((2, topics)) * steps) / steps, strict=True))
            ((better, worse), p), *_ = _p(runs, test="wilcoxon", tail=tail).items()
            differences = np.round(np.subtract(runs[better], runs[worse]), 12)
            sizes = np.abs(differences[differences != 0])
            seen |= {("zero", len(sizes) < topics), ("tie", len(np.unique(sizes)) < len(sizes))}
            expected = _over_all_signed_ranks(differences, tail) if len(sizes) else 1.0
            assert p == pytest.approx(expected, abs=1e-12), (topics, steps)
            if len(sizes):
                assert _signed_ranks(differences, tail) == pytest.approx(expected, abs=1e-12)
    assert {("zero", True), ("tie", True)} <= seen


def test_four_equal_differences_of_ten_are_worth_two_in_sixteen() -> None:
    runs = {"a": [0.5] * 4 + [0.3] * 6, "b": [0.4] * 4 + [0.3] * 6}
    assert _p(runs, test="wilcoxon") == {("a", "b"): 0.125}
    assert _p(runs, test="wilcoxon", tail="one") == {("a", "b"): 0.0625}


@pytest.mark.parametrize("tail", ["one", "two"])
@pytest.mark.parametrize("unequal", [50, 51])
def test_wilcoxon_is_exact_up_to_50_unequal_topics(unequal: int, tail: str) -> None:
    rng = np.random.default_rng(7)
    # Tied, and ten topics without a difference, which do not count.
    sizes = np.concatenate([rng.integers(1, 9, unequal) / 16, np.zeros(10)])
    differences = sizes * np.where(rng.random(len(sizes)) < 0.62, 1, -1)
    runs = {"a": 0.5 + differences / 2, "b": 0.5 - differences / 2}
    ((pair, p),) = _p(runs, test="wilcoxon", tail=tail).items()
    assert pair == ("a", "b")
    alternative = "two-sided" if tail == "two" else "greater"
    near = stats.wilcoxon(differences, alternative=alternative, method="approx").pvalue
    exact = _signed_ranks(differences, tail)
    assert near != pytest.approx(exact, rel=1e-3)
    assert p == pytest.approx(exact if unequal == 50 else near, rel=1e-9)


@of("bootstrap")
def test_bootstrap_is_the_share_of_all_resamples() -> None:
    differences = np.subtract(SMALL["a"], SMALL["b"])
    drawn = np.array(list(product(range(6), repeat=6)))
    means = differences[drawn].mean(axis=1)
    behind, ahead = np.mean(means <= 1e-12), np.mean(means >= -1e-12)
    one = _p(SMALL, test="bootstrap", tail="one", resamples=MANY)["a", "b"]
    assert one == _near(float(behind))
    two = _p(SMALL, test="bootstrap", resamples=MANY)["a", "b"]
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
def test_p_is_uniform_where_nothing_differs(test: TestName, tail: str) -> None:
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
