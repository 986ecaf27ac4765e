"""The slow, obvious twin of the compiled scanner: lines split, numbers read by Python."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from foveal.compiled.scanner import ABSENT, UNMAPPED, LineLayout
from foveal.spans import LARGEST_OFFSET

NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
INTEGER = re.compile(rb"[+-]?[0-9]+")
WHOLE = re.compile(rb"[0-9]{1,18}")
LONGEST_NUMBER = 1000


@dataclass
class TwinRow:
    """What one line says."""

    line: int
    topic: bytes = b""
    document: bytes = b""
    score: float | None = None
    rank: int | None = None
    tag: bytes | None = None
    integers: list[int] = field(default_factory=list)
    passages: list[tuple[int, int]] = field(default_factory=list)


class Odd(Exception):
    """A line that the scanner must call a problem."""


def twin(data: bytes, layout: LineLayout) -> tuple[list[TwinRow], int, int]:
    """The rows of all good lines, how many lines are bad, and how many there are."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    rows, problems = [], 0
    for number, line in enumerate(lines):
        words = [word for word in re.split(rb"[ \t\r]", line) if word]
        try:
            line.decode()
            if words and not words[0].startswith(b"#"):
                rows.append(_row(number, words, layout))
        except (UnicodeDecodeError, Odd):
            problems += 1
    return rows, problems, len(lines)


def _row(number: int, words: list[bytes], layout: LineLayout) -> TwinRow:
    row = TwinRow(number)
    letters = layout.letters.decode()
    letters_without_passages = letters.rstrip("P")
    has_rest = letters_without_passages != letters
    if len(words) < layout.min_fields or (
        len(words) > len(letters_without_passages) and not has_rest
    ):
        raise Odd
    for letter, word in zip(letters_without_passages, words, strict=False):
        _take(row, letter, word)
    missing = sum(letter in "NOLE" for letter in letters_without_passages[len(words) :])
    row.integers += [ABSENT] * missing
    if letters.endswith("P"):
        row.passages = list(_passages(words[len(letters_without_passages) :]))
        if len(words) == len(letters_without_passages) and row.integers[0] > 0:
            raise Odd
    return row


def _take(row: TwinRow, letter: str, word: bytes) -> None:
    match letter:
        case "T":
            row.topic = word
        case "D":
            row.document = word
        case "G":
            row.tag = word
        case "S":
            row.score = _number(word)
        case "R":
            row.rank = _rank(word)
        case "N" | "O" | "L" | "E":
            row.integers.append(_integer(row, letter, word))


def _number(word: bytes) -> float:
    if not NUMBER.fullmatch(word) or len(word) > LONGEST_NUMBER or not math.isfinite(float(word)):
        raise Odd
    return float(word)


def _rank(word: bytes) -> int | None:
    # Python refuses to read thousands of digits.
    if not INTEGER.fullmatch(word) or not -(2**63) <= int(word) < 2**63:
        return None
    return int(word)


def _integer(row: TwinRow, letter: str, word: bytes) -> int:
    if (letter == "O" and word == b"X") or (letter in "OE" and word == b"-1"):
        return UNMAPPED
    if letter == "L" and row.integers[-1] == UNMAPPED:
        return ABSENT
    return _whole(word, LARGEST_OFFSET - (row.integers[-1] if letter == "L" else 0))


def _whole(word: bytes, largest: int) -> int:
    if not WHOLE.fullmatch(word) or int(word) > largest:
        raise Odd
    return int(word)


def _passages(words: list[bytes]) -> Iterator[tuple[int, int]]:
    for word in words:
        start_digits, colon, length = word.partition(b":")
        if not colon:
            raise Odd
        start = _whole(start_digits, LARGEST_OFFSET)
        yield start, start + _whole(length, LARGEST_OFFSET - start)
