"""Lines of JSON, and their values as columns: values of a wrong type become problems."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from foveal.errors import INT64, Problem, kind
from foveal.files import Source
from foveal.frozen import frozen
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


@frozen(eq=False)
class ColumnReader:
    """Reads values into a column: null and a problem for any value that is not `wanted`.

    `taken` gives the value as it is kept, None for one of another kind. Values may be absent unless
    they are needed.
    """

    taken: Callable[[Any], Any]
    dtype: str
    wanted: str
    is_needed: bool = False

    def __call__(
        self, name: str, values: Sequence[Any], lines: Sequence[int], problems: list[Problem]
    ) -> pl.Series:
        """The column of a key; what is wrong with its values goes to `problems`."""
        kept = list(map(self.taken, values))
        for line, value, own in zip(lines, values, kept, strict=True) if None in kept else ():
            if own is None and (self.is_needed or value is not None):
                problems.append(Problem(line, self._wrong(name, value)))
        return pl.Series(name, kept, dtype=getattr(pl, self.dtype))

    def _wrong(self, name: str, value: object) -> str:
        """What is wrong with a value; a number in quotes is text."""
        if value is None:
            return f"no {name}"
        if isinstance(value, str) and self.dtype != "String":
            what = f"{name} is the text {kind(value)}, not {self.wanted}"
            return f"{what}: write numbers without quotes"
        return f"{name} is {kind(value)}, not {self.wanted}"


def _text(value: object) -> str | None:
    """Text, and a whole number as text."""
    text = str(value) if type(value) is int else value
    return text if isinstance(text, str) and is_unicode(text) else None


def _identifier(value: object) -> str | None:
    return _text(value) or None


def _whole(value: object) -> int | None:
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    return number if type(number) is int and number in INT64 else None


def _finite(value: object) -> float | None:
    if type(value) not in {int, float}:
        return None
    try:
        number = float(value)  # type: ignore[arg-type]  # an int or a float, not their subclasses
    except OverflowError:
        return None
    return number if abs(number) < float("inf") else None


identifiers = ColumnReader(_identifier, "String", "an identifier", is_needed=True)
texts = ColumnReader(_text, "String", "text")
whole_numbers = ColumnReader(_whole, "Int64", "a whole number")
finite_numbers = ColumnReader(_finite, "Float64", "a finite number")


def is_unicode(text: str) -> bool:
    """Whether the text can be encoded; JSON can escape half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
