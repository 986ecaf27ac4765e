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

COLOURED = len(LIGHT.series)
LEFT, TOP = 48.0, 24.0
LABEL_GAP, LABEL_LINE, MAX_LABEL = 10.0, 14.0, 200.0
DOT_RADIUS = 3.0
# Pixels between the error bars of two lines, so that none covers another.
BAR_GAP = 4.0
# Pixels of charts with a name for each row.
ROW_HEIGHT, ROW_WIDTH, ROWS_TOP, MAX_NAME, ROW_DOT_RADIUS = 18.0, 300.0, 8.0, 180.0, 4.0
# Narrower cells have no edges: these would cover the cells.
MIN_EDGED = 4


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
    series: Sequence[Line],
    x: Callable[[float, float], Scale],
    y: Callable[[float, float], Scale],
    *,
    x_title: str,
    y_title: str,
    size: tuple[float, float] = (420, 300),
    extra: Callable[[Panel], list[str]] | None = None,
) -> Picture:
    """Lines over two scales, with their names at their ends.

    `x` and `y` make a scale from its first and its last pixel. Each of the first eight lines has
    its own colour and dashes; the others are grey, and a text says how many they are. `extra` draws
    marks below the lines.
    """
    coloured = series[:COLOURED]
    names = [cut(line.name, MAX_LABEL) for line in coloured]
    plot_width, plot_height = size
    names_width = max((width(name) for name in names), default=0) + LABEL_GAP + 8
    right = LEFT + plot_width + names_width
    panel = Panel(x(LEFT, LEFT + plot_width), y(TOP + plot_height, TOP))
    marks = panel.axes(x_title, y_title)
    marks += extra(panel) if extra else []
    for line in reversed(series[COLOURED:]):
        grey = panel.line(line.x, line.y, "line rest")
        marks.append(group([grey], "series", data={"series": line.name}))
    ends = []
    # Later lines have gaps, so that earlier ones can be seen below them.
    for index, line in enumerate(coloured):
        shift = BAR_GAP * (index - (len(coloured) - 1) / 2) if line.low is not None else 0.0
        xs, ys = panel.x.pixels(line.x) + shift, panel.y.pixels(line.y)
        line_marks = _line_marks(panel, line, index, xs, ys)
        marks.append(group(line_marks, "series", data={"series": line.name, "place": str(index)}))
        ends.append(_end(panel, xs, ys))
    marks += _names(panel, ends, names, [line.name for line in coloured])
    if len(series) > len(coloured):
        rest_label = f"{len(series) - len(coloured):,} more in grey"
        marks.append(text(right, TOP - 10, rest_label, "muted more", anchor="end"))
    total_width = max(right, panel.right_edge(x_title), LEFT + width(y_title))
    panel_group = group(marks, "panel", data=panel.facts)
    return Picture(total_width, TOP + plot_height + panel.bottom_height(x_title), panel_group)


def _line_marks(panel: Panel, line: Line, index: int, xs: Floats, ys: Floats) -> list[str]:
    marks = [polyline(xs, ys, f"line s{index}")]
    if line.low is not None and line.high is not None:
        bars = zip(xs, panel.y.pixels(line.low), panel.y.pixels(line.high), strict=True)
        marks += [
            rule(x, low, x, high, f"thin s{index}")
            for x, low, high in bars
            if np.isfinite(low + high)
        ]
    if line.dots:
        marks += [
            dot(x, y, DOT_RADIUS, f"f{index}")
            for x, y in zip(xs, ys, strict=True)
            if np.isfinite(y)
        ]
    return marks


def _end(panel: Panel, xs: Floats, ys: Floats) -> tuple[float, float]:
    """The rightmost point of a line."""
    points = np.flatnonzero(np.isfinite(ys))
    if not len(points):
        return panel.right, panel.y.start
    end = points[np.argmax(xs[points])]
    return float(xs[end]), float(ys[end])


def _names(
    panel: Panel, ends: Sequence[tuple[float, float]], names: Sequence[str], series: Sequence[str]
) -> list[str]:
    """The names at the ends of their lines, moved apart where ends are close."""
    top, bottom = sorted((panel.y.start, panel.y.stop))
    label_ys = spread([y for _, y in ends], LABEL_LINE, top, bottom)
    label_x = panel.right + LABEL_GAP
    marks = []
    for index, ((x, y), label_y, name) in enumerate(zip(ends, label_ys, names, strict=True)):
        leader = rule(x + DOT_RADIUS, y, label_x - 2, label_y, "leader")
        label = text(label_x, label_y + 4, name, f"f{index}")
        marks.append(group([leader, label], "name", data={"series": series[index]}))
    return marks


@frozen
class Row:
    """A named value, its interval if that is known, and the value as text.

    An `open` row has a dot with a hole.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    value_text: str
    open: bool = False


def intervals(rows: Sequence[Row], x: Callable[[float, float], Scale], *, x_title: str) -> Picture:
    """A row for each value: its name, its interval with a dot in it, and its number."""
    names = [cut(row.name, MAX_NAME) for row in rows]
    left = max(map(width, names), default=0) + 12
    down = Band(tuple(names), ROWS_TOP, ROWS_TOP + ROW_HEIGHT * len(rows))
    panel = Panel(x(left, left + ROW_WIDTH), down)
    marks = panel.axes(x_title)
    for y, row in zip(down.pixels(range(len(rows))).tolist(), rows, strict=True):
        style = "open" if row.open else "f0"
        if row.low is not None and row.high is not None:
            low, high = panel.x.pixels([row.low, row.high]).tolist()
            marks.append(rule(low, y, high, y, "span"))
        dot_x = float(panel.x.pixels([row.value])[0])
        marks.append(dot(dot_x, y, ROW_DOT_RADIUS, style, f"{row.name}: {row.value_text}"))
        marks.append(text(panel.x.stop + 12, y + 4, row.value_text, "muted"))
    text_width = 12 + max((width(row.value_text) for row in rows), default=0)
    total_width = max(panel.right + text_width + 4, panel.right_edge(x_title))
    return Picture(total_width, down.stop + panel.bottom_height(x_title), "".join(marks))


def classes(values: Floats, low: float, high: float) -> Ints:
    """The class of each value between low and high; -1 for NaN."""
    share = (values - low) / ((high - low) or 1.0)
    index = np.clip(np.floor(share * CLASSES), 0, CLASSES - 1)
    return np.where(np.isnan(values), -1, index).astype(np.int64)


def heat(
    values: Floats,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    ends: tuple[float, float],
    cell: tuple[float, float],
    x_title: str = "",
) -> Picture:
    """Rows × columns as coloured cells; all cells of one class of values are one path."""
    names = [cut(name, MAX_NAME) for name in rows]
    left = max(map(width, names), default=0) + 12
    cell_width, cell_height = cell
    across, down = (
        Band(tuple(columns), left, left + cell_width * len(columns)),
        Band(tuple(names), ROWS_TOP, ROWS_TOP + cell_height * len(names)),
    )
    panel = Panel(across, down)
    marks = panel.axes(x_title)
    class_of_cell = classes(values, *ends)
    edge_style = "cell " if cell_width >= MIN_EDGED else ""
    for heat_class in range(CLASSES):
        positions = np.argwhere(class_of_cell == heat_class).astype(float)
        if len(positions):
            xs = across.pixels(positions[:, 1]) - cell_width / 2
            ys = down.pixels(positions[:, 0]) - cell_height / 2
            marks.append(cells(xs, ys, cell_width, cell_height, f"{edge_style}h{heat_class}"))
    geometry = " ".join(map(number, (left, ROWS_TOP, cell_width, cell_height)))
    heat_map = group(marks, "cells", data={"cells": geometry})
    return Picture(panel.right_edge(x_title), down.stop + panel.bottom_height(x_title), heat_map)
