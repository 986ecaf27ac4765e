from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import foveal
from foveal.analysis import agree, compare
from foveal.errors import DataError, UnknownMeasure, UsageError
from tests.scored import scores_of, simulated

RUNS = simulated(4, 60)


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


@pytest.mark.parametrize("test", ["bootstrap", "t"])
def test_one_topic_is_said_to_show_nothing(test: str) -> None:
    (note,) = compare(scores_of({"a": [0.5], "b": [0.1]}), test=test).notes
    assert note.startswith("one topic says nothing of others")


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
    twice = type(scores).of_frames(
        pl.concat([scores.topics, scores.topics.head(1)]), scores.overall
    )
    with pytest.raises(DataError, match="scored twice"):
        compare(twice)


def test_scores_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(DataError, match="first AP of run 'a' on topic 't0001'"):
        compare(scores_of({"a": [0.5, np.nan], "b": [0.1, 0.2]}))


def test_only_the_first_of_many_deciding_topics_are_named() -> None:
    effect = compare(scores_of({"a": np.ones(40), "b": np.zeros(40)})).effects.row(0, named=True)
    assert effect["deciding"] == 40
    assert effect["topics"] == [f"t{n:04d}" for n in range(10)]


def test_runs_without_a_common_topic_are_refused() -> None:
    scores = scores_of({"a": [0.5, 0.2], "b": [0.1, 0.3]})
    apart = scores.topics.filter((pl.col("run") == "a") == (pl.col("topic") == "t0000"))
    with pytest.raises(DataError, match="share no topic"):
        compare(type(scores).of_frames(apart, scores.overall), common_topics=True)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": 1.5}, "alpha"),
        ({"resamples": 0}, "resamples is 0: give a whole number"),
        ({"resamples": 2.5}, "resamples is 2.5: give a whole number"),
        ({"rng": -1}, "rng is -1: give a whole number from 0 on"),
        ({"rng": "x"}, "rng is 'x': give a whole number"),
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
    second = {"a": [0.5], "b": [0.8], "c": [0.7], "d": [0.9]}
    found = agree(scores_of(first, "AgP", AP=second), resamples=20)
    assert found.upsets.select("run", "first_rank", "second_rank").rows() == [
        ("a", 1, 4), ("d", 4, 1),
    ]  # fmt: skip


def test_intervals_hold_the_middle_of_the_resampled_agreement() -> None:
    found = agree(scores_of(RUNS, "AP", AgP=simulated(4, 60, seed=8)))
    assert found.intervals["coefficient"].to_list() == ["tau", "tau_ap", "spearman", "rbo"]
    assert (found.intervals["low"] <= found.intervals["high"]).all()


def test_one_measure_has_nothing_to_agree_with() -> None:
    with pytest.raises(UsageError, match="name two or more"):
        agree(scores_of(RUNS, "AP", AgP=RUNS), "AgP")


@pytest.mark.parametrize("thing", [{"1": {"a": 1.0}}, None, 3])
def test_only_scores_are_compared(thing: object) -> None:
    for call in (foveal.compare, foveal.agree):
        with pytest.raises(
            UsageError, match=r"scores are needed, got .*: give what foveal.evaluate"
        ):
            call(thing)  # type: ignore[arg-type]  # wrong on purpose
