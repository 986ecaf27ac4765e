"""The records of the fidelity lab, and what the functions of researchers give to it."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np
import pytest

from foveal.errors import BadInput, DataError, UsageError
from foveal.studies import (
    NOISES,
    PART_SETS,
    RANKINGS,
    Parts,
    RunDraft,
    covers,
    fidelity,
    noise,
    part_set,
    ranking,
)


def _judged(*documents: tuple[str, str, list[list[int]]]) -> list[dict[str, Any]]:
    return [
        {"topic": topic, "doc": doc, "length": 10, "highlights": spans}
        for topic, doc, spans in documents
    ]


def _adds(kind: Any, given: Any) -> Any:
    """A part set or a ranking that gives something."""
    return kind(name="X", title="odd")(lambda _: given)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (part_set, [1, 2], "part set 'X' must give Parts, got list"),
        (part_set, Parts(np.array([0]), np.array([0.5]), np.array([2])),
         "the start of the Parts that part set 'X' gives must be a list of whole numbers"),
        (part_set, Parts(np.array([0]), np.array([0, 1]), np.array([2, 3])), "as many documents as starts"),
        (part_set, Parts(np.array([9]), np.array([0]), np.array([2])), "names document 9"),
        (part_set, Parts(np.array([-1]), np.array([0]), np.array([2])), "names document -1"),
        (part_set, Parts(np.array([0]), np.array([3]), np.array([2])), "from 3 to 2 in document 'd1'"),
        (part_set, Parts(np.array([0]), np.array([3]), np.array([11])), "from 3 to 11 in document 'd1'"),
        (part_set, Parts(np.array([0]), np.array([-1]), np.array([1])), "from -1 to 1 in document 'd1'"),
        (part_set, Parts(np.array([2]), np.array([0]), np.array([1])), "relevant documents, got from 0"),
        (ranking, "R", "rows of documents that ranking 'X' gives must be a list of whole numbers"),
        (ranking, np.array([0, 0]), "ranking 'X' must list every document once"),
        (ranking, np.array([0, 7]), "ranking 'X' names document 7"),
        (ranking, np.array([3, 0]), "ranking 'X' must list documents topic after topic"),
        (ranking, [[0], [1, 2]], "that ranking 'X' gives must be a list of whole numbers, got a ragged"),
        (ranking, [], "ranking 'X' must list at least one document"),
    ],
)  # fmt: skip
def test_what_a_researchers_function_gives_is_checked(kind: Any, given: Any, message: str) -> None:
    rows = [
        *_judged(("1", "d1", [[1, 5]]), ("1", "d2", [[0, 8]]), ("1", "d3", [])),
        *_judged(("2", "d1", [[0, 2]]), ("2", "d2", [])),
    ]
    try:
        _adds(kind, given)
        with pytest.raises(DataError, match=rf"\.py:\d+: .*{message}"):
            fidelity(rows, None, "AgP")
    finally:
        for registry in (PART_SETS, RANKINGS):
            registry.pop("X", None)


NOTHING = Parts(np.array([], dtype=int), np.array([], dtype=int), np.array([], dtype=int))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "noise 'x' must give a RunDraft, got NoneType"),
        (RunDraft(np.array([0, 0]), NOTHING), "noise 'x' must list every document once"),
        (RunDraft(np.array([], dtype=int), NOTHING), "noise 'x' must list at least one document"),
        (RunDraft(np.array([0]), Parts(np.array([0]), np.array([5]), np.array([2]))),
         "noise 'x' must give spans within relevant documents, got from 5 to 2"),
    ],
    ids=["no draft", "a document twice", "no document", "ends before it starts"],
)  # fmt: skip
def test_what_a_researchers_noise_gives_is_checked(given: Any, message: str) -> None:
    try:
        noise(name="x", title="odd", unit="u", strengths=(0, 1))(lambda *_: given)
        with pytest.raises(DataError, match=rf"\.py:\d+: .*{message}"):
            fidelity(_judged(("1", "d1", [[1, 5]])), None, "AgP", noise="x")
    finally:
        NOISES.pop("x", None)


@pytest.mark.parametrize(
    "name", ["relevant", "others", "intruders", "topic", "length", "highlighted", "passages.end"]
)
def test_a_researchers_function_cannot_change_what_others_see(name: str) -> None:
    def spoils(ground: Any) -> Any:
        attrgetter(name)(ground)[:] = 0
        return ground.relevant

    try:
        ranking(name="X", title="odd")(spoils)
        with pytest.raises(BadInput, match=r"\.py:\d+: ValueError: .* read-only"):
            fidelity(_judged(("1", "d1", [[1, 5]]), ("1", "d2", [])), None, "AgP")
    finally:
        RANKINGS.pop("X", None)


def test_a_researchers_noise_cannot_change_the_run_that_is_spoilt() -> None:
    def spoils(_: Any, draft: RunDraft, __: float, chances: Any) -> RunDraft:
        for numbers in (draft.documents, draft.parts.start, chances.documents, chances.ends):
            with pytest.raises(ValueError, match="read-only"):
                numbers[:] = 0
        return draft

    try:
        for mixes in (False, True):
            NOISES.pop("x", None)
            noise(name="x", title="odd", unit="u", strengths=(0, 1), mixes=mixes)(spoils)
            found = fidelity(_judged(("1", "d1", [[1, 5]])), None, "AgP", noise="x")
            assert found.responses["value"].to_list() == [1.0, 1.0]
    finally:
        NOISES.pop("x", None)


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        (ranking, {"name": "RY", "title": "?", "below": ("RX",)}, "below 'RX', which is not registered"),
        (part_set, {"name": "SX", "title": "?", "below": "SS"}, "names in parentheses.* got 'SS' for 'SX'"),
        (part_set, {"name": "../up", "title": "?"}, "must begin with a letter"),
        (part_set, {"name": 3, "title": "?"}, "the name of a part set must be text, got 3"),
        (part_set, {"name": "SX"}, "a part set needs title="),
        (part_set, {"title": "?"}, "a part set needs name="),
        (ranking, {"name": "RX", "title": "?", "colour": 1},
         "a ranking has name, title, below, by_default, but no 'colour'"),
        (noise, {"name": "x", "title": "?", "unit": "u", "strengths": ()}, "rise from 0.* got \\(\\)"),
        (noise, {"name": "x", "title": "?", "unit": "u", "strengths": 5}, "rise from 0.* got 5"),
        (noise, {"name": "x", "title": "?", "unit": "u", "strengths": (1, 2)}, "rise from 0"),
        (noise, {"name": "x", "title": "?", "unit": "u", "strengths": (0, 2, 1)}, "rise from 0"),
        (noise, {"name": "x", "title": "?", "unit": "u", "strengths": (0, float("nan"))}, "rise from 0"),
        (noise, {"name": "x", "title": "?", "unit": "u", "strengths": "01"}, "rise from 0.* got '01'"),
    ],
)  # fmt: skip
def test_records_that_cannot_be(kind: Any, fields: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        kind(**fields)


def test_a_name_is_taken_once() -> None:
    with pytest.raises(UsageError, match="a part set called 'S' already exists"):
        part_set(name="S", title="again")(lambda ground: ground.passages)


@pytest.mark.parametrize(
    "function",
    [lambda: None, 3, type("A", (), {}), lambda one, two: two],
    ids=["no argument", "no function", "a class", "two arguments"],
)
def test_a_function_takes_what_the_lab_gives(function: Any) -> None:
    with pytest.raises(UsageError, match=r"ranking 'RX' must be a function of \(lab\)"):
        ranking(name="RX", title="?")(function)
    assert "RX" not in RANKINGS


def test_covers_are_the_papers() -> None:
    assert covers(PART_SETS, list(PART_SETS)) == [
        ("S", "SL"), ("S", "SS"), ("SL", "SLD"), ("SS", "SST"),
    ]  # fmt: skip
    assert covers(RANKINGS, ["R", "RS", "RI", "RSI"]) == [
        ("R", "RS"), ("R", "RI"), ("RS", "RSI"), ("RI", "RSI"),
    ]  # fmt: skip


def test_an_intruder_is_the_worse_the_earlier_it_comes() -> None:
    assert covers(RANKINGS, list(RANKINGS)) == [
        ("R", "RS"), ("R", "RI2"), ("RS", "RSI2"), ("RI2", "RI"), ("RI2", "RSI2"), ("RI", "RSI"),
        ("RSI2", "RSI"),
    ]  # fmt: skip


@pytest.mark.parametrize("record", [*PART_SETS.values(), *RANKINGS.values(), *NOISES.values()])
def test_every_record_says_what_it_is(record: Any) -> None:
    assert record.sentence.endswith(".")
    assert record.title
