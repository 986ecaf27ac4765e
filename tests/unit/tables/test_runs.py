"""One run or several: a list, or a dict of names; told apart by depth."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pytest

import foveal
from foveal.errors import UsageError
from foveal.tables import Run, coerced_runs

ROWS = [{"topic": "1", "doc": "a", "score": 2.0}]
SCORES = {"1": {"a": 2.0}, "2": {"a": 1.0, "b": 3}}
TAGGED = Run.from_dicts(ROWS, "tag")


def names(runs: Any) -> list[str]:
    return [run.name for run in coerced_runs(runs)]


def test_names_in_a_dict_win_over_tags() -> None:
    given = {"bm25": pd.DataFrame(ROWS), "dense": TAGGED, "rows": ROWS, "dict": SCORES}
    assert names(given) == ["bm25", "dense", "rows", "dict"]
    assert TAGGED.name == "tag"
    scores = foveal.evaluate({"1": {"a": 1}}, given, "AP")
    assert scores.mean().rows() == [(name, 1.0) for name in given]


def test_a_dict_of_topics_is_one_run() -> None:
    (run,) = coerced_runs(SCORES)
    assert run.frame["topic"].unique().sort().to_list() == ["1", "2"]
    assert run.name == "run1"


def test_a_topic_without_documents_is_a_topic() -> None:
    (run,) = coerced_runs({"1": {}, "2": {"a": 1.0}})
    assert run.frame["topic"].to_list() == ["2"]


def test_a_list_of_runs_is_numbered_where_they_have_no_names() -> None:
    assert names([SCORES, TAGGED, pl.DataFrame(ROWS), ROWS]) == ["run1", "tag", "run3", "run4"]
    assert names(iter([TAGGED, SCORES])) == ["tag", "run2"]


def test_a_list_of_results_is_one_run_whatever_else_they_tell() -> None:
    rows = [{**ROWS[0], "metadata": {"page": 3}}, {"topic": "1", "doc": "b", "score": 1.0}]
    assert names(rows) == ["run1"]


ODD: dict[str, tuple[Any, str]] = {
    "nothing": ([], "no run to evaluate"),
    "no names": ({}, "no run to evaluate"),
    "a run and a topic": (
        {"bm25": ROWS, "1": {"a": 1.0}},
        "runs: 'bm25' is a run, but '1' is {document: score}: give {name: run} or"
        " {topic: {document: score}}, not a mixture",
    ),
    "numbers among dicts": (
        {"bm25": {"1": {"a": 1.0}, "2": 3}},
        "runs: 'bm25' mixes dicts and numbers: a run is a frame, a list of dicts or"
        " {topic: {document: score}}",
    ),
    "results among runs": (
        [ROWS[0], TAGGED],
        "runs: the list mixes single results with runs: a run is a frame, a list of dicts or"
        " {topic: {document: score}}",
    ),
    "a number": (
        {"bm25": 3},
        "runs: 'bm25' is 3, not a run: a run is a frame, a list of dicts or"
        " {topic: {document: score}}",
    ),
    "a path": (
        {"bm25": "mine.run"},
        "runs: 'bm25' is the text 'mine.run': read a file with foveal.read_run",
    ),
    "a number as name": ({1: ROWS}, "runs: a run's name must be text, got 1"),
    "columns": (
        {"topic": ["1"], "doc": ["a"]},
        "runs: a dict of columns is not a run: make a frame of it first",
    ),
}


@pytest.mark.parametrize(("runs", "reason"), ODD.values(), ids=ODD)
def test_odd_nestings_are_refused_in_plain_words(runs: Any, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        coerced_runs(runs)
    assert str(caught.value) == reason


@pytest.mark.parametrize("row", [("1", "a", 2.0), ["1", "a"]])
def test_rows_need_names_for_their_values(row: Any) -> None:
    with pytest.raises(UsageError, match="cannot read a row from"):
        coerced_runs([row])


def test_a_text_is_taken_for_a_path() -> None:
    with pytest.raises(UsageError, match=r"the text 'mine.run' \(foveal.read_run"):
        coerced_runs("mine.run")  # type: ignore[arg-type]  # wrong on purpose
