"""Scales: map values to pixels, and choose ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from foveal.frozen import frozen
from foveal.spans import Floats

STEPS = (1, 2, 2.5, 5, 10)
# About how many steps an axis has.
COUNT = 5


class Tick(NamedTuple):
    """A value with a label on an axis."""

    value: float
    label: str


@frozen
class Linear:
    """A linear scale."""

    low: float
    high: float
    start: float
    stop: float
    step: float = 0.0
    """From tick to tick; 0 chooses a round number that gives a handful of ticks."""

    percent: bool = False
    integers: bool = False
    inset: float = 0.0
    """Free pixels at both ends."""

    @classmethod
    def around(
        cls,
        values: Sequence[float] | Floats,
        start: float,
        stop: float,
        *,
        within: tuple[float, float] = (-math.inf, math.inf),
        zero: bool = False,
        percent: bool = False,
    ) -> Linear:
        """A scale that holds values, from round numbers to round numbers.

        It stays `within` the usual bounds unless values exceed them, as recall does where text
        counts as often as it is returned.
        """
        finite = np.asarray(values, dtype=float)
        finite = finite[np.isfinite(finite)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        low, high = min(low, 0.0) if zero else low, max(high, 0.0) if zero else high
        exceeds = low < within[0] - 1e-9, high > within[1] + 1e-9
        if high - low < 1e-12:
            low, high = low - 0.5 * max(abs(low), 0.1), high + 0.5 * max(abs(high), 0.1)
        step = _step(low, high, COUNT)
        bottom, top = (step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9))
        bottom = bottom if exceeds[0] else max(bottom, within[0])
        top = top if exceeds[1] else min(top, within[1])
        return cls(bottom, top, start, stop, step, percent)

    def pixels(self, values: Sequence[float] | Floats) -> Floats:
        """The pixels of values."""
        share = (np.asarray(values, dtype=float) - self.low) / ((self.high - self.low) or 1.0)
        return _pixels(share, self.start, self.stop, self.inset)

    def ticks(self) -> list[Tick]:
        """Round numbers, a handful."""
        step = self.step or _step(self.low, self.high, COUNT)
        if self.integers:
            step = max(1.0, math.ceil(step - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        scaled = step * 100 if self.percent else step
        digits = 0 if self.integers else max(0, -math.floor(math.log10(scaled) + 1e-9))
        # A step of 2.5 needs a digit more.
        if not self.integers and round(scaled * 10**digits, 6) % 1:
            digits += 1
        return [
            Tick(value, _tick_label(value, digits, percent=self.percent))
            for value in (step * index for index in range(first, last + 1))
        ]


def _pixels(share: Floats, start: float, stop: float, inset: float) -> Floats:
    """Map shares to pixels between start and stop, without the inset at both ends."""
    free = inset if stop > start else -inset
    return start + free + share * (stop - start - 2 * free)


def _tick_label(value: float, digits: int, *, percent: bool) -> str:
    number = f"{100 * value if percent else value:,.{digits}f}"
    number = "0" if float(number.replace(",", "")) == 0 else number.replace("-", "−")
    return f"{number} %" if percent else number


def _step(low: float, high: float, count: int) -> float:
    """A round number that divides the way from low to high into about `count` steps."""
    rough = (high - low) / max(count, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in STEPS if step * power >= rough * (1 - 1e-9))


@frozen
class Log:
    """A logarithmic scale; the axis labels `tick_values`, or powers of 10 if there are none."""

    low: float
    high: float
    start: float
    stop: float
    tick_values: tuple[float, ...] = ()
    inset: float = 0.0

    def pixels(self, values: Sequence[float] | Floats) -> Floats:
        """The pixels of values, all above 0."""
        low, high = math.log(self.low), math.log(self.high)
        share = (np.log(np.asarray(values, dtype=float)) - low) / ((high - low) or 1.0)
        return _pixels(share, self.start, self.stop, self.inset)

    def ticks(self) -> list[Tick]:
        """The given values, or powers of 10."""
        if self.tick_values:
            return [Tick(value, f"{value:,g}") for value in self.tick_values]
        first, last = (
            math.ceil(math.log10(self.low) - 1e-9),
            math.floor(math.log10(self.high) + 1e-9),
        )
        return [Tick(10.0**power, f"{10.0**power:,g}") for power in range(first, last + 1)]


@frozen
class Band:
    """A row or column for each name, in order."""

    names: tuple[str, ...]
    start: float
    stop: float

    @property
    def step(self) -> float:
        """The pixels of one name."""
        return (self.stop - self.start) / max(len(self.names), 1)

    def pixels(self, values: Sequence[float] | Floats) -> Floats:
        """The middle of each row or column, by its index."""
        return self.start + (np.asarray(values, dtype=float) + 0.5) * self.step

    def ticks(self) -> list[Tick]:
        """Every name."""
        return [Tick(float(index), name) for index, name in enumerate(self.names)]


Scale: TypeAlias = Linear | Log | Band
