"""Documents cut into stretches in which nothing changes: what lies over what."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foveal.spans.axis import Axis, Bools, Ints

# Spans that are compared with all others at a time, so that memory stays small.
ROWS_AT_A_TIME = 1000


class Layer(NamedTuple):
    """Disjoint spans of documents, in any order: the place of each one's document, start and end."""

    document: Ints
    start: Ints
    end: Ints


def layered(length: Ints, *layers: Layer) -> tuple[Layer, list[Ints]]:
    """Documents [0, length) cut at every edge of the layers, in order, and what covers each piece.

    For each layer there is the number of the span that covers the piece, -1 where none does. Spans
    that go beyond a document make it longer.
    """
    extent = length.copy()
    for layer in layers:
        np.maximum.at(extent, layer.document, layer.end)
    axis = Axis.of(extent)
    placed = [
        (axis.place(layer.document, layer.start), axis.place(layer.document, layer.end))
        for layer in layers
    ]
    ends = axis.base + extent
    edges = np.unique(
        np.concatenate([axis.base, ends, *(edge for pair in placed for edge in pair)])
    )
    first, last = edges[:-1], edges[1:]
    document = np.searchsorted(axis.base, first, side="right") - 1
    # Between two documents is a gap of one.
    inside = np.flatnonzero(first < ends[document])
    first, last, document = first[inside], last[inside], document[inside]
    base = axis.base[document]
    cover = [_covering(first, last, *pair) for pair in placed]
    return Layer(document, first - base, last - base), cover


def joined_up(pieces: Layer, *facts: Ints) -> tuple[Layer, Bools]:
    """Neighbours that agree in all facts as one piece, and which pieces begin one."""
    begins = np.ones(len(pieces.document), dtype=bool)
    begins[1:] = pieces.start[1:] != pieces.end[:-1]
    for fact in (pieces.document, *facts):
        begins[1:] |= fact[1:] != fact[:-1]
    closes = np.append(begins[1:], True)[: len(begins)]
    joined = Layer(pieces.document[begins], pieces.start[begins], pieces.end[closes])
    return joined, begins


def _covering(first: Ints, last: Ints, start: Ints, end: Ints) -> Ints:
    """The span that covers each piece; every span begins and ends where a piece does."""
    filled = np.flatnonzero(end > start)
    if not len(filled):
        return np.full(len(first), -1, dtype=np.int64)
    order = filled[np.argsort(start[filled], kind="stable")]
    at = np.searchsorted(start[order], first, side="right") - 1
    span = order[np.maximum(at, 0)]
    return np.where((at >= 0) & (last <= end[span]), span, -1)


def first_sharing(one: Layer, other: Layer) -> Ints:
    """The first span of the other layer that has text of each span, -1 if none has.

    Spans may overlap here; an empty span is shared only with one at the same place.
    """
    found = np.full(len(one.start), -1, dtype=np.int64)
    if not len(other.start):
        return found
    for begin in range(0, len(found), ROWS_AT_A_TIME):
        document, start, end = (values[begin : begin + ROWS_AT_A_TIME, None] for values in one)
        same = (start == other.start) & (end == other.end)
        filled = (start < end) & (other.start < other.end)
        shared = filled & (start < other.end) & (other.start < end)
        shares = (document == other.document) & (same | shared)
        first = shares.argmax(axis=1)
        found[begin : begin + len(first)] = np.where(shares.any(axis=1), first, -1)
    return found
