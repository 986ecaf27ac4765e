"""How far spans reach: over the spans that meet them, or until enough has been read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foveal.spans.axis import Axis
from foveal.spans.overlap import fresh_pieces
from foveal.spans.segments import Segments, affordable, totals

if TYPE_CHECKING:
    from foveal.spans.types import Bools, Ints

    Spans = tuple[Ints, Ints, Ints]


def stretched(
    spans: Spans, over: Spans, count: int, *, touching: bool = False
) -> tuple[Ints, Ints]:
    """Where each span starts and ends if it also takes in those of `over` that share text with it.

    Both are (document, start, end), of `count` documents. With `touching`, a common edge is enough.
    All that share text with a span are one stretch with it, so only its two ends are looked for.
    """
    document = np.concatenate([spans[0], over[0]])
    axis = Axis.holding(document, np.concatenate([spans[2], over[2]]), count)
    first, last = (axis.place(spans[0], edge) for edge in spans[1:])
    start, end = (axis.place(over[0], edge) for edge in over[1:])
    by_start, by_end = np.argsort(start), np.argsort(end)
    # The farthest end among those that start before a place, the nearest start among those that
    # end behind one; spans of other documents are too far away to matter.
    farthest = np.maximum.accumulate(np.append(-1, end[by_start]))
    nearest = np.minimum.accumulate(np.append(np.iinfo(np.int64).max, start[by_end][::-1]))[::-1]
    before = np.searchsorted(start[by_start], last, side="right" if touching else "left")
    behind = np.searchsorted(end[by_end], first, side="left" if touching else "right")
    base = axis.base[spans[0]]
    return np.minimum(first, nearest[behind]) - base, np.maximum(last, farthest[before]) - base


def read_until(segment: Ints, spans: Spans, budget: int) -> tuple[Bools, Ints]:
    """Which spans are reached before a budget of characters is spent, and where each one ends then.

    Spans are read in order within each segment, and text that was read before costs nothing. The
    one in which the budget ends is cut there; one after it is not reached.
    """
    document, start, end = spans
    axis = Axis.holding(document, end, int(document.max(initial=-1)) + 1)
    span, first, last = fresh_pieces(axis.place(document, start), axis.place(document, end))
    size = last - first
    paid = affordable(segment[span], size, budget)
    fresh, read = totals(span, size, len(start)), totals(span, paid, len(start))
    before = Segments.grouped(segment, int(segment.max(initial=-1)) + 1).running(fresh) - fresh
    reach = axis.base[document].copy()
    some = np.flatnonzero(paid)
    np.maximum.at(reach, span[some], first[some] + paid[some])
    return before < budget, np.where(read < fresh, reach - axis.base[document], end)
