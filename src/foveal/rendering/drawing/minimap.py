"""A document at a glance: where it is highlighted, and which parts of it were returned."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from foveal.rendering.drawing.keys import CLASSES
from foveal.rendering.drawing.labels import width
from foveal.rendering.drawing.marks import box, rule, text
from foveal.rendering.drawing.picture import Picture
from foveal.spans import Ints

WIDE, ROW, GAP, LEAST = 640.0, 12.0, 4.0, 1.5


def minimap(
    length: int,
    highlights: tuple[Sequence[int] | Ints, Sequence[int] | Ints],
    parts: tuple[Sequence[int] | Ints, Sequence[int] | Ints],
    ranks: Sequence[int] | Ints,
    *,
    wide: float = WIDE,
) -> Picture:
    """The document as a line: highlights (starts, ends) above it, parts below, first ranks darkest.

    Offsets are characters of the document. However short, a span is seen.
    """
    left = max(width("highlighted"), width("returned")) + 8
    scale = wide / max(length, 1)
    middle = ROW + GAP
    marks = [
        text(0, ROW - 2, "highlighted", "muted"),
        text(0, middle + 2 * GAP + ROW - 2, "returned", "muted"),
    ]
    for start, end in zip(*(np.asarray(side).tolist() for side in highlights), strict=True):
        title = f"highlighted: {start:,} to {end:,}"
        x, across = left + scale * start, max(scale * (end - start), LEAST)
        marks.append(box(min(x, left + wide - across), 0, across, ROW, "fgood", title))
    marks.append(rule(left, middle + GAP / 2, left + wide, middle + GAP / 2, "axis"))
    order = np.argsort(-np.asarray(ranks), kind="stable").tolist()
    last = max(np.asarray(ranks).tolist(), default=1)
    starts, ends = (np.asarray(side).tolist() for side in parts)
    for place in order:
        rank, start, end = int(ranks[place]), starts[place], ends[place]
        x, across = left + scale * start, max(scale * (end - start), LEAST)
        title = f"rank {rank}: {start:,} to {end:,}"
        x = min(x, left + wide - across)
        marks.append(box(x, middle + 2 * GAP, across, ROW, f"h{heat_of(rank, last)}", title))
    y = middle + 2 * GAP + ROW + 14
    marks.append(text(left, y, "0", "muted"))
    marks.append(text(left + wide, y, f"{length:,} characters", "muted", anchor="end"))
    return Picture(left + wide + 1, y + 4, "".join(marks))


def heat_of(rank: int, last: int) -> int:
    """The class of heat of a rank: the most for the first, less for each later one."""
    if last <= 1:
        return CLASSES - 1
    # The least classes are hardly seen on paper.
    share = log(rank) / log(last)
    return round((CLASSES - 1) - share * (CLASSES - 4))
