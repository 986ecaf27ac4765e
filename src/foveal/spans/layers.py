"""Documents cut into pieces at the edges of several layers of spans."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foveal.spans.axis import Axis, Bools, Ints

# Spans to compare with all candidates at a time, so that memory stays small.
ROWS_AT_A_TIME = 1000


class Layer(NamedTuple):
    """Disjoint spans in any order: the index of each one's document, its start and its end."""

    document: Ints
    start: Ints
    end: Ints


def layered(length: Ints, *layers: Layer) -> tuple[Layer, list[Ints]]:
    """Cut documents [0, length) at every edge of the layers, and find the spans that cover each piece.

    For each layer returns the index of the span that covers the piece, or -1. Spans that end beyond
    a document make it longer.
    """
    extent = length.copy()
    for layer in layers:
        np.maximum.at(extent, layer.document, layer.end)
    axis = Axis.of(extent)
    positions = [axis.span_positions(layer.document, layer.start, layer.end) for layer in layers]
    ends = axis.base + extent
    edges = np.unique(
        np.concatenate([axis.base, ends, *(edge for pair in positions for edge in pair)])
    )
    start, end = edges[:-1], edges[1:]
    document = np.searchsorted(axis.base, start, side="right") - 1
    # Between two documents is a gap of one.
    inside = np.flatnonzero(start < ends[document])
    start, end, document = start[inside], end[inside], document[inside]
    base = axis.base[document]
    cover = [_covering(start, end, *pair) for pair in positions]
    return Layer(document, start - base, end - base), cover


def merged_neighbours(pieces: Layer, *facts: Ints) -> tuple[Layer, Bools]:
    """Merge neighbours with equal facts; also return a mask of the pieces that start a merged one."""
    is_start = np.ones(len(pieces.document), dtype=bool)
    is_start[1:] = pieces.start[1:] != pieces.end[:-1]
    for fact in (pieces.document, *facts):
        is_start[1:] |= fact[1:] != fact[:-1]
    is_end = np.append(is_start[1:], True)[: len(is_start)]
    merged = Layer(pieces.document[is_start], pieces.start[is_start], pieces.end[is_end])
    return merged, is_start


def _covering(piece_start: Ints, piece_end: Ints, start: Ints, end: Ints) -> Ints:
    """Span that covers each piece, or -1; every span starts and ends at an edge of a piece."""
    nonempty = np.flatnonzero(end > start)
    if not len(nonempty):
        return np.full(len(piece_start), -1, dtype=np.int64)
    order = nonempty[np.argsort(start[nonempty], kind="stable")]
    index = np.searchsorted(start[order], piece_start, side="right") - 1
    span = order[np.maximum(index, 0)]
    return np.where((index >= 0) & (piece_end <= end[span]), span, -1)


def first_overlapping(spans: Layer, candidates: Layer) -> Ints:
    """First candidate that shares text with each span, -1 if none does.

    Spans may overlap here; an empty span matches only an empty span at the same offset.
    """
    first_rows = np.full(len(spans.start), -1, dtype=np.int64)
    if not len(candidates.start):
        return first_rows
    for block in range(0, len(first_rows), ROWS_AT_A_TIME):
        document, start, end = (values[block : block + ROWS_AT_A_TIME, None] for values in spans)
        is_same = (start == candidates.start) & (end == candidates.end)
        nonempty = (start < end) & (candidates.start < candidates.end)
        overlaps = nonempty & (start < candidates.end) & (candidates.start < end)
        is_match = (document == candidates.document) & (is_same | overlaps)
        first = is_match.argmax(axis=1)
        first_rows[block : block + len(first)] = np.where(is_match.any(axis=1), first, -1)
    return first_rows
