from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import get_args

import numpy as np
import polars as pl
import pytest

import foveal
from foveal.analysis import TESTS, agree, compare
from foveal.conventions import TestName
from foveal.errors import DataError, UnknownMeasure, UsageError
from foveal.evaluation import evaluate
from tests.scored import at_topics, scores_of, simulated

RUNS = simulated(4, 60)


def test_types_name_no_test_that_is_not_there() -> None:
    assert {*get_args(TestName)} <= {*TESTS}
    assert compare.__annotations__["test"] == "TestName"


def test_a_measure_may_be_named_as_one_likes() -> None:
    found = foveal.compare(scores_of(RUNS, "AP", AgP=RUNS), "MAP")
    assert found.measures == ["AP"]
    assert foveal.compare(scores_of(RUNS, "AP", AgP=RUNS)).measures == ["AP", "AgP"]


def test_a_comparison_is_asked_by_any_spelling_and_knows_what_it_does_not_hold() -> None:
    found = compare(scores_of(RUNS, "AP", AgP=RUNS), "MAP")
    best, second, *_ = found.ranking("MAP")
    assert found.topic_differences("map", best, second).height == 60
    with pytest.raises(UsageError, match="'AgP' was not compared"):
        found.ranking("AgP")
    with pytest.raises(UsageError, match="'nobody' was not compared: choose from run0, run1"):
        found.topic_differences("AP", best, "nobody")


def test_a_measure_that_was_not_scored_is_told() -> None:
    with pytest.raises(UsageError, match="AgP was not scored"):
        compare(scores_of(RUNS), "AgP")
    with pytest.raises(UnknownMeasure):
        compare(scores_of(RUNS), "nonsense")


def test_wins_ties_losses_and_the_topics_that_decide() -> None:
    found = compare(scores_of({"a": [0.9, 0.5, 0.3, 0.2], "b": [0.1, 0.5, 0.4, 0.4]}))
    effect = found.effects.row(0, named=True)
    assert (effect["wins"], effect["ties"], effect["losses"]) == (1, 1, 2)
    assert effect["superiority"] == pytest.approx(1.5 / 4)
    assert effect["effect"] == pytest.approx(0.125 / np.std([0.8, 0, -0.1, -0.2], ddof=1))
    assert (effect["deciding"], effect["topics"]) == (1, ["t0000"])
    differences = found.topic_differences("AP", "a", "b")
    assert differences["difference"].to_list() == pytest.approx([0.8, 0.0, -0.1, -0.2])


def test_where_less_is_better_the_lower_mean_comes_first() -> None:
    found = compare(scores_of({"a": [1.0, 2.0, 3.5], "b": [2.0, 4.0, 9.0]}, "ESL(rels=1)"))
    assert found.ranking("ESL(rels=1)") == ["a", "b"]
    pair = found.pairs.row(0, named=True)
    assert pair["better"] == "a"
    assert pair["difference"] < 0
    effect = found.effects.row(0, named=True)
    assert effect["low"] <= pair["difference"] <= effect["high"]
    assert effect["wins"] == 3


@pytest.mark.parametrize("test", ["bootstrap", "randomization", "t"])
def test_one_topic_is_said_to_show_nothing(test: TestName) -> None:
    first, *_ = compare(scores_of({"a": [0.5], "b": [0.1]}), test=test).notes
    assert first.startswith("one topic says nothing about others")


LENIENT = (
    "this test is lenient: it is one-tailed in the direction that the data show, and p is not"
    " corrected for the 6 pairs; a stricter one is --tail two --correct holm (in Python"
    ' tail="two", correct="holm")'
)


KAMPS = {"test": "bootstrap", "tail": "one", "correct": "none", "resamples": 1000}


def test_a_lenient_test_is_said_to_be_one_and_how_to_ask_for_more() -> None:
    lenient = compare(scores_of(RUNS), **KAMPS)  # type: ignore[arg-type]  # by name
    assert lenient.notes == (LENIENT,)
    assert LENIENT in json.loads(foveal.render(lenient, to="json"))["notes"]
    strict = compare(scores_of(RUNS), test="bootstrap", tail="two", correct="holm", resamples=500)
    assert not any("lenient" in note for note in strict.notes)


def test_the_default_is_two_tailed_randomization_corrected_by_holm() -> None:
    found = compare(scores_of(RUNS))
    chosen = ("test", "tail", "alpha", "correct", "interval", "resamples", "seed")
    assert [found.settings[name] for name in chosen] == [
        "randomization", "two", "0.05", "holm", "t", "100,000", "0",
    ]  # fmt: skip
    assert found.notes == ()
    said = compare(
        scores_of(RUNS), test="randomization", tail="two", alpha=0.05, correct="holm", interval="t",
        resamples=100_000, rng=0,
    )  # fmt: skip
    assert said.pairs.equals(found.pairs)
    assert said.effects.equals(found.effects)


@pytest.mark.parametrize(
    ("test", "correct"),
    [("t", "holm"), ("bootstrap", "holm"), ("wilcoxon", "holm"), ("sign", "holm"),
     ("tukey", "none"), ("tukey-rand", "none"), ("anova", "holm")],
)  # fmt: skip
def test_other_tests_are_two_tailed_and_corrected_unless_they_hold_for_all_pairs(
    test: TestName, correct: str
) -> None:
    settings = compare(scores_of(RUNS), test=test, resamples=500).settings
    assert (settings["tail"], settings["correct"]) == ("two", correct)


@pytest.mark.parametrize(
    ("runs", "options", "told"),
    [
        (4, {"tail": "one", "correct": "bh"},
         "data show; a stricter one is --tail two (in Python tail=\"two\")"),
        (4, {"tail": "one"}, "data show; a stricter one is --tail two (in Python tail=\"two\")"),
        (2, {"tail": "one", "correct": "none"},
         "data show; a stricter one is --tail two (in Python tail=\"two\")"),
        (4, {"test": "t", "correct": "none"},
         "6 pairs; a stricter one is --correct holm (in Python correct=\"holm\")"),
        (2, {"test": "t", "correct": "none"}, None),
        (4, {}, None),
        (2, {}, None),
        (4, {"test": "tukey"}, None),
    ],
)  # fmt: skip
def test_only_what_is_lenient_is_called_so(
    runs: int, options: dict[str, str], told: str | None
) -> None:
    found = compare(scores_of(simulated(runs, 60)), **options)  # type: ignore[arg-type]  # by name
    lenient = [note for note in found.notes if note.startswith("this test is lenient")]
    assert [note.endswith(told or "") for note in lenient] == [True] * bool(told)


@pytest.mark.parametrize(
    ("options", "enough"),
    [
        ({"test": "bootstrap", "tail": "one", "correct": "none"}, 19),
        ({"test": "bootstrap", "correct": "none"}, 39),
        ({"test": "bootstrap", "correct": "holm"}, 239),
        ({"test": "randomization", "correct": "none"}, 19),
        ({"test": "randomization", "correct": "holm"}, 119),
        ({}, 119),
        ({"tail": "one"}, 119),
        ({"test": "tukey-rand", "alpha": 0.01}, 99),
    ],
)
def test_too_few_resamples_for_any_difference_are_told_with_how_many_would_do(
    options: dict[str, object], enough: int
) -> None:
    far = {f"run{n}": np.full(60, 0.9 - n / 9) + np.linspace(0, 0.01, 60) for n in range(4)}
    few, many = (
        compare(scores_of(far), resamples=resamples, **options)  # type: ignore[arg-type]  # by name
        for resamples in (enough - 1, enough)
    )
    (told,) = (note for note in few.notes if "so no difference can be significant" in note)
    assert f"ask for {enough} or more (--resamples" in told
    assert not few.pairs["significant"].any()
    assert not any("no difference can be" in note for note in many.notes)
    assert many.pairs["significant"].all()


def test_intervals_that_so_few_resamples_cannot_bound_are_missing() -> None:
    few, enough = (compare(scores_of(RUNS), test="t", interval="percentile", resamples=resamples)
                   for resamples in (38, 39))  # fmt: skip
    assert (few.means["low"].null_count(), few.effects["high"].null_count()) == (4, 6)
    assert any("some are missing: ask for 39 or more" in note for note in few.notes)
    assert not enough.means["low"].null_count()
    assert not any("are missing" in note for note in enough.notes)


def test_few_topics_are_noted_in_the_comparison_itself() -> None:
    scores = scores_of(simulated(4, 49), "AP", AgP=simulated(4, 49, seed=8))
    found = compare(scores)
    # By the first measure; 49 topics show it four times in five (tests/oracles).
    (told,) = (note for note in found.notes if "fewer than 50" in note)
    assert told == found.notes[0]
    assert told == (
        f"49 topics show a difference of {found.smallest_difference('AP'):.2g} by AP four times in"
        " five, and smaller ones less often: with fewer than 50 a test misses real differences and"
        " overstates those it finds"
    )
    assert not any("50" in note for note in compare(scores_of(simulated(4, 50))).notes)


def test_few_topics_without_a_spread_are_noted_without_a_difference() -> None:
    found = compare(scores_of({"a": [0.5] * 30, "b": [0.25] * 30}), resamples=999)
    assert found.smallest_difference("AP") is None
    assert found.notes[0] == (
        "30 topics are few: with fewer than 50 a test misses real differences and overstates those it"
        " finds"
    )


@pytest.mark.parametrize(
    ("runs", "why"),
    [
        ({"a": [0.5, 0.25, 0.0], "b": [0.25, 0.5, 0.1]}, "three topics never show one"),
        (
            {"a": [1.0, 0.0] * 3, "b": [0.0, 1.0] * 3},
            "it would be larger than any that AP can have",
        ),
    ],
)
def test_a_difference_that_cannot_be_is_not_said_to_be_shown(
    runs: dict[str, list[float]], why: str
) -> None:
    found = compare(scores_of(runs))
    assert found.smallest_difference("AP") is None, why
    assert found.notes[0].startswith(f"{len(runs['a'])} topics are few: ")
    # What has no bounds may differ by more.
    unbounded = compare(
        scores_of({name: [9 * one for one in own] for name, own in runs.items()}, "ESL")
    )
    assert (unbounded.smallest_difference("ESL") is None) == (len(runs["a"]) == 3)


def test_nothing_is_less_than_0_by_nothing() -> None:
    found = compare(scores_of({"a": [0.0, 0.0], "b": [0.0, 0.0]}, "ESL(rels=1)"))
    assert "-0.0" not in foveal.render(found, to="json")


def test_no_number_in_a_frame_is_not_a_number() -> None:
    scores = scores_of(
        {"a": [0.5], "b": [0.4], "c": [0.4]}, "AP", AgP={"a": [0.5], "b": [0.5], "c": [0.5]}
    )
    for interval in ("t", "anova", "percentile", "bca"):
        found = compare(scores, test="t", interval=interval)
        for frame in (found.means, found.pairs, found.effects, found.anova, found.agreement):
            assert not frame.select(pl.col(pl.Float64).is_nan().any()).to_numpy().any()


def test_the_curve_falls() -> None:
    curves = compare(scores_of(RUNS, "AP", AgP=simulated(4, 60, seed=8))).curves()
    assert curves["measure"].unique(maintain_order=True).to_list() == ["AP", "AgP"]
    for own in curves.partition_by("measure"):
        assert own["place"].to_list() == list(range(1, 7))
        assert (own["p"].diff().drop_nulls() <= 0).all()


def test_a_run_scored_twice_on_a_topic_is_refused() -> None:
    scores = scores_of(RUNS)
    every = range(len(scores.values[0].topics))
    twice = at_topics(scores, {**dict.fromkeys(scores.runs, every), scores.runs[0]: [*every, 0]})
    with pytest.raises(DataError, match="scored twice"):
        compare(twice)


def test_scores_that_are_no_numbers_are_refused() -> None:
    told = "must be finite numbers to be compared, but AP of run 'a' on topic 't0001' is inf"
    with pytest.raises(DataError, match=told):
        compare(scores_of({"a": [0.5, np.inf], "b": [0.1, 0.2]}))
    with pytest.raises(DataError, match="run 'a' has no score on 1 of 2 topics"):
        compare(scores_of({"a": [0.5, np.nan], "b": [0.1, 0.2]}))


def test_all_deciding_topics_are_named() -> None:
    effect = compare(scores_of({"a": np.ones(40), "b": np.zeros(40)})).effects.row(0, named=True)
    assert effect["deciding"] == 40
    assert effect["topics"] == [f"t{n:04d}" for n in range(40)]


def test_runs_without_a_common_topic_are_refused() -> None:
    scores = scores_of({"a": [0.5, 0.2], "b": [0.1, 0.3]})
    apart = at_topics(scores, {"a": [0], "b": [1]})
    with pytest.raises(DataError, match="no topic was scored for all runs"):
        compare(apart, common_topics=True)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"alpha": 0.0}, "alpha must be between 0 and 1, got 0"),
        ({"alpha": 5}, "alpha must be between 0 and 1, got 5"),
        ({"alpha": 0.6, "tail": "one"}, "alpha of a one-tailed test must be below 0.5, got 0.6"),
        ({"resamples": 0}, "resamples must be a whole number, 1 or more, got 0"),
        ({"resamples": 2.5}, "resamples must be a whole number, 1 or more, got 2.5"),
        ({"rng": -1}, "rng must be a whole number, 0 or more, or a generator of NumPy, got -1"),
        ({"rng": "x"}, "rng must be a whole number, 0 or more, or a generator of NumPy, got 'x'"),
        ({"test": "ttest"}, "unknown test 'ttest': choose from anova, bootstrap"),
        ({"test": "boostrap"}, r"'boostrap' \(did you mean bootstrap\?\)"),
        ({"correct": "sidak"}, "correct must be none, holm, bonferroni or bh, got"),
        ({"interval": "normal"}, "interval must be t, anova, percentile or bca, got"),
    ],
)
def test_choices_that_make_no_sense_are_refused(options: dict[str, object], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        compare(scores_of(RUNS), **options)  # type: ignore[arg-type]  # wrong on purpose


def test_a_generator_may_be_given_and_moves_on() -> None:
    rng = np.random.default_rng(7)
    first, second = (compare(scores_of(RUNS), rng=rng).pairs for _ in range(2))
    assert not first.equals(second)
    again = compare(scores_of(RUNS), rng=np.random.default_rng(7)).pairs
    assert again.equals(first)


def test_upsets_list_who_moves_furthest_first() -> None:
    first = {"a": [0.9], "b": [0.8], "c": [0.7], "d": [0.1]}
    second = {"a": [0.8], "b": [0.7], "c": [0.5], "d": [0.9]}
    found = agree(scores_of(first, "AgP", AP=second), resamples=20)
    assert found.upsets.select("run", "first_rank", "second_rank").rows() == [
        ("d", 4, 1), ("a", 1, 2), ("b", 2, 3), ("c", 3, 4),
    ]  # fmt: skip


def test_intervals_hold_the_middle_of_the_resampled_agreement() -> None:
    found = agree(scores_of(RUNS, "AP", AgP=simulated(4, 60, seed=8)))
    assert found.intervals["coefficient"].to_list() == ["tau", "tau_ap", "spearman", "rbo"]
    assert (found.intervals["low"] <= found.intervals["high"]).all()


def test_the_work_on_resamples_may_be_done_in_portions_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = scores_of(RUNS, "AP", AgP=simulated(4, 60, seed=8), RR=simulated(4, 60, seed=9))
    whole = agree(scores)
    monkeypatch.setattr("foveal.analysis._agree.PORTION", 4 * 4 * 30)
    sizes = []

    def elsewhere(
        work: Callable[[np.ndarray], np.ndarray], items: Sequence[np.ndarray]
    ) -> Iterator[np.ndarray]:
        for item in items:
            sizes.append(item.shape[1])
            yield pickle.loads(pickle.dumps(work))(item)  # noqa: S301 (our own bytes)

    found = agree(scores, each=elsewhere)
    assert max(sizes) <= 30
    assert sum(sizes) == 1000
    assert found.pairs.equals(whole.pairs)
    assert found.intervals.equals(whole.intervals)


def test_one_measure_has_nothing_to_agree_with() -> None:
    with pytest.raises(UsageError, match="name two or more"):
        agree(scores_of(RUNS, "AP", AgP=RUNS), "AgP")


@pytest.mark.parametrize("thing", [[{"1": {"a": 1.0}}], None, 3])
def test_only_scores_are_compared(thing: object) -> None:
    for call in (foveal.compare, foveal.agree):
        with pytest.raises(
            UsageError, match=r"scores are needed, got .*: give what foveal.evaluate"
        ):
            call(thing)  # type: ignore[arg-type]  # wrong on purpose


def test_topics_that_count_twice_are_noted_where_they_are_tested() -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    runs = {"one": {"1": {"a": 2.0}, "2": {"b": 2.0}}, "two": {"1": {"a": 2.0}}}
    for only, noted in ((["1", "1", "2"], True), (["1", "2"], False)):
        notes = compare(evaluate(qrels, runs, "AP", only=only)).notes
        assert any("repeated topics" in note for note in notes) is noted
