from __future__ import annotations

import pickle

import pytest

from foveal.errors import BadInput, FovealError, Problem, UnknownLength, shortened


@pytest.mark.parametrize(
    "error",
    [
        BadInput("a.run", [Problem(3, "odd", "the line")], "sense"),
        UnknownLength("a", "d1", 2, whole_document=True),
    ],
)
def test_errors_travel_between_processes_whole(error: FovealError) -> None:
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own bytes)
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)
    assert copy.exit_code == error.exit_code


def test_the_first_twenty_problems_are_shown_and_the_rest_counted() -> None:
    error = BadInput("a.run", [Problem(line, "odd") for line in range(1, 31)])
    shown = str(error).splitlines()
    assert shown[0] == "a.run:1: odd"
    assert shown[19] == "a.run:20: odd"
    assert shown[20:] == ["a.run: and 10 more problems"]


def test_a_shown_line_is_harmless_and_short() -> None:
    assert shortened("a\tb\x1b[0m") == "a b\N{REPLACEMENT CHARACTER}[0m"
    assert len(shortened("x" * 1000)) == 161


def test_every_error_has_an_exit_code() -> None:
    codes = {error.exit_code for error in _below(FovealError)}
    assert codes <= {1, 2, 65, 66, 69, 70}


def _below(kind: type[FovealError]) -> list[type[FovealError]]:
    return [found for child in kind.__subclasses__() for found in [child, *_below(child)]]
