"""Groups of topics, and the scores that are in groups."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]  # it ships no types
import pytest

import foveal
from foveal.errors import BadInput, DataError, NotScored, UsageError
from foveal.evaluation import Groups

ROWS = [{"topic": "2", "kind": "x"}, {"topic": "1", "kind": "y"}, {"topic": "3", "kind": None}]
QRELS = {topic: {"d": 1} for topic in "1234"}
RUNS = {
    "one": {"1": {"d": 1.0}, "2": {"e": 2.0, "d": 1.0}, "4": {"d": 1.0}},
    "two": {"2": {"d": 1.0}, "3": {"d": 1.0}},
}


@pytest.mark.parametrize(
    "given",
    [
        {"2": "x", "1": "y", "3": None},
        ROWS,
        pl.DataFrame(ROWS),
        pd.DataFrame(ROWS),
        pa.Table.from_pylist(ROWS),
        pl.DataFrame(ROWS).rename({"topic": "query_id"}),
        pl.DataFrame({"topic": [2, 1, 3], "kind": ["x", "y", "  "]}),
    ],
    ids=["dict", "dicts", "polars", "pandas", "arrow", "alias", "numbers"],
)
def test_groups_are_given_as_any_table(given: Any) -> None:
    groups = Groups.coerced(given)
    assert groups.by_topic == {"2": "x", "1": "y"}
    assert groups.of_topics(["1", "3", "9"]) == ["y", "(none)", "(none)"]
    assert groups.in_order({"(none)", "y", "x"}) == ["x", "y", "(none)"]
    assert Groups.coerced(groups) is groups


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([{"topic": "1", "g": "x"}, {"topic": "1", "g": "x"}], "topic '1' is listed a second time"),
        (
            {"1": "all"},
            "topic '1' is in a group named 'all', which stands for all topics: rename it",
        ),
        (
            {"1": "(none)"},
            r"named '\(none\)', which stands for topics that are not listed: leave it blank",
        ),
        ({"1": "", "2": None}, "groups: no topic has a group"),
        ({}, "groups: no topics"),
        ([{"kind": "x"}], "no column 'topic'"),
        ({"x": ["1", "2"]}, "a dict must be {topic: group}, but the group of 'x' is a list"),
        ([{"topic": None, "g": "x"}, {"topic": "2", "g": "x"}], "groups:1: topic is None"),
    ],
)
def test_other_groups_are_refused(given: Any, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        Groups.coerced(given)


def test_one_column_gives_the_group() -> None:
    with pytest.raises(
        UsageError, match=r"groups has 2 columns beside topic \(a, b\): name the one"
    ):
        Groups.coerced([{"topic": "1", "a": "x", "b": "y"}])
    with pytest.raises(UsageError, match="groups has only a topic column"):
        Groups.coerced([{"topic": "1"}])


def test_scores_have_the_means_of_groups() -> None:
    scores = foveal.evaluate(QRELS, RUNS, ["AP", "num_q"], groups={"2": "x", "1": "y", "4": "x"})
    assert scores.by_group().rows() == [
        ("one", "x", 2, 0.75, 2.0),
        ("one", "y", 1, 1.0, 1.0),
        ("one", "(none)", 1, 0.0, 1.0),
        ("one", "all", 4, 0.625, 4.0),
        ("two", "x", 2, 0.5, 2.0),
        ("two", "y", 1, 0.0, 1.0),
        ("two", "(none)", 1, 1.0, 1.0),
        ("two", "all", 4, 0.5, 4.0),
    ]
    assert scores.mean().rows() == [("one", 0.625, 4.0), ("two", 0.5, 4.0)]
    rows = scores.rows()
    assert rows.columns == ["run", "measure", "topic", "group", "value"]
    assert ("two", "AP", "3", "(none)", 1.0) in rows.rows()
    assert rows.filter(topic="all", run="two", measure="AP")["group"].to_list() == [
        "x", "y", "(none)", "all",
    ]  # fmt: skip
    assert scores.per_topic().columns == ["run", "topic", "group", "measure", "value"]
    assert scores.settings["groups"] == "groups (x 2, y 1, (none) 1)"
    assert scores.notes[-1] == (
        "groups: 1 scored topic is not listed and forms the group (none): 3"
    )


def test_a_run_is_in_the_groups_that_it_has_results_for() -> None:
    scores = foveal.evaluate(
        QRELS, RUNS, "AP", topics="retrieved", groups={"1": "x", "3": "y", "2": "z", "4": "x"}
    )
    assert scores.by_group().select("run", "group", "topics").rows() == [
        ("one", "x", 2), ("one", "z", 1), ("one", "all", 3),
        ("two", "y", 1), ("two", "z", 1), ("two", "all", 2),
    ]  # fmt: skip
    within = scores.within("y")
    assert [(run.name, run.origin) for run in within.values] == [("two", scores.values[1].origin)]
    assert within.mean().rows() == [("two", 1.0)]
    assert within.rows().columns == ["run", "measure", "topic", "value"]
    assert within.settings["group"] == "y"
    assert "(x 2, y 1, z 1)" in scores.settings["groups"]


def test_sizes_that_differ_between_runs_are_told() -> None:
    groups = dict.fromkeys("123", "x")
    scores = foveal.evaluate(
        QRELS, {"a": RUNS["one"], "b": {"2": {"d": 1}}}, "AP", topics="retrieved", groups=groups
    )
    assert "(x 1 to 2, (none) 1)" in scores.settings["groups"]


def test_what_is_not_there_is_named() -> None:
    scores = foveal.evaluate(QRELS, RUNS, "AP", groups={"1": "CO"})
    with pytest.raises(NotScored, match=r"no group 'C0' was scored; did you mean 'CO'\?"):
        scores.within("C0")
    plain = foveal.evaluate(QRELS, RUNS, "AP")
    for ask in (plain.by_group, lambda: plain.within("CO")):
        with pytest.raises(UsageError, match="these scores have no groups"):
            ask()


def test_groups_without_a_scored_topic_are_refused() -> None:
    reason = r"groups: none of its topics \(01, 02\) is scored \(scored are 1, 2, 3, 4\)"
    with pytest.raises(DataError, match=reason):
        foveal.evaluate(QRELS, RUNS, "AP", groups={"01": "x", "02": "y"})
    with pytest.raises(DataError, match=r"none of its topics \(1\) is scored \(scored are 2, 3\)"):
        foveal.evaluate(QRELS, RUNS["two"], "AP", topics="retrieved", groups={"1": "x"})


def test_topics_that_are_groups_of_their_own_are_noted() -> None:
    scores = foveal.evaluate(QRELS, RUNS, "AP", groups={topic: f"title {topic}" for topic in "123"})
    assert "groups: every topic is in a group of its own" in scores.notes
    scores = foveal.evaluate(QRELS, RUNS, "AP", groups={"1": "x", "2": "x"})
    assert "groups: every topic is in a group of its own" not in scores.notes


def test_extra_columns_have_means_of_groups() -> None:
    rows = [
        {"topic": "1", "doc": "d", "ms": 10}, {"topic": "2", "doc": "d", "ms": 20},
        {"topic": "2", "doc": "e", "ms": 40}, {"topic": "3", "doc": "d", "ms": 5},
    ]  # fmt: skip
    groups = {"1": "x", "2": "x", "3": "y", "4": "z"}
    scores = foveal.evaluate(QRELS, {"mine": rows}, "AP", also="ms", groups=groups)
    means = {
        row["group"]: row["value"]
        for row in scores.rows(per_topic=False).filter(measure="ms").iter_rows(named=True)
    }
    # Nothing was returned for the only topic of z.
    assert means == {"x": 20.0, "y": 5.0, "all": pytest.approx(45 / 3)}
    renamed = [{**row, "group": row["ms"]} for row in rows]
    with pytest.raises(UsageError, match="also cannot show the column 'group' beside groups"):
        foveal.evaluate(QRELS, {"mine": renamed}, "AP", also="group", groups=groups)
