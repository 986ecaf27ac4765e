"""The records of the fidelity lab, and what the functions of researchers give to it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from foveal.errors import DataError, UsageError
from foveal.studies import (
    NOISES,
    PART_SETS,
    RANKINGS,
    Parts,
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
    ],
)  # fmt: skip
def test_what_a_researchers_function_gives_is_checked(kind: Any, given: Any, message: str) -> None:
    rows = [
        *_judged(("1", "d1", [[1, 5]]), ("1", "d2", [[0, 8]]), ("1", "d3", [])),
        *_judged(("2", "d1", [[0, 2]]), ("2", "d2", [])),
    ]
    try:
        _adds(kind, given)
        with pytest.raises(DataError, match=message):
            fidelity(rows, None, "AgP")
    finally:
        for registry in (PART_SETS, RANKINGS):
            registry.pop("X", None)


def test_records_that_cannot_be() -> None:
    with pytest.raises(UsageError, match="a part set called 'S' already exists"):
        part_set(name="S", title="again")(lambda ground: ground.passages)
    with pytest.raises(UsageError, match="below 'RX', which is not registered"):
        ranking(name="RY", title="?", below=("RX",))
    with pytest.raises(UsageError, match="must begin with a letter"):
        noise(name="../up", title="?")


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
