"""Demands on scores: a measure, and the number that its mean must reach."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable

from foveal.errors import UsageError
from foveal.frozen import frozen
from foveal.tables import EQUAL_WITHIN

_HOLDS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
# Parameters of measures contain = as well: cR(chars=2000)>=0.8.
_DEMAND_PATTERN = r"\s*(.*[^<>=\s])\s*(>=|<=|>|<)\s*([^<>=\s]+)\s*"


@frozen
class Demand:
    """A bound on the mean of a measure: at least a number (>=), more (>), at most (<=), less (<)."""

    measure: str
    sign: str
    number: float

    @classmethod
    def parsed(cls, text: str) -> Demand:
        """Parse a text such as "cR@5>=0.80"."""
        match = re.fullmatch(_DEMAND_PATTERN, text, re.DOTALL)
        number = _number(match[3]) if match else math.nan
        if match is None or not math.isfinite(number):
            raise UsageError(
                f"a demand is a measure, >= (or >, <=, <) and a number, as in 'cR@5>=0.80',"
                f" got {text!r}"
            )
        return cls(match[1], match[2], number)

    def __str__(self) -> str:
        return f"{self.measure}{self.sign}{self.number:.12g}"

    @property
    def rises(self) -> bool:
        """True if greater values meet the demand."""
        return self.sign[0] == ">"

    def holds(self, value: float) -> bool:
        """True if a value meets the demand, with a tolerance for rounding."""
        slack = EQUAL_WITHIN * max(1.0, abs(self.number))
        if abs(value - self.number) <= slack:
            return "=" in self.sign
        return _HOLDS[self.sign](value, self.number)

    def missed(self, value: float) -> str:
        """A sentence with the distance of a value from the number."""
        gap, side = abs(value - self.number), "below" if self.rises else "above"
        if gap <= EQUAL_WITHIN * max(1.0, abs(self.number)):
            return f"exactly {self.number:.12g}, which {self.sign} excludes"
        return f"{value:.6g}, {gap:.2g} {side} {self.number:.12g}"


def _number(text: str) -> float:
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan
