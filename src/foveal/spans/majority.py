"""Spans that several people drew: the text that enough of them chose."""

from __future__ import annotations

import numpy as np

from foveal.spans.axis import Axis, Ints


def majority(document: Ints, start: Ints, end: Ints, judges: Ints) -> tuple[Ints, Ints, Ints]:
    """What more than half of each document's judges chose: (document, start, end), in order.

    `judges` has one entry per document.
    """
    return chosen_by(document, start, end, judges // 2 + 1)


def chosen_by(document: Ints, start: Ints, end: Ints, least: Ints) -> tuple[Ints, Ints, Ints]:
    """What at least so many judges of each document chose: (document, start, end), in order.

    The spans of one judge are disjoint; `least` has one entry per document, from 1. Two spans that
    touch become one where so many of the judges have both sides in one span.
    """
    kept = end > start
    document, start, end = document[kept], start[kept], end[kept]
    axis = Axis.holding(document, end, len(least))
    first, last = axis.place(document, start), axis.place(document, end)
    edges, place = np.unique(np.concatenate([first, last]), return_inverse=True)
    opened = np.bincount(place[: len(first)], minlength=len(edges))
    closed = np.bincount(place[len(first) :], minlength=len(edges))
    # How many spans hold the text after each edge, and how many go on across the edge.
    after = np.cumsum(opened - closed)
    across = after - opened
    owner = np.searchsorted(axis.base, edges, side="right") - 1
    chosen, joined = (count >= least[owner] for count in (after, across))
    begins, ends = chosen & ~joined, np.append(False, chosen[:-1])[: len(edges)] & ~joined
    return (
        owner[begins],
        edges[begins] - axis.base[owner[begins]],
        edges[ends] - axis.base[owner[begins]],
    )
