"""Runs compared with baselines alone."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy import stats

import foveal
from foveal.analysis import TESTS
from foveal.conventions import TestName
from foveal.errors import NotScored, UsageError
from foveal.evaluation import RunRanks
from tests.scored import scores_of, simulated


def _p(comparison: foveal.Comparison, column: str = "p") -> dict[tuple[str, str], float]:
    rows = comparison.pairs.select("baseline_run", "run", column).iter_rows()
    return {(baseline, run): p for baseline, run, p in rows}


@pytest.mark.parametrize("baselines", [["run0"], ["run0", "run3"], ["run1", "run2", "run4"]])
def test_holm_counts_the_pairs_with_a_baseline_alone(baselines: list[str]) -> None:
    scores = scores_of(simulated(5, 30))
    found, all_pairs = foveal.compare(scores, baseline=baselines), foveal.compare(scores)
    others = [run for run in scores.runs if run not in baselines]
    p = _p(found)
    assert set(p) == set(product(baselines, others))
    known = {
        frozenset(pair): value
        for *pair, value in all_pairs.pairs.select("better", "worse", "p").iter_rows()
    }
    assert {frozenset(pair): value for pair, value in p.items()} == {
        frozenset(pair): known[frozenset(pair)] for pair in p
    }
    adjusted, largest = {}, 0.0
    for rank, pair in enumerate(sorted(p, key=p.__getitem__)):
        largest = max(largest, min(1.0, (len(p) - rank) * p[pair]))
        adjusted[pair] = largest
    assert _p(found, "adjusted_p") == pytest.approx(adjusted)
    assert found.counts["pairs"].to_list() == [len(p)]


@pytest.mark.parametrize("test", [name for name, record in TESTS.items() if record.joint])
def test_a_joint_test_keeps_all_runs_as_its_family(test: TestName) -> None:
    scores = scores_of(simulated(4, 20))
    found, whole = (
        foveal.compare(scores, test=test, resamples=200, baseline=baseline)
        for baseline in ("run2", ())
    )
    kept = whole.pairs.filter((pl.col("better") == "run2") | (pl.col("worse") == "run2"))
    assert found.pairs["p"].to_list() == kept["p"].to_list()


def test_one_tail_asks_whether_a_run_is_better_than_the_baseline_whatever_the_data_show() -> None:
    runs = simulated(4, 12)
    scores = scores_of(runs)
    found = foveal.compare(scores, test="t", tail="one", correct="none", baseline="run1")
    expected = {
        ("run1", run): stats.ttest_rel(runs[run], runs["run1"], alternative="greater").pvalue
        for run in runs
        if run != "run1"
    }
    assert _p(found) == pytest.approx(expected)
    assert max(expected.values()) > 0.5
    found = foveal.compare(scores, tail="one", correct="none", baseline="run1")
    signs = np.array(list(product([1, -1], repeat=12)))
    for (_, run), p in _p(found).items():
        gains = np.asarray(runs[run]) - np.asarray(runs["run1"])
        assert p == pytest.approx(np.mean(signs @ gains >= gains.sum() - 1e-12))
    assert not any("one-tailed" in note for note in found.notes)


def test_changes_are_those_of_the_run_also_where_less_is_better() -> None:
    runs = {"a": [0.4, 0.6], "b": [0.1, 0.1], "zero": [0.0, 0.0]}
    found = foveal.compare(scores_of(runs), baseline="b")
    changes = found.pairs.select("run", "change", "change_percent").rows()
    assert changes == [("a", pytest.approx(0.4), pytest.approx(400)), ("zero", -0.1, -100.0)]
    of_zero = foveal.compare(scores_of(runs), baseline="zero").pairs
    assert of_zero["change_percent"].to_list() == [None, None]
    table = {run: {"1": {"latency": x}, "2": {"latency": x + 1}} for run, x in (("q", 1), ("s", 3))}
    slower = foveal.compare(foveal.Scores.from_dicts(table, lower=["latency"]), baseline="q")
    assert slower.pairs.select("better", "run", "change").rows() == [("q", "s", 2.0)]


def test_the_sign_of_a_change_in_per_cent_is_that_of_the_change() -> None:
    runs = {"base": [-1.0, -3.0], "up": [-0.5, -2.5], "down": [-2.0, -3.0]}
    found = foveal.compare(scores_of(runs, "gain"), baseline="base")
    changes = found.pairs.select("run", "change", "change_percent").rows()
    assert changes == [("up", 0.5, 25.0), ("down", -0.5, -25.0)]


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_one_tail_calls_no_run_worse_that_wins_topics_but_has_the_lower_mean(
    test: TestName,
) -> None:
    base, gains = np.full(60, 0.5), np.linspace(0.02, 0.03, 60)
    gains[:8] = -0.4
    runs = {"base": base, "run": base + gains, "other": base - 0.1}
    found = foveal.compare(scores_of(runs), test=test, tail="one", baseline="base")
    (pair,) = found.pairs.filter(run="run").iter_rows(named=True)
    assert pair["adjusted_p"] < 0.05
    assert (pair["better"], pair["significant"]) == ("base", False)
    assert "▾" not in foveal.render(found, "markdown")


def test_one_tail_asks_nothing_of_a_baseline_that_is_ahead() -> None:
    rng = np.random.default_rng(5)
    runs = {"run": rng.random(20) / 4, "base": rng.random(20) / 4 + 0.5}
    found = foveal.compare(scores_of(runs), test="t", tail="one", baseline="base")
    assert str(found).startswith("None of 1 run is shown to be better than base by AP; 20 topics")
    (told,) = [note for note in found.notes if "the interval of the difference excludes 0" in note]
    assert told.endswith(": a run is tested for being better than the baseline, not worse")


def test_the_best_runs_are_compared_with_baselines_that_are_not_among_them() -> None:
    scores = scores_of({run: np.linspace(place, 9, 9) / 9 for place, run in enumerate("dcba")})
    best = scores.top(RunRanks("2", baselines=["d"]))
    assert (best.runs, best.settings["top"]) == (["d", "b", "a"], "2 of 4 runs by AP, and d")
    assert scores.top(RunRanks("2", baselines=["b"])).settings["top"] == "2 of 4 runs by AP"
    luck = "runs chosen by these scores beat a baseline by luck more often than alpha says"
    assert luck in foveal.compare(best, baseline="d").notes
    for harmless in (RunRanks("2"), RunRanks("4", baselines=["d"])):
        assert luck not in foveal.compare(scores.top(harmless)).notes


def test_a_baseline_is_a_run_that_was_scored_and_not_every_run() -> None:
    scores = scores_of(simulated(3, 9))
    with pytest.raises(NotScored, match="run1"):
        foveal.compare(scores, baseline="run11")
    with pytest.raises(UsageError, match="leave one out"):
        foveal.compare(scores, baseline=scores.runs)


def test_the_first_sentence_counts_the_runs_that_beat_each_baseline() -> None:
    base = np.random.default_rng(3).random(60) / 2 + 0.1
    runs = {"bm25": base, "good": base + 0.3, "fair": base + 0.2, "same": base, "bad": base / 2}
    told = str(foveal.compare(scores_of(runs), baseline="bm25")).split(" Test over")[0]
    means = {run: np.mean(values) for run, values in runs.items()}
    assert " ".join(told.split()).startswith(
        "2 of 4 runs are better than bm25 by AP, 1 worse; the best, good, is"
        f" {means['good'] - means['bm25']:.3f} above bm25"
    )
    told = str(foveal.compare(scores_of(runs), baseline=["good", "fair"]))
    assert " ".join(told.split()).startswith(
        "None of 3 runs is shown to be better than good by AP, 3 worse; 60 topics could show"
    )


def test_the_report_and_figures_take_baselines() -> None:
    scores = scores_of(simulated(4, 60))
    report = foveal.report(scores, baseline="run0")
    assert report.verdict[0].endswith(".")
    assert "than run0 by AP" in report.verdict[0]
    page = report.page().decode()
    assert "against run0" in page
    assert "†: better than run0" in page
    found = foveal.compare(scores, baseline="run0")
    assert foveal.figure(found, "means").title in report.verdict[0]
    data = foveal.figure(found, "differences").data
    best = next(run for run in found.ranking("AP") if run != "run0")
    assert data.row(0)[1:3] == (best, "run0")
    assert len(foveal.figure(found, "matrix").data) == 3
