"""Measures that are defined outside of foveal: what their values and their mistakes lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import foveal
from foveal.choices import Answers
from foveal.errors import BadInput
from foveal.evaluation import evaluate
from foveal.measures import REGISTRY, Relevance, Whole, by_default, measure

NAN = float("nan")
QRELS = [{"topic": topic, "doc": "a", "length": 90, "highlights": [[0, 9]]} for topic in "1234"]
RUN = [{"topic": topic, "doc": "a", "start": 0, "end": 9} for topic in "1234"]
Registering = Callable[..., None]


@pytest.fixture
def registered() -> Iterator[Registering]:
    """Registers a function as the measure `early` until the end of the test."""

    def register(kernel: Callable[..., Any], **fields: Any) -> None:
        words = dict.fromkeys(("title", "formula", "cite"), "early")
        kinds = {"answers": Answers.RANKED, "relevance": Relevance.BINARY}
        measure(name="early", **words, **kinds, **fields)(kernel)

    yield register
    REGISTRY.pop("early", None)


@pytest.mark.parametrize(
    ("values", "fields", "note"),
    [
        ([NAN] * 4, {}, "early is undefined (NaN) in 4 of 4 topics, where it counts as 0"),
        ([1, 1, 1, NAN], {"undefined": 1.0},
         "early is undefined (NaN) in 1 of 4 topics, where it counts as 1"),
        ([0, 0, 0, 10], {}, "early gives values up to 10, but its record says 0 to 1: correct the"
         " measure or its bounds"),
        ([0, 0, -317, 1], {}, "early gives values down to -317, but its record says 0 to 1: correct"
         " the measure or its bounds"),
        ([-3, 4, 0, 0], {"bounds": (0, 2)}, "early gives values down to -3 and up to 4, but its record"
         " says 0 to 2: correct the measure or its bounds"),
        ([np.inf] * 4, {}, "early gives values up to inf, but its record says 0 to 1: correct the"
         " measure or its bounds"),
    ],
)  # fmt: skip
def test_values_that_the_record_does_not_announce_are_noted(
    registered: Registering, values: list[float], fields: dict[str, Any], note: str
) -> None:
    registered(lambda _: np.array(values, dtype=float), **fields)
    assert evaluate(QRELS, RUN, ["early", "AiP"]).notes == (note,)


@pytest.mark.parametrize(
    ("values", "fields"),
    [
        ([0.0, 1.0, 0.5, 0.0], {}),
        ([0.0, 1.0 + 1e-12, 0.0, 0.0], {}),
        ([0.0, 7.0, 0.0, 0.0], {"bounds": (0, np.inf)}),
    ],
    ids=["within", "rounding", "open"],
)
def test_values_within_the_bounds_of_the_record_are_not_noted(
    registered: Registering, values: list[float], fields: dict[str, Any]
) -> None:
    registered(lambda _: np.array(values), **fields)
    assert evaluate(QRELS, RUN, "early").notes == ()


def test_several_runs_share_a_note(registered: Registering) -> None:
    odd = iter([[NAN, 2.0, 0.0, 0.0], [0.0, NAN, NAN, 3.0]])
    registered(lambda _: np.array(next(odd)))
    assert evaluate(QRELS, {"one": RUN, "two": RUN}, "early").notes == (
        "early is undefined (NaN) in 3 of 8 scores of 2 runs, where it counts as 0",
        "early gives values up to 3, but its record says 0 to 1: correct the measure or its bounds",
    )


def test_the_lab_notes_what_a_measure_gives(registered: Registering) -> None:
    registered(lambda alignment: np.full(len(alignment.topics), NAN))
    notes = foveal.fidelity(QRELS, measures=["early"]).notes
    assert "early is undefined (NaN) in 32 of 32 scores of 8 runs, where it counts as 0" in notes


def test_measures_of_foveal_exceed_their_bounds_without_a_second_note() -> None:
    again = [{"topic": "1", "doc": "a", "start": 0, "end": 9} for _ in range(3)]
    scores = evaluate(QRELS, again, ["cR@5", "cP@5"], task="rag", overlap="repeat")
    assert scores.per_topic().filter(measure="cR@5")["value"].max() == 3.0
    assert [note for note in scores.notes if "exceed" in note or "its record" in note] == [
        "run1: text counts as often as it is returned (overlap repeat), so recall may exceed 1:"
        " --overlap once or paid finds it once"
    ]


def breaks(alignment: Any) -> Any:
    return alignment.nothing_of_this_name


def lacks(alignment: Any) -> Any:
    return np.zeros(len(alignment.topics))


@pytest.mark.parametrize(
    ("kernel", "fields", "line", "message"),
    [
        (breaks, {}, 1, "AttributeError: 'AlignedRun' object has no attribute 'nothing_of_this_name'"),
        (lacks, {"parameters": (Whole("half", "h"),), "resolve": by_default(half=9)}, 0,
         "TypeError: lacks() got an unexpected keyword argument 'half'"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_users_function_has_its_file_and_line(
    registered: Registering, kernel: Any, fields: dict[str, Any], line: int, message: str
) -> None:
    registered(kernel, **fields)
    at = kernel.__code__.co_firstlineno + line
    with pytest.raises(BadInput) as raised:
        evaluate(QRELS, RUN, "early")
    assert str(raised.value).startswith(f"{__file__}:{at}: {message}\n    ")
    assert raised.value.__notes__ == ["needed by early for run 'run1'"]


@pytest.mark.parametrize(
    ("values", "got"),
    [
        (0.5, "a float"),
        (7, "an int"),
        (None, "None"),
        (np.zeros(3), "3 numbers"),
        (np.zeros((4, 2)), "an array of (4, 2)"),
        (["a"] * 4, "a list"),
    ],
)
def test_a_measure_gives_one_number_per_topic(
    registered: Registering, values: Any, got: str
) -> None:
    def early(_: object) -> Any:
        """Anything."""
        return values

    registered(early)
    at = early.__code__.co_firstlineno
    with pytest.raises(BadInput) as raised:
        evaluate(QRELS, RUN, "early")
    reason = f"measure 'early' must give one number per topic (4), got {got}"
    assert str(raised.value) == f"{__file__}:{at}: {reason}\n    def early(_: object) -> Any:"


def test_a_list_of_numbers_is_one_number_per_topic(registered: Registering) -> None:
    registered(lambda _: [0, 1, 1, 0])
    assert float(evaluate(QRELS, RUN, "early")) == 0.5


def test_a_mistake_in_a_measure_of_foveal_is_not_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    def kernel(*_: object, **__: object) -> Any:
        raise ZeroDivisionError

    kernel.__module__ = REGISTRY["AiP"].kernel.__module__
    monkeypatch.setitem(REGISTRY, "AiP", replace(REGISTRY["AiP"], kernel=kernel))
    with pytest.raises(ZeroDivisionError):
        evaluate(QRELS, RUN, "AiP")
