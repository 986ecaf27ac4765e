"""Texts of some documents: runs keep the offsets that nobody can verify."""

from __future__ import annotations

import pytest

from foveal.errors import BadInput
from foveal.intake import SomeDocuments
from foveal.tables import Run
from tests.inex import inex_run

DOCS = SomeDocuments({"a": "One fish. Two fish."})


def test_known_documents_are_verified_and_others_keep_their_offsets() -> None:
    run = Run.from_dicts(
        [
            {"topic": "1", "doc": "b", "start": 3, "end": 5, "text": "xy"},
            {"topic": "1", "doc": "a", "start": 9, "end": 18, "text": "Two fish."},
            {"topic": "1", "doc": "c", "start": 0, "end": 5, "text": "abcde"},
        ]
    )
    placed = DOCS.placed(run)
    rows = placed.frame.sort("line").select("doc", "start", "end").rows()
    assert rows == [("b", 3, 5), ("a", 10, 19), ("c", 0, 5)]
    assert any("corrected" in note for note in placed.notes)


def test_a_run_from_other_documents_is_left_alone() -> None:
    run = Run.from_dicts([{"topic": "1", "doc": "b", "start": 3, "end": 5}])
    assert DOCS.placed(run) is run


def test_a_text_of_an_unknown_document_without_offsets_is_refused() -> None:
    run = Run.from_dicts([{"topic": "1", "doc": "b", "text": "Two fish."}])
    with pytest.raises(BadInput, match="unknown document"):
        DOCS.placed(run)


def test_elements_of_unknown_place_stay_so() -> None:
    run = inex_run(
        [
            {"topic": "1", "doc": "a", "start": -1, "end": -1},
            {"topic": "1", "doc": "a", "start": 0, "end": 9},
        ],
        "mine",
    )
    assert DOCS.placed(run).frame["start"].to_list() == [-1, 0]
