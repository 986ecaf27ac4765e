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
# Parameters of measures are written with = as well: cR(chars=2000)>=0.8.
_WRITTEN = r"\s*(.*[^<>=\s])\s*(>=|<=|>|<)\s*([^<>=\s]+)\s*"


@frozen
class Demand:
    """A bound on the mean of a measure: at least a number (>=), more (>), at most (<=), less (<)."""

    measure: str
    sign: str
    number: float

    @classmethod
    def parsed(cls, text: str) -> Demand:
        """The demand in words such as "cR@5>=0.80"."""
        written = re.fullmatch(_WRITTEN, text, re.DOTALL)
        number = _number(written[3]) if written else math.nan
        if written is None or not math.isfinite(number):
            raise UsageError(
                f"a demand is a measure, >= (or >, <=, <) and a number, as in 'cR@5>=0.80',"
                f" got {text!r}"
            )
        return cls(written[1], written[2], number)

    def __str__(self) -> str:
        return f"{self.measure}{self.sign}{self.number:.12g}"

    @property
    def rises(self) -> bool:
        """Whether greater values meet the demand."""
        return self.sign[0] == ">"

    def holds(self, value: float) -> bool:
        """Whether a value meets the demand; rounding alone does not make it fail."""
        slack = EQUAL_WITHIN * max(1.0, abs(self.number))
        if abs(value - self.number) <= slack:
            return "=" in self.sign
        return _HOLDS[self.sign](value, self.number)

    def missed(self, value: float) -> str:
        """The distance of a value from the number, in words."""
        gap, side = abs(value - self.number), "below" if self.rises else "above"
        if gap <= EQUAL_WITHIN * max(1.0, abs(self.number)):
            return f"exactly {self.number:.12g}, which {self.sign} excludes"
        return f"{value:.6g}, {gap:.2g} {side} {self.number:.12g}"


def _number(text: str) -> float:
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan
