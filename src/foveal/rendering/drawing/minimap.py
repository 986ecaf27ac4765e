"""A document at a glance: its highlights and the parts of it that were returned."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from foveal.rendering.drawing.keys import CLASSES
from foveal.rendering.drawing.labels import width
from foveal.rendering.drawing.marks import box, rule, text
from foveal.rendering.drawing.picture import Picture
from foveal.spans import Ints

# Pixels: width of the map, height of a row, gap between rows, width of the shortest span.
WIDTH, ROW, GAP, MIN_SPAN = 640.0, 12.0, 4.0, 1.5


def minimap(
    length: int,
    highlights: tuple[Sequence[int] | Ints, Sequence[int] | Ints],
    parts: tuple[Sequence[int] | Ints, Sequence[int] | Ints],
    ranks: Sequence[int] | Ints,
    *,
    map_width: float = WIDTH,
) -> Picture:
    """The document as a line: highlights (starts, ends) above it, parts below, first ranks darkest.

    Offsets are characters of the document. Even the shortest span is visible.
    """
    left = max(width("highlighted"), width("returned")) + 8
    scale = map_width / max(length, 1)
    middle = ROW + GAP
    marks = [
        text(0, ROW - 2, "highlighted", "muted"),
        text(0, middle + 2 * GAP + ROW - 2, "returned", "muted"),
    ]
    for start, end in zip(*(np.asarray(side).tolist() for side in highlights), strict=True):
        title = f"highlighted: {start:,} to {end:,}"
        x, span_width = left + scale * start, max(scale * (end - start), MIN_SPAN)
        marks.append(box(min(x, left + map_width - span_width), 0, span_width, ROW, "fgood", title))
    marks.append(rule(left, middle + GAP / 2, left + map_width, middle + GAP / 2, "axis"))
    order = np.argsort(-np.asarray(ranks), kind="stable").tolist()
    last_rank = max(np.asarray(ranks).tolist(), default=1)
    starts, ends = (np.asarray(side).tolist() for side in parts)
    for index in order:
        rank, start, end = int(ranks[index]), starts[index], ends[index]
        x, span_width = left + scale * start, max(scale * (end - start), MIN_SPAN)
        title = f"rank {rank}: {start:,} to {end:,}"
        x = min(x, left + map_width - span_width)
        style = f"h{heat_of(rank, last_rank)}"
        marks.append(box(x, middle + 2 * GAP, span_width, ROW, style, title))
    y = middle + 2 * GAP + ROW + 14
    marks.append(text(left, y, "0", "muted"))
    marks.append(text(left + map_width, y, f"{length:,} characters", "muted", anchor="end"))
    return Picture(left + map_width + 1, y + 4, "".join(marks))


def heat_of(rank: int, last_rank: int) -> int:
    """The heat class of a rank: highest for the first rank, lower for later ones."""
    if last_rank <= 1:
        return CLASSES - 1
    # The lowest classes are hardly visible on paper.
    share = log(rank) / log(last_rank)
    return round((CLASSES - 1) - share * (CLASSES - 4))
