"""Columns that ride along are averaged beside the measures, and are no scores."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import foveal
from foveal.errors import BadInput, DataError, UsageError

QRELS = {topic: {"a": 1} for topic in "12345"}
GATHERED: dict[str, Callable[[list[float]], float]] = {
    "x": fmean,
    "x:mean": fmean,
    "x:sum": sum,
    "x:max": max,
    "x:first": lambda values: values[0],
}
NUMBERS = st.one_of(st.none(), st.integers(-1000, 1000), st.floats(-1e6, 1e6))


def rows_of(numbers: dict[str, list[float | None]]) -> list[dict[str, Any]]:
    return [
        {"topic": topic, "doc": f"d{place}", "score": -place, "x": number}
        for topic, own in numbers.items()
        for place, number in enumerate(own)
    ]


@given(st.dictionaries(st.sampled_from("12345"), st.lists(NUMBERS, min_size=1), min_size=1))
def test_numbers_are_gathered_by_topic_then_averaged(
    numbers: dict[str, list[float | None]],
) -> None:
    known = {topic: [n for n in own if n is not None] for topic, own in numbers.items()}
    known = {topic: own for topic, own in known.items() if own}
    if not known:
        with pytest.raises(DataError, match="the column 'x' has no numbers"):
            foveal.evaluate(QRELS, rows_of(numbers), "AP", also="x")
        return
    scores = foveal.evaluate(QRELS, rows_of(numbers), "AP", also=list(GATHERED))
    assert scores.extra_columns == tuple(GATHERED)
    for name, gathered in GATHERED.items():
        by_topic = {topic: gathered(own) for topic, own in known.items()}
        found = dict(scores.topics.select("topic", name).drop_nulls().iter_rows())
        assert found == pytest.approx(by_topic)
        assert scores[name] == pytest.approx(fmean(by_topic.values()))


ROWS = rows_of({"1": [3.0, 5.0], "2": [None, 1.0]})


def written(folder: Path, ending: str) -> Path:
    frame, path = pl.DataFrame(ROWS), folder / f"mine.{ending}"
    if ending == "parquet":
        frame.write_parquet(path)
    elif ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    elif ending == "nested.jsonl":
        by_topic = {row["topic"]: [r for r in ROWS if r["topic"] == row["topic"]] for row in ROWS}
        inner = [
            {"topic": topic, "results": [{k: v for k, v in r.items() if k != "topic"} for r in own]}
            for topic, own in by_topic.items()
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in inner))
    elif ending == "odd.jsonl":
        # A line unlike the others: the whole file is read line by line.
        more = {"topic": "3", "doc": "d", "score": 1, "extra": [1]}
        path.write_text("".join(json.dumps(row) + "\n" for row in [*ROWS, more]))
    else:
        frame.write_csv(path, separator="\t" if ending == "tsv" else ",")
    return path


@pytest.mark.parametrize("ending", ["jsonl", "nested.jsonl", "odd.jsonl", "csv", "tsv", "parquet"])
def test_files_keep_the_columns_asked_for(tmp_path: Path, ending: str) -> None:
    run = foveal.read_run(written(tmp_path, ending), also=["x"])
    assert not any("'x'" in note or " x" in note for note in run.notes)
    scores = foveal.evaluate(QRELS, run, "AP", also="x:sum")
    assert scores["x:sum"] == pytest.approx((8.0 + 1.0) / 2)


@pytest.mark.parametrize("form", [pl.DataFrame, list, lambda rows: pl.DataFrame(rows).to_pandas()])
def test_tables_in_memory_keep_them(form: Callable[[Any], Any]) -> None:
    scores = foveal.evaluate(QRELS, {"mine": form(ROWS)}, "AP", also="x,x:max")
    assert scores["x"] == pytest.approx((4.0 + 1.0) / 2)
    assert scores["x:max"] == pytest.approx((5.0 + 1.0) / 2)
    assert foveal.Run.from_frame(pl.DataFrame(ROWS), also=["x"]).frame["x"].sum() == 9
    assert foveal.Run.from_dicts(ROWS, also=["x"]).frame["x"].sum() == 9


UNORDERED = [
    {"topic": "1", "doc": "a", "score": 1.0, "rank": 2, "x": 10.0},
    {"topic": "2", "doc": "c", "score": 7.0, "rank": 1, "x": 60.0},
    {"topic": "1", "doc": "b", "score": 2.0, "rank": 4, "x": 20.0},
    {"topic": "1", "doc": "c", "score": 2.0, "rank": 3, "x": 30.0},
    {"topic": "1", "doc": "d", "score": 2.00000002, "rank": 1, "x": None},
    {"topic": "1", "doc": "e", "score": 2.00000001, "rank": 5, "x": 50.0},
]


@pytest.mark.parametrize(
    ("choices", "first"),
    [
        ({}, 10.0),
        ({"order": "file"}, 10.0),
        ({"order": "score"}, 50.0),
        # To trec_eval 9, which reads scores as 32-bit numbers, four results tie.
        ({"order": "score", "like": "trec_eval-9"}, 50.0),
        ({"order": "score", "like": "trec_eval-9", "ties": "file"}, 20.0),
    ],
)
def test_first_is_that_of_the_first_result_read_that_has_a_number(
    choices: dict[str, Any], first: float
) -> None:
    scores = foveal.evaluate(QRELS, UNORDERED, "AP", also="x:first", **choices)
    assert scores.topics["x:first"].drop_nulls().to_list() == [first, 60.0]


@pytest.mark.parametrize("how", ["x", "x:sum", "x:max", "x:first"])
def test_a_number_of_a_topic_counts_once_however_many_results_it_has(
    tmp_path: Path, how: str
) -> None:
    path = tmp_path / "mine.jsonl"
    results = [{"doc": "a", "score": 2}, {"doc": "b", "score": 1}]
    lines = [
        {"topic": "1", "x": 30, "results": results},
        {"topic": "2", "x": 10, "results": results},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert foveal.evaluate(QRELS, foveal.read_run(path, also=["x"]), "AP", also=how)[how] == 20


def test_a_column_that_is_not_there_is_named_with_the_nearest(tmp_path: Path) -> None:
    rows = [{**row, "latency_ms": 1} for row in ROWS]
    wanted = "column 'latency' is missing; did you mean 'latency_ms'?"
    with pytest.raises(BadInput, match=wanted):
        foveal.evaluate(QRELS, rows, "AP", also="latency")
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(BadInput, match=f"mine.jsonl: {wanted}"):
        foveal.read_run(path, also=["latency"])
    (tmp_path / "mine.run").write_text("1 Q0 a 1 2.0 tag\n")
    with pytest.raises(BadInput, match="column 'latency' is missing"):
        foveal.read_run(tmp_path / "mine.run", also=["latency"])
    with pytest.raises(BadInput, match="column 'latency' is missing"):
        foveal.evaluate(QRELS, {"1": {"a": 1.0}}, "AP", also="latency")


def test_a_run_read_without_the_column_says_how_to_read_it() -> None:
    with pytest.raises(DataError, match=r"read_run\(\.\.\., also=\['x'\]\)"):
        foveal.evaluate(QRELS, foveal.Run.from_dicts(ROWS), "AP", also="x")


def test_words_are_not_numbers(tmp_path: Path) -> None:
    rows = [{**row, "x": "slow"} for row in ROWS]
    with pytest.raises(BadInput, match="x is 'slow', not a finite number"):
        foveal.evaluate(QRELS, rows, "AP", also="x")
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(BadInput, match=r"mine.jsonl:1: x is .*not a finite number"):
        foveal.read_run(path, also=["x"])


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "map", "topic", "doc", "line", ""])
def test_names_that_cannot_ride_are_refused(name: str) -> None:
    rows = [{**row, "AP": 1, "nDCG@10": 1, "map": 1} for row in ROWS]
    with pytest.raises(UsageError, match="also "):
        foveal.evaluate(QRELS, rows, "AP", also=[name])


def test_scores_and_ranks_may_ride() -> None:
    assert foveal.evaluate(QRELS, ROWS, "AP", also="score:max")["score:max"] == 0.0


def test_extra_columns_are_no_scores() -> None:
    runs = {"one": ROWS, "two": ROWS[:3]}
    scores = foveal.evaluate(QRELS, runs, ["AP", "RR"], also="x")
    assert foveal.compare(scores).measures == ["AP", "RR"]
    assert scores.measures == ["AP", "RR"]
    with pytest.raises(UsageError, match="x is not a measure"):
        scores.require({"x": 1})
    with pytest.raises(UsageError, match="x is not a measure"):
        foveal.gate(foveal.evaluate(QRELS, ROWS, "AP", also="x"), "x<=3")
    assert scores.to_dict()["one/x"] == 2.5


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_tables_show_them_and_blanks_where_there_are_none(form: str) -> None:
    scores = foveal.evaluate(QRELS, ROWS, "AP", also="x")
    shown = foveal.render(scores, to=form, per_topic=True)
    assert "2.5000" in shown
    assert "nan" not in shown


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "json", "trec", "inex"])
def test_rows_leave_out_what_is_not_there(form: str) -> None:
    scores = foveal.evaluate(QRELS, ROWS, "AP", also="x")
    lines = foveal.render(scores, to=form, per_topic=True)
    assert lines.count("x\t" if form == "inex" else "x") >= 3
    assert "nan" not in lines.lower().replace("xxx", "")
    assert scores.rows()["value"].null_count() == 0
    assert scores.rows().filter(measure="x")["topic"].to_list() == ["1", "2", "all"]


def test_scores_are_not_reduced_to_an_extra_column() -> None:
    rows = [{"topic": "1", "doc": "a", "score": 1.0, "latency_ms": 5.0}]
    scores = foveal.evaluate({"1": {"a": 1}}, rows, ["AP", "RR"], also="latency_ms")
    assert scores.only(["RR"]).overall.columns == ["run", "RR", "latency_ms"]
    with pytest.raises(UsageError, match=r"latency_ms is not a measure \(scored are AP and RR\)"):
        scores.only(["latency_ms"])
