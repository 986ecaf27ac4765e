"""Text that enough of several assessors selected."""

from __future__ import annotations

import numpy as np

from foveal.spans.axis import Axis, Ints


def majority(document: Ints, start: Ints, end: Ints, assessors: Ints) -> tuple[Ints, Ints, Ints]:
    """Spans chosen by more than half of each document's assessors: (document, start, end), in order.

    `assessors` has their number for each document.
    """
    return chosen_by(document, start, end, assessors // 2 + 1)


def chosen_by(document: Ints, start: Ints, end: Ints, minimum: Ints) -> tuple[Ints, Ints, Ints]:
    """Spans chosen by a minimum of assessors: (document, start, end), in order.

    The spans of one assessor are disjoint; `minimum` has one entry per document, from 1. Two spans
    that touch become one if that many assessors have both sides in one span.
    """
    nonempty = end > start
    document, start, end = document[nonempty], start[nonempty], end[nonempty]
    axis = Axis.of_ends(document, end, len(minimum))
    start, end = axis.span_positions(document, start, end)
    edges, index = np.unique(np.concatenate([start, end]), return_inverse=True)
    opened = np.bincount(index[: len(start)], minlength=len(edges))
    closed = np.bincount(index[len(start) :], minlength=len(edges))
    # Numbers of spans that cover the text after each edge, and that continue across the edge.
    after = np.cumsum(opened - closed)
    across = after - opened
    document = np.searchsorted(axis.base, edges, side="right") - 1
    is_chosen, is_across = (count >= minimum[document] for count in (after, across))
    is_start = is_chosen & ~is_across
    is_end = np.append(False, is_chosen[:-1])[: len(edges)] & ~is_across
    return (
        document[is_start],
        edges[is_start] - axis.base[document[is_start]],
        edges[is_end] - axis.base[document[is_start]],
    )
