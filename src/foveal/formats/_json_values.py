"""Lines of JSON, and their values as columns: values of a wrong type become problems."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from foveal.errors import INT64, Problem, kind
from foveal.files import Source
from foveal.late import pl

JsonObject = dict[str, Any]
BLANKS = re.compile(r"[ \t\r\n]*")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# Made once: json.loads would make one for every line.
DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def objects(source: Source, problems: list[Problem]) -> Iterator[tuple[int, JsonObject]]:
    """The JSON object of each line with its number; other lines go to `problems`.

    A file may also be one array of objects, or objects that are spread over lines.
    """
    if source.head().line.lstrip(" \t").startswith("["):
        yield from _spread_out(source, problems)
        return
    is_first = True
    for block in source.blocks():
        for number, line in enumerate(block.data.decode().split("\n"), block.first_line):
            text = line.strip(" \t\r")
            if not text or text.startswith("#"):
                continue
            value, reason = _decoded(text)
            if reason and is_first and _is_spread_out(source):
                yield from _spread_out(source, problems)
                return
            is_first = False
            if reason:
                problems.append(Problem(number, reason))
            elif isinstance(value, dict):
                yield number, value
            else:
                problems.append(Problem(number, f"{kind(value)}, not a JSON object"))


def _spread_out(source: Source, problems: list[Problem]) -> Iterator[tuple[int, JsonObject]]:
    """The objects of an array, or one after the other, with the lines on which they begin."""
    line, counted_to = source.head().number or 1, 0
    text = source.text().decode().split("\n", line - 1)[-1].rstrip()
    first = line
    try:
        for place, value in _items(text):
            line += text.count("\n", counted_to, place)
            counted_to = place
            if not isinstance(value, dict):
                # The others will be no objects either.
                problems.append(Problem(line, f"{kind(value)}, not a JSON object"))
                return
            yield line, value
    except RecursionError:
        problems.append(Problem(line, "JSON nested too deeply"))
    except json.JSONDecodeError as error:
        reason = f"broken JSON at character {error.colno}: {error.msg}"
        problems.append(Problem(first + error.lineno - 1, reason))
    except ValueError as error:
        problems.append(Problem(line, f"broken JSON: {error}"))


def _items(text: str) -> Iterator[tuple[int, Any]]:
    """The values in a text, or in the array that it begins with, each with its place."""
    place = _next(text, 0)
    if text.startswith("[", place):
        yield from _in_array(text, _next(text, place + 1))
        return
    while place < len(text):
        value, end = DECODER.raw_decode(text, place)
        yield place, value
        place = _next(text, end)


def _in_array(text: str, place: int) -> Iterator[tuple[int, Any]]:
    """The values of an array from a place inside it; nothing may follow the array."""
    end, sign = place, ","
    if text.startswith("]", place):
        sign, place = "]", _next(text, place + 1)
    while sign == ",":
        value, end = DECODER.raw_decode(text, place)
        yield place, value
        end = _next(text, end)
        sign, place = text[end : end + 1], _next(text, end + 1)
    if sign != "]":
        raise json.JSONDecodeError("Expecting ',' or ']' in the array", text, end)
    if place < len(text):
        raise json.JSONDecodeError("Extra data after the array", text, place)


def _next(text: str, place: int) -> int:
    """The place of the next character that is not blank."""
    blanks = BLANKS.match(text, place)
    return blanks.end() if blanks else place


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


def _is_spread_out(source: Source) -> bool:
    """Whether a file begins with a JSON object that does not end on its line."""
    try:
        DECODER.raw_decode(source.text().decode().lstrip())
    except (ValueError, RecursionError):
        return False
    return True


def identifiers(
    name: str, values: Sequence[Any], lines: Sequence[int], problems: list[Problem]
) -> pl.Series:
    """Text, and whole numbers as text; null and a problem for any other value."""
    texts: list[str | None] = []
    for line, value in zip(lines, values, strict=True):
        text = str(value) if type(value) is int else value
        if isinstance(text, str) and text and is_unicode(text):
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
        is_text = isinstance(text, str) and is_unicode(text)
        found.append(text if is_text else None)
        if not is_text and value is not None:
            problems.append(Problem(line, f"{name} is {kind(value)}, not text"))
    return pl.Series(name, found, dtype=pl.String)


def whole_numbers(
    name: str, values: Sequence[Any], lines: Sequence[int], problems: list[Problem]
) -> pl.Series:
    """Whole numbers; null where there is none, and a problem for any other value."""
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
    numbers: list[float | None] = []
    for line, value in zip(lines, values, strict=True):
        number = _finite(value)
        numbers.append(number)
        if number is None and value is not None:
            problems.append(Problem(line, _no_number(name, value, "a finite number")))
    return pl.Series(name, numbers, dtype=pl.Float64)


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


def is_unicode(text: str) -> bool:
    """Whether the text can be encoded; JSON can escape half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
