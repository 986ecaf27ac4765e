"""Overlap policies: the text of a part that is read, and that in which highlights still count."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from foveal.alignment.prepared_qrels import PreparedQrels
from foveal.choices import Overlap
from foveal.conventions import Conventions
from foveal.frozen import frozen
from foveal.spans import Axis, Bools, Ints, fresh_pieces, gaps, greedily_disjoint, totals


class PartSpans(NamedTuple):
    """Parts in reading order: the index of each one's document, its start and its end."""

    document: Ints
    start: Ints
    end: Ints


@frozen(eq=False)
class Pieces:
    """Contiguous pieces of parts, by part and offset; highlighted text counts if `is_counted`.

    The other pieces are read, but their highlighted text was found before.
    """

    part: Ints
    start: Ints
    end: Ints
    is_counted: Bools

    @property
    def size(self) -> Ints:
        """The characters of each piece."""
        return self.end - self.start

    @classmethod
    def all_counted(cls, part: Ints, start: Ints, end: Ints) -> Pieces:
        """Pieces in all of which highlighted text counts."""
        return cls(part, start, end, np.ones(len(part), dtype=bool))

    def with_pieces(self, pieces: Pieces) -> Pieces:
        """These pieces and others, by part and offset."""
        part, start, end, is_counted = (
            np.concatenate([getattr(self, name), getattr(pieces, name)])
            for name in ("part", "start", "end", "is_counted")
        )
        order = np.lexsort((start, part))
        return Pieces(part[order], start[order], end[order], is_counted[order])


def on_axis(parts: PartSpans) -> tuple[Axis, Ints, Ints]:
    """An axis of all documents end to end, and the start and end of each part on it."""
    axis = Axis.of_ends(parts.document, parts.end, int(parts.document.max(initial=-1)) + 1)
    return axis, *axis.span_positions(parts.document, parts.start, parts.end)


def read_pieces(
    parts: PartSpans, row: Ints, qrels: PreparedQrels, conventions: Conventions
) -> tuple[Ints, Pieces]:
    """The parts that have a rank under the overlap policy, and the pieces of them that are read.

    `row` is the row of each part's document in the judgements if that has highlights, else -1.
    """
    ranked = np.arange(len(parts.start), dtype=np.int64)
    overlap = conventions.overlap
    if overlap in {Overlap.REFUSE, Overlap.DROP, Overlap.REPEAT}:
        if overlap is Overlap.DROP:
            _, start, end = on_axis(parts)
            ranked = np.flatnonzero(greedily_disjoint(start, end))
        return ranked, _returned_pieces(parts, ranked)
    fresh = first_reads(parts)
    if overlap is Overlap.ONCE:
        if conventions.repeats_count_without_highlights:
            with_highlights = np.flatnonzero(row[fresh.part] >= 0)
            returned = _returned_pieces(parts, ranked)
            without = np.flatnonzero(row[returned.part] < 0)
            return ranked, _take(fresh, with_highlights).with_pieces(_take(returned, without))
        return ranked, fresh
    repeated = _repeated_pieces(parts, fresh)
    if overlap is Overlap.WASTE:
        repeated = _without_highlights(repeated, row, qrels)
    return ranked, fresh.with_pieces(repeated)


def first_reads(parts: PartSpans) -> Pieces:
    """The pieces of each part that no earlier part contains."""
    axis, start, end = on_axis(parts)
    part, start, end = fresh_pieces(start, end)
    base = axis.base[parts.document[part]]
    return Pieces.all_counted(part, start - base, end - base)


def _returned_pieces(parts: PartSpans, ranked: Ints) -> Pieces:
    start, end = parts.start[ranked], parts.end[ranked]
    part = np.flatnonzero(end > start)
    return Pieces.all_counted(part, start[part], end[part])


def _repeated_pieces(parts: PartSpans, fresh: Pieces) -> Pieces:
    """The pieces of each part that an earlier part contains; they are read, but do not count."""
    size = parts.end - parts.start
    repeating = np.flatnonzero(totals(fresh.part, fresh.size, len(size)) < size)
    number = np.full(len(size), -1, dtype=np.int64)
    number[repeating] = np.arange(len(repeating))
    new = _take(fresh, np.flatnonzero(number[fresh.part] >= 0))
    base = parts.start[new.part]
    index, start, end = gaps(number[new.part], new.start - base, new.end - base, size[repeating])
    part = repeating[index]
    base = parts.start[part]
    return Pieces(part, base + start, base + end, np.zeros(len(part), dtype=bool))


def _without_highlights(repeated: Pieces, row: Ints, qrels: PreparedQrels) -> Pieces:
    """The text of repeated pieces that is not highlighted."""
    judged_row = row[repeated.part]
    with_highlights = np.flatnonzero(judged_row >= 0)
    piece, start, end = qrels.highlights.outside(
        judged_row[with_highlights], repeated.start[with_highlights], repeated.end[with_highlights]
    )
    part = repeated.part[with_highlights][piece]
    wasted = Pieces(part, start, end, np.zeros(len(part), dtype=bool))
    return wasted.with_pieces(_take(repeated, np.flatnonzero(judged_row < 0)))


def _take(pieces: Pieces, index: Ints) -> Pieces:
    return Pieces(
        pieces.part[index], pieces.start[index], pieces.end[index], pieces.is_counted[index]
    )
