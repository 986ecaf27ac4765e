"""Scales: from values to pixels, and the ticks that a reader expects."""

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
    """A value that an axis names."""

    value: float
    label: str


@frozen
class Linear:
    """Even steps."""

    low: float
    high: float
    start: float
    stop: float
    step: float = 0.0
    """From tick to tick; 0 for a round number that gives a handful of them."""

    percent: bool = False
    whole: bool = False
    inset: float = 0.0
    """Pixels that are left free at both ends."""

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

        It stays `within` what is usually possible unless values go beyond, as recall does where
        text counts as often as it is returned.
        """
        known = np.asarray(values, dtype=float)
        known = known[np.isfinite(known)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        low, high = min(low, 0.0) if zero else low, max(high, 0.0) if zero else high
        beyond = low < within[0] - 1e-9, high > within[1] + 1e-9
        if high - low < 1e-12:
            low, high = low - 0.5 * max(abs(low), 0.1), high + 0.5 * max(abs(high), 0.1)
        step = _step(low, high, COUNT)
        foot, top = step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
        foot = foot if beyond[0] else max(foot, within[0])
        top = top if beyond[1] else min(top, within[1])
        return cls(foot, top, start, stop, step, percent)

    def at(self, values: Sequence[float] | Floats) -> Floats:
        """The pixels of values."""
        share = (np.asarray(values, dtype=float) - self.low) / ((self.high - self.low) or 1.0)
        return _pixels(share, self.start, self.stop, self.inset)

    def ticks(self) -> list[Tick]:
        """Round numbers, a handful."""
        step = self.step or _step(self.low, self.high, COUNT)
        if self.whole:
            step = max(1.0, math.ceil(step - 1e-9))
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        scaled = step * 100 if self.percent else step
        digits = 0 if self.whole else max(0, -math.floor(math.log10(scaled) + 1e-9))
        # A step of 2.5 needs a digit more.
        if not self.whole and round(scaled * 10**digits, 6) % 1:
            digits += 1
        return [
            Tick(value, _shown(value, digits, percent=self.percent))
            for value in (step * place for place in range(first, last + 1))
        ]


def _pixels(share: Floats, start: float, stop: float, inset: float) -> Floats:
    """Shares of the way from start to stop, both ends left free by an inset."""
    free = inset if stop > start else -inset
    return start + free + share * (stop - start - 2 * free)


def _shown(value: float, digits: int, *, percent: bool) -> str:
    short = f"{100 * value if percent else value:,.{digits}f}"
    short = "0" if float(short.replace(",", "")) == 0 else short.replace("-", "−")
    return f"{short} %" if percent else short


def _step(low: float, high: float, count: int) -> float:
    """A round number near a share of the way from low to high."""
    rough = (high - low) / max(count, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in STEPS if step * power >= rough * (1 - 1e-9))


@frozen
class Log:
    """Equal factors take equal room; `named` are the values that the axis names, else powers of 10."""

    low: float
    high: float
    start: float
    stop: float
    named: tuple[float, ...] = ()
    inset: float = 0.0

    def at(self, values: Sequence[float] | Floats) -> Floats:
        """The pixels of values, all above 0."""
        low, high = math.log(self.low), math.log(self.high)
        share = (np.log(np.asarray(values, dtype=float)) - low) / ((high - low) or 1.0)
        return _pixels(share, self.start, self.stop, self.inset)

    def ticks(self) -> list[Tick]:
        """The named values, or powers of 10."""
        if self.named:
            return [Tick(value, f"{value:,g}") for value in self.named]
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
        """The room of one name."""
        return (self.stop - self.start) / max(len(self.names), 1)

    def at(self, values: Sequence[float] | Floats) -> Floats:
        """The middle of the room of each name, given by its place."""
        return self.start + (np.asarray(values, dtype=float) + 0.5) * self.step

    def ticks(self) -> list[Tick]:
        """Every name."""
        return [Tick(float(place), name) for place, name in enumerate(self.names)]


Scale: TypeAlias = Linear | Log | Band
