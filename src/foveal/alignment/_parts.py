"""The parts of a run laid over the judged documents: what of them counts, and how much is relevant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from foveal.alignment._judged import UNKNOWN, Judged
from foveal.alignment._ranking import RankedDocuments, RankedParts, Unknowns
from foveal.choices import Conventions, Overlap
from foveal.errors import BadInput, NoHighlights, OverlapFound, Problem
from foveal.spans import (
    LARGEST_OFFSET,
    Axis,
    Bools,
    Ints,
    fresh_segments,
    greedily_disjoint,
    overlaps_earlier,
)
from foveal.tables import Run, columns

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, eq=False)
class LaidParts:
    """The parts of one run in reading order, and the documents they come from.

    Arrays named `part_*` have one entry per result in reading order, `document_*` one per topic
    and document by first appearance, `segment_*` one per stretch of text that is read.
    """

    run: Run
    judged: Judged
    conventions: Conventions
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
    segment_part: Ints
    segment_start: Ints
    segment_end: Ints

    @cached_property
    def parts(self) -> RankedParts:
        """The ranking of parts."""
        if not self.judged.has_highlights:
            raise NoHighlights
        segments = self._segments_with_unmapped()
        return RankedParts(
            offsets=offsets_of(self.document_topic[self.part_document], len(self.topics)),
            recall_in_doubles=self.conventions.recall_in_doubles,
            known_size=self.part_size,
            relevant_size=self.part_relevant,
            wanted=self.judged.topic_highlighted[self.topics],
            segment_part=segments[0],
            segment_row=self._row_with_highlights[self.part_document[segments[0]]],
            segment_start=segments[1],
            segment_size=segments[2],
            highlights=self.judged.highlights,
            unknown=self._unknown,
        )

    @cached_property
    def documents(self) -> RankedDocuments:
        """The ranking of documents."""
        count = len(self.document_row)
        first_part = np.empty(count, dtype=np.int64)
        first_part[self.part_document[::-1]] = np.arange(len(self.part_document))[::-1]
        segment_document = self.part_document[self.segment_part]
        shown = np.flatnonzero(self._row_with_highlights[segment_document] >= 0)
        return RankedDocuments(
            offsets=offsets_of(self.document_topic, len(self.topics)),
            recall_in_doubles=self.conventions.recall_in_doubles,
            judged=self.judged,
            topics=self.topics,
            row=self.document_row,
            first_start=np.where(self.part_unmapped, UNKNOWN, self.part_start)[first_part],
            size=_sums(self.part_document, self.part_size, count),
            relevant_size=_sums(self.part_document, self.part_relevant, count),
            unmapped_size=_sums(
                self.part_document, self.part_unmapped * columns.UNMAPPED_SIZE, count
            ),
            shown_document=segment_document[shown],
            shown_start=self.segment_start[shown],
            shown_end=self.segment_end[shown],
            unknown=self._unknown,
            names=self.document_names,
        )

    @cached_property
    def _row_with_highlights(self) -> Ints:
        relevant = (self.document_row >= 0) & self.judged.relevant[self.document_row]
        return np.where(relevant, self.document_row, UNKNOWN)

    @cached_property
    def _unknown(self) -> Unknowns:
        return Unknowns(self.run.name, np.flatnonzero(self.document_unknown), self.document_names)

    def _segments_with_unmapped(self) -> tuple[Ints, Ints, Ints]:
        """Part, start and size of every stretch read; an unmapped element is one of 18."""
        unmapped = np.flatnonzero(self.part_unmapped)
        part = np.concatenate([self.segment_part, unmapped])
        # Placed beyond any document, where nothing is highlighted.
        start = np.concatenate([self.segment_start, np.full(len(unmapped), LARGEST_OFFSET)])
        size = np.concatenate(
            [self.segment_end - self.segment_start, np.full(len(unmapped), columns.UNMAPPED_SIZE)]
        )
        order = np.argsort(part, kind="stable")
        return part[order], start[order], size[order]


def lay(
    run: Run,
    judged: Judged,
    conventions: Conventions,
    topics: Ints,
    frame: pl.DataFrame,
    topic: Ints,
) -> LaidParts:
    """Lay a run over the judgements; its rows and their topics are given in reading order."""
    document_of, names, document_topic = _documents(frame, topic)
    row = judged_rows(judged, topics[document_topic], names)
    whole = frame[columns.START].is_null().to_numpy()
    start = frame[columns.START].fill_null(0).to_numpy()
    end = frame[columns.END].fill_null(0).to_numpy()
    unmapped = start == columns.UNMAPPED
    length = np.where(row >= 0, judged.length[row], UNKNOWN)
    told = run.document_lengths(names).fill_null(UNKNOWN).to_numpy()
    length = np.where(length == UNKNOWN, told, length)[document_of]
    unknown = whole & (length == UNKNOWN)
    # A whole document of unknown length still overlaps every other part of it.
    end = np.where(whole, np.where(unknown, LARGEST_OFFSET, length), end)
    start, end = np.where(unmapped, 0, start), np.where(unmapped, 0, end)
    if not conventions.past_length_allowed:
        _refuse_past_length(run, frame, end, length, whole)
    has_highlights = (row >= 0) & judged.relevant[row]
    kept, segments = _counted(
        run, frame, (document_of, start, end), has_highlights[document_of], conventions
    )
    part, segment_start, segment_end = segments
    document_of, start, unmapped, unknown = (
        document_of[kept], start[kept], unmapped[kept], unknown[kept],
    )  # fmt: skip
    size = (
        _sums(part, segment_end - segment_start, len(document_of))
        + columns.UNMAPPED_SIZE * unmapped
    )
    document_unknown = np.zeros(len(row), dtype=bool)
    document_unknown[document_of[unknown]] = True
    return LaidParts(
        run=run,
        judged=judged,
        conventions=conventions,
        topics=topics,
        part_document=document_of,
        part_size=size,
        part_relevant=_relevant_sizes(judged, row, document_of, has_highlights, segments),
        part_unmapped=unmapped,
        part_start=start,
        document_topic=document_topic,
        document_row=row,
        document_names=names,
        document_unknown=document_unknown,
        segment_part=part,
        segment_start=segment_start,
        segment_end=segment_end,
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
    """The judged document of each retrieved one, -1 where nobody judged it."""
    wanted = pl.DataFrame({"topic": topic, "doc": names})
    found = wanted.join(judged.keys, on=["topic", "doc"], how="left", maintain_order="left")
    return found["row"].cast(pl.Int64).fill_null(UNKNOWN).to_numpy()


def _refuse_past_length(
    run: Run, frame: pl.DataFrame, end: Ints, length: Ints, whole: Bools
) -> None:
    past = np.flatnonzero(~whole & (length != UNKNOWN) & (end > length))
    if len(past):
        lines = frame[columns.LINE]
        problems = [
            Problem(lines[int(row)], f"the part ends at {end[row]}, the document at {length[row]}")
            for row in past
        ]
        raise BadInput(
            run.source, problems, "parts within the document (--like inex_eval lets them pass)"
        )


def _counted(
    run: Run,
    frame: pl.DataFrame,
    parts: tuple[Ints, Ints, Ints],
    has_highlights: Bools,
    conventions: Conventions,
) -> tuple[Ints, tuple[Ints, Ints, Ints]]:
    """The parts that keep a rank, and the stretches of them that count: part, start, end."""
    document, start, end = parts
    every = np.arange(len(start), dtype=np.int64)
    axis = Axis.holding(document, end, int(document.max(initial=-1)) + 1)
    first, last = axis.place(document, start), axis.place(document, end)
    if conventions.overlap is Overlap.ONCE:
        part, segment_start, segment_end = fresh_segments(first, last)
        base = axis.base[document[part]]
        segments = part, segment_start - base, segment_end - base
        if conventions.repeats_count_without_highlights:
            segments = _as_given_where(~has_highlights, start, end, segments)
        return every, segments
    if conventions.overlap is Overlap.DROP:
        every = np.flatnonzero(greedily_disjoint(first, last))
    elif conventions.overlap is Overlap.REFUSE:
        _refuse_overlap(run, frame, np.flatnonzero(overlaps_earlier(first, last)))
    start, end = start[every], end[every]
    part = np.flatnonzero(end > start)
    return every, (part, start[part], end[part])


def _as_given_where(
    repeats: Bools, start: Ints, end: Ints, segments: tuple[Ints, Ints, Ints]
) -> tuple[Ints, Ints, Ints]:
    part, segment_start, segment_end = segments
    once = ~repeats[part]
    given = np.flatnonzero(repeats & (end > start))
    part = np.concatenate([part[once], given])
    order = np.argsort(part, kind="stable")
    return (
        part[order],
        np.concatenate([segment_start[once], start[given]])[order],
        np.concatenate([segment_end[once], end[given]])[order],
    )


def _refuse_overlap(run: Run, frame: pl.DataFrame, overlapping: Iterable[int]) -> None:
    problems = [
        Problem(line, f"overlaps an earlier part of document {document!r} in topic {topic!r}")
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
    segments: tuple[Ints, Ints, Ints],
) -> Ints:
    """Rsize of each part: the highlighted characters among those of it that count."""
    part, start, end = segments
    document = document_of[part]
    promising = np.flatnonzero(has_highlights[document])
    count = judged.highlights.count(row[document[promising]], start[promising], end[promising])
    return _sums(part[promising], count, len(document_of))


def offsets_of(topic: Ints, count: int) -> Ints:
    """Where each topic's list starts in a flat array ordered by topic."""
    return np.searchsorted(topic, np.arange(count + 1)).astype(np.int64)


def _sums(group: Ints, values: Ints, count: int) -> Ints:
    """Sums of whole numbers by group."""
    sums = np.zeros(count, dtype=np.int64)
    np.add.at(sums, group, values)
    return sums
