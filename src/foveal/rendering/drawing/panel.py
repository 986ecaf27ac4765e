"""A panel: two scales with their axes, and marks placed by values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from foveal.rendering.drawing.labels import cut, width
from foveal.rendering.drawing.marks import polyline, rule, text
from foveal.rendering.drawing.scales import Band, Scale, Tick
from foveal.spans import Floats

# Pixels between an axis, the names of its ticks and its title.
TICK, NAME, AXIS_TITLE = 4, 14, 32
BASELINE = 4


@dataclass(frozen=True)
class Panel:
    """What is drawn between an axis below and one on the left."""

    x: Scale
    y: Scale

    def axes(self, x_title: str = "", y_title: str = "", *, grid: bool = True) -> list[str]:
        """The axes with ticks, names and titles; lines across where `grid` says so."""
        return [*self._below(x_title, grid=grid), *self._beside(y_title, grid=grid)]

    def _below(self, title: str, *, grid: bool) -> Iterator[str]:
        bottom, top = self.y.start, self.y.stop
        ticks = _apart(self.x, self.x.ticks())
        for tick, x in zip(ticks, self.x.at([tick.value for tick in ticks]), strict=True):
            if grid and not isinstance(self.x, Band):
                yield rule(x, bottom, x, top, "grid")
            yield text(x, bottom + NAME, tick.label, "muted", anchor="middle")
        yield rule(self.x.start, bottom, self.x.stop, bottom, "axis")
        if title:
            yield text(
                (self.x.start + self.x.stop) / 2, bottom + AXIS_TITLE, title, anchor="middle"
            )

    def _beside(self, title: str, *, grid: bool) -> Iterator[str]:
        left, right = self.x.start, self.x.stop
        ticks = self.y.ticks()
        room = left - TICK
        for tick, y in zip(ticks, self.y.at([tick.value for tick in ticks]), strict=True):
            if grid and not isinstance(self.y, Band):
                yield rule(left, y, right, y, "grid")
            yield text(left - 2 * TICK, y + BASELINE, cut(tick.label, room), "muted", anchor="end")
        if title:
            # Above the axis and not turned: a reader need not tilt the head.
            yield text(
                left, min(self.y.start, self.y.stop) - NAME + BASELINE, title, anchor="start"
            )

    def line(
        self, xs: Sequence[float] | Floats, ys: Sequence[float] | Floats, style: str, **facts: str
    ) -> str:
        """A line through values."""
        return polyline(self.x.at(xs), self.y.at(ys), style, **facts)

    def across(self, value: float, style: str = "mark") -> str:
        """A line at one value of y, from side to side."""
        y = float(self.y.at([value])[0])
        return rule(self.x.start, y, self.x.stop, y, style)

    def down(self, value: float, style: str = "mark") -> str:
        """A line at one value of x, from top to bottom."""
        x = float(self.x.at([value])[0])
        return rule(x, self.y.start, x, self.y.stop, style)


def _apart(scale: Scale, ticks: list[Tick]) -> list[Tick]:
    """The ticks whose names do not touch those before them."""
    kept: list[Tick] = []
    free = float("-inf")
    for tick, x in zip(ticks, scale.at([tick.value for tick in ticks]), strict=True):
        half = width(tick.label) / 2
        if x - half >= free:
            kept.append(tick)
            free = x + half + TICK
    return kept
