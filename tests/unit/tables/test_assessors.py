"""Judgements of several assessors against sets of characters."""

from __future__ import annotations

from statistics import median_low
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.errors import BadInput, UsageError
from foveal.tables import Qrels

ROWS = [
    {"topic": "1", "doc": "a", "start": 0, "end": 10, "grade": 1, "assessor": "x"},
    {"topic": "1", "doc": "a", "start": 5, "end": 15, "grade": 2, "assessor": "y"},
    {"topic": "1", "doc": "a", "start": 7, "end": 9, "grade": 4, "assessor": "z"},
    {"topic": "1", "doc": "a", "start": 20, "end": 22, "grade": 4, "assessor": "z"},
    {"topic": "1", "doc": "b", "start": 3, "end": 4, "length": 40, "assessor": "y"},
]


def spans(qrels: Qrels) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in qrels.documents["doc"]}
    for row, start, end in qrels.passages.rows():
        found[qrels.documents["doc"][row]].append((start, end))
    return found


@pytest.mark.parametrize(
    ("assessors", "expected", "grade", "said"),
    [
        ("union", {"a": [(0, 15), (20, 22)], "b": [(3, 4)]}, 4, "union of 3"),
        ("majority", {"a": [(5, 10)], "b": [(3, 4)]}, 2, "majority of 3"),
        ("y", {"a": [(5, 15)], "b": [(3, 4)]}, 2, "y (of 3)"),
        ("x", {"a": [(0, 10)]}, 1, "x (of 3)"),
    ],
)
def test_assessors_are_merged_or_one_is_taken(
    assessors: str, expected: dict[str, list[tuple[int, int]]], grade: float, said: str
) -> None:
    qrels = Qrels.from_dicts(ROWS, assessors=assessors)
    assert spans(qrels) == expected
    assert qrels.documents["grade"][0] == grade
    assert qrels.assessors == said
    assert [note for note in qrels.notes if "without a row of each" not in note] == []


def test_who_judged_a_document_without_highlighting_counts() -> None:
    rows: list[dict[str, Any]] = [
        {"topic": "1", "doc": "a", "highlights": [[0, 5]], "assessor": "x"},
        {"topic": "1", "doc": "a", "highlights": [], "assessor": "y"},
    ]
    assert spans(Qrels.from_dicts(rows, assessors="majority")) == {"a": []}
    assert spans(Qrels.from_dicts(rows[:1], assessors="majority")) == {"a": [(0, 5)]}


def test_one_assessor_or_none_is_not_worth_a_word() -> None:
    only = [row for row in ROWS if row["assessor"] == "y"]
    for assessors in ("union", "majority", "y"):
        assert Qrels.from_dicts(only, assessors=assessors).assessors == ""
    unsaid = [{**row, "assessor": None} for row in only]
    assert Qrels.from_dicts(unsaid).assessors == ""


def test_an_unknown_assessor_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        UsageError,
        match=r"^assessors must be union, majority or an assessor in qrels \(x, y, z\), got 'q'$",
    ):
        Qrels.from_dicts(ROWS, assessors="q")


@pytest.mark.parametrize("assessors", ["majority", "x"])
def test_a_choice_among_no_assessors_is_refused(assessors: str) -> None:
    rows = [{"topic": "1", "doc": "a", "start": 0, "end": 10}]
    with pytest.raises(UsageError, match=f"qrels names no assessors .*, got '{assessors}'"):
        Qrels.from_dicts(rows, assessors=assessors)


@pytest.mark.parametrize(
    ("row", "change", "reason"),
    [
        (1, {"assessor": None}, "assessor is missing on this line but present on others"),
        (1, {"assessor": ""}, "assessor is '', not an identifier"),
        (2, {"assessor": "majority"}, "an assessor cannot be called 'majority'"),
        (0, {"assessor": "union"}, "an assessor cannot be called 'union'"),
    ],
)
def test_odd_assessors_are_refused(row: int, change: dict[str, Any], reason: str) -> None:
    rows = [{**given, **change} if place == row else given for place, given in enumerate(ROWS)]
    with pytest.raises(BadInput, match=f"qrels:{row + 1}: {reason}"):
        Qrels.from_dicts(rows)


def test_assessors_must_agree_on_the_length_of_a_document() -> None:
    rows = [*ROWS, {**ROWS[-1], "assessor": "z", "length": 41}]
    with pytest.raises(BadInput, match="qrels:6: document 'b' of topic '1' has another length"):
        Qrels.from_dicts(rows)


def test_an_assessor_grades_a_document_once() -> None:
    rows = [{"topic": "1", "doc": "a", "grade": 1, "assessor": name} for name in "xyx"]
    with pytest.raises(BadInput, match="qrels:3: document 'a' of topic '1' is judged twice"):
        Qrels.from_dicts(rows)


PAIRS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(sorted), max_size=3)
DRAWN = st.lists(
    st.fixed_dictionaries(
        {
            "topic": st.sampled_from(["1", "2"]),
            "doc": st.sampled_from(["a", "b"]),
            "assessor": st.sampled_from(["x", "y", "z"]),
            "grade": st.none() | st.integers(0, 3),
            "highlights": PAIRS,
        }
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda row: (row["topic"], row["doc"], row["assessor"]),
)


def characters(row: dict[str, Any]) -> set[int]:
    return {place for start, end in row["highlights"] for place in range(start, end)}


@given(DRAWN, st.sampled_from(["union", "majority"]))
def test_merged_judgements_are_sets_of_characters(rows: list[dict[str, Any]], how: str) -> None:
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["topic"], row["doc"]), []).append(row)
    qrels = Qrels.from_dicts(rows, assessors=how)
    assert qrels.documents.select("topic", "doc").rows() == list(groups)
    for place, ((_, _), judged) in enumerate(groups.items()):
        texts = [characters(row) for row in judged]
        votes = {place: sum(place in text for text in texts) for place in range(20)}
        least = 1 if how == "union" else len(judged) // 2 + 1
        own = qrels.passages.filter(qrels.passages["judged"] == place)
        found = {at for _, start, end in own.rows() for at in range(start, end)}
        assert found == {at for at, count in votes.items() if count >= least}
        grades = [row["grade"] for row in judged if row["grade"] is not None]
        middle = max if how == "union" else median_low
        assert qrels.documents["grade"][place] == (middle(grades) if grades else None)


def test_rows_are_taken_apart_by_assessor() -> None:
    rows = [
        {"qid": "1", "doc": "a", "start": 0, "end": 5, "assessor": "bob"},
        {"qid": "1", "doc": "a", "start": 2, "end": 7, "assessor": "ann"},
        {"qid": "1", "doc": "a", "start": 4, "end": 8, "assessor": "bob"},
    ]
    found = Qrels.by_assessor(rows)
    assert {name: own.passages.rows() for name, own in found.items()} == {
        "bob": [(0, 0, 8)],
        "ann": [(0, 2, 7)],
    }
    assert found["ann"].aliases_used == {"qid": "topic"}
    assert Qrels.by_assessor([{"topic": "1", "doc": "a", "grade": 1}]) == {}


def test_rows_that_cannot_be_used_are_refused_before_they_are_taken_apart() -> None:
    row = {"topic": "1", "doc": "a", "start": 5, "end": 0, "assessor": "bob"}
    with pytest.raises(BadInput, match="qrels:1: a passage ends before it starts"):
        Qrels.by_assessor([row])


def test_some_rows_keep_their_passages() -> None:
    qrels = Qrels.from_dicts(
        [
            {"topic": "1", "doc": name, "highlights": [[number, number + 2]]}
            for number, name in enumerate("abc")
        ]
    )
    kept = qrels.of_rows(np.array([False, True, True]))
    assert kept.documents["doc"].to_list() == ["b", "c"]
    assert kept.passages.rows() == [(0, 1, 3), (1, 2, 4)]
