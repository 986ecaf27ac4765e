"""Intervals agree with their test and stay within the bounds of scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.analysis import TESTS, Comparison, compare
from foveal.choices import Correction, Interval, Tail
from foveal.conventions import TestName
from tests.examples import examples
from tests.scored import Rows, scores_of

# Tests with an interval of the same kind: it excludes 0 just where they find a difference.
SAME_KIND = [
    (record.name, tail) for record in TESTS.values() if record.interval for tail in record.tails
]
LESS_IS_BETTER = "ESL(rels=1)"
ALPHAS = st.sampled_from([0.01, 0.05, 0.1, 0.29])


@st.composite
def runs_by_topic(draw: st.DrawFn) -> Rows:
    """Scores of a few runs, often equal on a topic, sometimes on all of them."""
    runs, topics = draw(st.integers(2, 4)), draw(st.integers(2, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    gain, steps = draw(st.floats(0, 0.5)), draw(st.sampled_from([1, 4, 1000]))
    values = rng.random((runs, topics)) + gain * np.arange(runs)[:, None]
    return {f"run{n}": np.round(own.clip(0, 1) * steps) / steps for n, own in enumerate(values)}


def _agreed(comparison: Comparison) -> bool:
    """True if every pair with an interval is significant exactly where it excludes 0."""
    low, high = comparison.effects["low"], comparison.effects["high"]
    excludes = (low > 0) | (high < 0)
    return bool((excludes == comparison.pairs["significant"]).drop_nulls().all())


@pytest.mark.parametrize(("test", "tail"), SAME_KIND)
@examples(60)
@given(
    runs=runs_by_topic(),
    alpha=ALPHAS,
    measure=st.sampled_from(["AP", LESS_IS_BETTER]),
    correct=st.sampled_from([Correction.NONE, Correction.BONFERRONI]),
    resamples=st.sampled_from([50, 199, 400]),
)
def test_a_difference_is_significant_just_where_its_interval_excludes_0(
    test: TestName,
    tail: Tail,
    runs: Rows,
    alpha: float,
    measure: str,
    correct: Correction,
    resamples: int,
) -> None:
    found = compare(
        scores_of(runs, measure), test=test, tail=tail, alpha=alpha, correct=correct,
        resamples=resamples,
    )  # fmt: skip
    assert _agreed(found)
    assert not any("the interval" in note for note in found.notes)


@pytest.mark.parametrize("interval", Interval)
@examples(40)
@given(runs=runs_by_topic(), alpha=ALPHAS)
def test_no_interval_leaves_the_bounds_of_the_measure(
    interval: Interval, runs: Rows, alpha: float
) -> None:
    found = compare(scores_of(runs), interval=interval, alpha=alpha, resamples=99)
    for row in found.means.drop_nulls().iter_rows(named=True):
        assert 0 <= row["low"] <= row["mean"] + 1e-12
        assert row["mean"] - 1e-12 <= row["high"] <= 1
    assert found.effects["low"].drop_nulls().ge(-1).all()
    assert found.effects["high"].drop_nulls().le(1).all()


def test_an_interval_is_cut_only_at_bounds_that_the_measure_has() -> None:
    runs = {"a": [0.9, 1.0, 1.0, 0.4], "b": [0.0, 0.0, 0.3, 0.0]}
    by_measure = {
        name: compare(scores_of(runs, name), interval="t").means
        for name in ("AP", "DCG@10", "Utility")
    }
    highs = {name: frame.filter(run="a")["high"].item() for name, frame in by_measure.items()}
    lows = {name: frame.filter(run="b")["low"].item() for name, frame in by_measure.items()}
    assert highs["AP"] == 1
    assert highs["DCG@10"] == highs["Utility"] > 1
    assert lows["AP"] == lows["DCG@10"] == 0
    assert lows["Utility"] < 0


def test_scores_beyond_the_bounds_are_not_cut_off() -> None:
    # Text that is returned twice counts twice with overlap `repeat`.
    runs = {"a": [1.9, 2.4, 2.1], "b": [0.5, 0.2, 0.9]}
    found = compare(scores_of(runs, "charR"), interval="t").means.row(0, named=True)
    assert found["low"] < found["mean"] < found["high"] == 2.4


@pytest.mark.parametrize("test", [name for name in TESTS if not TESTS[name].interval])
def test_where_test_and_interval_are_of_different_kinds_a_note_counts_what_they_dispute(
    test: TestName,
) -> None:
    rng, gains = np.random.default_rng(7), np.array([[0.3], [0.15], [0.0]])
    disputed = 0
    for _ in range(60):
        runs = dict(zip("abc", rng.random((3, 9)) ** 2 + gains, strict=True))
        found = compare(scores_of(runs), test=test, alpha=0.2, resamples=200)
        told = [note for note in found.notes if "are of different kinds" in note]
        assert bool(told) != _agreed(found)
        disputed += bool(told)
        assert all(" of 3 pairs " in note and f"the test ({test})" in note for note in told)
    assert disputed


def test_disputes_name_the_interval_that_goes_with_the_test() -> None:
    # However topics are drawn again, a is ahead; Student's t wants more than three of them.
    runs = {"a": [0.3, 0.5, 0.4], "b": [0.2, 0.2, 0.2], "c": [0.0, 0.0, 0.0]}
    options = {"test": "bootstrap", "tail": "one", "correct": "none", "interval": "t"}
    found = compare(scores_of(runs), alpha=0.02, resamples=1000, **options)  # type: ignore[arg-type]
    assert not _agreed(found)
    assert found.notes[-1] == (
        "1 of 3 pairs is significant, but the interval of the difference contains 0, first a and b"
        " by AP: the test (bootstrap) and the interval (t) are of different kinds (--interval"
        " percentile goes with the test)"
    )
    two = compare(
        scores_of({"a": runs["a"], "b": runs["b"]}), alpha=0.02, resamples=1000,
        **options,  # type: ignore[arg-type]
    )  # fmt: skip
    assert two.notes[-1].startswith(
        "1 of 1 pair is significant, but the interval of the difference"
    )


def test_stepwise_corrections_leave_intervals_alone_and_say_so() -> None:
    rng, gains = np.random.default_rng(7), np.array([[0.15], [0.1], [0.05], [0.0]])
    runs = dict(zip("abcd", rng.random((4, 60)) + gains, strict=True))
    plain = compare(scores_of(runs), test="t", correct="none")
    assert plain.settings["interval of differences"].startswith("95 %, cut at")
    for correct in ("holm", "bh"):
        found = compare(scores_of(runs), test="t", correct=correct)
        assert found.effects.equals(plain.effects)
        (note,) = (note for note in found.notes if "excludes 0" in note)
        assert note.endswith(f"p is corrected by {correct}, intervals are not")
        assert found.settings["interval of differences"].startswith(
            "95 % for each pair, not corrected"
        )


@pytest.mark.parametrize(
    ("options", "means", "differences"),
    [
        ({}, "95 %, cut at the measure's bounds",
         "95 % for each pair, not corrected, cut at the measure's bounds"),
        ({"tail": "one"}, "95 %, cut at the measure's bounds",
         "90 % for each pair, as the test is one-tailed, not corrected, cut at the measure's bounds"),
        ({"test": "bootstrap", "tail": "one", "correct": "none"}, "95 %",
         "90 %, as the test is one-tailed"),
        ({"test": "bootstrap", "correct": "none", "alpha": 0.1}, "90 %", "90 %"),
        ({"test": "t", "correct": "none"}, "95 %, cut at the measure's bounds",
         "95 %, cut at the measure's bounds"),
        ({"test": "bootstrap", "tail": "one", "correct": "bonferroni"}, "95 %",
         "90 % for all pairs together, as the test is one-tailed"),
        ({"test": "tukey"}, "95 %, cut at the measure's bounds",
         "95 % for all pairs together, cut at the measure's bounds"),
    ],
)  # fmt: skip
def test_settings_say_what_the_intervals_are(
    options: dict[str, str], means: str, differences: str
) -> None:
    runs = {"a": [0.9, 0.2, 0.4, 0.1], "b": [0.2, 0.3, 0.2, 0.1], "c": [0.4, 0.2, 0.1, 0.1]}
    settings = compare(scores_of(runs), **options).settings  # type: ignore[arg-type]  # by name
    assert settings["interval of means"] == means
    assert settings["interval of differences"] == differences
