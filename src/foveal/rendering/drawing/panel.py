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
# The fewest pixels between names of rows or columns, and the most that a name below a column has.
NAMES_APART, MAX_NAME = 11, 96


@frozen
class Panel:
    """The area between an axis below and one on the left."""

    x: Scale
    y: Scale

    def axes(self, x_title: str = "", y_title: str = "") -> list[str]:
        """The axes with ticks, names, titles and grid lines."""
        return [*self._bottom_axis(x_title), *self._left_axis(y_title)]

    @property
    def facts(self) -> dict[str, str]:
        """The ends of both axes in pixels, and of the vertical one in values, for a page's script."""
        ends = (self.x.start, self.x.stop, self.y.start, self.y.stop)
        facts = {"ends": " ".join(map(number, ends))}
        if isinstance(self.y, Linear):
            facts["values"] = f"{self.y.low:g} {self.y.high:g}"
        return facts

    @property
    def left(self) -> float:
        """The pixel at which the panel begins."""
        return min(self.x.start, self.x.stop)

    @property
    def right(self) -> float:
        """The pixel at which the panel ends."""
        return max(self.x.start, self.x.stop)

    def right_edge(self, x_title: str = "") -> float:
        """The rightmost pixel of the panel with its title and the name of its last tick."""
        ticks = self.x.ticks()
        label_half = width(_short(ticks[-1].label)) / 2 if ticks else 0.0
        return max(self.right + label_half, self._title_middle(x_title) + width(x_title) / 2)

    def _title_middle(self, title: str) -> float:
        """The middle of the title below: that of the axis, unless the title would begin left of 0."""
        return max((self.left + self.right) / 2, width(title) / 2)

    def bottom_height(self, x_title: str = "") -> float:
        """The height of the names below the axis and its title."""
        names = NAME + TICK
        if isinstance(self.x, Band) and self._has_turned_names(self.x):
            names = ceil(max(width(_short(name)) for name in self.x.names)) + 2 * TICK
        return names + (AXIS_TITLE - NAME) * bool(x_title)

    def _bottom_axis(self, title: str) -> Iterator[str]:
        bottom, top = max(self.y.start, self.y.stop), min(self.y.start, self.y.stop)
        is_band = isinstance(self.x, Band)
        turned = isinstance(self.x, Band) and self._has_turned_names(self.x)
        ticks = _readable_ticks(self.x) if turned else _separate_ticks(self.x)
        for tick, x in zip(ticks, self.x.pixels([tick.value for tick in ticks]), strict=True):
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
            below = bottom + self.bottom_height(title) - BASELINE
            yield text(self._title_middle(title), below, title, anchor="middle")

    def _left_axis(self, title: str) -> Iterator[str]:
        left, right = self.left, self.right
        is_band = isinstance(self.y, Band)
        ticks = _readable_ticks(self.y) if is_band else self.y.ticks()
        label_end = left - 2 * TICK
        for tick, y in zip(ticks, self.y.pixels([tick.value for tick in ticks]), strict=True):
            if not is_band:
                yield rule(left, y, right, y, "grid")
            yield text(label_end, y + BASELINE, cut(tick.label, label_end), "muted", anchor="end")
        if title:
            # Above the axis and not turned: a reader need not tilt the head.
            yield text(left, min(self.y.start, self.y.stop) - 3 * TICK + 2, title)

    @staticmethod
    def _has_turned_names(band: Band) -> bool:
        """True if names must read upwards, because they would touch side by side."""
        return max(map(width, band.names), default=0) + TICK > abs(band.step)

    def line(self, xs: Sequence[float] | Floats, ys: Sequence[float] | Floats, style: str) -> str:
        """A line through values."""
        return polyline(self.x.pixels(xs), self.y.pixels(ys), style)

    def horizontal_line(self, value: float, name: str, *, right: bool = False) -> list[str]:
        """A line at one value of y, from side to side, with its name at one end."""
        y = float(self.y.pixels([value])[0])
        x, anchor = (self.right - TICK, "end") if right else (self.left + TICK, "start")
        return [
            rule(self.left, y, self.right, y, "mark"),
            text(x, y - TICK, name, "muted halo", anchor=anchor),
        ]


def _short(name: str) -> str:
    return cut(name, MAX_NAME)


def _readable_ticks(scale: Scale) -> list[Tick]:
    """As many names of rows or columns as can be read: all, every second, and so on."""
    ticks = scale.ticks()
    step = abs(scale.stop - scale.start) / max(len(ticks), 1)
    return ticks[:: ceil(NAMES_APART / max(step, 0.1))]


def _separate_ticks(scale: Scale) -> list[Tick]:
    """The ticks whose names do not touch the previous one."""
    separate: list[Tick] = []
    next_free = float("-inf")
    ticks = scale.ticks()
    positions = zip(scale.pixels([tick.value for tick in ticks]).tolist(), ticks, strict=True)
    for x, tick in sorted(positions):
        half = width(tick.label) / 2
        if x - half >= next_free:
            separate.append(tick)
            next_free = x + half + TICK
    return separate
