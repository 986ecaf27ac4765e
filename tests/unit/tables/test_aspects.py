"""Aspects of judgements: kept before passages are merged, and through every change of the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from foveal.alignment import PreparedQrels
from foveal.conventions import Conventions
from foveal.errors import BadInput, NoAspects, UsageError
from foveal.tables import Qrels

ROWS: list[dict[str, Any]] = [
    {
        "topic": "1",
        "doc": "d1",
        "length": 100,
        "highlights": [
            {"start": 10, "end": 40, "aspects": ["a"]},
            {"start": 30, "end": 50, "aspects": {"b": 2}},
            [60, 70],
        ],
    },
    {"topic": "1", "doc": "d2", "aspects": {"a": 3, "c": 0}},
    {"topic": "2", "doc": "d1", "length": 100, "highlights": [{"start": 0, "end": 5}]},
    {"topic": "2", "doc": "d3", "aspects": ["x", 7]},
]
ENTRIES = [
    (0, "a", 10, 40, 1.0),
    (0, "b", 30, 50, 2.0),
    (1, "a", None, None, 3.0),
    (1, "c", None, None, 0.0),
    (3, "x", None, None, 1.0),
    (3, "7", None, None, 1.0),
]


def _entries(qrels: Qrels) -> list[tuple[Any, ...]]:
    aspects = qrels.judgements.aspects
    assert aspects is not None
    return aspects.frame.rows()


def test_aspects_are_kept_before_passages_are_merged() -> None:
    qrels = Qrels.from_dicts(ROWS)
    assert _entries(qrels) == ENTRIES
    assert qrels.passages.rows() == [(0, 10, 50), (0, 60, 70), (2, 0, 5)]


def test_a_document_judged_by_aspects_alone_has_their_highest_grade() -> None:
    assert Qrels.from_dicts(ROWS).documents["grade"].to_list() == [None, 3.0, None, 1.0]


def test_judgements_without_aspects_have_none() -> None:
    qrels = Qrels.from_dict({"1": {"d1": 1}})
    assert qrels.judgements.aspects is None
    with pytest.raises(NoAspects, match="name no aspects: give them as trec-subtopics, trecgen"):
        _ = PreparedQrels.of(qrels, Conventions()).aspects


def test_frames_hold_aspects_as_dicts_do() -> None:
    rows = [{"topic": "1", "doc": "d", "start": 1, "end": 4, "aspects": ["a", "b"]}]
    frame = pl.DataFrame(rows)
    assert frame["aspects"].dtype == pl.List(pl.String)
    expected = [(0, "a", 1, 4, 1.0), (0, "b", 1, 4, 1.0)]
    for data in (rows, frame, frame.to_pandas(), frame.with_columns(aspects=pl.lit("a|b"))):
        assert _entries(Qrels.coerced(data)) == expected
    nested = pl.DataFrame(
        {"topic": ["1"], "doc": ["d"], "highlights": [[{"start": 1, "end": 4, "aspects": ["a"]}]]}
    )
    assert _entries(Qrels.from_frame(nested)) == expected[:1]


def test_some_topics_keep_their_aspects() -> None:
    assert _entries(Qrels.from_dicts(ROWS).only(["2"])) == [
        (1, "x", None, None, 1.0),
        (1, "7", None, None, 1.0),
    ]


def test_some_documents_keep_their_aspects() -> None:
    kept = Qrels.from_dicts(ROWS).of_rows(np.array([False, True, False, True]))
    assert [entry[:2] for entry in _entries(kept)] == [(0, "a"), (0, "c"), (1, "x"), (1, "7")]


def test_a_lost_passage_loses_its_aspects() -> None:
    kept = Qrels.from_dicts(ROWS).keeping(np.array([False, True, True]), ["1", "2"])
    assert _entries(kept) == ENTRIES[2:]


def test_samples_have_the_aspects_of_their_passages() -> None:
    judged = PreparedQrels.of(Qrels.from_dicts(ROWS), Conventions())
    kept = np.array([[True, False, False], [False, True, True]])
    aspects = judged.sampled(kept).aspects
    assert aspects.row.tolist() == [0, 0, 1, 1, 3, 3, 5, 5, 7, 7]
    assert aspects.start.tolist() == [10, 30, -1, -1, -1, -1, -1, -1, -1, -1]


def test_aspects_change_hash_and_equality() -> None:
    plain = Qrels.from_dicts([{"topic": "1", "doc": "d", "highlights": [[0, 5]]}])
    objects = Qrels.from_dicts([{"topic": "1", "doc": "d", "highlights": [{"start": 0, "end": 5}]}])
    named = Qrels.from_dicts(
        [{"topic": "1", "doc": "d", "highlights": [{"start": 0, "end": 5, "aspects": ["a"]}]}]
    )
    assert plain.equals(objects)
    assert plain.sha256 == objects.sha256
    assert not plain.equals(named)
    assert plain.sha256 != named.sha256
    assert Qrels.from_dicts(ROWS).equals(Qrels.from_dicts(ROWS))
    assert Qrels.from_dicts(ROWS).sha256 == Qrels.from_dicts(ROWS[::-1]).sha256


def _row(doc: str = "d", **more: Any) -> dict[str, Any]:
    return {"topic": "1", "doc": doc, **more}


def _passage(start: int, end: int, *aspects: str, **grades: float) -> dict[str, Any]:
    return {"start": start, "end": end, "aspects": grades or list(aspects)}


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([_row(aspects=["a"]), _row(aspects=["a"])], "qrels:2: aspect 'a' .* judged twice$"),
        ([_row(aspects={"a": 1}), _row(aspects={"a": 2})], "twice with different grades"),
        (
            [_row(highlights=[_passage(0, 5, a=1), _passage(7, 9, a=2)])],
            "aspect 'a' of document 'd' in topic '1' is judged twice with different grades",
        ),
        (
            [_row(highlights=[_passage(0, 5, "a")], aspects=["a"])],
            "for the whole document and for passages",
        ),
        ([_row(highlights=[_passage(5, 5, "a")])], "has an empty passage"),
        ([_row(aspects={"a": 1e12})], "has a grade beyond"),
        ([_row(aspects={"a": "x"})], "grade of aspect 'a' is 'x', must be a finite number"),
        ([_row(aspects=5)], "aspects is 5, must be a list of names or an object"),
        ([_row(aspects=[1.5])], "an aspect is 1.5, must be a name"),
        ([_row(aspects=[""])], "an aspect is '', must be a name"),
        ([_row(highlights=[{"start": 5}])], "a highlight must have start and end"),
    ],
)
def test_aspects_that_contradict_each_other_are_refused(
    rows: list[dict[str, Any]], reason: str
) -> None:
    with pytest.raises(BadInput, match=reason):
        Qrels.from_dicts(rows)


def test_a_passage_given_twice_has_its_aspect_once() -> None:
    twice = Qrels.from_dicts([_row(highlights=[_passage(0, 5, "a"), _passage(0, 5, "a")])])
    assert _entries(twice) == [(0, "a", 0, 5, 1.0)]


def test_rows_of_a_document_are_united_with_their_aspects() -> None:
    qrels = Qrels.from_dicts([_row(aspects=["a"]), _row("e", aspects=["a"]), _row(aspects=["b"])])
    assert [entry[:2] for entry in _entries(qrels)] == [(0, "a"), (0, "b"), (1, "a")]


ASSESSED = [
    _row(assessor="ann", highlights=[_passage(0, 5, a=1)]),
    _row(assessor="bob", aspects={"a": 2, "b": 1}),
]


def test_assessors_name_aspects_together_or_apart() -> None:
    assert _entries(Qrels.from_dicts(ASSESSED)) == [
        (0, "a", 0, 5, 2.0),
        (0, "b", None, None, 1.0),
    ]
    bob = [(0, "a", None, None, 2.0), (0, "b", None, None, 1.0)]
    assert _entries(Qrels.from_dicts(ASSESSED, assessors="bob")) == bob
    assert _entries(Qrels.by_assessor(ASSESSED)["bob"]) == bob
    with pytest.raises(UsageError, match="must be union or a name where judgements name aspects"):
        Qrels.from_dicts(ASSESSED, assessors="majority")


def test_text_beyond_a_document_has_no_aspects_where_it_is_allowed() -> None:
    rows = [
        _row(length=20, highlights=[_passage(10, 30, "a"), _passage(25, 30, "b")], aspects=["c"]),
        _row("e", highlights=[_passage(10, 30, "a")]),
    ]
    qrels = Qrels.from_dicts(rows)
    aspects = PreparedQrels.of(qrels, Conventions(past_length_allowed=True)).aspects
    spans = zip(aspects.row.tolist(), aspects.start.tolist(), aspects.end.tolist(), strict=True)
    assert list(spans) == [(0, 10, 20), (0, -1, -1), (1, 10, 30)]
    given = qrels.judgements.aspects
    assert given is not None
    assert given.end.tolist() == [30, 30, -1, 30]
    with pytest.raises(BadInput, match="beyond the end of its document"):
        PreparedQrels.of(qrels, Conventions())


def test_iterations_are_aspects_where_documents_recur_under_several() -> None:
    rows = [
        {"query_id": "1", "doc_id": "d1", "relevance": 1, "iteration": "a"},
        {"query_id": "1", "doc_id": "d1", "relevance": 2, "iteration": "b"},
        {"query_id": "1", "doc_id": "d2", "relevance": 0, "iteration": "a"},
    ]
    aspects = [{"a": 1, "b": 2}, {"a": 0}]
    expected = [
        {"topic": "1", "doc": doc, "aspects": own}
        for doc, own in zip(("d1", "d2"), aspects, strict=True)
    ]
    for given in (rows, pl.DataFrame(rows)):
        found = Qrels.coerced(given)
        assert found.equals(Qrels.from_dicts(expected))
        assert "different values of iteration, so it is read as the aspect" in found.notes[0]
    once = Qrels.coerced([rows[0], rows[2]])
    assert once.judgements.aspects is None
    assert not once.notes
    with pytest.raises(BadInput, match="'d1' of topic '1' is judged twice"):
        Qrels.coerced([rows[0], rows[0]])
