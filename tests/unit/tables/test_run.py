"""Runs from anybody's tables, and the rules they obey."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]  # it ships no types
import pytest
from hypothesis import given

from foveal.choices import Order
from foveal.errors import BadInput, UsageError
from foveal.spans import LARGEST_OFFSET
from foveal.tables import Qrels, Run
from tests.examples import examples
from tests.strategies import World, worlds

Row = dict[str, Any]

ROWS: list[Row] = [
    {"topic": "1", "doc": "a", "start": 0, "end": 5, "rank": 1, "score": 2.5},
    {"topic": "1", "doc": "b", "start": 3, "end": 4, "rank": 2, "score": 2.5},
    {"topic": "2", "doc": "a", "start": 7, "end": 7, "rank": 1, "score": -1.0},
    {"topic": "2", "doc": "c", "start": -1, "end": -1, "rank": 2, "score": -1.0},
]
FRAMES: dict[str, Callable[[list[Row]], Any]] = {
    "list of dicts": lambda rows: rows,
    "tuple of dicts": tuple,
    "polars": pl.DataFrame,
    "polars, as text": lambda rows: pl.DataFrame(rows).cast(pl.String),
    "pandas": pd.DataFrame,
    "pandas, as objects": lambda rows: pd.DataFrame(rows).astype(object),
    "pyarrow": pa.Table.from_pylist,
}


def refusal(rows: list[Row]) -> list[tuple[int | None, str]]:
    with pytest.raises(BadInput) as refused:
        Run.from_dicts(rows)
    return [(problem.line, problem.reason) for problem in refused.value.problems]


@pytest.mark.parametrize("made", FRAMES.values(), ids=FRAMES)
def test_frames_of_every_library_give_the_same_run(made: Callable[[list[Row]], Any]) -> None:
    run = Run.coerced(made(ROWS), "mine")
    assert run.equals(Run.from_dicts(ROWS, "mine"))
    assert run.order is Order.RANK
    columns = list(ROWS[0])
    assert run.frame.select(columns).to_dicts() == ROWS


@pytest.mark.parametrize("kind", ["list of dicts", "polars", "pandas", "pyarrow"])
def test_the_caller_s_frame_is_not_modified(kind: str) -> None:
    made = FRAMES[kind]
    given_frame, untouched = made([dict(row) for row in ROWS]), made([dict(row) for row in ROWS])
    Run.coerced(given_frame)
    if kind == "list of dicts":
        assert given_frame == untouched
    else:
        assert given_frame.equals(untouched)
        assert list(pl.DataFrame(given_frame).columns) == list(ROWS[0])


def test_a_dict_of_dicts_is_a_run_of_whole_documents() -> None:
    run = Run.coerced({"1": {"a": 1, "b": 2.5}, "2": {"a": 3}}, "mine")
    rows = [("1", "a", 1.0), ("1", "b", 2.5), ("2", "a", 3.0)]
    assert run.frame.select("topic", "doc", "score").rows() == rows
    assert run.whole_documents_only
    assert run.order is Order.SCORE


def test_whole_numbers_are_names_of_topics_and_documents() -> None:
    run = Run.from_dicts([{"topic": 51, "doc": 7}])
    gap = pd.DataFrame({"topic": [51.0, 52.0], "doc": ["7", "8"]})
    assert run.frame.select("topic", "doc").rows() == [("51", "7")]
    assert Run.from_frame(gap).frame["topic"].to_list() == ["51", "52"]


def test_names_are_kept_as_they_are() -> None:
    names = ["051", " 51", "NA", "null", "1e3", "é"]
    run = Run.from_dicts([{"topic": name, "doc": name} for name in names])
    assert run.frame["topic"].to_list() == run.frame["doc"].to_list() == names


def test_columns_nobody_knows_are_left_out() -> None:
    run = Run.from_dicts([{"topic": "1", "doc": "a", "colour": "red"}])
    assert run.frame.columns == ["topic", "doc", "start", "end", "rank", "score", "line"]


def test_a_run_stays_itself() -> None:
    run = Run.from_dicts(ROWS)
    assert Run.coerced(run) is run


@given(worlds())
@examples(50)
def test_rows_out_are_rows_in(world: World) -> None:
    run = world.run
    parts = run.frame.filter(pl.col("start").is_not_null())
    # Only INEX mixes whole documents with parts.
    run = run.with_frame(parts) if parts.height else run
    assert Run.from_dicts(run.frame.drop("line").to_dicts(), "mine").equals(run)
    assert Run.from_frame(run.frame.to_arrow(), "mine").equals(run)


@pytest.mark.parametrize("column", ["rank", "score"])
def test_a_column_filled_on_some_lines_only_is_refused(column: str) -> None:
    rows: list[Row] = [{"topic": "1", "doc": name, column: 1} for name in "abc"]
    del rows[1][column]
    assert refusal(rows) == [(2, f"{column} is missing on this line but present on others")]


@pytest.mark.parametrize(
    ("start", "end", "reason"),
    [
        (5, 4, "the part ends before it starts"),
        (0, -1, "the part ends before it starts"),
        (-2, 4, "negative offset (only -1 is allowed, where it is not known)"),
        (-1, 4, "start is -1, which is not known, so end must be -1 too"),
        (3, None, "start and end must be given together"),
        (None, 3, "start and end must be given together"),
        (-1, None, "start and end must be given together"),
        (0, LARGEST_OFFSET + 1, "an offset is larger than 10,000,000,000"),
        (0.5, 4, "start is 0.5, not a whole number"),
        (float("nan"), 4, "start is nan, not a whole number"),
        ("x", 4, "start is 'x', not a whole number"),
        (" 1", 4, "start is ' 1', not a whole number"),
        (True, 4, "start is True, not a whole number"),
        (0, 2**70, f"end is {2**70}, not a whole number"),
    ],
)
def test_offsets_that_are_no_span_are_refused(start: Any, end: Any, reason: str) -> None:
    assert (1, reason) in refusal([{"topic": "1", "doc": "a", "start": start, "end": end}])


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"topic": "", "doc": "a"}, "topic is '', not an identifier"),
        ({"topic": None, "doc": "a"}, "topic is None, not an identifier"),
        ({"topic": "1", "doc": ""}, "doc is '', not an identifier"),
        ({"topic": "1", "doc": "a", "score": "abc"}, "score is 'abc', not a finite number"),
        ({"topic": "1", "doc": "a", "score": float("nan")}, "score is nan, not a finite number"),
        ({"topic": "1", "doc": "a", "score": float("inf")}, "score is inf, not a finite number"),
        ({"topic": "1", "doc": "a", "rank": 1.5}, "rank is 1.5, not a whole number"),
    ],
)
def test_values_that_are_none_are_refused(row: Row, reason: str) -> None:
    good: Row = {"topic": "1", "doc": "good"} | dict.fromkeys(row.keys() - {"topic", "doc"}, 1)
    assert (2, reason) in refusal([good, row])


def test_every_problem_is_told_at_once_with_its_line() -> None:
    rows: list[Row] = [
        {"topic": "1", "doc": "a", "start": 5, "end": 4, "line": 11},
        {"topic": "1", "doc": "a", "start": 0, "end": 4, "line": 12},
        {"topic": "1", "doc": "a", "start": -3, "end": 4, "line": 13},
    ]
    assert [line for line, _ in refusal(rows)] == [11, 13]


def test_a_run_of_whole_documents_may_not_repeat_one() -> None:
    rows = [{"topic": t, "doc": d} for t, d in [("1", "a"), ("2", "a"), ("1", "b"), ("1", "a")]]
    reason = (
        "document 'a' is already in the results of topic '1' (parts of documents need start and end,"
        " or text)"
    )
    assert refusal(rows) == [(4, reason)]


def test_a_run_of_parts_may_repeat_documents() -> None:
    rows: list[Row] = [{"topic": "1", "doc": "a", "start": 0, "end": 5} for _ in range(2)]
    assert Run.from_dicts(rows).frame.height == 2


@pytest.mark.parametrize("rows", [[], [{"doc": "a"}], [{"topic": "1"}]])
def test_rows_without_their_columns_are_refused(rows: list[Row]) -> None:
    with pytest.raises(BadInput, match=r"no column|no results"):
        Run.from_dicts(rows)


@pytest.mark.parametrize("empty", [{}, {"1": {}}, pl.DataFrame(schema=["topic", "doc"])])
def test_a_run_without_results_is_refused(empty: Any) -> None:
    with pytest.raises(BadInput, match="no results"):
        Run.coerced(empty)


@pytest.mark.parametrize("data", ["run.txt", None, 5, [1, 2], [["1", "a"]]])
def test_what_is_no_table_is_a_mistake_of_the_call(data: Any) -> None:
    with pytest.raises(UsageError, match=r"cannot read a (table|row) from"):
        Run.coerced(data)


NO_NUMBERS = [
    "abc",
    "1_0",
    None,
    True,
    np.True_,
    math.nan,
    10**400,
    [1],
    {"b": 1.0},
    date(2007, 7, 27),
]


@pytest.mark.parametrize("score", NO_NUMBERS, ids=lambda score: repr(score)[:20])
def test_a_score_in_a_dict_of_dicts_must_be_a_number(score: Any) -> None:
    with pytest.raises(BadInput, match=r"score of document 'a' in topic '1' is .*, not a finite"):
        Run.from_dict({"1": {"b": 1.5, "a": score}})
    with pytest.raises(BadInput, match=r"grade of document 'a' in topic '1' is .*, not a finite"):
        Qrels.from_dict({"1": {"a": score, "b": 1}})


def test_numbers_of_every_kind_are_scores() -> None:
    kinds = [np.uint8(1), 700, -1.5, np.float32(0.5), Fraction(1, 4), Decimal("0.5"), "2.5"]
    run = Run.from_dict({"1": {f"d{place}": score for place, score in enumerate(kinds)}})  # type: ignore[misc]
    assert run.frame["score"].to_list() == [1.0, 700.0, -1.5, 0.5, 0.25, 0.5, 2.5]


def test_names_that_are_no_text_are_refused() -> None:
    with pytest.raises(BadInput, match="surrogates not allowed"):
        Run.from_dict({"1": {"a\ud800": 1.0}})


def test_columns_that_are_not_used_are_told() -> None:
    run = Run.from_dicts([{"topic": "1", "doc": "a", "length": 3, "position": 4}])
    assert run.notes == (
        "ignored column 'position': rename it to 'rank'?",
        "ignored column length: not part of a run",
    )


def test_several_runs_in_one_table_are_refused() -> None:
    rows = [{"topic": "1", "doc": doc, "run": run} for doc in "ab" for run in ("bm25", "dense")]
    with pytest.raises(BadInput, match=r"column 'run' names 2 runs \(bm25, dense\)"):
        Run.from_dicts(rows)
    tagged = Run.from_dicts([{"topic": "1", "doc": doc, "tag": doc} for doc in "ab"])
    assert tagged.notes == ("2 different tags (a, b), scored as one run",)


def test_judgements_given_as_a_run_are_recognised() -> None:
    with pytest.raises(BadInput, match=r"looks like judgements .* were they swapped"):
        Run.from_dicts([{"topic": "1", "doc": "a", "length": 9, "highlights": [[0, 3]]}])


@pytest.mark.parametrize("value", [True, 1.5, datetime(2007, 7, 27, tzinfo=UTC)])
def test_an_identifier_is_text_or_a_whole_number(value: object) -> None:
    with pytest.raises(BadInput, match="not an identifier"):
        Run.from_dicts([{"topic": "1", "doc": value}])


@pytest.mark.parametrize("data", [{"bm25": [1, 2]}, {"1": ["d1"]}, 3, [3], "run"])
def test_what_is_no_run_is_a_usage_error(data: Any) -> None:
    with pytest.raises(UsageError):
        Run.coerced(data)
