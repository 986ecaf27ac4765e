"""Judgements from anybody's tables, and the rules they obey."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]  # it ships no types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.errors import BadInput, DataError
from foveal.evaluation import evaluate
from foveal.spans import LARGEST_OFFSET
from foveal.tables import Qrels, QrelsRows
from tests.examples import examples
from tests.strategies import World, worlds

Row = dict[str, Any]

ROWS: list[Row] = [
    {
        "topic": "1",
        "doc": "a",
        "length": 50,
        "entry": 3,
        "grade": 2.0,
        "highlights": [[3, 9], [20, 30]],
    },
    {"topic": "1", "doc": "b", "length": 20, "entry": None, "grade": 0.0, "highlights": []},
    {"topic": "2", "doc": "a", "length": 50, "entry": 0, "grade": 1.0, "highlights": [[0, 50]]},
]
FRAMES: dict[str, Callable[[list[Row]], Any]] = {
    "list of dicts": lambda rows: rows,
    "polars": pl.DataFrame,
    "pandas": pd.DataFrame,
    "pyarrow": pa.Table.from_pylist,
}


def judged(highlights: Any, **more: Any) -> Row:
    return {"topic": "1", "doc": "a", "length": 50, "highlights": highlights, **more}


def passages(*rows: Row) -> list[tuple[int, int, int]]:
    return Qrels.from_dicts(rows).passages.rows()


def refusal(rows: list[Row]) -> list[tuple[int | None, str]]:
    with pytest.raises(BadInput) as refused:
        Qrels.from_dicts(rows)
    return [(problem.line, problem.reason) for problem in refused.value.problems]


@pytest.mark.parametrize("made", FRAMES.values(), ids=FRAMES)
def test_frames_of_every_library_give_the_same_judgements(
    made: Callable[[list[Row]], Any],
) -> None:
    qrels = Qrels.coerced(made(ROWS))
    assert qrels.equals(Qrels.from_dicts(ROWS))
    assert qrels.passages.rows() == [(0, 3, 9), (0, 20, 30), (2, 0, 50)]
    kept = ["topic", "doc", "length", "entry", "grade"]
    assert qrels.documents.select(kept).to_dicts() == [{k: row[k] for k in kept} for row in ROWS]


@pytest.mark.parametrize("kind", FRAMES)
def test_the_caller_s_frame_is_not_modified(kind: str) -> None:
    made = FRAMES[kind]
    frame, untouched = made([dict(row) for row in ROWS]), made([dict(row) for row in ROWS])
    Qrels.coerced(frame)
    assert frame == untouched if kind == "list of dicts" else frame.equals(untouched)


def test_one_row_per_passage_says_the_same_as_lists_of_highlights() -> None:
    rows = [
        {"topic": "1", "doc": "a", "length": 50, "entry": 3, "grade": 2, "start": 3, "end": 9},
        {"topic": "1", "doc": "a", "length": 50, "entry": 3, "grade": 2, "start": 20, "end": 30},
        {"topic": "1", "doc": "b", "length": 20, "entry": None, "grade": 0},
        {"topic": "2", "doc": "a", "length": 50, "entry": 0, "grade": 1, "start": 0, "end": 50},
    ]
    assert Qrels.from_dicts(rows).equals(Qrels.from_dicts(ROWS))


def test_a_dict_of_dicts_holds_grades() -> None:
    qrels = Qrels.coerced({"1": {"a": 1, "b": 0}, "2": {"a": 2}})
    rows = [("1", "a", 1.0), ("1", "b", 0.0), ("2", "a", 2.0)]
    assert qrels.documents.select("topic", "doc", "grade").rows() == rows
    assert not qrels.has_highlights


def test_judgements_stay_themselves() -> None:
    qrels = Qrels.from_dicts(ROWS)
    assert Qrels.coerced(qrels) is qrels


@pytest.mark.parametrize(
    ("highlights", "kept"),
    [
        ([[0, 5], [3, 9]], [(0, 0, 9)]),
        ([[3, 9], [0, 5]], [(0, 0, 9)]),
        ([[0, 9], [3, 5]], [(0, 0, 9)]),
        ([[3, 9], [0, 3]], [(0, 0, 3), (0, 3, 9)]),
        ([[0, 3], [3, 9], [2, 4]], [(0, 0, 9)]),
        ([[4, 4]], []),
        ([[4, 4], [2, 6]], [(0, 2, 6)]),
        ([[2, 6], [2, 6]], [(0, 2, 6)]),
        ([], []),
        (None, []),
        ([(1, 2), (4, 5)], [(0, 1, 2), (0, 4, 5)]),
    ],
)
def test_overlapping_passages_are_merged_and_touching_ones_stay_apart(
    highlights: Any, kept: list[tuple[int, int, int]]
) -> None:
    assert passages(judged(highlights)) == kept


@given(worlds(), st.randoms(use_true_random=False))
@examples(60)
def test_passages_in_any_order_and_on_any_rows_say_the_same(world: World, random: Any) -> None:
    rows = [
        {"topic": j.topic, "doc": j.doc, "length": j.length, "entry": j.entry, "highlights": [span]}
        for j in world.judgements
        for span in random.sample(j.passages, len(j.passages)) or [(0, 0)]
    ]
    qrels, named = Qrels.from_dicts(rows), world.qrels
    # Aspects are in the order of the file.
    plain = replace(named.judgements, aspects=None)
    assert qrels.equals(replace(named, judgements=plain))
    found: dict[int, set[int]] = {}
    for row, start, end in qrels.passages.iter_rows():
        assert not found.setdefault(row, set()) & set(range(start, end))
        found[row] |= set(range(start, end))
    expected = {row: j.highlighted for row, j in enumerate(world.judgements) if j.highlighted}
    assert found == expected


def test_a_document_judged_twice_has_its_passages_united_and_a_note() -> None:
    qrels = Qrels.from_dicts([judged([[0, 5]]), judged([[3, 9]]), judged([[20, 21]])])
    assert qrels.documents.height == 1
    assert qrels.passages.rows() == [(0, 0, 9), (0, 20, 21)]
    assert qrels.notes == (
        "2 repeated documents: the passages are united, the first entry point is used",
    )


def test_highlighted_text_of_grade_0_is_told() -> None:
    rows = [
        {"topic": "1", "doc": doc, "start": 0, "end": 5, "label": n} for n, doc in enumerate("ab")
    ]
    (note,) = Qrels.from_dicts(rows).notes
    assert note.startswith("1 document with highlighted text and a grade of 0 or less")


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([judged([[0, 5]]), judged([[3, 9]], length=51)], "is judged twice with different lengths"),
        (
            [judged([[0, 5]], grade=1), judged([[3, 9]], grade=2)],
            "is judged twice with different grades (by several people? name them in 'assessor';"
            " leave out irrelevant passages)",
        ),
        ([{"topic": "1", "doc": "a", "grade": 1}] * 2, "is judged twice"),
    ],
)
def test_judgements_of_a_document_that_disagree_are_refused(rows: list[Row], reason: str) -> None:
    assert refusal(rows) == [(2, f"document 'a' of topic '1' {reason}")]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (judged([[5, 2]]), "a passage ends before it starts"),
        (judged([[-1, 2]]), "a passage has a negative offset"),
        (judged([[0, LARGEST_OFFSET + 1]]), "an offset is larger than 10,000,000,000"),
        (judged([[0, 3, 4]]), "a highlight is [0, 3, 4], not a pair [start, end]"),
        (judged([[3]]), "a highlight is [3], not a pair [start, end]"),
        (judged([[0, None]]), "end is None, not a whole number"),
        (judged([], length=-1), "length must be from 0 to 10,000,000,000, got -1"),
        (judged([], entry=-1), "entry must be from 0 to 10,000,000,000, got -1"),
        (judged([], length=1.5), "length is 1.5, not a whole number"),
        (judged([], grade=float("nan")), "grade is nan, not a finite number"),
        (judged([], grade=1e10), "grade must be from -1,000,000,000 to 1,000,000,000, got 1e+10"),
        (judged([], topic=""), "topic is '', not an identifier"),
        (judged([], doc=None), "doc is None, not an identifier"),
    ],
)
def test_values_that_are_none_are_refused(row: Row, reason: str) -> None:
    assert (1, reason) in refusal([row])


@pytest.mark.parametrize("highlights", ["0-3", [0, 3], 5, [["x", "y"]]])
def test_highlights_that_are_no_pairs_are_refused(highlights: Any) -> None:
    with pytest.raises(BadInput):
        Qrels.from_dicts([judged(highlights)])


def test_one_end_of_a_passage_is_not_enough() -> None:
    rows = [{"topic": "1", "doc": "a", "start": 1, "end": None}]
    assert refusal(rows) == [(1, "end is None, not a whole number")]


def test_a_grade_that_is_missing_is_no_grade_of_0() -> None:
    rows: list[Row] = [
        {"topic": "1", "doc": "a", "grade": 1},
        {"topic": "1", "doc": "b", "grade": None},
    ]
    assert refusal(rows) == [(2, "grade, length and highlights are all missing")]
    assert refusal([{"topic": "1", "doc": "a", "Rel": 1}]) == [
        (
            None,
            "no column says what is relevant, 'grade', 'length', 'highlights' or 'start' and 'end',"
            " or 'text' with docs= (found: topic, doc, Rel): rename 'Rel' to 'grade'?",
        )
    ]


@pytest.mark.parametrize("rows", [[], [{"doc": "a"}]])
def test_rows_without_their_columns_are_refused(rows: list[Row]) -> None:
    with pytest.raises(BadInput, match=r"no column|no judgements"):
        Qrels.from_dicts(rows)


def test_a_passage_past_the_length_is_refused_when_scored() -> None:
    run = [{"topic": "1", "doc": "a", "start": 0, "end": 5}]
    with pytest.raises(
        BadInput, match="the passage from 40 to 60 goes beyond the end of its document at 50"
    ):
        evaluate([judged([[40, 60]])], run, "AiP")


def test_judgements_with_nothing_relevant_cannot_be_scored() -> None:
    run = [{"topic": "1", "doc": "a", "start": 0, "end": 5}]
    with pytest.raises(DataError, match="no topic has anything relevant"):
        evaluate([judged([])], run, "AgP(S=rel)")


def test_a_stated_size_that_its_passages_do_not_have_is_noted() -> None:
    documents = pl.DataFrame({"topic": ["1"], "doc": ["a"], "length": [50], "rel_chars": [7]})
    spans = pl.DataFrame({"judged": [0], "start": [0], "end": [5]})
    qrels = Qrels.of(QrelsRows(documents=documents, passages=spans))
    assert len(qrels.notes) == 1
    assert "stated relevant size that differs" in qrels.notes[0]
    run = [{"topic": "1", "doc": "a", "start": 0, "end": 5}]
    official = evaluate(qrels, run, "charR", task="focused", like="inex_eval")
    assert evaluate(qrels, run, "charR").overall["charR"].item() == 1
    assert official.overall["charR"].item() == pytest.approx(5 / 7)


@pytest.mark.parametrize(("entry", "score"), [(None, 1.0), (3, 1.0), (8, 0.5)])
def test_a_missing_entry_point_is_the_start_of_the_first_highlight(
    entry: int | None, score: float
) -> None:
    run = [{"topic": "1", "doc": "a", "start": 3, "end": 5}]
    scores = evaluate([judged([[20, 30], [3, 9]], entry=entry)], run, "AgP(S=bep)")
    assert scores.overall["AgP(S=bep)"].item() == score


def test_offsets_of_highlights_must_be_whole_numbers() -> None:
    with pytest.raises(BadInput):
        Qrels.from_dicts([judged([[0.5, 2.7]])])


def test_a_start_without_any_end_is_refused() -> None:
    with pytest.raises(BadInput):
        Qrels.from_dicts([{"topic": "1", "doc": "a", "length": 50, "start": 3}])


def test_an_entry_point_is_found_on_whichever_row_gives_it() -> None:
    qrels = Qrels.from_dicts([judged([[0, 5]]), judged([[8, 9]], entry=7)])
    assert qrels.documents["entry"].to_list() == [7]


def test_a_length_or_grade_given_once_holds_for_all_rows_of_a_document() -> None:
    qrels = Qrels.from_dicts(
        [
            {"topic": "1", "doc": "a", "length": 50, "grade": 2, "start": 0, "end": 5},
            {"topic": "1", "doc": "a", "start": 8, "end": 9},
        ]
    )
    assert qrels.documents.select("length", "grade").rows() == [(50, 2.0)]
    assert qrels.passages.height == 2


def test_parts_of_a_document_that_state_the_same_size_add_up() -> None:
    documents = pl.DataFrame({"topic": ["1"] * 3, "doc": ["a"] * 3, "rel_chars": [10, 10, 10]})
    passages = pl.DataFrame({"judged": [0, 1, 2], "start": [0, 50, 50], "end": [10, 60, 60]})
    # The last line says what the second has said already.
    assert Qrels.of(QrelsRows(documents=documents, passages=passages)).documents[
        "rel_chars"
    ].to_list() == [20]


def test_judgements_may_lose_passages_and_topics() -> None:
    documents = pl.DataFrame(ROWS).drop("highlights")
    documents = documents.with_columns(pl.Series("rel_chars", [16, None, 50]))
    spans = pl.DataFrame({"judged": [0, 0, 2], "start": [3, 20, 0], "end": [9, 30, 50]})
    qrels = Qrels.of(QrelsRows(documents=documents, passages=spans))
    less = qrels.keeping(np.array([False, True, True]), {"1"})
    assert less.documents["doc"].to_list() == ["a", "b"]
    assert less.documents["rel_chars"].to_list() == [10, None]
    assert less.documents["entry"].to_list() == [3, None]
    assert less.passages.rows() == [(0, 20, 30)]
    other = qrels.keeping(np.array([False, False, True]), {"2", "1"})
    assert other.documents["rel_chars"].to_list() == [0, None, 50]
    assert other.passages.rows() == [(2, 0, 50)]
    assert qrels.keeping(np.ones(3, dtype=bool), {"1", "2"}).equals(qrels)


def test_highlights_without_their_document_are_refused_by_column() -> None:
    with pytest.raises(BadInput, match="no column 'doc'"):
        Qrels.from_dicts([{"topic": "1", "highlights": [[1, 2]]}])
