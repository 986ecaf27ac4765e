"""What the tests are made of: fixed examples, all cases of a test in one, the order of tests."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.turns import in_turns


@pytest.mark.skipif(not settings().derandomize, reason="this profile draws new examples")
def test_examples_are_the_same_whatever_modules_are_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn() -> list[tuple[int, float, str]]:
        examples = []

        @settings(max_examples=200)
        @given(st.integers(), st.floats(allow_nan=False), st.text())
        def collect(number: int, share: float, text: str) -> None:
            examples.append((number, share, text))

        collect()
        return examples

    before = drawn()
    module = ModuleType("constants")
    module.__file__ = str(tmp_path / "constants.py")
    Path(module.__file__).write_text("A, B, C = 12345, 0.12345, 'constant'", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "constants", module)
    assert drawn() == before


def test_every_case_is_tried_and_those_that_fail_are_named() -> None:
    tried = []

    @each("number", range(5))
    def odd(number: int, other: int) -> None:
        tried.append(number)
        assert number % 2 == other

    assert list(inspect.signature(odd).parameters) == ["other"]
    with pytest.raises(ExceptionGroup, match="3 of 5 failed") as caught:
        odd(other=1)
    assert tried == [0, 1, 2, 3, 4]
    assert [error.__notes__ for error in caught.value.exceptions] == [
        ["number: 0"], ["number: 2"], ["number: 4"],
    ]  # fmt: skip


def test_a_test_without_cases_is_refused() -> None:
    with pytest.raises(AssertionError, match="no case of name"):
        each("name", [])


@pytest.mark.parametrize("processes", [1, 2, 3, 4, 7])
@pytest.mark.parametrize(("slow", "quick"), [(0, 0), (0, 20), (6, 20), (20, 3), (5, 0)])
def test_no_test_is_lost_or_run_twice(slow: int, quick: int, processes: int) -> None:
    waiting, others = [f"slow {n}" for n in range(slow)], [f"quick {n}" for n in range(quick)]
    assert sorted(in_turns(waiting, others, processes)) == sorted(waiting + others)


def test_every_second_process_begins_with_slow_tests() -> None:
    order = in_turns(["s"] * 4, ["q"] * 16, 4)
    assert ["".join(order[start : start + 5]) for start in range(0, 20, 5)] == [
        "ssqqq", "qqqqq", "ssqqq", "qqqqq",
    ]  # fmt: skip
