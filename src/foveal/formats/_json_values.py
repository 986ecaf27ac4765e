"""Lines of JSON, and their values as columns: values of a wrong type become problems.

A column of one right type, the usual case, is not looked at value by value.
"""

from __future__ import annotations

import json
from contextlib import suppress
from math import isfinite
from types import NoneType
from typing import TYPE_CHECKING, Any, NoReturn

from foveal.errors import Problem, shortened
from foveal.late import pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from foveal.files import Source

JsonObject = dict[str, Any]
INT64 = range(-(2**63), 2**63)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# Made once: json.loads would make one for every line.
DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def objects(source: Source, problems: list[Problem]) -> Iterator[tuple[int, JsonObject]]:
    """The JSON object of each line with its number; other lines go to `problems`."""
    is_first = True
    for block in source.blocks():
        for number, line in enumerate(block.data.decode().split("\n"), block.first_line):
            text = line.strip(" \t\r")
            if not text or text.startswith("#"):
                continue
            value, reason = _decoded(text)
            if reason and is_first and (spread := _spread_out(source)):
                problems.append(Problem(number, spread))
                return
            is_first = False
            if reason:
                problems.append(Problem(number, reason))
            elif isinstance(value, dict):
                yield number, value
            else:
                problems.append(Problem(number, f"{kind(value)}, not a JSON object"))


def _decoded(text: str) -> tuple[Any, str]:
    """The value of a line, or why it has none."""
    try:
        return DECODER.decode(text), ""
    except RecursionError:
        return None, "JSON nested too deeply"
    except json.JSONDecodeError as error:
        # The decoder counts lines too, but has seen only this one.
        return None, f"broken JSON at character {error.colno}: {error.msg}"
    except ValueError as error:
        return None, f"broken JSON: {error}"


def _spread_out(source: Source) -> str | None:
    """What to do about a file that is JSON as a whole, but not line by line."""
    try:
        whole = DECODER.decode(source.whole().decode().strip())
    except (ValueError, RecursionError):
        return None
    command = "jq -c '.[]'" if isinstance(whole, list) else "jq -c ."
    return f"{kind(whole)} over several lines: put one object on each line (`{command}` does)"


def identifiers(
    name: str, values: Sequence[Any], lines: Sequence[int], problems: list[Problem]
) -> pl.Series:
    """Text, and whole numbers as text; null and a problem for any other value."""
    if set(map(type, values)) == {str} and "" not in values:
        with suppress(UnicodeEncodeError):
            return pl.Series(name, values, dtype=pl.String)
    texts: list[str | None] = []
    for line, value in zip(lines, values, strict=True):
        text = str(value) if type(value) is int else value
        if isinstance(text, str) and text and _is_unicode(text):
            texts.append(text)
            continue
        texts.append(None)
        shown = f"no {name}" if value is None else f"{name} is {kind(value)}, not an identifier"
        problems.append(Problem(line, shown))
    return pl.Series(name, texts, dtype=pl.String)


def texts(
    name: str, values: Sequence[Any], lines: Sequence[int], problems: list[Problem]
) -> pl.Series:
    """Text, and whole numbers as text; null where there is none, and a problem for other values."""
    found: list[str | None] = []
    for line, value in zip(lines, values, strict=True):
        text = str(value) if type(value) is int else value
        is_text = isinstance(text, str) and _is_unicode(text)
        found.append(text if is_text else None)
        if not is_text and value is not None:
            problems.append(Problem(line, f"{name} is {kind(value)}, not text"))
    return pl.Series(name, found, dtype=pl.String)


def whole_numbers(
    name: str, values: Sequence[Any], lines: Sequence[int], problems: list[Problem]
) -> pl.Series:
    """Whole numbers; null where there is none, and a problem for any other value."""
    if set(map(type, values)) <= {NoneType}:
        return pl.Series(name, values, dtype=pl.Int64)
    wholes: list[int | None] = []
    for line, value in zip(lines, values, strict=True):
        number = int(value) if isinstance(value, float) and value.is_integer() else value
        fits = type(number) is int and number in INT64
        wholes.append(number if fits else None)
        if not fits and value is not None:
            problems.append(Problem(line, _no_number(name, value, "a whole number")))
    return pl.Series(name, wholes, dtype=pl.Int64)


def finite_numbers(
    name: str, values: Sequence[Any], lines: Sequence[int], problems: list[Problem]
) -> pl.Series:
    """Finite numbers; null where there is none, and a problem for any other value."""
    if set(map(type, values)) == {float} and all(map(isfinite, values)):
        return pl.Series(name, values, dtype=pl.Float64)
    numbers: list[float | None] = []
    for line, value in zip(lines, values, strict=True):
        number = _finite(value)
        numbers.append(number)
        if number is None and value is not None:
            problems.append(Problem(line, _no_number(name, value, "a finite number")))
    return pl.Series(name, numbers, dtype=pl.Float64)


def kind(value: object) -> str:
    """A value as error messages show it, whatever its size or depth."""
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, int) and value not in INT64:
        return "a number that is too large"
    return shortened(repr(value), 40)


def _no_number(name: str, value: object, wanted: str) -> str:
    """What is wrong with a value that should be a number; in quotes it is text."""
    if isinstance(value, str):
        return f"{name} is the text {kind(value)}, not {wanted}: write numbers without quotes"
    return f"{name} is {kind(value)}, not {wanted}"


def _finite(value: object) -> float | None:
    if type(value) not in {int, float}:
        return None
    try:
        number = float(value)  # type: ignore[arg-type]  # an int or a float, not their subclasses
    except OverflowError:
        return None
    return number if abs(number) < float("inf") else None


def _is_unicode(text: str) -> bool:
    """Whether the text can be encoded; JSON can escape half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
