"""The parts of a run as spans of the judged documents: what counts, and what each reads first."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Self

import numpy as np

from foveal.alignment.budgets import tokens_of
from foveal.alignment.overlap_policies import PartSpans, Pieces, counted_pieces, first_read, on_axis
from foveal.alignment.prepared_qrels import UNKNOWN, PreparedQrels
from foveal.choices import Overlap, Task
from foveal.conventions import Conventions
from foveal.errors import BadInput, OverlapFound, Problem, UnknownLength, counted
from foveal.frozen import frozen
from foveal.spans import LARGEST_OFFSET, Bools, Ints, Segments, overlaps_earlier, totals
from foveal.tables import Names, Run, RunColumns, columns, document_lengths


@frozen(eq=False)
class PlacedParts:
    """The parts of one run in reading order, and the documents they come from.

    Arrays named `part_*` have one entry per result in reading order, `document_*` one per topic
    and document by first appearance. `pieces` are the contiguous pieces of text that are read;
    `returned` are all results as they were returned, those that the overlap policy drops included,
    and `returned_size` their characters.
    """

    run: Run
    judged: PreparedQrels
    topics: Ints
    part_document: Ints
    part_size: Ints
    part_relevant: Ints
    part_unmapped: Bools
    part_start: Ints
    part_end: Ints
    document_topic: Ints
    document_row: Ints
    document_names: Names
    document_unknown: Bools
    pieces: Pieces
    returned: PartSpans
    returned_size: Ints

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
    def read_of_document(self) -> Ints:
        """Characters read of each part's document, up to and including the part."""
        order = np.argsort(self.part_document, kind="stable")
        segments = Segments.grouped(self.part_document[order], len(self.document_row))
        read = np.empty(len(order), dtype=np.int64)
        read[order] = segments.running(self.part_size[order])
        return read

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
        """The pieces of the relevant documents in which text can still be found."""
        relevant = np.zeros(len(self.document_row), dtype=bool)
        relevant[self.relevant_documents] = True
        return np.flatnonzero(relevant[self.part_document[self.pieces.part]] & self.pieces.counts)

    @cached_property
    def read(self) -> Ints:
        """Characters read up to and including each part; raises UnknownLength if any is unknown."""
        self.refuse_unknown()
        return self.part_segments.running(self.part_size)

    def read_until(self, rank: int | None) -> Ints:
        """Characters read for each topic up to a rank, or to the end of a shorter list."""
        count = self.part_segments.held
        depth = count if rank is None else np.minimum(count, rank)
        return self.part_segments.sums_after(self.read, depth)

    @cached_property
    def tokens(self) -> tuple[Ints, Ints, Ints]:
        """The tokens of all parts: part, end in the document, and cost."""
        return tokens_of(self)

    def refuse_unknown(self, among: Ints | None = None) -> None:
        """Raise UnknownLength if whole documents (among some) have an unknown length."""
        unknown = self.document_unknown if among is None else self.document_unknown[among]
        places = np.flatnonzero(unknown)
        if len(places):
            first = places[0] if among is None else among[places[0]]
            name = self.document_names.at(first)
            raise UnknownLength(self.run.name, name, len(places), whole_document=True)

    @cached_property
    def overlaps(self) -> tuple[Ints, Ints, Ints]:
        """How much of each passage each part contains: (part, passage, characters)."""
        piece, pieces = self.relevant_pieces, self.pieces
        span, passage, common = self.judged.highlights.overlaps(
            self.document_row[self.part_document[pieces.part[piece]]],
            pieces.start[piece],
            pieces.end[piece],
        )
        return pieces.part[piece[span]], passage, common

    def rule_notes(self, task: Task, *, overlap_by_default: bool) -> Iterator[str]:
        """Note each rule of the task that results break; `check` lists them one by one.

        Overlap is not noted where the caller, or the source that `like` names, chose how it counts.
        """
        if task not in {Task.FOCUSED, Task.RIC, Task.BIC}:
            return
        if overlap_by_default and task is not Task.BIC:
            # By default text counts where it is first read: what is read again is not part of a size.
            again = self.part_size < self.returned_size
            how = "text counts once, where it is first read (overlap once)"
            yield from self._rule_note(task, again, "with text of an earlier result", how)
        document = self.returned.document
        if task is Task.FOCUSED or len(document) == len(self.document_row):
            return
        # Documents are numbered as they first appear.
        returns = np.zeros(len(document), dtype=bool)
        returns[1:] = document[1:] <= np.maximum.accumulate(document[:-1])
        if task is Task.BIC:
            how = "a document counts once, with the entry point of its first result"
            yield from self._rule_note(task, returns, "from a document already returned", how)
            return
        returns[1:] &= document[1:] != document[:-1]
        how = "a document is ranked where its first result is, with all its results"
        what = "apart from earlier results of the same document"
        yield from self._rule_note(task, returns, what, how)

    def _rule_note(self, task: Task, breaks: Bools, what: str, how: str) -> Iterator[str]:
        """Note how many results break a rule, in how many topics, and how they are scored."""
        results = np.flatnonzero(breaks)
        if not len(results):
            return
        topics = len(np.unique(self.document_topic[self.returned.document[results]]))
        yield (
            f"{counted(len(results), 'result')} in {counted(topics, 'topic')} {what}, which task"
            f" {task.value} does not allow: {how}; foveal check --task {task.value} lists them"
        )


def place_parts(
    run: Run,
    judged: PreparedQrels,
    conventions: Conventions,
    topics: Ints,
    results: RunColumns,
    topic: Ints,
) -> PlacedParts:
    """Align a run's parts with the judgements; results and their topics are in reading order."""
    document_of, names, document_topic = first_appearances(results.documents, topic, len(topics))
    row = judged_rows(judged, topics[document_topic], names)
    start, end, whole = results.spans
    unmapped = start == columns.UNMAPPED
    length = np.where(row >= 0, judged.length[row], UNKNOWN)
    if run.lengths is not None:
        indexed = document_lengths(run, names.series()).fill_null(UNKNOWN).to_numpy()
        length = np.where(length == UNKNOWN, indexed, length)
    length = length[document_of]
    unknown = whole & (length == UNKNOWN)
    # A whole document of unknown length still overlaps every other part of it.
    end = np.where(whole, np.where(unknown, LARGEST_OFFSET, length), end)
    start, end = np.where(unmapped, 0, start), np.where(unmapped, 0, end)
    if not conventions.past_length_allowed:
        _refuse_past_length(run, results, end, length, whole)
    row_with_highlights = np.where((row >= 0) & judged.relevant[row], row, UNKNOWN)
    returned = PartSpans(document_of, start, end)
    returned_size = end - start + columns.UNMAPPED_SIZE * unmapped
    if conventions.overlap is Overlap.REFUSE:
        _refuse_overlap(run, judged, topics[topic], results, returned)
    kept, pieces = counted_pieces(returned, row_with_highlights[document_of], judged, conventions)
    document_of, start, end = document_of[kept], start[kept], end[kept]
    unmapped, unknown = unmapped[kept], unknown[kept]
    size = totals(pieces.part, pieces.size, len(document_of)) + columns.UNMAPPED_SIZE * unmapped
    document_unknown = np.zeros(len(row), dtype=bool)
    document_unknown[document_of[unknown]] = True
    return PlacedParts(
        run=run,
        judged=judged,
        topics=topics,
        part_document=document_of,
        part_size=size,
        part_relevant=_relevant_sizes(judged, row_with_highlights[document_of], pieces),
        part_unmapped=unmapped,
        part_start=start,
        part_end=end,
        document_topic=document_topic,
        document_row=row,
        document_names=names,
        document_unknown=document_unknown,
        pieces=pieces,
        returned=returned,
        returned_size=returned_size,
    )


def first_appearances(names: Names, topic: Ints, topics: int) -> tuple[Ints, Names, Ints]:
    """Documents by topic and first appearance: each part's document, the names, their topics."""
    first_of = names.first_rows(Segments.grouped(topic, topics))
    is_first = first_of == np.arange(len(first_of))
    document = (np.cumsum(is_first) - 1)[first_of]
    first = np.flatnonzero(is_first)
    return document, names.take(first), topic[first]


def judged_rows(judged: PreparedQrels, topic: Ints, names: Names) -> Ints:
    """The row of each retrieved document in the judgements, -1 for an unjudged one."""
    rows = np.full(len(names), UNKNOWN, dtype=np.int64)
    at, row = judged.lookup.rows_of(topic, names)
    rows[at] = row
    return rows


def _refuse_past_length(
    run: Run, results: RunColumns, end: Ints, length: Ints, whole: Bools
) -> None:
    past = np.flatnonzero(~whole & (length != UNKNOWN) & (end > length))
    if len(past):
        problems = [
            Problem(
                int(results.line[row]),
                f"the part ends at {end[row]}, beyond the end of its document at {length[row]}",
            )
            for row in past
        ]
        raise BadInput(
            run.source,
            problems,
            "parts that end within their documents (--like inex_eval takes the rest as irrelevant)",
        )


def _refuse_overlap(
    run: Run, judged: PreparedQrels, topic: Ints, results: RunColumns, parts: PartSpans
) -> None:
    _, first, last = on_axis(parts)
    rows = np.flatnonzero(overlaps_earlier(first, last))
    names = results.documents.take(rows).strings()
    problems = [
        Problem(
            int(results.line[row]),
            f"overlaps an earlier part of document {document!r} for topic"
            f" {judged.topics[topic[row]]!r}",
        )
        for row, document in zip(rows, names, strict=True)
    ]
    if problems:
        hint = "parts that do not overlap, or --overlap once, paid, drop or repeat"
        raise OverlapFound(run.source, problems, hint)


def _relevant_sizes(judged: PreparedQrels, row: Ints, pieces: Pieces) -> Ints:
    """Rsize of each part, given the row of its document if that has highlights."""
    promising = np.flatnonzero((row[pieces.part] >= 0) & pieces.counts)
    part, start, end = pieces.part[promising], pieces.start[promising], pieces.end[promising]
    return totals(part, judged.highlights.count(row[part], start, end), len(row))


@frozen(eq=False)
class FirstReads:
    """The text that each ranked part reads for the first time, as pieces by part and place.

    No character occurs twice, whatever the overlap policy says of text that is returned again. A
    whole document of unknown length ends at LARGEST_OFFSET.
    """

    laid: PlacedParts
    pieces: Pieces

    @classmethod
    def of(cls, laid: PlacedParts) -> Self:
        """The pieces of some parts; the judgements must have highlights."""
        laid.judged.need_highlights()
        parts = PartSpans(laid.part_document, laid.part_start, laid.part_end)
        return cls(laid, first_read(parts))

    @cached_property
    def document(self) -> Ints:
        """The document of each piece, among those that were returned."""
        return self.laid.part_document[self.pieces.part]

    @cached_property
    def rank(self) -> Ints:
        """The rank at which each piece is read."""
        return self.laid.part_segments.nth[self.pieces.part]

    @cached_property
    def document_found(self) -> Ints:
        """The highlighted characters that were read of each document."""
        piece, _, common = self.shared
        return totals(self.document[piece], common, len(self.laid.document_row))

    @cached_property
    def document_read(self) -> Ints:
        """The characters that were read of each document, each once.

        An element of unknown place has as many as its size; those of a whole document of unknown
        length are not known.
        """
        sizes = totals(self.document, self.pieces.size, len(self.laid.document_row))
        return sizes + self.laid.document_unmapped

    @cached_property
    def shared(self) -> tuple[Ints, Ints, Ints]:
        """How much each piece shares with each passage: (piece, passage, characters)."""
        row = self.laid.document_row[self.document]
        piece = np.flatnonzero(row >= 0)
        own, passage, common = self.laid.judged.highlights.overlaps(
            row[piece], self.pieces.start[piece], self.pieces.end[piece]
        )
        return piece[own], passage, common
