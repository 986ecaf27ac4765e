"""The kinds of parameters of measures: each parses, checks and formats its values."""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from foveal.choices import either
from foveal.conventions import LARGEST_NUMBER
from foveal.frozen import frozen

LEVEL_DIGITS = 6


def quoted(text: str) -> str:
    """A caller's text for a message: a number as it is, anything else in quotes."""
    try:
        float(text)
    except ValueError:
        return repr(text)
    return text


@frozen
class Parameter:
    """A named parameter of a measure; `unset` describes what is done if it has no value.

    A parameter in brackets that must be given has an `example` of its value.
    """

    name: str
    sentence: str = ""
    unset: str = ""
    example: str = ""

    def parsed(self, text: str) -> Any:
        """The value of a text; raises ValueError if it has none."""
        raise ValueError(f"{self.name} takes no value, got {quoted(text)}")

    def formatted(self, value: Any) -> str:
        """The value's canonical spelling."""
        return str(value)

    def in_name(self, text: str) -> str:
        """The parameter as part of a measure's name."""
        return f"{self.name}={text}"


class Whole(Parameter):
    """A whole number, 1 or more."""

    def parsed(self, text: str) -> int:
        """A plain whole number."""
        if not (text.isascii() and text.isdigit()) or not (
            1 <= int(text.lstrip("0")[:12] or 0) <= LARGEST_NUMBER
        ):
            raise ValueError(
                f"{self.name} must be a whole number between 1 and {LARGEST_NUMBER:,},"
                f" got {quoted(text)}"
            )
        return int(text)


class Cutoff(Whole):
    """A rank, written @r."""

    def in_name(self, text: str) -> str:
        """After the name: @r."""
        return f"@{text}"


class Decimals(Parameter):
    """A number from 0 to 1, kept as an exact decimal."""

    noun = "a number"
    unit = ""
    """A letter that may follow the number."""

    def parsed(self, text: str) -> Fraction:
        """An exact decimal."""
        number = text.removesuffix(self.unit)
        try:
            level = Decimal(number if number.isascii() and "_" not in number else "")
        except InvalidOperation:
            level = Decimal(-1)
        if not level.is_finite() or not 0 <= level <= 1:
            raise ValueError(f"{self.name} must be {self.noun} between 0 and 1, got {quoted(text)}")
        if level != round(level, LEVEL_DIGITS):
            raise ValueError(
                f"{self.name} must have at most {LEVEL_DIGITS} decimals, got {quoted(text)}"
            )
        return Fraction(level)

    def formatted(self, value: Fraction) -> str:
        """No more decimals than needed."""
        digits = f"{value.numerator * 10**LEVEL_DIGITS // value.denominator:0{LEVEL_DIGITS + 1}d}"
        return f"{digits[:-LEVEL_DIGITS]}.{digits[-LEVEL_DIGITS:]}".rstrip("0").rstrip(".")


class Share(Decimals):
    """A share of something, above 0 and at most 1."""

    noun = "a share"

    def parsed(self, text: str) -> Fraction:
        """An exact decimal that is not 0."""
        share = super().parsed(text)
        if not share:
            raise ValueError(f"{self.name} must be greater than 0, got {quoted(text)}")
        return share


class RecallLevel(Decimals):
    """A recall level from 0 to 1, written [x]; INEX 2007 writes [xR]."""

    noun = "a recall level"
    unit = "R"

    def formatted(self, value: Fraction) -> str:
        """At least two decimals, and no more than needed."""
        integer, _, decimals = super().formatted(value).partition(".")
        return f"{integer}.{decimals.ljust(2, '0')}"

    def in_name(self, text: str) -> str:
        """After the name: [x]."""
        return f"[{text}]"


class RecallCutoff(RecallLevel):
    """A recall level written @x, as in ir_measures."""

    def formatted(self, value: Fraction) -> str:
        """At least one decimal, and no more than needed."""
        return super().formatted(value).removesuffix("0")

    def in_name(self, text: str) -> str:
        """After the name: @x."""
        return f"@{text}"


class YesNo(Parameter):
    """True or False."""

    def parsed(self, text: str) -> bool:
        """True or False, in any case."""
        word = text.strip("'\"").lower()
        if word not in {"true", "false"}:
            raise ValueError(f"{self.name} must be True or False, got {quoted(text)}")
        return word == "true"


@frozen
class Number(Parameter):
    """A finite number from `minimum` to `maximum`; `exclusive` excludes the minimum itself."""

    minimum: float = 0.0
    exclusive: bool = False
    maximum: float = LARGEST_NUMBER

    def parsed(self, text: str) -> float:
        """A finite number."""
        try:
            # Adding 0 turns -0 into 0, so that both are written alike.
            value = float(text) + 0.0 if text.isascii() and "_" not in text else math.nan
        except ValueError:
            value = math.nan
        too_small = value <= self.minimum if self.exclusive else value < self.minimum
        if math.isnan(value) or too_small or value > self.maximum:
            minimum, maximum = (f"{bound:,.10g}" for bound in (self.minimum, self.maximum))
            range_text = (
                f"greater than {minimum} and at most {maximum}"
                if self.exclusive
                else f"between {minimum} and {maximum}"
            )
            raise ValueError(f"{self.name} must be a number {range_text}, got {quoted(text)}")
        return value

    def formatted(self, value: float) -> str:
        """The shortest spelling that reads back the same."""
        return repr(value).removesuffix(".0")


@frozen
class OneOf(Parameter):
    """One of a few words."""

    words: tuple[str, ...] = ()

    def parsed(self, text: str) -> str:
        """One of the words, bare or quoted."""
        word = text.strip("'\"")
        if word not in self.words:
            raise ValueError(f"{self.name} must be {either(self.words)}, got {quoted(text)}")
        return word

    def formatted(self, value: str) -> str:
        """Identifiers bare, other words quoted."""
        return value if value.isidentifier() else repr(value)


class Numbers(Parameter):
    """Numbers between 0 and 1 in ascending order, separated by slashes, as in 0.2/0.5/0.8."""

    @property
    def number(self) -> Number:
        """The parameter that parses and formats one of the numbers."""
        return Number(f"each of the {self.name}", maximum=1.0)

    def parsed(self, text: str) -> tuple[float, ...]:
        """The numbers, each once."""
        numbers = [self.number.parsed(piece) for piece in text.strip("'\"").split("/")]
        if len(set(numbers)) < len(numbers):
            raise ValueError(f"{self.name} must name each number once, got {text!r}")
        return tuple(sorted(numbers))

    def formatted(self, value: tuple[float, ...]) -> str:
        """The numbers in order."""
        return "/".join(self.number.formatted(number) for number in value)


class Gains(Parameter):
    """Gains of grades that are not the grade itself, as in 1:3.5/2:9."""

    def parsed(self, text: str) -> tuple[tuple[float, float], ...]:
        """Pairs of grade and gain in order of grade."""
        pairs = [piece.partition(":") for piece in text.strip("'\"").split("/")]
        gains = {
            Number(f"a grade in {self.name}").parsed(grade): Number(
                f"a gain in {self.name}", minimum=-LARGEST_NUMBER
            ).parsed(gain)
            for grade, _, gain in pairs
        }
        if len(gains) < len(pairs):
            raise ValueError(f"{self.name} must name each grade once, got {text!r}")
        return tuple(sorted(gains.items()))

    def formatted(self, value: tuple[tuple[float, float], ...]) -> str:
        """The pairs in order of grade."""
        formatted = Number("gain").formatted
        return "/".join(f"{formatted(grade)}:{formatted(gain)}" for grade, gain in value)


class TopGrade(Parameter):
    """The highest grade of a scale: a number, or `topic` for the topic's highest grade."""

    def parsed(self, text: str) -> float | str:
        """A number greater than 0, or the word topic."""
        word = text.strip("'\"")
        return word if word == "topic" else Number(self.name, exclusive=True).parsed(word)

    def formatted(self, value: float | str) -> str:
        """The word, or the number's shortest spelling."""
        return value if isinstance(value, str) else Number(self.name).formatted(value)
