"""The first sentence of a comparison, in each of its forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import foveal
from foveal.analysis import compare
from foveal.rendering import _verdict_sentence
from foveal.rendering._verdict_sentence import first_sentence
from tests.scored import Rows, scores_of

RNG = np.random.default_rng(7)
BASE = RNG.random(12) / 4


def said(runs: Rows, measure: str = "AP", **options: object) -> str:
    return first_sentence(compare(scores_of(runs, measure), **options), measure)  # type: ignore[arg-type]


def test_a_winner_is_shown_with_its_lead_over_the_second() -> None:
    gains = RNG.uniform(0.1, 0.3, 12)
    runs = {"worst": BASE, "best": BASE + 0.3 + gains, "second": BASE + 0.3}
    low, high = stats.t.interval(0.95, 11, gains.mean(), stats.sem(gains))
    assert said(runs) == (
        f"best is best: AP {runs['best'].mean():.3f}, {gains.mean():.3f} above second"
        f" (95 % {low:.3f} to {high:.3f})."
    )
    # Twice as much is left outside beside a one-tailed test.
    low, high = stats.t.interval(0.9, 11, gains.mean(), stats.sem(gains))
    assert said(runs, tail="one").endswith(f" above second (90 % {low:.3f} to {high:.3f}).")


def test_a_lead_without_a_spread_has_no_interval() -> None:
    assert said({"a": [0.25] * 9, "b": [0.75] * 9}) == "b is best: AP 0.750, 0.500 above a."


def test_where_less_is_better_the_best_is_below() -> None:
    runs = {"a": [2.0] * 9, "b": [4.5] * 9}
    assert said(runs, "ESL(rels=1)") == "a is best: ESL(rels=1) 2.000, 2.500 below b."


def test_a_winner_that_lost_more_topics_than_it_won_is_shown_with_both() -> None:
    gains = np.array([0.4] * 9 + [-0.001] * 10)
    told = said({"a": 0.5 + gains, "b": np.full(19, 0.5)})
    assert told.startswith(
        "a is best: AP 0.689, 0.189 above b on 9 topics won and 10 lost (95 % 0."
    )


def test_two_runs_without_a_difference_are_shown_with_it() -> None:
    gains = np.array([0.1, -0.1] * 5 + [0.03, 0.01])
    runs = {"a": 0.5 + gains, "b": np.full(12, 0.5)}
    low, high = stats.t.interval(0.95, 11, gains.mean(), stats.sem(gains))
    found = compare(scores_of(runs))
    could = found.smallest_difference("AP")
    assert could is not None
    assert first_sentence(found, "AP") == (
        f"No difference shown between a and b: AP {runs['a'].mean():.3f} and 0.500 (difference"
        f" {gains.mean():.3f}, 95 % {low:.3f} to {high:.3f}); 12 topics could show {could:.3f}."
    )


@pytest.mark.parametrize(
    ("alike", "named"),
    [
        (2, "r0 and r1"),
        (3, "r0, r1 and r2"),
        (4, "r0, r1, r2 and r3"),
        (5, "r0, r1, r2, r3 and 1 other"),
        (7, "r0, r1, r2, r3 and 3 others"),
    ],
)
def test_those_who_share_the_top_are_named_in_their_order(alike: int, named: str) -> None:
    # The means fall by 0.001, on topics that go up and down by a hundred times as much.
    wave = np.array([0.1, -0.1] * 8)
    runs = {
        f"r{place}": 0.7 - place / 1000 + wave * (-1) ** place * (1 + place) / 10
        for place in range(alike)
    }
    told = said({"last": np.full(16, 0.1), **runs})
    assert told.startswith(
        f"No single winner: {named} share the top (AP {0.7 - (alike - 1) / 1000:.3f} to 0.700);"
        " 16 topics could show 0.0"
    )


def test_where_all_share_the_top_no_run_is_named() -> None:
    wave = np.array([0.1, -0.1] * 8)
    told = said({"a": 0.5 + wave, "b": 0.501 - wave, "c": np.full(16, 0.5)})
    assert told.startswith("No difference shown among 3 runs: AP 0.500 to 0.501; 16 topics could")


def test_the_best_need_not_be_told_apart_from_a_run_further_down() -> None:
    """A run in between may be worse than the best, and the last, which varies more, not."""
    steady = 0.6 + np.linspace(0, 0.01, 8)
    runs = {"best": steady, "middle": steady - 0.05, "wild": steady - 0.1}
    runs["wild"] = runs["wild"] + np.array([0.5, -0.5] * 4)
    assert said(runs).startswith(
        "No single winner: best and wild share the top (AP 0.505 to 0.605)"
    )


def test_runs_that_are_identical_are_said_to_be() -> None:
    assert said({"a": BASE, "b": BASE}) == (
        f"a and b are identical on all 12 topics by AP: {BASE.mean():.3f}."
    )
    assert said(dict.fromkeys("abc", BASE)) == (
        f"All 3 runs are identical on all 12 topics by AP: {BASE.mean():.3f}."
    )
    # The same mean is not the same scores.
    told = said({"a": BASE, "b": BASE[::-1]})
    assert told.startswith("No difference shown between a and b: ")


def test_one_topic_shows_nothing() -> None:
    told = "One topic shows nothing about others: AP 0.250 to 0.500, not tested."
    assert said({"a": [0.5], "b": [0.25]}) == told


def test_what_a_test_cannot_test_has_no_winner() -> None:
    runs = {"a": [0.75] * 9, "b": [0.25] * 9}
    assert said(runs, test="t").startswith(
        "No difference shown between a and b: AP 0.750 and 0.250"
    )


def test_in_task_rag_the_sentence_has_the_plain_word() -> None:
    gold: list[dict[str, Any]] = [
        {"topic": str(n), "doc": "d", "start": 100 * n, "end": 100 * n + 50} for n in range(8)
    ]
    runs = {
        name: [{**row, "end": row["start"] + size} for row in gold]
        for name, size in (("half", 25), ("all", 50))
    }
    found = foveal.compare(
        foveal.evaluate(gold, runs, ["recall@20chars", "recall@40chars"], task="rag")
    )
    assert (
        first_sentence(found, "cR(chars=40)")
        == "all is best: recall@40chars 0.800, 0.300 above half."
    )


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"test": "t", "correct": "none"}, "t, two-tailed, alpha 0.05."),
        ({"test": "t", "alpha": 0.01}, "t, two-tailed, alpha 0.01, corrected for all pairs (holm)."),
        ({"test": "bootstrap", "resamples": 2000, "tail": "one", "correct": "bh"},
         "bootstrap, one-tailed, alpha 0.05, corrected for all pairs (bh), 2,000 resamples."),
        ({"test": "tukey-rand", "resamples": 500}, "tukey-rand, two-tailed, alpha 0.05, 500 resamples."),
        ({"correct": "none"}, "randomization, two-tailed, alpha 0.05, exact."),
    ],
)  # fmt: skip
def test_how_it_was_tested_is_said(options: dict[str, object], told: str) -> None:
    runs = {"a": BASE, "b": BASE + 0.1, "c": BASE[::-1]}
    found = compare(scores_of(runs), **options)  # type: ignore[arg-type]  # by name
    _, tested = _verdict_sentence.first_sentences(found, "AP")
    assert tested == f"Test over 12 topics: {told}"


def test_it_is_said_of_the_measure_whether_p_is_exact() -> None:
    wide = RNG.random((2, 30))
    few = np.where(np.arange(30) < 6, wide, 0.5)
    for first, second in (("AP", "RR"), ("RR", "AP")):
        values = {"AP": dict(zip("ab", wide, strict=True)), "RR": dict(zip("ab", few, strict=True))}
        found = compare(scores_of(values[first], first, **{second: values[second]}))
        said_of = {name: _verdict_sentence.first_sentences(found, name)[1] for name in values}
        assert said_of["AP"].endswith("alpha 0.05, 100,000 resamples.")
        assert said_of["RR"].endswith("alpha 0.05, exact.")


def test_a_difference_below_a_noisy_best_run_is_not_denied() -> None:
    noisy = np.repeat([1.0, 0.0], [9, 3])
    good = 0.5 + np.arange(12) / 200
    assert said({"noisy": noisy, "good": good, "bad": good - 0.1}).startswith(
        "No single winner: noisy, good and bad share the top (AP 0.428 to 0.750)"
    )


def test_an_interval_has_the_sign_of_the_difference_where_less_is_better() -> None:
    low, high = np.tile([0.1, 0.2, 0.0], 4), np.tile([0.5, 0.4, 0.6], 4)
    told = said({"a": low, "b": high}, "Unjudged@5")
    reach = stats.t.ppf(0.975, 11) * np.std(high - low, ddof=1) / np.sqrt(12)
    assert told == (
        f"a is best: Unjudged@5 0.100, 0.400 below b (95 % {0.4 - reach:.3f} to {0.4 + reach:.3f})."
    )


def test_equal_means_have_no_winner_whatever_the_test_finds() -> None:
    gains = np.repeat([0.01, -0.09], [18, 2])
    told = said({"a": 0.5 + gains, "b": np.full(20, 0.5)}, test="sign")
    assert told.startswith("No ")
