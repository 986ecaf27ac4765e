"""Values with their intervals, a row each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foveal.frozen import frozen
from foveal.rendering.drawing.labels import cut, width
from foveal.rendering.drawing.marks import dot, rule, text
from foveal.rendering.drawing.panel import Panel
from foveal.rendering.drawing.picture import Picture
from foveal.rendering.drawing.scales import Band, Scale

ROW, ACROSS, TOP, WIDEST_NAME, DOT = 18.0, 300.0, 8.0, 180.0, 4.0


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
    down = Band(tuple(names), TOP, TOP + ROW * len(rows))
    panel = Panel(x(left, left + ACROSS), down)
    marks = panel.axes(x_title)
    for y, row in zip(down.at(range(len(rows))).tolist(), rows, strict=True):
        style = "open" if row.open else "f0"
        if row.low is not None and row.high is not None:
            low, high = panel.x.at([row.low, row.high]).tolist()
            marks.append(rule(low, y, high, y, "span"))
        at = float(panel.x.at([row.value])[0])
        marks.append(dot(at, y, DOT, style, f"{row.name}: {row.words}"))
        marks.append(text(panel.x.stop + 12, y + 4, row.words, "muted"))
    room = 12 + max((width(row.words) for row in rows), default=0)
    wide = max(panel.right + room + 4, panel.reach(x_title))
    return Picture(wide, down.stop + panel.foot(x_title), "".join(marks))
