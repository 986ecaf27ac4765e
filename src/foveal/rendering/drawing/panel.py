"""A panel: two scales with their axes, and marks placed by values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from foveal.frozen import frozen
from foveal.rendering.drawing.labels import cut, width
from foveal.rendering.drawing.marks import number, polyline, rule, text
from foveal.rendering.drawing.scales import Band, Linear, Scale, Tick
from foveal.spans import Floats

# Pixels between an axis, the names of its ticks and its title.
TICK, NAME, AXIS_TITLE = 4, 16, 34
BASELINE = 4
# The least pixels between the names of rows or columns, and the longest that stands below a column.
NAMES_APART, LONGEST = 11, 96


@frozen
class Panel:
    """What is drawn between an axis below and one on the left."""

    x: Scale
    y: Scale

    def axes(self, x_title: str = "", y_title: str = "") -> list[str]:
        """The axes with ticks, names and titles, and lines across."""
        return [*self._below(x_title), *self._beside(y_title)]

    @property
    def facts(self) -> dict[str, str]:
        """The ends of both axes in pixels, and of the upright one in values, for a page's script."""
        ends = (self.x.start, self.x.stop, self.y.start, self.y.stop)
        found = {"ends": " ".join(map(number, ends))}
        if isinstance(self.y, Linear):
            found["values"] = f"{self.y.low:g} {self.y.high:g}"
        return found

    @property
    def left(self) -> float:
        """Where the panel begins."""
        return min(self.x.start, self.x.stop)

    @property
    def right(self) -> float:
        """Where the panel ends."""
        return max(self.x.start, self.x.stop)

    def reach(self, x_title: str = "") -> float:
        """How far to the right the panel goes with its title and the name of its last tick."""
        ticks = self.x.ticks()
        last = width(_short(ticks[-1].label)) / 2 if ticks else 0.0
        return max(self.right + last, self._middle(x_title) + width(x_title) / 2)

    def _middle(self, title: str) -> float:
        """The middle of the title below: that of the axis, if the title does not begin too early."""
        return max((self.left + self.right) / 2, width(title) / 2)

    def foot(self, x_title: str = "") -> float:
        """The pixels that the names below the axis and its title take."""
        names = NAME + TICK
        if isinstance(self.x, Band) and self._are_turned(self.x):
            names = ceil(max(width(_short(name)) for name in self.x.names)) + 2 * TICK
        return names + (AXIS_TITLE - NAME) * bool(x_title)

    def _below(self, title: str) -> Iterator[str]:
        bottom, top = max(self.y.start, self.y.stop), min(self.y.start, self.y.stop)
        is_band = isinstance(self.x, Band)
        turned = isinstance(self.x, Band) and self._are_turned(self.x)
        ticks = _thinned(self.x) if turned else _apart(self.x)
        for tick, x in zip(ticks, self.x.at([tick.value for tick in ticks]), strict=True):
            if not is_band:
                yield rule(x, bottom, x, top, "grid")
            if turned:
                name = _short(tick.label)
                yield text(x + BASELINE, bottom + TICK, name, "muted", anchor="end", turned=True)
            else:
                yield text(x, bottom + NAME, tick.label, "muted", anchor="middle")
        if not is_band:
            yield rule(self.x.start, bottom, self.x.stop, bottom, "axis")
        if title:
            below = bottom + self.foot(title) - BASELINE
            yield text(self._middle(title), below, title, anchor="middle")

    def _beside(self, title: str) -> Iterator[str]:
        left, right = self.left, self.right
        is_band = isinstance(self.y, Band)
        ticks = _thinned(self.y) if is_band else self.y.ticks()
        room = left - 2 * TICK
        for tick, y in zip(ticks, self.y.at([tick.value for tick in ticks]), strict=True):
            if not is_band:
                yield rule(left, y, right, y, "grid")
            yield text(left - 2 * TICK, y + BASELINE, cut(tick.label, room), "muted", anchor="end")
        if title:
            # Above the axis and not turned: a reader need not tilt the head.
            yield text(left, min(self.y.start, self.y.stop) - 3 * TICK + 2, title)

    @staticmethod
    def _are_turned(band: Band) -> bool:
        """Whether names read upwards: they would touch if they stood side by side."""
        return max(map(width, band.names), default=0) + TICK > abs(band.step)

    def line(self, xs: Sequence[float] | Floats, ys: Sequence[float] | Floats, style: str) -> str:
        """A line through values."""
        return polyline(self.x.at(xs), self.y.at(ys), style)

    def across(self, value: float, name: str, *, right: bool = False) -> list[str]:
        """A line at one value of y, from side to side, and what it is called at one end of it."""
        y = float(self.y.at([value])[0])
        x, anchor = (self.right - TICK, "end") if right else (self.left + TICK, "start")
        return [
            rule(self.left, y, self.right, y, "mark"),
            text(x, y - TICK, name, "muted halo", anchor=anchor),
        ]


def _short(name: str) -> str:
    return cut(name, LONGEST)


def _thinned(scale: Scale) -> list[Tick]:
    """The names of rows or columns, as many as can be read: all, every second, and so on."""
    ticks = scale.ticks()
    step = abs(scale.stop - scale.start) / max(len(ticks), 1)
    return ticks[:: ceil(NAMES_APART / max(step, 0.1))]


def _apart(scale: Scale) -> list[Tick]:
    """The ticks whose names do not touch those before them."""
    kept: list[Tick] = []
    free = float("-inf")
    ticks = scale.ticks()
    places = zip(scale.at([tick.value for tick in ticks]).tolist(), ticks, strict=True)
    for x, tick in sorted(places):
        half = width(tick.label) / 2
        if x - half >= free:
            kept.append(tick)
            free = x + half + TICK
    return kept
