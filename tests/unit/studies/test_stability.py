from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from foveal.choices import Draw, Experiment
from foveal.errors import DataError, UsageError
from foveal.studies import DemoWorld, stability
from foveal.studies.stability.design import Sampler, sample_size, stability_design
from foveal.studies.stability.sample_rankings import mean_and_spread
from foveal.studies.stability.topic_sampling import _jackknife, _needed, error_rate, outcomes
from foveal.tables import Qrels, Run


def test_the_error_rate_of_counts_made_by_hand() -> None:
    # Pairs: 7 to 2 with 1 equal, 5 to 5, 10 to 0, all equal: (2 + 5 + 0 + 0) / 40.
    better, worse = np.array([7, 5, 10, 0]), np.array([2, 5, 0, 0])
    equal = np.array([1, 0, 0, 10])
    assert error_rate(better, worse, equal) == 7 / 40


def test_means_are_equal_when_closer_than_the_fuzziness_of_the_larger() -> None:
    means = np.array([[1.0, 0.95, 0.951, 0.0, 0.0]])
    better, worse, equal = outcomes(means, 0.05)
    pairs = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    found = dict(zip(pairs, zip(better[0], worse[0], equal[0], strict=True), strict=True))
    # 1 - 0.95 is a hair above 0.05 in doubles; what counts is that 0.049 is below.
    assert found[0, 2] == (False, False, True)
    assert found[3, 4] == (False, False, True)
    assert found[0, 3] == (True, False, False)
    assert found[1, 2] == (False, False, True)
    _, worse, equal = outcomes(means, 0.0)
    assert (worse[0][4], equal[0][4], equal[0][9]) == (True, False, True)


def test_the_spread_of_a_rate_is_its_jackknife_error() -> None:
    better = np.array([[True], [True], [False], [True]])
    worse, equal = ~better, np.zeros_like(better)
    # Leaving out a sample leaves 1 of 3 or 0 of 3: rates 1/3, 1/3, 0, 1/3.
    rates = np.array([1 / 3, 1 / 3, 0, 1 / 3])
    expected = np.sqrt(3 / 4 * ((rates - rates.mean()) ** 2).sum())
    assert _jackknife(better, worse, equal) == pytest.approx(expected)
    assert np.isnan(_jackknife(better[:1], worse[:1], equal[:1]))


@pytest.mark.parametrize(
    ("level", "count", "size"),
    [(80, 99, 79), (50, 5, 3), (20, 1, 1), (1, 10, 1), (100, 7, 7), (40, 107, 43), (25, 10, 3)],
)
def test_halves_round_up_and_one_always_stays(level: int, count: int, size: int) -> None:
    assert sample_size(level, np.array(count)) == size


@given(
    topics=st.lists(st.integers(0, 4), min_size=1, max_size=40),
    level=st.integers(1, 100),
    sample=st.integers(0, 3),
)
def test_every_topic_keeps_exactly_its_share_of_passages(
    topics: list[int], level: int, sample: int
) -> None:
    topic = np.array(topics)
    kept = Sampler.of(1).passages(topic, level, sample)
    for number in set(topics):
        own = topic == number
        assert kept[own].sum() == sample_size(level, np.array(own.sum()))


def test_every_passage_is_kept_about_as_often_as_any_other() -> None:
    topic = np.zeros(10, dtype=np.int64)
    kept = np.array([Sampler.of(1).passages(topic, 30, sample) for sample in range(2000)])
    # Three of ten: 600 ± 5 standard deviations of 20.5.
    assert np.abs(kept.sum(axis=0) - 600).max() < 103


@given(count=st.integers(1, 40), level=st.integers(1, 50), seed=st.integers(0, 9))
def test_disjoint_samples_are_disjoint_and_equally_large(count: int, level: int, seed: int) -> None:
    draws = Sampler.of(seed)
    if count < 100 // level:
        with pytest.raises(DataError, match="too few topics" if count > 1 else "one topic cannot"):
            draws.topics(count, level, 2, Draw.PARTITION)
        return
    drawn = draws.topics(count, level, 2, Draw.PARTITION)
    assert drawn.shape == (2, 100 // level, count)
    assert (drawn.sum(axis=1) <= 1).all()
    assert len(set(drawn.sum(axis=2).ravel().tolist())) == 1
    assert drawn[0, 0].sum() in {sample_size(level, np.array(count)), count // (100 // level)}


def test_what_is_not_a_number_is_not_averaged() -> None:
    mean, spread = mean_and_spread(
        np.array([[1.0, np.nan, 3.0], [np.nan] * 3, [2.0, np.nan, np.nan]])
    )
    assert mean.tolist()[0::2] == [2, 2]
    assert spread[0] == pytest.approx(np.sqrt(2))
    assert np.isnan([mean[1], spread[1], spread[2]]).all()


def test_the_design_fills_in_what_fits_the_experiment() -> None:
    assert stability_design(Experiment.POOL, rng=0).min_passages == 10
    assert stability_design(Experiment.TOPICS, rng=0).min_passages == 0
    assert stability_design(Experiment.POOL, rng=0).levels == (80, 60, 40, 20)
    assert stability_design(Experiment.ERROR_RATE, rng=0, draw=Draw.PARTITION).levels == (40, 20)
    assert stability_design(Experiment.TOPICS, rng=0, levels=[20, 90, 20]).levels == (90, 20)
    with pytest.raises(UsageError, match="an error rate compares samples: ask for two or more"):
        stability_design(Experiment.ERROR_RATE, rng=0, samples=1)
    assert stability_design(Experiment.ERROR_RATE, samples=1, draw=Draw.PARTITION).samples == 1
    for wrong in ([], [0], [101], [12.5], [-3]):
        with pytest.raises(UsageError):
            stability_design(Experiment.POOL, rng=0, levels=wrong)  # type: ignore[arg-type]  # as users may


CHOICES: dict[str, tuple[Any, set[str]]] = {
    "levels": ([50], {"pool", "topics", "error-rate", "swap"}),
    "samples": (3, {"pool", "topics", "error-rate", "swap"}),
    "rng": (3, {"pool", "topics", "error-rate", "swap"}),
    "draw": ("independent", {"topics", "error-rate"}),
    "fuzziness": (3.0, {"error-rate"}),
    "depths": ([3], {"depth"}),
    "pool_depth": (3, {"leave-out"}),
    "participants": ({"one": "us"}, {"leave-out"}),
    "min_passages": (1, set(Experiment)),
}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("experiment", Experiment)
def test_a_choice_that_an_experiment_does_not_use_is_refused(
    tiny_qrels: Qrels, experiment: Experiment, choice: str
) -> None:
    value, used_by = CHOICES[choice]
    runs = [
        Run.from_dicts([{"topic": topic, "doc": doc} for topic in ("t1", "t2")], name=name)
        for name, doc in (("one", "d1"), ("two", "d2"))
    ]
    made: dict[str, Any] = {"min_passages": 0, choice: value}
    if experiment is Experiment.SWAP:
        made["levels"] = [50]  # Two topics make no smaller disjoint samples.
    if experiment in used_by:
        stability(tiny_qrels, runs, ["AiP"], experiment=experiment, **made)
        return
    with pytest.raises(
        UsageError, match=f"{choice} does not apply to {experiment}, only to "
    ) as told:
        stability(tiny_qrels, runs, ["AiP"], experiment=experiment, **made)
    assert all(name in str(told.value) for name in used_by)


def test_participants_are_reported_and_must_have_runs(tiny_qrels: Qrels, first_run: Run) -> None:
    others = [Run.from_dicts([{"topic": "t1", "doc": "d2"}], name=name) for name in ("b", "c")]
    who = {first_run.name: "we", "b": "they", "c": "they", "absent": "nobody"}
    found = stability(
        tiny_qrels, [first_run, *others], ["AiP", "AP"], experiment="leave-out", participants=who
    )
    assert found.settings["participants"] == "we (1 run), they (2 runs)"
    with pytest.raises(DataError, match="the participants name none of the runs"):
        stability(
            tiny_qrels, others, ["AiP"], experiment="leave-out", participants={"absent": "nobody"}
        )


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"levels": [101]}, "a level must be a whole number of per cent from 1 to 100, got 101"),
        ({"levels": []}, "levels must name at least one share"),
        ({"samples": 0}, "samples must be a whole number, 1 or more, got 0"),
        ({"min_passages": -1}, "min passages must be a whole number, 0 or more, got -1"),
        ({"experiment": "error-rate", "fuzziness": 101}, "between 0 and 100 per cent, got 101"),
        (
            {"experiment": "depth", "depths": [0]},
            "a depth must be a whole number, 1 or more, got 0",
        ),
        ({"experiment": "depth", "depths": []}, "depths must name at least one depth"),
        ({"experiment": "leave-out", "pool_depth": 0}, "pool depth must be a whole number, 1 or"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(
    tiny_qrels: Qrels, first_run: Run, choices: dict[str, Any], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        stability(tiny_qrels, [first_run, first_run], ["AiP"], **choices)


def test_the_library_takes_dicts_and_says_what_it_did(tiny_qrels: Qrels, first_run: Run) -> None:
    other = Run.from_dicts(
        [{"topic": "t1", "doc": "d2"}, {"topic": "t2", "doc": "d3"}], name="other"
    )
    found = stability(
        tiny_qrels, [first_run, other], ["AiP"], min_passages=2, levels=[100, 50], samples=2, rng=4
    )
    assert found.experiment is Experiment.POOL
    assert (found.runs, found.topics) == (2, 2)
    assert found.measures == ["AiP"]
    assert found.samples.filter(found.samples["level"] == 100)["tau"].to_list() == [1, 1]
    assert found.settings["seed"] == "4"
    with pytest.raises(UsageError, match="a single run cannot be ranked"):
        stability(tiny_qrels, first_run, min_passages=1)
    with pytest.raises(UsageError, match="experiment must be pool, topics, error-rate, "):
        stability(tiny_qrels, [first_run, other], experiment="pond")


def test_topics_with_too_few_passages_are_left_out_of_both_rankings(
    tiny_qrels: Qrels, first_run: Run, second_run: Run
) -> None:
    found = stability(
        tiny_qrels, [first_run, second_run], ["AiP"], min_passages=4, levels=[100], samples=1
    )
    assert found.topics == 1
    assert "topics with fewer than 4 passages are left out: 1" in found.notes


@pytest.mark.parametrize(
    ("count", "experiment", "told"),
    [
        (
            2,
            "topics",
            "2 runs make 1 pair, which is few: τ can only be 1 or -1; to plan topics for",
        ),
        (2, "error-rate", "2 runs make 1 pair, which is few: rates over so few pairs say little"),
        (
            3,
            "topics",
            "3 runs make 3 pairs, which are few: τ falls by 0.67 if one pair changes places",
        ),
        (5, "topics", ""),
    ],
)
def test_few_runs_are_noted(count: int, experiment: str, told: str) -> None:
    qrels = {topic: {"a": 1} for topic in "1234"}
    run = {topic: {"b": 1.0, "a": 2.0} for topic in "1234"}
    runs = {f"run{place}": run for place in range(count)}
    notes = stability(qrels, runs, "AP", experiment=experiment, levels=[50], samples=2).notes
    assert [note.startswith(told) for note in notes if " make " in note] == [True] * bool(told)


@pytest.mark.parametrize(
    ("pairs", "swapped", "needed"),
    [
        ([40, 20, 0, 9], [20, 1, 0, 0], 0.02),  # one in twenty is not fewer than 5 %
        ([40, 140, 9, 9], [20, 7, 0, 0], 0.02),
        ([40, 21, 0, 9], [20, 1, 0, 0], 0.01),
        ([40, 21, 0, 9], [0, 0, 0, 0], 0.0),
        ([40, 21, 0, 0], [20, 9, 0, 0], None),
    ],
)
def test_the_difference_needed_is_that_from_which_fewer_than_one_in_twenty_swap(
    pairs: list[int], swapped: list[int], needed: float | None
) -> None:
    found = _needed(np.array(pairs), np.array(swapped))
    assert np.isnan(found) if needed is None else found == pytest.approx(needed)


def test_a_finder_of_everything_leaves_nothing_to_rank_by(tiny_qrels: Qrels) -> None:
    every = [
        {"topic": topic, "doc": doc, "start": 0, "end": size}
        for topic in ("t1", "t2")
        for doc, size in (("d1", 100), ("d2", 50), ("d3", 80), ("d4", 200))
    ]
    runs = [
        Run.from_dicts(every, name="same"),
        Run.from_dicts([{"topic": "t1", "doc": "x", "start": 0, "end": 5}], name="same"),
    ]
    finders = stability(tiny_qrels, runs, ["AiP"], experiment="leave-out").frames["finders"]
    assert finders["runs"].to_list() == [1, 1]
    assert finders["left_out"].n_unique() == 2
    assert finders["passages"][0] > finders["passages"][1] == 0
    assert finders.row(0)[-4:] == (None, None, None, None)
    assert finders["tau"][1] == 1
    with pytest.raises(DataError, match="no run shows any passage in its first 500 parts"):
        stability(tiny_qrels, runs[1:] * 2, ["AiP"], experiment="depth")


def test_depths_end_with_the_longest_run_and_count_what_no_run_shows(tiny_qrels: Qrels) -> None:
    first = {"topic": "t1", "doc": "d1", "start": 0, "end": 100}
    rows = [first, {**first, "doc": "x", "end": 5}, {**first, "doc": "d3", "end": 80}]
    runs = [Run.from_dicts(rows, name="long"), Run.from_dicts(rows[:1], name="short")]
    found = stability(tiny_qrels, runs, ["AiP"], experiment="depth")
    frame = found.frames["depths"]
    assert frame["depth"].to_list() == [5, 2, 1]
    assert found.settings["longest run"] == "3"
    shown, every = frame["passages"][0], tiny_qrels.passages.height
    assert 0 < shown < every
    told = f"{shown} of {every} passages are shown by some run; the others count as not relevant"
    assert f"{told} at every depth" in found.notes
    chosen = stability(tiny_qrels, runs, ["AiP"], experiment="depth", depths=[3, 100])
    assert chosen.frames["depths"]["depth"].to_list() == [3]


@pytest.mark.parametrize("experiment", ["pool", "leave-out", "depth"])
def test_the_order_of_the_runs_changes_nothing(experiment: str, whole_demo: DemoWorld) -> None:
    samples = 2 if experiment == "pool" else None
    one, other = (
        next(
            iter(
                stability(
                    whole_demo.qrels, runs, ["AiP"], experiment=experiment, samples=samples
                ).frames.values()
            )
        )
        for runs in (whole_demo.runs, whole_demo.runs[::-1])
    )
    assert_frame_equal(one, other, check_row_order=False)
