"""Reads lines of JSON, and their values as columns; values of a wrong type become problems."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from foveal.errors import INT64, Problem, value_text
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
    """JSON object of each line with the line's number; other lines go to `problems`.

    A file may also be one array of objects, or objects that are spread over lines.
    """
    if source.head().line.lstrip(" \t").startswith("["):
        yield from _spread_out(source, problems)
        return
    is_first = True
    for number, line in source.numbered_lines():
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
            problems.append(Problem(number, f"{value_text(value)}, not a JSON object"))


def _spread_out(source: Source, problems: list[Problem]) -> Iterator[tuple[int, JsonObject]]:
    """Objects of an array, or one after the other, with the lines on which they begin."""
    line, counted_to = source.head().number or 1, 0
    text = source.text().decode().split("\n", line - 1)[-1].rstrip()
    first = line
    try:
        for start, value in _items(text):
            line += text.count("\n", counted_to, start)
            counted_to = start
            if not isinstance(value, dict):
                # The other values are hardly objects either.
                problems.append(Problem(line, f"{value_text(value)}, not a JSON object"))
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
    """Values in a text, or in the array that it begins with, each with its start."""
    start = _skip_blanks(text, 0)
    if text.startswith("[", start):
        yield from _in_array(text, _skip_blanks(text, start + 1))
        return
    while start < len(text):
        value, end = DECODER.raw_decode(text, start)
        yield start, value
        start = _skip_blanks(text, end)


def _in_array(text: str, start: int) -> Iterator[tuple[int, Any]]:
    """Values of an array from a start inside it; nothing may follow the array."""
    end, separator = start, ","
    if text.startswith("]", start):
        separator, start = "]", _skip_blanks(text, start + 1)
    while separator == ",":
        value, end = DECODER.raw_decode(text, start)
        yield start, value
        end = _skip_blanks(text, end)
        separator, start = text[end : end + 1], _skip_blanks(text, end + 1)
    if separator != "]":
        raise json.JSONDecodeError("Expecting ',' or ']' in the array", text, end)
    if start < len(text):
        raise json.JSONDecodeError("Extra data after the array", text, start)


def _skip_blanks(text: str, start: int) -> int:
    """Offset of the next character that is not blank."""
    blanks = BLANKS.match(text, start)
    return blanks.end() if blanks else start


def _decoded(text: str) -> tuple[Any, str]:
    """Value of a line, or the reason why it has none."""
    try:
        return DECODER.decode(text), ""
    except RecursionError:
        return None, "JSON nested too deeply"
    except json.JSONDecodeError as error:
        # The decoder's own line number is always 1 here.
        return None, f"broken JSON at character {error.colno}: {error.msg}"
    except ValueError as error:
        return None, f"broken JSON: {error}"


def _is_spread_out(source: Source) -> bool:
    """True if a file begins with JSON values that continue on other lines."""
    try:
        DECODER.raw_decode(source.text().decode().lstrip())
    except (ValueError, RecursionError):
        return False
    return True


@frozen(eq=False)
class ColumnReader:
    """Reads values into a column; any value that is not as `expected` is null and a problem.

    `convert` gives the value for the column, None for one of another kind. Values may be absent
    unless they are needed.
    """

    convert: Callable[[Any], Any]
    dtype: str
    expected: str
    is_needed: bool = False

    def __call__(
        self, name: str, values: Sequence[Any], lines: Sequence[int], problems: list[Problem]
    ) -> pl.Series:
        """Column of a key; the problems with its values go to `problems`."""
        column = list(map(self.convert, values))
        for line, value, item in zip(lines, values, column, strict=True) if None in column else ():
            if item is None and (self.is_needed or value is not None):
                problems.append(Problem(line, self._reason(name, value)))
        return pl.Series(name, column, dtype=getattr(pl, self.dtype))

    def _reason(self, name: str, value: object) -> str:
        """Reason why a value does not fit; a number in quotes is text."""
        if value is None:
            return f"no {name}"
        if isinstance(value, str) and self.dtype != "String":
            reason = f"{name} is the text {value_text(value)}, not {self.expected}"
            return f"{reason}: write numbers without quotes"
        return f"{name} is {value_text(value)}, not {self.expected}"


def _text(value: object) -> str | None:
    """Text as it is, a whole number as text; None for other values."""
    text = str(value) if type(value) is int else value
    return text if isinstance(text, str) and is_unicode(text) else None


def _identifier(value: object) -> str | None:
    return _text(value) or None


def _integer(value: object) -> int | None:
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
whole_numbers = ColumnReader(_integer, "Int64", "a whole number")
finite_numbers = ColumnReader(_finite, "Float64", "a finite number")


def is_unicode(text: str) -> bool:
    """True if a text can be encoded; JSON can escape half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
