"""Overlapping spans: unions, gaps, pieces that are new, and selections without overlap.

Spans are in reading order, as positions on one axis. Empty spans share no characters.
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
    nonempty = end > start
    start, end = start[nonempty], end[nonempty]
    order = np.argsort(start, kind="stable")
    start, end = start[order], np.maximum.accumulate(end[order])
    is_start = np.ones(len(start), dtype=bool)
    is_start[1:] = start[1:] >= end[:-1]
    is_end = np.append(is_start[1:], True)[: len(start)]
    return start[is_start], end[is_end]


def united(document: Ints, start: Ints, end: Ints, count: int) -> tuple[Ints, Ints, Ints]:
    """The union of the spans of each of `count` documents: (document, start, end), in order."""
    axis = Axis.of_ends(document, end, count)
    start, end = merged(*axis.span_positions(document, start, end))
    document = np.searchsorted(axis.base, start, side="right") - 1
    return document, start - axis.base[document], end - axis.base[document]


def fresh_pieces(start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Pieces of each span that no earlier span covers: (span, start, end), by span and start.

    A span that does not overlap an earlier one is one piece; a span that is empty or covered by
    earlier spans has none.
    """
    contested = _contested(start, end)
    alone = np.flatnonzero(~contested & (end > start))
    rivals = np.flatnonzero(contested)
    if not len(rivals):
        return alone, start[alone], end[alone]
    edges, owner = _first_owners(start[rivals], end[rivals])
    owned_pieces = np.flatnonzero(owner < len(rivals))
    span = np.concatenate([alone, rivals[owner[owned_pieces]]])
    piece_start = np.concatenate([start[alone], edges[owned_pieces]])
    piece_end = np.concatenate([end[alone], edges[owned_pieces + 1]])
    order = np.lexsort((piece_start, span))
    return span[order], piece_start[order], piece_end[order]


def overlaps_earlier(start: Ints, end: Ints) -> Bools:
    """Mask of the spans that share a character with an earlier one."""
    rivals = np.flatnonzero(_contested(start, end))
    overlapping = np.zeros(len(start), dtype=bool)
    edges, owner = _first_owners(start[rivals], end[rivals])
    overlapping[rivals] = ~_owns_all(start[rivals], end[rivals], edges, owner)
    return overlapping


def greedily_disjoint(start: Ints, end: Ints) -> Bools:
    """Mask of the spans that remain if every span that overlaps an earlier remaining one is dropped.

    Each round decides all spans that overlap no earlier undecided span. A few rounds decide nearly
    everything; what is left are long chains, in which each span waits for the one before.
    """
    remains = np.ones(len(start), dtype=bool)
    unsettled = np.flatnonzero(_contested(start, end))
    for _ in range(DROPPING_ROUNDS):
        if not len(unsettled):
            break
        starts, ends = start[unsettled], end[unsettled]
        edges, owner = _first_owners(starts, ends)
        is_settled = _owns_all(starts, ends, edges, owner)
        is_taken = np.append(is_settled, False)[owner]
        taken_before = np.concatenate([[0], np.cumsum(is_taken)])
        low, high = np.searchsorted(edges, starts), np.searchsorted(edges, ends)
        is_dropped = ~is_settled & (taken_before[high] > taken_before[low])
        remains[unsettled[is_dropped]] = False
        unsettled = unsettled[~is_settled & ~is_dropped]
    remains[unsettled] = _disjoint_one_by_one(start[unsettled], end[unsettled])
    return remains


def _disjoint_one_by_one(start: Ints, end: Ints) -> Bools:
    """Mask of the spans that remain, decided one after the other."""
    remains = np.zeros(len(start), dtype=bool)
    chosen_spans: list[tuple[int, int]] = []
    for row, span in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
        index = bisect_left(chosen_spans, span)
        follows = index == len(chosen_spans) or chosen_spans[index][0] >= span[1]
        if follows and (index == 0 or chosen_spans[index - 1][1] <= span[0]):
            chosen_spans.insert(index, span)
            remains[row] = True
    return remains


def matched_greedily(left: Ints, right: Ints) -> Bools:
    """Mask of the pairs that are matched, earlier pairs first, so that no side is matched twice.

    Each round matches every pair that is the first on both of its sides, and drops the pairs whose
    side is matched already: the same as going through the pairs one by one.
    """
    matched = np.zeros(len(left), dtype=bool)
    open_pairs = np.arange(len(left))
    while len(open_pairs):
        lefts, rights = left[open_pairs], right[open_pairs]
        wins = _is_first(lefts) & _is_first(rights)
        matched[open_pairs[wins]] = True
        loses = np.isin(lefts, lefts[wins]) | np.isin(rights, rights[wins])
        open_pairs = open_pairs[~loses]
    return matched


def _is_first(values: Ints) -> Bools:
    """Mask of the first occurrence of each value."""
    is_first = np.zeros(len(values), dtype=bool)
    is_first[np.unique(values, return_index=True)[1]] = True
    return is_first


def gaps(document: Ints, start: Ints, end: Ints, length: Ints) -> tuple[Ints, Ints, Ints]:
    """Gaps between disjoint spans in documents [0, length): (document, start, end), in order.

    Spans are sorted by document and start; `length` has one entry per document.
    """
    all_documents = np.arange(len(length), dtype=np.int64)
    gap_document = np.concatenate([document, all_documents])
    gap_start = np.concatenate([end, np.zeros(len(length), dtype=np.int64)])
    order = np.lexsort((gap_start, gap_document))
    gap_document, gap_start = gap_document[order], gap_start[order]
    end_document = np.concatenate([document, all_documents])
    gap_end = np.concatenate([start, length])
    # A span may end beyond the length; the gap after it then has no characters and is left out.
    final = np.concatenate([np.zeros(len(document), dtype=bool), np.ones(len(length), dtype=bool)])
    gap_end = gap_end[np.lexsort((gap_end, final, end_document))]
    gap_end = np.minimum(gap_end, length[gap_document])
    nonempty = gap_end > gap_start
    return gap_document[nonempty], gap_start[nonempty], gap_end[nonempty]


def overlapping_pairs(
    axis: Axis, spans: tuple[Ints, Ints, Ints], partners: tuple[Ints, Ints, Ints]
) -> tuple[Ints, Ints, Ints]:
    """Pairs of spans with common text: (span, partner, common characters), in order.

    `spans` and `partners` are documents, starts and ends; each may overlap among themselves.
    """
    low, high = axis.span_positions(*spans)
    start, end = axis.span_positions(*partners)
    order = np.argsort(start, kind="stable")
    candidate = np.searchsorted(np.maximum.accumulate(end[order]), low, side="right")
    count = np.maximum(np.searchsorted(start[order], high, side="left") - candidate, 0)
    span = np.repeat(np.arange(len(low)), count)
    partner = order[candidate[span] + Segments.sized(count).nth - 1]
    common = np.minimum(end[partner], high[span]) - np.maximum(start[partner], low[span])
    pairs = np.flatnonzero(common > 0)
    pairs = pairs[np.lexsort((partner[pairs], span[pairs]))]
    return span[pairs], partner[pairs], common[pairs]


def _contested(start: Ints, end: Ints) -> Bools:
    """Mask of the spans that share a character with any other."""
    contested = np.zeros(len(start), dtype=bool)
    nonempty = np.flatnonzero(end > start)
    order = nonempty[np.argsort(start[nonempty], kind="stable")]
    farthest_end = np.maximum.accumulate(end[order])
    overlapped = start[order][1:] < farthest_end[:-1]
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
    no_owner = len(start)
    # `np.unique` looks every number up in a table first, which takes five times as long.
    edges = np.sort(np.concatenate([start, end]))
    edges = edges[np.append(True, edges[1:] != edges[:-1])[: len(edges)]]
    pieces = max(len(edges) - 1, 0)
    owner = np.full(pieces, no_owner, dtype=np.int64)
    if not no_owner:
        return edges, owner
    left, right = np.searchsorted(edges, start), np.searchsorted(edges, end)
    level = np.frexp((right - left).astype(np.float64))[1] - 1
    span = np.arange(no_owner, dtype=np.int64)
    for power in range(int(level.max()), -1, -1):
        width = 1 << power
        at_level = level == power
        np.minimum.at(owner, left[at_level], span[at_level])
        np.minimum.at(owner, right[at_level] - width, span[at_level])
        if power:
            half = width >> 1
            np.minimum(owner[half:], owner[:-half].copy(), out=owner[half:])
    return edges, owner


def _owns_all(start: Ints, end: Ints, edges: Ints, owner: Ints) -> Bools:
    """Mask of the spans that own all pieces they cover."""
    sizes = np.diff(edges)
    owned = np.zeros(len(start) + 1, dtype=np.int64)
    np.add.at(owned, owner, sizes)
    owns_all: Bools = owned[: len(start)] == end - start
    return owns_all


def extended(spans: Spans, over: Spans, count: int, *, touching: bool = False) -> tuple[Ints, Ints]:
    """Starts and ends of spans extended by the spans of `over` that share text with them.

    Both are (document, start, end), of `count` documents. With `touching`, a common edge is enough.
    A span and all that overlap it are one contiguous piece, so only its two ends are searched for.
    """
    document = np.concatenate([spans[0], over[0]])
    axis = Axis.of_ends(document, np.concatenate([spans[2], over[2]]), count)
    low, high = axis.span_positions(*spans)
    start, end = axis.span_positions(*over)
    by_start, by_end = np.argsort(start), np.argsort(end)
    # The farthest end of those that start before a position, and the nearest start of those that end
    # after one; spans of other documents are too far away to matter.
    farthest = np.maximum.accumulate(np.append(-1, end[by_start]))
    nearest = np.minimum.accumulate(np.append(np.iinfo(np.int64).max, start[by_end][::-1]))[::-1]
    started = np.searchsorted(start[by_start], high, side="right" if touching else "left")
    ended = np.searchsorted(end[by_end], low, side="left" if touching else "right")
    base = axis.base[spans[0]]
    return np.minimum(low, nearest[ended]) - base, np.maximum(high, farthest[started]) - base


def read_until(segment: Ints, spans: Spans, budget: int) -> tuple[Bools, Ints]:
    """Mask of the spans that are read within a budget of characters, and the end of each one then.

    Spans are read in order within each segment, and text that was read before costs nothing. The
    span in which the budget ends is cut there; later spans are not read.
    """
    document, start, end = spans
    axis = Axis.of_ends(document, end, int(document.max(initial=-1)) + 1)
    span, low, high = fresh_pieces(*axis.span_positions(document, start, end))
    size = high - low
    paid = affordable(segment[span], size, budget)
    fresh, read = totals(span, size, len(start)), totals(span, paid, len(start))
    spent = Segments.grouped(segment, int(segment.max(initial=-1)) + 1).running(fresh) - fresh
    read_end = axis.base[document].copy()
    read_pieces = np.flatnonzero(paid)
    np.maximum.at(read_end, span[read_pieces], low[read_pieces] + paid[read_pieces])
    return spent < budget, np.where(read < fresh, read_end - axis.base[document], end)
