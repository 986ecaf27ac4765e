"""Heat maps: a value for each row and column, in nine classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foveal.rendering.drawing.keys import CLASSES
from foveal.rendering.drawing.labels import cut, width
from foveal.rendering.drawing.marks import cells, group, number
from foveal.rendering.drawing.panel import Panel
from foveal.rendering.drawing.picture import Picture
from foveal.rendering.drawing.scales import Band
from foveal.spans import Floats, Ints

WIDEST_NAME, TOP = 180.0, 8.0
# Narrower cells have no edges, which would cover them.
EDGED = 4


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
        Band(tuple(names), TOP, TOP + high * len(names)),
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
    cells_at = " ".join(map(number, (left, TOP, wide, high)))
    whole = group(marks, "cells", data={"cells": cells_at})
    return Picture(panel.reach(x_title), down.stop + panel.foot(x_title), whole)
