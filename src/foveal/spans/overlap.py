"""Spans that share characters: which come first, what is left of the later ones, how far they reach.

Spans are given in reading order, as places on one axis. Empty spans share no characters.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

from foveal.spans.axis import Axis, Bools, Ints
from foveal.spans.segments import Segments, affordable, totals

if TYPE_CHECKING:
    Spans = tuple[Ints, Ints, Ints]

DROPPING_ROUNDS = 16


def merged(start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The union of spans as disjoint spans in axis order; touching ones stay apart."""
    kept = end > start
    start, end = start[kept], end[kept]
    order = np.argsort(start, kind="stable")
    start, end = start[order], np.maximum.accumulate(end[order])
    opens = np.ones(len(start), dtype=bool)
    opens[1:] = start[1:] >= end[:-1]
    closes = np.append(opens[1:], True)[: len(start)]
    return start[opens], end[closes]


def united(document: Ints, start: Ints, end: Ints, count: int) -> tuple[Ints, Ints, Ints]:
    """The union of the spans of each of `count` documents: (document, start, end), in order."""
    axis = Axis.holding(document, end, count)
    first, last = merged(axis.place(document, start), axis.place(document, end))
    document = np.searchsorted(axis.base, first, side="right") - 1
    return document, first - axis.base[document], last - axis.base[document]


def fresh_pieces(start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """The pieces of each span that no earlier span covers: (span, start, end), by span and place.

    A span that shares nothing with an earlier one is one piece; one that is empty or that earlier
    spans cover has none.
    """
    contested = _contested(start, end)
    alone = np.flatnonzero(~contested & (end > start))
    rivals = np.flatnonzero(contested)
    if not len(rivals):
        return alone, start[alone], end[alone]
    edges, owner = _first_owners(start[rivals], end[rivals])
    owned = np.flatnonzero(owner < len(rivals))
    span = np.concatenate([alone, rivals[owner[owned]]])
    piece_start = np.concatenate([start[alone], edges[owned]])
    piece_end = np.concatenate([end[alone], edges[owned + 1]])
    order = np.lexsort((piece_start, span))
    return span[order], piece_start[order], piece_end[order]


def overlaps_earlier(start: Ints, end: Ints) -> Bools:
    """Whether each span shares a character with one read before it."""
    rivals = np.flatnonzero(_contested(start, end))
    overlapping = np.zeros(len(start), dtype=bool)
    edges, owner = _first_owners(start[rivals], end[rivals])
    overlapping[rivals] = ~_owns_all(start[rivals], end[rivals], edges, owner)
    return overlapping


def greedily_disjoint(start: Ints, end: Ints) -> Bools:
    """Which spans remain when every span that overlaps an earlier remaining one is dropped.

    Each round decides all spans that overlap no earlier undecided span. A few rounds decide nearly
    everything; what is left are long chains, in which each span waits for the one before.
    """
    remains = np.ones(len(start), dtype=bool)
    unsettled = np.flatnonzero(_contested(start, end))
    for _ in range(DROPPING_ROUNDS):
        if not len(unsettled):
            break
        first, last = start[unsettled], end[unsettled]
        edges, owner = _first_owners(first, last)
        stays = _owns_all(first, last, edges, owner)
        taken = np.append(stays, False)[owner]
        taken_before = np.concatenate([[0], np.cumsum(taken)])
        left, right = np.searchsorted(edges, first), np.searchsorted(edges, last)
        falls = ~stays & (taken_before[right] > taken_before[left])
        remains[unsettled[falls]] = False
        unsettled = unsettled[~stays & ~falls]
    remains[unsettled] = _disjoint_one_by_one(start[unsettled], end[unsettled])
    return remains


def _disjoint_one_by_one(start: Ints, end: Ints) -> Bools:
    """Which spans remain, decided one after the other."""
    remains = np.zeros(len(start), dtype=bool)
    kept: list[tuple[int, int]] = []
    for place, span in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
        after = bisect_left(kept, span)
        follows = after == len(kept) or kept[after][0] >= span[1]
        if follows and (after == 0 or kept[after - 1][1] <= span[0]):
            kept.insert(after, span)
            remains[place] = True
    return remains


def matched_greedily(left: Ints, right: Ints) -> Bools:
    """Which pairs are matched, the first ones first, if nothing on either side is matched twice.

    In each round every pair is matched that comes first on both of its sides, and those that have
    lost a side drop out: the same as going through the pairs one by one.
    """
    matched = np.zeros(len(left), dtype=bool)
    open_pairs = np.arange(len(left))
    while len(open_pairs):
        lefts, rights = left[open_pairs], right[open_pairs]
        won = _is_first(lefts) & _is_first(rights)
        matched[open_pairs[won]] = True
        lost = np.isin(lefts, lefts[won]) | np.isin(rights, rights[won])
        open_pairs = open_pairs[~lost]
    return matched


def _is_first(values: Ints) -> Bools:
    """Whether each value has not occurred before."""
    first = np.zeros(len(values), dtype=bool)
    first[np.unique(values, return_index=True)[1]] = True
    return first


def gaps(document: Ints, start: Ints, end: Ints, length: Ints) -> tuple[Ints, Ints, Ints]:
    """What disjoint spans leave of their documents [0, length): (document, start, end), in order.

    Spans are given in order of document and start; `length` has one entry per document.
    """
    every = np.arange(len(length), dtype=np.int64)
    begins = np.concatenate([document, every])
    gap_start = np.concatenate([end, np.zeros(len(length), dtype=np.int64)])
    order = np.lexsort((gap_start, begins))
    begins, gap_start = begins[order], gap_start[order]
    ends = np.concatenate([document, every])
    gap_end = np.concatenate([start, length])
    # A span may reach beyond the length; the gap after it then has no characters and is left out.
    final = np.concatenate([np.zeros(len(document), dtype=bool), np.ones(len(length), dtype=bool)])
    gap_end = gap_end[np.lexsort((gap_end, final, ends))]
    gap_end = np.minimum(gap_end, length[begins])
    kept = gap_end > gap_start
    return begins[kept], gap_start[kept], gap_end[kept]


def in_common(
    axis: Axis, one: tuple[Ints, Ints, Ints], other: tuple[Ints, Ints, Ints]
) -> tuple[Ints, Ints, Ints]:
    """The pairs of spans with common text: (one, other, characters), in order.

    Both are documents, starts and ends; spans of either kind may overlap each other.
    """
    first, last = (axis.place(one[0], edge) for edge in one[1:])
    start, end = (axis.place(other[0], edge) for edge in other[1:])
    order = np.argsort(start, kind="stable")
    begin = np.searchsorted(np.maximum.accumulate(end[order]), first, side="right")
    count = np.maximum(np.searchsorted(start[order], last, side="left") - begin, 0)
    span = np.repeat(np.arange(len(first)), count)
    met = order[begin[span] + Segments.sized(count).nth - 1]
    common = np.minimum(end[met], last[span]) - np.maximum(start[met], first[span])
    kept = np.flatnonzero(common > 0)
    kept = kept[np.lexsort((met[kept], span[kept]))]
    return span[kept], met[kept], common[kept]


def _contested(start: Ints, end: Ints) -> Bools:
    """Whether each span shares a character with any other."""
    contested = np.zeros(len(start), dtype=bool)
    filled = np.flatnonzero(end > start)
    order = filled[np.argsort(start[filled], kind="stable")]
    reach = np.maximum.accumulate(end[order])
    overlapped = start[order][1:] < reach[:-1]
    # In a chain of spans that each overlap the one before, all are contested.
    contested[order[1:]] |= overlapped
    contested[order[:-1]] |= overlapped
    return contested


def _first_owners(start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The axis cut at every edge, and for each piece the first span that covers it.

    Piece i is [edges[i], edges[i+1]); the owner of a piece that no span covers is len(start). A span
    covers a range of pieces, so this is a range minimum update: each span marks two ranges, a power
    of two long, that together cover it, and marks are passed down from long ranges to short ones.
    """
    nobody = len(start)
    # `np.unique` looks every number up in a table first, which takes five times as long.
    edges = np.sort(np.concatenate([start, end]))
    edges = edges[np.append(True, edges[1:] != edges[:-1])[: len(edges)]]
    pieces = max(len(edges) - 1, 0)
    owner = np.full(pieces, nobody, dtype=np.int64)
    if not nobody:
        return edges, owner
    left, right = np.searchsorted(edges, start), np.searchsorted(edges, end)
    level = np.frexp((right - left).astype(np.float64))[1] - 1
    span = np.arange(nobody, dtype=np.int64)
    for power in range(int(level.max()), -1, -1):
        width = 1 << power
        here = level == power
        np.minimum.at(owner, left[here], span[here])
        np.minimum.at(owner, right[here] - width, span[here])
        if power:
            half = width >> 1
            np.minimum(owner[half:], owner[:-half].copy(), out=owner[half:])
    return edges, owner


def _owns_all(start: Ints, end: Ints, edges: Ints, owner: Ints) -> Bools:
    """Whether each span is the first to cover every piece of itself."""
    piece = np.diff(edges)
    owned = np.zeros(len(start) + 1, dtype=np.int64)
    np.add.at(owned, owner, piece)
    whole: Bools = owned[: len(start)] == end - start
    return whole


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
