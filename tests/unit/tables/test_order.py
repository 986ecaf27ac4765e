"""The one order in which results are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foveal.choices import Order, Ties
from foveal.errors import DataError
from foveal.evaluation import evaluate
from foveal.tables import ReadingOrder, Run, TopicColumn, _order
from tests.examples import examples

Line = tuple[str, str, int, float]

# Names whose order differs by length, by digits, by UTF-8 bytes and by UTF-16 units.
NAMES = ["d1", "d10", "d2", "D2", "é", "\ufffd", "\U0001f600"]
# Some are neighbours among the doubles, and the largest lie so far apart that a number per row has
# no room for the last bits of them.
SCORES = [-1e300, -2.5, -1.0, -0.0, 0.0, 1e-300, 0.5, 0.5 + 2**-53, 1.0, 1.0 + 2**-52, 1e300]

lines = st.lists(
    st.tuples(
        st.sampled_from(["t1", "t2", "t10"]),
        st.sampled_from(NAMES),
        st.integers(-2, 3),
        st.sampled_from(SCORES),
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture(autouse=True)
def tiny_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of three rows, so that a few rows have several borders."""
    monkeypatch.setattr(_order, "BLOCK", 3)


def span_at(line: int) -> tuple[int, int]:
    """Some start together, and the later a part starts, the earlier it may end."""
    return line % 3, 20 - line


def by_place(drawn: list[Line]) -> Callable[[int], tuple[bytes, int, int]]:
    return lambda line: (drawn[line][1].encode(), *span_at(line))


def run_of(drawn: list[Line], *, columns: tuple[str, ...] = ("rank", "score")) -> Run:
    frame = pl.DataFrame(drawn, schema=["topic", "doc", "rank", "score"], orient="row")
    spans = pl.DataFrame(
        [span_at(line) for line in range(len(drawn))], schema=["start", "end"], orient="row"
    )
    return Run.from_frame(frame.select("topic", "doc", *columns).hstack(spans), "mine")


def read(run: Run, order: Order | None, ties: Ties = Ties.ID) -> tuple[list[int], int]:
    names = sorted(set(run.frame["topic"]))
    topic = np.array([names.index(name) for name in run.frame["topic"]], dtype=np.int64)
    found = ReadingOrder.of(order or run.order, run.results, TopicColumn.of(topic), ties)
    every, permutation = np.arange(len(topic)), found.permutation
    rows = every if permutation is None else permutation
    assert found.positions(rows).tolist() == every.tolist()
    return rows.tolist(), len(found.tied_topics)


@given(lines, st.sampled_from(Ties))
# Equal zeros of either sign, in an order that must be made.
@example([("t1", "d1", 1, -0.0), ("t1", "d2", 1, 0.0), ("t1", "d10", 1, 1e-300)], Ties.FILE)
# Neighbours on both sides of a block's end, the lesser one first.
@example(
    [
        ("t1", "d1", 1, -1e300),
        ("t1", "d2", 1, 1e300),
        ("t1", "D2", 1, 2.0),
        ("t1", "d10", 1, 1.0),
        ("t1", "é", 1, 1.0 + 2**-52),
    ],
    Ties.ID,
)
@examples(200)
def test_scores_fall_and_ties_go_by_id_or_place_then_by_line(drawn: list[Line], ties: Ties) -> None:
    places = list(range(len(drawn)))
    if ties is Ties.ID:
        places.sort(key=lambda place: drawn[place][1], reverse=True)
    elif ties is Ties.PLACE:
        places.sort(key=by_place(drawn))
    places.sort(key=lambda place: -drawn[place][3])
    places.sort(key=lambda place: sorted({line[0] for line in drawn}).index(drawn[place][0]))
    pairs = [(line[0], line[3]) for line in drawn]
    tied = {topic for topic, score in pairs if pairs.count((topic, score)) > 1}
    assert read(run_of(drawn), Order.SCORE, ties) == (places, len(tied))


@given(lines, st.sampled_from(Ties))
def test_ranks_rise_and_equal_ranks_keep_their_lines_or_go_by_place(
    drawn: list[Line], ties: Ties
) -> None:
    topics = sorted({line[0] for line in drawn})
    places = sorted(range(len(drawn)), key=by_place(drawn) if ties is Ties.PLACE else None)
    places.sort(key=lambda place: (topics.index(drawn[place][0]), drawn[place][2]))
    ranks = [(topic, rank) for topic, _, rank, *_ in drawn]
    tied = {topic for topic, rank in ranks if ranks.count((topic, rank)) > 1}
    assert read(run_of(drawn), Order.RANK, ties) == (places, len(tied))


@given(lines)
def test_the_order_of_the_file_is_kept_within_each_topic(drawn: list[Line]) -> None:
    topics = sorted({line[0] for line in drawn})
    places = sorted(range(len(drawn)), key=lambda place: topics.index(drawn[place][0]))
    assert read(run_of(drawn), Order.FILE) == (places, 0)


@pytest.mark.parametrize(
    ("columns", "order"),
    [
        (("rank", "score"), Order.RANK),
        (("rank",), Order.RANK),
        (("score",), Order.SCORE),
        ((), Order.FILE),
    ],
)
def test_a_run_is_ranked_by_rank_else_by_score_else_by_line(
    columns: tuple[str, ...], order: Order
) -> None:
    drawn = [("t1", "a", 3, 0.5), ("t1", "b", 1, 0.1), ("t1", "c", 2, 0.9)]
    run = run_of(drawn, columns=columns)
    expected = {Order.RANK: [1, 2, 0], Order.SCORE: [2, 0, 1], Order.FILE: [0, 1, 2]}[order]
    assert run.order is order
    assert read(run, None)[0] == expected


@pytest.mark.parametrize("order", [Order.RANK, Order.SCORE])
def test_an_order_by_a_column_that_is_not_there_is_refused(order: Order) -> None:
    run = run_of([("t1", "a", 1, 1.0)], columns=())
    with pytest.raises(DataError, match=f"not every result has a {order.value}"):
        read(run, order)


def test_many_topics_are_ordered_as_few_are() -> None:
    """More topics than fit the 16-bit keys of the fast path."""
    count = 70_000
    frame = pl.DataFrame(
        {"topic": [str(n) for n in range(count)] * 2, "doc": ["a"] * count + ["b"] * count}
    )
    run = Run.from_frame(frame.with_columns(score=pl.lit(1.0)))
    topic = TopicColumn.of(np.tile(np.arange(count, dtype=np.int64), 2))
    by_line = ReadingOrder.of(Order.FILE, run.results, topic, Ties.ID)
    by_score = ReadingOrder.of(Order.SCORE, run.results, topic, Ties.ID)
    assert by_line.permutation is not None
    assert by_score.permutation is not None
    assert by_line.permutation[:4].tolist() == [0, count, 1, count + 1]
    assert by_score.permutation[:4].tolist() == [count, 0, count + 1, 1]
    assert len(by_score.tied_topics) == count


@pytest.mark.parametrize(
    ("options", "precision"),
    [
        ({}, 0.0),
        ({"order": "rank"}, 0.0),
        ({"order": "score"}, 0.0),
        ({"order": "score", "ties": "id"}, 1.0),
        ({"order": "file"}, 0.0),
    ],
)
def test_the_order_decides_what_is_read_first(options: dict[str, Any], precision: float) -> None:
    qrels = [{"topic": "1", "doc": "b", "length": 5, "highlights": [[0, 5]]}]
    run = [
        {"topic": "1", "doc": "a", "start": 0, "end": 5, "rank": 1, "score": 2},
        {"topic": "1", "doc": "b", "start": 0, "end": 5, "rank": 2, "score": 2},
    ]
    scores = evaluate(qrels, run, "cP@1", **options)
    assert scores.overall["cP@1"].item() == precision
    tied = "1 topic" if options.get("order") == "score" else "none"
    assert scores.settings["ties found"] == tied
