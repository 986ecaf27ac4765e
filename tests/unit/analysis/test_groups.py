"""Runs compared, and measures' rankings, on groups of topics."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import foveal
from foveal.analysis import TESTS, Agreement, Comparison
from foveal.choices import Interval
from foveal.conventions import TestName
from foveal.evaluation import Scores

TOPICS = [f"t{number}" for number in range(14)]
GROUPS = {topic: "CO" if place % 3 else "CAS" for place, topic in enumerate(TOPICS[:-1])}
FRAMES = ("means", "pairs", "counts", "effects", "anova", "agreement")
AGREED = ("pairs", "intervals", "upsets", "means")
rng = np.random.default_rng(5)
QRELS = {topic: {f"d{n}": int(rng.random() < 0.4) for n in range(9)} | {"x": 1} for topic in TOPICS}
RUNS = {
    name: {
        topic: {doc: merit * grade + rng.random() for doc, grade in own.items()}
        for topic, own in QRELS.items()
    }
    for name, merit in (("b", 0.1), ("a", 0.4), ("c", 0.8))
}


def _scores(topics: list[str] = TOPICS, **more: Any) -> Scores:
    judged = {topic: QRELS[topic] for topic in topics}
    return foveal.evaluate(judged, RUNS, ["AP", "RR", "P@3"], **more)


def _of(group: str) -> list[str]:
    return [topic for topic in TOPICS if GROUPS.get(topic, "(none)") == group]


def _same(one: Any, other: Any, frames: tuple[str, ...]) -> None:
    for frame in frames:
        assert_frame_equal(getattr(one, frame), getattr(other, frame), check_exact=True)


@pytest.mark.parametrize("test", list(TESTS))
def test_a_group_is_compared_as_its_topics_alone(test: TestName) -> None:
    how: dict[str, Any] = {"test": test, "correct": "holm", "rng": 3, "resamples": 99}
    found = foveal.compare(_scores(groups=GROUPS), **how)
    assert list(found.groups) == ["CAS", "CO", "(none)"]
    _same(found, foveal.compare(_scores(), **how), FRAMES)
    for name, own in found.groups.items():
        _same(own, foveal.compare(_scores(_of(name)), **how), FRAMES)
        within = foveal.compare(_scores(groups=GROUPS).within(name), **how)
        _same(own, within, FRAMES)
        assert (own.settings, own.notes) == (within.settings, within.notes)


def test_rankings_of_a_group_are_compared_as_its_topics_alone() -> None:
    found = foveal.agree(_scores(groups=GROUPS), rng=3, resamples=99)
    _same(found, foveal.agree(_scores(), rng=3, resamples=99), AGREED)
    for name, own in found.groups.items():
        _same(own, foveal.agree(_scores(_of(name)), rng=3, resamples=99), AGREED)


def test_one_generator_serves_all_topics_and_every_group() -> None:
    def seeded() -> np.random.Generator:
        return np.random.default_rng(8)

    # Of so few topics a randomization test draws nothing.
    drawn: dict[str, Any] = {"test": "bootstrap", "resamples": 99}
    found = foveal.compare(_scores(groups=GROUPS), rng=seeded(), **drawn)
    _same(found, foveal.compare(_scores(), rng=seeded(), **drawn), FRAMES)
    own = foveal.compare(_scores(_of("CO")), rng=seeded(), **drawn)
    _same(found.groups["CO"], own, FRAMES)
    assert not found.pairs.equals(foveal.compare(_scores(), rng=9, **drawn).pairs)


def test_a_group_with_few_differing_topics_is_exact_and_says_so() -> None:
    rng = np.random.default_rng(7)
    topics = [f"t{place}" for place in range(30)]
    qrels = {topic: {"good": 1} for topic in topics}
    runs = {
        name: {
            topic: {"good": 1.0, **{f"bad{n}": 2.0 + n for n in range(rng.integers(worst))}}
            for topic in topics
        }
        for name, worst in (("one", 4), ("two", 9))
    }
    groups = {topic: "few" if place < 13 else "rest" for place, topic in enumerate(topics)}
    found = foveal.compare(foveal.evaluate(qrels, runs, "RR", groups=groups))
    assert found.settings["resamples"] == "100,000"
    assert found.pairs["p_error"].item() > 0
    for own in found.groups.values():
        one, two = own.values.values[0]
        differing = int((one != two).sum())
        assert differing <= 17
        assert own.settings["resamples"] == f"all {2**differing:,}"
        assert own.pairs["p_error"].item() == 0
    said = [f"{name} {own.settings['resamples']}" for name, own in found.groups.items()]
    assert found.settings["resamples of groups"] == "; ".join(said)


@pytest.mark.parametrize("result", [Comparison, Agreement])
def test_frames_of_groups_follow_those_of_all_topics(result: type) -> None:
    scores = _scores(groups=GROUPS)
    found: Any = (foveal.compare if result is Comparison else foveal.agree)(scores, resamples=9)
    means: pl.DataFrame = found.by_group(lambda own: own.means)
    assert means.columns == ["group", *found.means.columns]
    assert means["group"].unique(maintain_order=True).to_list() == ["all", "CAS", "CO", "(none)"]
    assert_frame_equal(means.filter(group="CO").drop("group"), found.groups["CO"].means)
    plain: Any = (foveal.compare if result is Comparison else foveal.agree)(_scores(), resamples=9)
    assert not plain.groups
    assert_frame_equal(plain.by_group(lambda own: own.means), plain.means)


@pytest.mark.parametrize("interval", list(Interval))
@pytest.mark.parametrize("test", list(TESTS))
def test_a_group_of_one_topic_is_shown_and_noted(test: TestName, interval: Interval) -> None:
    found = foveal.compare(_scores(groups=GROUPS), "AP", test=test, interval=interval, resamples=99)
    alone = found.groups["(none)"]
    assert len(alone.pairs) == 3
    assert not alone.pairs["significant"].fill_null(value=False).any()
    notes = [note for note in found.notes if note.startswith("group")]
    assert notes[0] == ("groups: 1 scored topic is not listed and forms the group (none): t13")
    assert notes[1] == (
        "group '(none)' has one topic, which says nothing about others: whatever its p, it shows no"
        " real difference"
    )
    assert notes[2] == (
        "groups 'CAS' (5 topics) and 'CO' (8 topics) have few topics: with fewer than 50 a test misses"
        " real differences and overstates those it finds"
    )


def test_what_a_test_cannot_tell_in_a_group_is_noted_for_the_group() -> None:
    qrels = {topic: {"d": 1} for topic in "1234"}
    runs = {
        "one": {topic: {"d": 2.0} for topic in "1234"},
        "two": {"1": {"e": 3, "d": 2}, "2": {"e": 3, "d": 2}, "3": {"d": 1}, "4": {"e": 1, "f": 0}},
    }
    groups = {"1": "same", "2": "same", "3": "other", "4": "other"}
    found = foveal.compare(foveal.evaluate(qrels, runs, "AP", groups=groups), test="t")
    own = [note for note in found.notes if note.startswith("group 'same':")]
    assert len(own) == 1
    assert "cannot test 1 pair of runs that differ by the same amount on every topic" in own[0]


def test_groups_have_the_topics_that_all_runs_share() -> None:
    runs = {"one": RUNS["a"], "two": {topic: RUNS["b"][topic] for topic in _of("CO")}}
    scores = foveal.evaluate(QRELS, runs, "AP", topics="retrieved", groups=GROUPS)
    found = foveal.compare(scores, common_topics=True, resamples=9)
    assert list(found.groups) == ["CO"]
    assert found.groups["CO"].settings["compared topics"] == "8"


def test_figures_are_of_all_topics() -> None:
    grouped, plain = (
        foveal.compare(scores, resamples=99) for scores in (_scores(groups=GROUPS), _scores())
    )
    for name in ("matrix", "means", "differences", "p-values"):
        one, other = (foveal.figure(found, name).data for found in (grouped, plain))
        assert_frame_equal(one, other)


def test_intervals_of_a_group_are_cut_where_its_own_scores_end() -> None:
    spans = {"1": (0, 8), "2": (0, 9), "3": (0, 10), "4": (0, 5)}
    qrels = [{"topic": t, "doc": "d", "length": 20, "highlights": [[0, 10]]} for t in spans]
    rows = [{"topic": t, "doc": "d", "start": a, "end": b} for t, (a, b) in spans.items()]
    runs = {"one": rows, "two": [*rows[:3], {**rows[3], "end": 10}, {**rows[3], "end": 9}]}
    groups = {"1": "once", "2": "once", "3": "once", "4": "twice"}
    scores = foveal.evaluate(qrels, runs, "charR", overlap="repeat", groups=groups)
    assert scores["two", "charR"] > 1
    found = foveal.compare(scores, test="t")
    assert found.groups["once"].means["high"].to_list() == [1.0, 1.0]
    _same(found.groups["once"], foveal.compare(scores.within("once"), test="t"), FRAMES)
