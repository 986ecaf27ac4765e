"""The parts of a run as spans of the judged documents: what counts, and how much is relevant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from foveal.alignment.judged import UNKNOWN, Judged
from foveal.choices import Overlap
from foveal.conventions import Conventions
from foveal.errors import BadInput, OverlapFound, Problem, UnknownLength
from foveal.spans import (
    LARGEST_OFFSET,
    Axis,
    Bools,
    Ints,
    Segments,
    affordable,
    fresh_pieces,
    greedily_disjoint,
    overlaps_earlier,
    totals,
)
from foveal.tables import Run, columns

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, eq=False)
class LaidParts:
    """The parts of one run in reading order, and the documents they come from.

    Arrays named `part_*` have one entry per result in reading order, `document_*` one per topic
    and document by first appearance, `piece_*` one per contiguous piece of text that is read.
    """

    run: Run
    judged: Judged
    topics: Ints
    part_document: Ints
    part_size: Ints
    part_relevant: Ints
    part_unmapped: Bools
    part_start: Ints
    document_topic: Ints
    document_row: Ints
    document_names: pl.Series
    document_unknown: Bools
    piece_part: Ints
    piece_start: Ints
    piece_end: Ints

    @cached_property
    def part_topic(self) -> Ints:
        """The topic of each part."""
        return self.document_topic[self.part_document]

    @cached_property
    def part_segments(self) -> Segments:
        """The parts of each topic; a part's rank is its place there."""
        return Segments.grouped(self.part_topic, len(self.topics))

    @cached_property
    def document_segments(self) -> Segments:
        """The documents of each topic by first appearance."""
        return Segments.grouped(self.document_topic, len(self.topics))

    @cached_property
    def document_size(self) -> Ints:
        """The characters returned from each document."""
        return totals(self.part_document, self.part_size, len(self.document_row))

    @cached_property
    def document_unmapped(self) -> Ints:
        """The characters of each document's elements of unknown place."""
        unmapped = self.part_unmapped * columns.UNMAPPED_SIZE
        return totals(self.part_document, unmapped, len(self.document_row))

    @cached_property
    def document_start(self) -> Ints:
        """Where the first-ranked part of each document starts, -1 if unknown."""
        first_part = np.empty(len(self.document_row), dtype=np.int64)
        first_part[self.part_document[::-1]] = np.arange(len(self.part_document))[::-1]
        return np.where(self.part_unmapped, UNKNOWN, self.part_start)[first_part]

    @cached_property
    def relevant_documents(self) -> Ints:
        """The documents that are relevant by all judgements, not by a sample of them."""
        row = self.document_row
        return np.flatnonzero((row >= 0) & self.judged.relevant[row])

    @cached_property
    def relevant_pieces(self) -> Ints:
        """The pieces of the relevant documents."""
        relevant = np.zeros(len(self.document_row), dtype=bool)
        relevant[self.relevant_documents] = True
        return np.flatnonzero(relevant[self.part_document[self.piece_part]])

    @cached_property
    def read(self) -> Ints:
        """Characters read up to and including each part; raises UnknownLength if any is unknown."""
        self.refuse_unknown()
        return self.part_segments.running(self.part_size)

    def read_until(self, rank: int | None) -> Ints:
        """Characters read for each topic up to a rank, or to the end of a shorter list."""
        count = self.part_segments.held
        depth = count if rank is None else np.minimum(count, rank)
        return self.part_segments.reached(self.read, depth)

    def spent(self, budget: int) -> tuple[Ints, Ints]:
        """How much is read with a budget of characters, for each topic and of each piece.

        The list is cut within a part if necessary.
        """
        self.refuse_unknown()
        unmapped = np.flatnonzero(self.part_unmapped)
        part = np.concatenate([self.piece_part, unmapped])
        sizes = self.piece_end - self.piece_start
        size = np.concatenate([sizes, np.full(len(unmapped), columns.UNMAPPED_SIZE)])
        order = np.argsort(part, kind="stable")
        taken = np.empty_like(size)
        taken[order] = affordable(self.part_topic[part[order]], size[order], budget)
        read = totals(self.part_topic[part], taken, len(self.topics))
        return read, taken[: len(sizes)]

    def refuse_unknown(self, among: Ints | None = None) -> None:
        """Raise UnknownLength if whole documents (among some) have an unknown length."""
        unknown = self.document_unknown if among is None else self.document_unknown[among]
        places = np.flatnonzero(unknown)
        if len(places):
            first = places[0] if among is None else among[places[0]]
            name = self.document_names[int(first)]
            raise UnknownLength(self.run.name, name, len(places), whole=True)

    @cached_property
    def overlaps(self) -> tuple[Ints, Ints, Ints]:
        """How much of each passage each part contains: (part, passage, characters)."""
        piece = self.relevant_pieces
        span, passage, common = self.judged.highlights.shared(
            self.document_row[self.part_document[self.piece_part[piece]]],
            self.piece_start[piece],
            self.piece_end[piece],
        )
        return self.piece_part[piece[span]], passage, common


def lay(
    run: Run,
    judged: Judged,
    conventions: Conventions,
    topics: Ints,
    frame: pl.DataFrame,
    topic: Ints,
) -> LaidParts:
    """Align a run's parts with the judgements; rows and their topics are in reading order."""
    document_of, names, document_topic = _documents(frame, topic)
    row = judged_rows(judged, topics[document_topic], names)
    whole = frame[columns.START].is_null().to_numpy()
    start = frame[columns.START].fill_null(0).to_numpy()
    end = frame[columns.END].fill_null(0).to_numpy()
    unmapped = start == columns.UNMAPPED
    length = np.where(row >= 0, judged.length[row], UNKNOWN)
    indexed = run.document_lengths(names).fill_null(UNKNOWN).to_numpy()
    length = np.where(length == UNKNOWN, indexed, length)[document_of]
    unknown = whole & (length == UNKNOWN)
    # A whole document of unknown length still overlaps every other part of it.
    end = np.where(whole, np.where(unknown, LARGEST_OFFSET, length), end)
    start, end = np.where(unmapped, 0, start), np.where(unmapped, 0, end)
    if not conventions.past_length_allowed:
        _refuse_past_length(run, frame, end, length, whole)
    has_highlights = (row >= 0) & judged.relevant[row]
    kept, pieces = _counted(
        run, frame, (document_of, start, end), has_highlights[document_of], conventions
    )
    part, piece_start, piece_end = pieces
    document_of, start, unmapped, unknown = (
        document_of[kept], start[kept], unmapped[kept], unknown[kept],
    )  # fmt: skip
    size = (
        totals(part, piece_end - piece_start, len(document_of)) + columns.UNMAPPED_SIZE * unmapped
    )
    document_unknown = np.zeros(len(row), dtype=bool)
    document_unknown[document_of[unknown]] = True
    return LaidParts(
        run=run,
        judged=judged,
        topics=topics,
        part_document=document_of,
        part_size=size,
        part_relevant=_relevant_sizes(judged, row, document_of, has_highlights, pieces),
        part_unmapped=unmapped,
        part_start=start,
        document_topic=document_topic,
        document_row=row,
        document_names=names,
        document_unknown=document_unknown,
        piece_part=part,
        piece_start=piece_start,
        piece_end=piece_end,
    )


def _documents(frame: pl.DataFrame, topic: Ints) -> tuple[Ints, pl.Series, Ints]:
    """Documents by topic and first appearance: each part's document, the names, their topics."""
    name = frame[columns.DOC]
    code = name.cast(pl.Categorical(pl.Categories.random())).to_physical().to_numpy()
    key = topic * (int(code.max(initial=0)) + 1) + code
    _, first, document = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    first = first[order]
    return place[document], name[first], topic[first]


def judged_rows(judged: Judged, topic: Ints, names: pl.Series) -> Ints:
    """The row of each retrieved document in the judgements, -1 for an unjudged one."""
    rows = np.full(len(names), UNKNOWN, dtype=np.int64)
    at, row = judged.lookup.found(topic, names)
    rows[at] = row
    return rows


def _refuse_past_length(
    run: Run, frame: pl.DataFrame, end: Ints, length: Ints, whole: Bools
) -> None:
    past = np.flatnonzero(~whole & (length != UNKNOWN) & (end > length))
    if len(past):
        lines = frame[columns.LINE]
        problems = [
            Problem(
                lines[int(row)],
                f"the part ends at {end[row]}, beyond the end of its document at {length[row]}",
            )
            for row in past
        ]
        raise BadInput(
            run.source,
            problems,
            "parts that end within their documents (--like inex_eval takes the rest as irrelevant)",
        )


def _counted(
    run: Run,
    frame: pl.DataFrame,
    parts: tuple[Ints, Ints, Ints],
    has_highlights: Bools,
    conventions: Conventions,
) -> tuple[Ints, tuple[Ints, Ints, Ints]]:
    """The parts that keep a rank, and the pieces of them that count: part, start, end."""
    document, start, end = parts
    every = np.arange(len(start), dtype=np.int64)
    axis = Axis.holding(document, end, int(document.max(initial=-1)) + 1)
    first, last = axis.place(document, start), axis.place(document, end)
    if conventions.overlap is Overlap.ONCE:
        part, piece_start, piece_end = fresh_pieces(first, last)
        base = axis.base[document[part]]
        pieces = part, piece_start - base, piece_end - base
        if conventions.repeats_count_without_highlights:
            pieces = _as_given_where(~has_highlights, start, end, pieces)
        return every, pieces
    if conventions.overlap is Overlap.DROP:
        every = np.flatnonzero(greedily_disjoint(first, last))
    elif conventions.overlap is Overlap.REFUSE:
        _refuse_overlap(run, frame, np.flatnonzero(overlaps_earlier(first, last)))
    start, end = start[every], end[every]
    part = np.flatnonzero(end > start)
    return every, (part, start[part], end[part])


def _as_given_where(
    repeats: Bools, start: Ints, end: Ints, pieces: tuple[Ints, Ints, Ints]
) -> tuple[Ints, Ints, Ints]:
    part, piece_start, piece_end = pieces
    once = ~repeats[part]
    given = np.flatnonzero(repeats & (end > start))
    part = np.concatenate([part[once], given])
    order = np.argsort(part, kind="stable")
    return (
        part[order],
        np.concatenate([piece_start[once], start[given]])[order],
        np.concatenate([piece_end[once], end[given]])[order],
    )


def _refuse_overlap(run: Run, frame: pl.DataFrame, overlapping: Iterable[int]) -> None:
    problems = [
        Problem(line, f"overlaps an earlier part of document {document!r} for topic {topic!r}")
        for line, document, topic in frame[list(overlapping)]
        .select(columns.LINE, columns.DOC, columns.TOPIC)
        .iter_rows()
    ]
    if problems:
        hint = "parts that do not overlap, or --overlap once, drop or repeat"
        raise OverlapFound(run.source, problems, hint)


def _relevant_sizes(
    judged: Judged,
    row: Ints,
    document_of: Ints,
    has_highlights: Bools,
    pieces: tuple[Ints, Ints, Ints],
) -> Ints:
    """Rsize of each part: the highlighted characters among those that count."""
    part, start, end = pieces
    document = document_of[part]
    promising = np.flatnonzero(has_highlights[document])
    count = judged.highlights.count(row[document[promising]], start[promising], end[promising])
    return totals(part[promising], count, len(document_of))
