"""Overlap policies: which text of a part is read, and in which of it something can still be found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foveal.alignment.prepared_qrels import PreparedQrels
from foveal.choices import Overlap
from foveal.conventions import Conventions
from foveal.frozen import frozen
from foveal.spans import Axis, Bools, Ints, fresh_pieces, gaps, greedily_disjoint, totals


class PartSpans(NamedTuple):
    """Parts in reading order: the place of each one's document, its start and its end."""

    document: Ints
    start: Ints
    end: Ints


@frozen(eq=False)
class Pieces:
    """Contiguous pieces of parts, by part and place; `counts` marks those where text is found.

    Text in the other pieces is read, but was found before.
    """

    part: Ints
    start: Ints
    end: Ints
    counts: Bools

    @property
    def size(self) -> Ints:
        """The characters of each piece."""
        return self.end - self.start

    @classmethod
    def where_found(cls, part: Ints, start: Ints, end: Ints) -> Pieces:
        """Pieces in all of which text is found."""
        return cls(part, start, end, np.ones(len(part), dtype=bool))

    def joined(self, other: Pieces) -> Pieces:
        """These pieces and others, by part and place."""
        part, start, end, counts = (
            np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("part", "start", "end", "counts")
        )
        order = np.lexsort((start, part))
        return Pieces(part[order], start[order], end[order], counts[order])


def on_axis(parts: PartSpans) -> tuple[Axis, Ints, Ints]:
    """All documents end to end, and where each part starts and ends there."""
    axis = Axis.holding(parts.document, parts.end, int(parts.document.max(initial=-1)) + 1)
    return axis, axis.place(parts.document, parts.start), axis.place(parts.document, parts.end)


def counted_pieces(
    parts: PartSpans, row: Ints, judged: PreparedQrels, conventions: Conventions
) -> tuple[Ints, Pieces]:
    """The parts that keep a rank, and the pieces of them that are read.

    `row` is the row of each part's document in the judgements if that has highlights, else -1.
    """
    every = np.arange(len(parts.start), dtype=np.int64)
    overlap = conventions.overlap
    if overlap in {Overlap.REFUSE, Overlap.DROP, Overlap.REPEAT}:
        if overlap is Overlap.DROP:
            _, first, last = on_axis(parts)
            every = np.flatnonzero(greedily_disjoint(first, last))
        return every, _as_given(parts, every)
    fresh = first_read(parts)
    if overlap is Overlap.ONCE:
        if conventions.repeats_count_without_highlights:
            once = np.flatnonzero(row[fresh.part] >= 0)
            given = _as_given(parts, every)
            repeated = np.flatnonzero(row[given.part] < 0)
            return every, _taken(fresh, once).joined(_taken(given, repeated))
        return every, fresh
    again = _read_before(parts, fresh)
    return every, fresh.joined(_wasted(again, row, judged) if overlap is Overlap.WASTE else again)


def first_read(parts: PartSpans) -> Pieces:
    """The pieces of each part that no earlier part contains."""
    axis, first, last = on_axis(parts)
    part, start, end = fresh_pieces(first, last)
    base = axis.base[parts.document[part]]
    return Pieces.where_found(part, start - base, end - base)


def _as_given(parts: PartSpans, every: Ints) -> Pieces:
    start, end = parts.start[every], parts.end[every]
    part = np.flatnonzero(end > start)
    return Pieces.where_found(part, start[part], end[part])


def _read_before(parts: PartSpans, fresh: Pieces) -> Pieces:
    """The pieces of each part that an earlier part contains: nothing new is found there."""
    size = parts.end - parts.start
    partly = np.flatnonzero(totals(fresh.part, fresh.size, len(size)) < size)
    number = np.full(len(size), -1, dtype=np.int64)
    number[partly] = np.arange(len(partly))
    own = _taken(fresh, np.flatnonzero(number[fresh.part] >= 0))
    base = parts.start[own.part]
    which, start, end = gaps(number[own.part], own.start - base, own.end - base, size[partly])
    part = partly[which]
    base = parts.start[part]
    return Pieces(part, base + start, base + end, np.zeros(len(part), dtype=bool))


def _wasted(again: Pieces, row: Ints, judged: PreparedQrels) -> Pieces:
    """What is read again without being highlighted."""
    judged_row = row[again.part]
    told = np.flatnonzero(judged_row >= 0)
    piece, start, end = judged.highlights.outside(
        judged_row[told], again.start[told], again.end[told]
    )
    part = again.part[told][piece]
    left = Pieces(part, start, end, np.zeros(len(part), dtype=bool))
    return left.joined(_taken(again, np.flatnonzero(judged_row < 0)))


def _taken(pieces: Pieces, which: Ints) -> Pieces:
    return Pieces(pieces.part[which], pieces.start[which], pieces.end[which], pieces.counts[which])
