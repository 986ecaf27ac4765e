"""When all resamples are taken, what is said of it, and by how much drawn ones may err."""

from __future__ import annotations

from math import sqrt

import numpy as np
import polars as pl
import pytest

import foveal
from foveal.analysis import Comparison, compare
from foveal.conventions import TestName
from foveal.errors import UsageError
from foveal.evaluation import Scores
from tests.scored import scores_of, simulated

RNG = np.random.default_rng(5)
ALWAYS = 17
MOST = 24


def differing(topics: int, differing_topics: int, **others: int) -> Scores:
    """Two runs that differ on some topics only, by one measure or by several."""

    def rows(count: int) -> dict[str, np.ndarray]:
        base = np.random.default_rng(7).random(topics) / 2
        gain = np.zeros(topics)
        # Not the first ones, and in both directions.
        gain[-count:] = np.linspace(-0.2, 0.4, count) + 0.001 if count else []
        return {"a": base, "b": base + gain}

    if not differing_topics:
        return scores_of({"a": np.full(topics, 0.5), "b": np.full(topics, 0.5)})
    by_measure = {name: rows(count) for name, count in others.items()}
    return scores_of(rows(differing_topics), "AP", **by_measure)


@pytest.mark.parametrize(("topics", "resamples"), [(17, 1), (17, 100_000), (60, 1)])
def test_all_signs_are_taken_where_at_most_17_topics_differ(topics: int, resamples: int) -> None:
    found = compare(differing(topics, ALWAYS), resamples=resamples)
    assert found.settings["resamples"] == "all 131,072"
    assert "seed" not in found.settings
    assert found.pairs["p_error"].to_list() == [0.0]
    assert (found.pairs["p"].item() * 2**ALWAYS).is_integer()
    other = compare(differing(topics, ALWAYS), resamples=resamples, rng=3)
    assert other.pairs.equals(found.pairs)


@pytest.mark.parametrize(("resamples", "exact"), [(2**17 - 1, False), (2**17, True)])
def test_beyond_that_all_are_taken_where_there_are_no_more_than_are_drawn(
    resamples: int, exact: bool
) -> None:
    # Of 18 topics there are 2^18 vectors, and of a vector and its opposite one is enough.
    found = compare(differing(30, 18), resamples=resamples)
    assert found.settings["resamples"] == ("all 262,144" if exact else "131,071")
    assert ("seed" in found.settings) is not exact
    assert (found.pairs["p_error"].item() == 0) is exact


def test_18_topics_are_drawn_by_default() -> None:
    found = compare(differing(18, 18))
    assert found.settings["resamples"] == "100,000"
    assert found.settings["seed"] == "0"
    whole = compare(differing(18, 18), resamples="all").pairs.row(0, named=True)
    drawn = found.pairs.row(0, named=True)
    assert (whole["p"] * 2**18).is_integer()
    assert drawn["p"] == pytest.approx(whole["p"], abs=5 * drawn["p_error"])
    assert drawn["p"] != whole["p"]


@pytest.mark.parametrize(("count", "shown"), [(19, "all 524,288"), (2, "all 4"), (0, "all 1")])
def test_all_may_be_asked_for(count: int, shown: str) -> None:
    found = compare(differing(40, count), resamples="all")
    assert found.settings["resamples"] == shown
    assert "seed" not in found.settings
    assert found.pairs["p_error"].item() == 0


@pytest.mark.parametrize(
    ("count", "options", "complaint"),
    [
        (25, {}, "runs differ on 25 topics, and all resamples can be taken of 24 at most: ask for"),
        (
            9,
            {"test": "bootstrap"},
            "all resamples can be taken of the test randomization alone, and not of",
        ),
        (
            9,
            {"test": "tukey-rand"},
            "all resamples can be taken of the test randomization alone, and not of",
        ),
        (
            9,
            {"test": "t"},
            "all resamples can be taken of the test randomization alone, and not of",
        ),
        (
            9,
            {"interval": "percentile"},
            "and not of intervals that are resampled: ask for a number",
        ),
        (9, {"interval": "bca"}, "and not of intervals that are resampled: ask for a number"),
    ],
)
def test_all_resamples_are_refused_where_they_cannot_be_taken(
    count: int, options: dict[str, str], complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        compare(differing(40, count), resamples="all", **options)  # type: ignore[arg-type]


def test_a_number_of_resamples_that_is_another_word_is_refused() -> None:
    with pytest.raises(UsageError, match="resamples must be a whole number or all, got 'every'"):
        compare(differing(9, 9), resamples="every")


def test_settings_say_by_measure_how_many_resamples_were_taken() -> None:
    found = compare(differing(40, 30, AgP=5))
    assert found.settings["resamples"] == "by measure 100,000; all 32"
    assert found.settings["seed"] == "0"
    errors = dict(found.pairs.select("measure", "p_error").iter_rows())
    assert errors["AP"] > 0 == errors["AgP"]


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "tukey", "anova", "tukey-rand"])
def test_tests_that_draw_nothing_or_test_all_runs_together_have_no_error(test: TestName) -> None:
    found = compare(scores_of(simulated(3, 60)), test=test, resamples=500)
    assert found.pairs["p_error"].to_list() == [None] * 3


def _binomial(p: float, count: int) -> float:
    return sqrt(p * (1 - p) / count)


def test_errors_are_those_of_a_share_times_what_raised_it() -> None:
    rng = np.random.default_rng(12)
    base = rng.random(60)
    runs = {name: base + gain + rng.normal(0, 0.1, 60)
            for name, gain in (("a", 0.0), ("b", 0.012), ("c", 0.03))}  # fmt: skip
    scores, count = scores_of(runs), 2000
    plain = compare(scores, correct="none", resamples=count).pairs
    for p, error in plain.select("p", "p_error").iter_rows():
        assert error == pytest.approx(_binomial(p, count), rel=1e-9)
    holm = compare(scores, resamples=count).pairs.sort("p")
    assert holm["adjusted_p"].to_list() == pytest.approx(
        [factor * p for factor, p in zip((3, 2, 1), holm["p"], strict=True)]
    )
    for factor, p, error in zip((3, 2, 1), holm["p"], holm["p_error"], strict=True):
        assert error == pytest.approx(factor * _binomial(p, count), rel=1e-9)
    # Twice the share of one tail.
    boot = compare(scores, test="bootstrap", correct="none", resamples=count).pairs
    for p, error in boot.select("p", "p_error").iter_rows():
        assert error == pytest.approx(2 * _binomial(p / 2, count), rel=1e-9)


def told_in_doubt(found: Comparison) -> list[str]:
    return [note for note in found.notes if "within the error of resampling" in note]


def test_a_verdict_that_other_resamples_might_turn_is_told() -> None:
    scores = scores_of(simulated(2, 60))
    p, error = compare(scores, resamples=999).pairs.select("p", "p_error").row(0)
    for away, told in ((1.9, True), (-1.9, True), (2.1, False), (-2.1, False)):
        alpha = p + away * error
        found = compare(scores, resamples=999, alpha=alpha)
        notes = told_in_doubt(found)
        assert bool(notes) is told, away
        better, worse = found.pairs.select("better", "worse").row(0)
        assert notes in ([], [
            f"1 pair is within the error of resampling of alpha {alpha:g}: {better}:{worse}"
            f" {p:.4f} ± {error:.4f}"
        ])  # fmt: skip


def test_of_many_pairs_in_doubt_three_are_named() -> None:
    rng = np.random.default_rng(2)
    runs = {f"run{n}": rng.random(60) for n in range(8)}
    (told,) = told_in_doubt(compare(scores_of(runs), alpha=0.4, correct="none", resamples=9))
    assert told.split(" pairs are ")[0].isdigit()
    assert told.count("±") == 3
    assert told.endswith(", …")


@pytest.mark.parametrize("correct", ["holm", "bonferroni"])
def test_a_corrected_p_far_above_1_is_not_in_doubt(correct: str) -> None:
    rng = np.random.default_rng(2)
    runs = {f"run{n}": rng.random(60) for n in range(8)}
    found = compare(scores_of(runs), correct=correct, resamples=100)
    sure = found.pairs.filter(pl.col("p") > 0.3)
    assert set(sure["adjusted_p"]) == {1}
    assert set(sure["p_error"]) == {0}


def test_an_exact_p_is_never_in_doubt() -> None:
    # p is exactly 0.125.
    scores = scores_of({"a": [0.5] * 4 + [0.1] * 9, "b": [0.25] * 4 + [0.1] * 9})
    found = compare(scores, alpha=0.125)
    assert found.pairs.row(0, named=True) | {"measure": ""} == {
        "measure": "", "better": "a", "worse": "b", "difference": pytest.approx(1 / 13),
        "p": 0.125, "adjusted_p": 0.125, "p_error": 0.0, "significant": True,
    }  # fmt: skip
    assert not told_in_doubt(found)


def test_so_few_differing_topics_that_nothing_can_be_significant_are_told() -> None:
    (told,) = (note for note in compare(differing(60, 5)).notes if "no difference can" in note)
    assert told == (
        "runs differ by AP on 5 topics, which cannot make p small enough for alpha 0.05 (uncorrected"
        " it is at least 0.062): no difference can be significant"
    )
    # Two of 64 are less than 0.05, one of 32 as well.
    assert compare(differing(60, 6)).notes == ()
    assert not any("cannot make" in note for note in compare(differing(60, 5), tail="one").notes)
    (told,) = (note for note in compare(differing(60, 4), tail="one").notes if "cannot" in note)
    assert "on 4 topics, which" in told
    assert "(uncorrected it is at least 0.062)" in told
    # Where nothing differs nothing can be asked for.
    assert not any("cannot make" in note for note in compare(differing(60, 0)).notes)


def test_the_correction_asks_for_more_differing_topics() -> None:
    base = RNG.random(60) / 2
    gains = {"a": 0.0, "b": 0.1, "c": 0.3}
    for count, enough in ((6, False), (7, True)):
        runs = {name: base + gain * (np.arange(60) < count) for name, gain in gains.items()}
        assert not any("cannot make" in note for note in compare(scores_of(runs), test="t").notes)
        found = compare(scores_of(runs))
        told = [note for note in found.notes if "which cannot make p" in note]
        assert bool(told) is not enough
        assert found.pairs["significant"].to_list() == [enough] * 3
        for note in told:
            assert "small enough for alpha 0.05 over 3 pairs corrected by holm (uncorrected" in note
            assert "it is at least 0.031)" in note


def test_p_error_follows_the_adjusted_p_in_every_form() -> None:
    found = compare(differing(60, 30), resamples=999)
    columns = foveal.render(found, to="csv").splitlines()[0].split(",")
    assert columns[columns.index("adjusted_p") + 1] == "p_error"
    names = found.pairs.columns
    assert names == [
        "measure", "better", "worse", "difference", "p", "adjusted_p", "p_error", "significant",
    ]  # fmt: skip
