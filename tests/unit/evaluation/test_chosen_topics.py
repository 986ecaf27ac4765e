"""Chosen topics, titles and the best runs, without files."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import foveal
from foveal.errors import DataError, UsageError
from foveal.evaluation.run_ranks import best_runs
from foveal.tables import Qrels, Topics
from tests.scored import scores_of

QRELS = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 0}, "4": {"d": 1, "e": 1}}
RUN = {topic: {"x": 2.0, "a": 1.0, "d": 0.5} for topic in "1234"}


def test_a_topic_with_nothing_relevant_is_left_out_although_listed() -> None:
    scores = foveal.evaluate(QRELS, RUN, "AP", only=["1", "3"])
    assert scores.topics["topic"].to_list() == ["1"]
    assert scores.notes == ("left out 1 topic with nothing relevant: 3",)
    assert scores.settings["only"] == "2 topics (1, 3)"


def test_topics_may_be_numbers_and_all_may_be_listed() -> None:
    every = foveal.evaluate(QRELS, RUN, "AP")
    listed = foveal.evaluate(QRELS, RUN, "AP", only=(1, 2, 3, 4))  # type: ignore[arg-type]
    assert listed.mean().equals(every.mean())


def test_a_topic_counts_as_often_as_it_is_listed() -> None:
    scores = foveal.evaluate(QRELS, RUN, ["AP", "NumQ"], only=["1", "4", "4", "4"])
    assert scores["AP"] == pytest.approx((1 / 2 + 3 * (1 / 3 / 2)) / 4)
    assert scores["NumQ"] == 4
    assert scores.topic_facts.times == {"4": 3}
    assert scores.per_topic().filter(measure="AP").select("topic", "times").rows() == [
        ("1", 1),
        ("4", 3),
    ]


def test_averages_of_columns_that_ride_along_count_topics_as_often() -> None:
    rows = [{"topic": topic, "doc": "a", "score": 1.0, "ms": int(topic)} for topic in "14"]
    scores = foveal.evaluate(QRELS, {"r": rows}, "AP", also="ms", only=["1", "4", "4"])
    assert scores.overall["ms"].to_list() == [3.0]


@pytest.mark.parametrize(
    ("only", "said"),
    [
        (["1", "11"], "1 topic not judged in qrels: 11; did you mean 1"),
        ([], "no topics are listed"),
    ],
)
def test_topics_that_are_not_judged_are_refused(only: list[str], said: str) -> None:
    with pytest.raises(DataError, match=said):
        Qrels.from_dict(QRELS).only(only)


def test_a_text_is_no_list_of_topics() -> None:
    with pytest.raises(UsageError, match="only must be a list of topics, got the text '14'"):
        foveal.evaluate(QRELS, RUN, "AP", only="14")


@pytest.mark.parametrize(("only", "got"), [({"1": 3}, "an object"), (14, "14"), (b"14", "b'14'")])
def test_what_is_no_list_of_topics_is_refused(only: Any, got: str) -> None:
    with pytest.raises(UsageError, match=f"only must be a list of topics, got {got}"):
        foveal.evaluate(QRELS, RUN, "AP", only=only)


def test_the_hash_of_judgements_tells_how_often_topics_count() -> None:
    qrels = Qrels.from_dict(QRELS)
    once, twice = qrels.only(["1", "2"]), qrels.only(["1", "2", "2"])
    assert once.sha256 == Qrels.from_dict({topic: QRELS[topic] for topic in "12"}).sha256
    assert len({qrels.sha256, once.sha256, twice.sha256}) == 3


@pytest.mark.parametrize(
    "titles",
    [
        {"1": "tea", "9": "milk"},
        {1: "tea", 2: None, 4: math.nan},
        Topics.from_dicts([{"topic": "1", "title": "tea"}, {"topic": "2"}]),
    ],
    ids=["dict", "numbers", "topics"],
)
def test_titles_are_a_column_where_they_are_given(titles: dict[Any, Any] | Topics) -> None:
    scores = foveal.evaluate(QRELS, RUN, "AP", titles=titles)
    assert scores.per_topic()["title"].to_list() == ["tea", None, None]
    assert scores.rows()["title"].to_list() == ["tea", None, None, None]
    assert not [note for note in scores.notes if "title" in note]
    assert "title" not in scores.rows(per_topic=False).columns
    assert "title" not in foveal.evaluate(QRELS, RUN, "AP").per_topic().columns


@pytest.mark.parametrize(("titles", "got"), [("t.xml", "'t.xml'"), (["tea"], "a list")])
def test_what_has_no_titles_is_refused(titles: Any, got: str) -> None:
    said = f"titles must be {{topic: title}}, or what read_topics returns, got {got}"
    with pytest.raises(UsageError, match=re.escape(said)):
        foveal.evaluate(QRELS, RUN, "AP", titles=titles)


def test_a_note_tells_that_titles_are_those_of_other_topics() -> None:
    scores = foveal.evaluate(QRELS, RUN, "AP", titles={"t1": "tea"})
    assert scores.notes[-1] == (
        "no topic has a title: none of those scored (1, 2, 4) is in the titles given (t1)"
    )


def test_no_runs_are_the_best_by_what_rides_along() -> None:
    rows = [{"topic": "1", "doc": "a", "score": 1.0, "ms": 5.0}]
    scores = foveal.evaluate(QRELS, {"r": rows}, "AP", also="ms")
    with pytest.raises(UsageError, match="ms is not a measure, so no runs are the best by it"):
        scores.top(1, "ms")


@given(
    means=st.lists(st.sampled_from([0.1, 0.2, 0.3, math.nan]), min_size=1, max_size=6),
    count=st.integers(1, 7),
    data=st.data(),
)
def test_the_best_are_found_whatever_the_order(
    means: list[float], count: int, data: st.DataObject
) -> None:
    runs = data.draw(st.permutations([(f"r{place}", mean) for place, mean in enumerate(means)]))
    names, values = [name for name, _ in runs], np.array([mean for _, mean in runs])
    kept, tied = best_runs(names, values, count)

    def merit(run: tuple[str, float]) -> tuple[float, str]:
        return math.inf if math.isnan(run[1]) else -run[1], run[0]

    ranked = sorted(runs, key=merit)
    expected = {name for name, _ in ranked[:count]}
    assert [names[place] for place in kept] == [name for name in names if name in expected]
    cut = count < len(ranked) and merit(ranked[count - 1])[0] == merit(ranked[count])[0]
    assert bool(tied) == cut


MEANS = [0.5, 0.5, 0.5, 0.9, 0.2, 0.1]


def test_rounding_alone_does_not_decide_who_is_best() -> None:
    kept, tied = best_runs(["b", "a", "c"], np.array([0.3 + 1e-15, 0.3, 0.9]), 2)
    assert kept.tolist() == [1, 2]
    assert tied == ["a", "b"]


def test_runs_of_some_ranks_are_those_of_a_ranking_by_value_and_name() -> None:
    scores = scores_of({name: [value, value] for name, value in zip("fbdace", MEANS, strict=True)})
    kept: dict[int | str, str] = {
        "2-3,5-6": "bdce",
        "1-1": "a",
        "1-5": "fbdac",
        "3-3": "d",
        "4-9": "fce",
        3: "bda",
    }
    for ranks, names in kept.items():
        assert scores.top(ranks).runs == list(names), ranks
    best = scores.top("3-3,6-6:AP")
    assert best.settings["top"] == "2 of 6 runs by AP, ranks 3-3,6-6"
    tied = "tie for rank {} by AP; ranked in order of name ({})"
    assert best.notes[-2:] == (
        f"3 runs {tied.format(2, 'b, d, f')}",
        f"3 runs {tied.format(3, 'b, d, f')}",
    )


def test_the_best_by_a_measure_of_which_less_is_better_have_the_least() -> None:
    scores = foveal.evaluate(
        {"1": {"a": 1, "b": 0, "c": 0}},
        {
            "late": {"1": {"b": 3.0, "c": 2.0, "a": 1.0}},
            "soon": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}},
            "next": {"1": {"b": 3.0, "a": 2.0, "c": 1.0}},
        },
        ["AP", "ESL"],
    )
    assert scores.top(2, "ESL").runs == ["soon", "next"]
    assert scores.top("2:ESL").settings["top"] == "2 of 3 runs by ESL"
    assert scores.top(1).settings["top"] == "1 of 3 runs by AP"


def test_scores_of_the_best_have_their_sources_and_values() -> None:
    scores = scores_of({"one": [0.1, 0.3], "two": [0.5, 0.5], "three": [0.2, 0.2]})
    best = scores.top(1)
    assert best.runs == ["two"]
    assert best["AP"] == 0.5
    with pytest.raises(UsageError, match="top must be 1 or more, got 0"):
        scores.top(0)
    with pytest.raises(UsageError, match="top must be a number of runs"):
        scores.top(True)


def test_a_study_may_be_done_on_the_best_runs() -> None:
    qrels = {topic: {"a": 1} for topic in "123456"}
    runs = {
        name: {topic: {"a": 1.0, **dict.fromkeys(worse, 2.0)} for topic in "123456"}
        for name, worse in {"c": "xyz", "a": "", "b": "xy", "d": "x"}.items()
    }
    study = foveal.stability(qrels, runs, ["AP", "P@1"], experiment="topics", top="3:RR")
    alone = foveal.stability(
        qrels, {name: runs[name] for name in "abd"}, ["AP", "P@1"], experiment="topics"
    )
    assert study.samples.equals(alone.samples)
    assert study.settings["top"] == "3 of 4 runs by RR"
    with pytest.raises(UsageError, match="top must be 2 or more"):
        foveal.stability(qrels, runs, "AP", experiment="topics", top=1)


def test_repeats_do_not_count_among_the_topics_that_runs_have_in_common() -> None:
    qrels = {topic: {"a": 1} for topic in "123"}
    whole = {topic: {"a": 1.0} for topic in "123"}
    runs = {"whole": whole, "short": {topic: whole[topic] for topic in "12"}}
    only = ["1", "1", "1", "2", "3"]
    with pytest.raises(DataError, match="only 2 of 3 topics are common to all"):
        foveal.stability(qrels, runs, "AP", experiment="topics", topics="retrieved", only=only)


def test_rows_of_the_best_runs_and_of_groups_are_their_own() -> None:
    qrels = [
        {"topic": topic, "doc": f"d{topic}", "length": 10, "highlights": [[0, 4]]}
        for topic in ("1", "2")
    ]
    runs = {
        name: [
            {"topic": topic, "doc": f"d{topic}", "start": start, "end": 4} for topic in ("1", "2")
        ]
        for name, start in (("late", 3), ("early", 0))
    }
    scores = foveal.evaluate(qrels, runs, "charR", groups={"1": "one", "2": "two"})
    assert scores.top(1).results().select("run", "start").unique().rows() == [("early", 0)]
    assert scores.within("two").documents()["topic"].unique().to_list() == ["2"]
    assert scores.top(1).within("one").results().select("run", "topic").rows() == [("early", "1")]
