"""Charts that several figures share: lines with their names, intervals in rows, heat maps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from foveal.frozen import frozen
from foveal.rendering.drawing.keys import CLASSES
from foveal.rendering.drawing.labels import cut, spread, width
from foveal.rendering.drawing.marks import cells, dot, group, number, polyline, rule, text
from foveal.rendering.drawing.panel import Panel
from foveal.rendering.drawing.picture import Picture
from foveal.rendering.drawing.scales import Band, Scale
from foveal.rendering.drawing.style import LIGHT
from foveal.spans import Floats, Ints

STANDING_OUT = len(LIGHT.series)
LEFT, TOP = 48.0, 24.0
LABEL_GAP, LABEL_LINE, WIDEST_LABEL = 10.0, 14.0, 200.0
DOT = 3.0
# Pixels between the error bars of two lines, which would cover each other.
APART = 4.0
# Of charts with a name for each row.
ROW, ACROSS, ROWS_TOP, WIDEST_NAME, ROW_DOT = 18.0, 300.0, 8.0, 180.0, 4.0
# Narrower cells have no edges, which would cover them.
EDGED = 4


@frozen(eq=False)
class Line:
    """A named line; `low` and `high` are the ends of its error bars, where it has any."""

    name: str
    x: Sequence[float] | Floats
    y: Sequence[float] | Floats
    low: Sequence[float] | Floats | None = None
    high: Sequence[float] | Floats | None = None
    dots: bool = False


def lines(
    found: Sequence[Line],
    x: Callable[[float, float], Scale],
    y: Callable[[float, float], Scale],
    *,
    x_title: str,
    y_title: str,
    size: tuple[float, float] = (420, 300),
    extra: Callable[[Panel], list[str]] | None = None,
) -> Picture:
    """Lines over two scales, with their names at their ends.

    `x` and `y` make a scale from its first and its last pixel. The first eight lines have a colour
    and dashes of their own; the others are grey, and a text says how many they are. `extra` draws
    what lies below the lines.
    """
    shown = found[:STANDING_OUT]
    names = [cut(line.name, WIDEST_LABEL) for line in shown]
    room = max((width(name) for name in names), default=0) + LABEL_GAP + 8
    across, up = size
    panel = Panel(x(LEFT, LEFT + across), y(TOP + up, TOP))
    marks = panel.axes(x_title, y_title)
    marks += extra(panel) if extra else []
    for line in reversed(found[STANDING_OUT:]):
        grey = panel.line(line.x, line.y, "line rest")
        marks.append(group([grey], "series", data={"series": line.name}))
    ends = []
    # Later lines have gaps, through which earlier ones below them are seen.
    for place, line in enumerate(shown):
        aside = APART * (place - (len(shown) - 1) / 2) if line.low is not None else 0.0
        xs, ys = panel.x.at(line.x) + aside, panel.y.at(line.y)
        drawn = _drawn(panel, line, place, xs, ys)
        marks.append(group(drawn, "series", data={"series": line.name, "place": str(place)}))
        ends.append(_end(panel, xs, ys))
    marks += _names(panel, ends, names, [line.name for line in shown])
    if len(found) > len(shown):
        others = f"{len(found) - len(shown):,} more in grey"
        marks.append(text(LEFT + across + room, TOP - 10, others, "muted more", anchor="end"))
    wide = max(LEFT + across + room, panel.reach(x_title), LEFT + width(y_title))
    whole = group(marks, "panel", data=panel.facts)
    return Picture(wide, TOP + up + panel.foot(x_title), whole)


def _drawn(panel: Panel, line: Line, place: int, xs: Floats, ys: Floats) -> list[str]:
    marks = [polyline(xs, ys, f"line s{place}")]
    if line.low is not None and line.high is not None:
        ends = zip(xs, panel.y.at(line.low), panel.y.at(line.high), strict=True)
        marks += [
            rule(at, low, at, high, f"thin s{place}")
            for at, low, high in ends
            if np.isfinite(low + high)
        ]
    if line.dots:
        marks += [
            dot(at, up, DOT, f"f{place}") for at, up in zip(xs, ys, strict=True) if np.isfinite(up)
        ]
    return marks


def _end(panel: Panel, xs: Floats, ys: Floats) -> tuple[float, float]:
    """The place of a line that is furthest to the right."""
    known = np.flatnonzero(np.isfinite(ys))
    if not len(known):
        return panel.right, panel.y.start
    last = known[np.argmax(xs[known])]
    return float(xs[last]), float(ys[last])


def _names(
    panel: Panel, ends: Sequence[tuple[float, float]], names: Sequence[str], series: Sequence[str]
) -> list[str]:
    """The names beside the ends of their lines, moved apart where ends are close."""
    top, bottom = sorted((panel.y.start, panel.y.stop))
    moved = spread([y for _, y in ends], LABEL_LINE, top, bottom)
    side = panel.right + LABEL_GAP
    marks = []
    for place, ((x, y), at, name) in enumerate(zip(ends, moved, names, strict=True)):
        leader = rule(x + DOT, y, side - 2, at, "leader")
        label = text(side, at + 4, name, f"f{place}")
        marks.append(group([leader, label], "name", data={"series": series[place]}))
    return marks


@frozen
class Row:
    """A named value between low and high, where these are known, and the value in words.

    The dot of one that is `open` has a hole.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    words: str
    open: bool = False


def intervals(rows: Sequence[Row], x: Callable[[float, float], Scale], *, x_title: str) -> Picture:
    """A row for each value: its name, its interval with a dot in it, and its number."""
    names = [cut(row.name, WIDEST_NAME) for row in rows]
    left = max(map(width, names), default=0) + 12
    down = Band(tuple(names), ROWS_TOP, ROWS_TOP + ROW * len(rows))
    panel = Panel(x(left, left + ACROSS), down)
    marks = panel.axes(x_title)
    for y, row in zip(down.at(range(len(rows))).tolist(), rows, strict=True):
        style = "open" if row.open else "f0"
        if row.low is not None and row.high is not None:
            low, high = panel.x.at([row.low, row.high]).tolist()
            marks.append(rule(low, y, high, y, "span"))
        at = float(panel.x.at([row.value])[0])
        marks.append(dot(at, y, ROW_DOT, style, f"{row.name}: {row.words}"))
        marks.append(text(panel.x.stop + 12, y + 4, row.words, "muted"))
    room = 12 + max((width(row.words) for row in rows), default=0)
    wide = max(panel.right + room + 4, panel.reach(x_title))
    return Picture(wide, down.stop + panel.foot(x_title), "".join(marks))


def classes(values: Floats, low: float, high: float) -> Ints:
    """The class of each value between low and high; -1 of one that is not a number."""
    share = (values - low) / ((high - low) or 1.0)
    found = np.clip(np.floor(share * CLASSES), 0, CLASSES - 1)
    return np.where(np.isnan(values), -1, found).astype(np.int64)


def heat(
    values: Floats,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    ends: tuple[float, float],
    cell: tuple[float, float],
    x_title: str = "",
) -> Picture:
    """Rows × columns as cells in the colour of their class; the cells of a class are one path."""
    names = [cut(name, WIDEST_NAME) for name in rows]
    left = max(map(width, names), default=0) + 12
    wide, high = cell
    across, down = (
        Band(tuple(columns), left, left + wide * len(columns)),
        Band(tuple(names), ROWS_TOP, ROWS_TOP + high * len(names)),
    )
    panel = Panel(across, down)
    marks = panel.axes(x_title)
    found = classes(values, *ends)
    edged = "cell " if wide >= EDGED else ""
    for place in range(CLASSES):
        own = np.argwhere(found == place).astype(float)
        if len(own):
            xs, ys = across.at(own[:, 1]) - wide / 2, down.at(own[:, 0]) - high / 2
            marks.append(cells(xs, ys, wide, high, f"{edged}h{place}"))
    cells_at = " ".join(map(number, (left, ROWS_TOP, wide, high)))
    whole = group(marks, "cells", data={"cells": cells_at})
    return Picture(panel.reach(x_title), down.stop + panel.foot(x_title), whole)
