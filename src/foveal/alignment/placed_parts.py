"""The parts of a run as spans of documents: the text of each that is read, and read first."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Self

import numpy as np

from foveal.alignment.budgets import tokens_of
from foveal.alignment.overlap_policies import PartSpans, Pieces, first_reads, on_axis, read_pieces
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
    `returned_spans` are all results as they were returned, those that the overlap policy drops
    included, and `returned_size` their characters.
    """

    run: Run
    qrels: PreparedQrels
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
    returned_spans: PartSpans
    returned_size: Ints

    @cached_property
    def part_topic(self) -> Ints:
        """The topic of each part."""
        return self.document_topic[self.part_document]

    @cached_property
    def part_segments(self) -> Segments:
        """The parts of each topic; a part's rank is its number there."""
        return Segments.grouped(self.part_topic, len(self.topics))

    @cached_property
    def document_segments(self) -> Segments:
        """The documents of each topic by first appearance."""
        return Segments.grouped(self.document_topic, len(self.topics))

    @cached_property
    def returned_segments(self) -> Segments:
        """The returned parts of each topic."""
        topic = self.document_topic[self.returned_spans.document]
        return Segments.grouped(topic, len(self.topics))

    @cached_property
    def document_size(self) -> Ints:
        """The characters returned from each document."""
        return totals(self.part_document, self.part_size, len(self.document_row))

    @cached_property
    def part_document_read(self) -> Ints:
        """Characters read of each part's document, up to and including the part."""
        order = np.argsort(self.part_document, kind="stable")
        segments = Segments.grouped(self.part_document[order], len(self.document_row))
        read = np.empty(len(order), dtype=np.int64)
        read[order] = segments.running(self.part_size[order])
        return read

    @cached_property
    def document_unmapped(self) -> Ints:
        """The characters of each document's elements without offsets."""
        unmapped = self.part_unmapped * columns.UNMAPPED_SIZE
        return totals(self.part_document, unmapped, len(self.document_row))

    @cached_property
    def document_start(self) -> Ints:
        """The start of the first-ranked part of each document, -1 if unknown."""
        first_part = np.empty(len(self.document_row), dtype=np.int64)
        first_part[self.part_document[::-1]] = np.arange(len(self.part_document))[::-1]
        return np.where(self.part_unmapped, UNKNOWN, self.part_start)[first_part]

    @cached_property
    def relevant_documents(self) -> Ints:
        """The documents that are relevant by all judgements, not by a sample of them."""
        row = self.document_row
        return np.flatnonzero((row >= 0) & self.qrels.relevant[row])

    @cached_property
    def relevant_pieces(self) -> Ints:
        """The pieces of the relevant documents in which text can still be found."""
        relevant = np.zeros(len(self.document_row), dtype=bool)
        relevant[self.relevant_documents] = True
        document = self.part_document[self.pieces.part]
        return np.flatnonzero(relevant[document] & self.pieces.is_counted)

    @cached_property
    def read(self) -> Ints:
        """Characters read up to and including each part; raises UnknownLength if any is unknown."""
        self.refuse_unknown_lengths()
        return self.part_segments.running(self.part_size)

    def read_until(self, rank: int | None) -> Ints:
        """Characters read for each topic up to a rank, or to the end of a shorter list."""
        count = self.part_segments.entry_count
        depth = count if rank is None else np.minimum(count, rank)
        return self.part_segments.sums_after(self.read, depth)

    @cached_property
    def tokens(self) -> tuple[Ints, Ints, Ints]:
        """The tokens of all parts: part, end in the document, and cost."""
        return tokens_of(self)

    def refuse_unknown_lengths(self, documents: Ints | None = None) -> None:
        """Raise UnknownLength if whole documents (of those given) have an unknown length."""
        unknown = self.document_unknown if documents is None else self.document_unknown[documents]
        indices = np.flatnonzero(unknown)
        if len(indices):
            first = indices[0] if documents is None else documents[indices[0]]
            name = self.document_names.name_at(first)
            raise UnknownLength(self.run.name, name, len(indices), whole_document=True)

    @cached_property
    def overlaps(self) -> tuple[Ints, Ints, Ints]:
        """Overlaps of parts and passages: (part, passage, characters)."""
        piece, pieces = self.relevant_pieces, self.pieces
        span, passage, size = self.qrels.highlights.overlaps(
            self.document_row[self.part_document[pieces.part[piece]]],
            pieces.start[piece],
            pieces.end[piece],
        )
        return pieces.part[piece[span]], passage, size

    def rule_notes(self, task: Task, *, overlap_by_default: bool) -> Iterator[str]:
        """Note each rule of the task that results break; `check` lists them one by one.

        Overlap is not noted if the caller, or the source that `like` names, chose its policy.
        """
        if task not in {Task.FOCUSED, Task.RIC, Task.BIC}:
            return
        if overlap_by_default and task is not Task.BIC:
            # By default a part's size leaves out text that an earlier part contains.
            is_repeated = self.part_size < self.returned_size
            scoring = "text counts once, where it is first read (overlap once)"
            yield from self._rule_note(task, is_repeated, "with text of an earlier result", scoring)
        document = self.returned_spans.document
        if task is Task.FOCUSED or len(document) == len(self.document_row):
            return
        # Documents are numbered by first appearance, so a lower number is a return.
        is_return = np.zeros(len(document), dtype=bool)
        is_return[1:] = document[1:] <= np.maximum.accumulate(document[:-1])
        if task is Task.BIC:
            scoring = "a document counts once, with the entry point of its first result"
            yield from self._rule_note(task, is_return, "from a document already returned", scoring)
            return
        is_return[1:] &= document[1:] != document[:-1]
        scoring = "a document is ranked where its first result is, with all its results"
        details = "apart from earlier results of the same document"
        yield from self._rule_note(task, is_return, details, scoring)

    def _rule_note(self, task: Task, breaks: Bools, details: str, scoring: str) -> Iterator[str]:
        """Note how many results break a rule, in how many topics, and how they are scored."""
        results = np.flatnonzero(breaks)
        if not len(results):
            return
        topics = len(np.unique(self.document_topic[self.returned_spans.document[results]]))
        yield (
            f"{counted(len(results), 'result')} in {counted(topics, 'topic')} {details}, which task"
            f" {task.value} does not allow: {scoring}; foveal check --task {task.value} lists them"
        )


def place_parts(
    run: Run,
    qrels: PreparedQrels,
    conventions: Conventions,
    topics: Ints,
    results: RunColumns,
    topic: Ints,
) -> PlacedParts:
    """Place a run's parts in the judged documents; results and topics are in reading order."""
    document_of, names, document_topic = first_appearances(results.documents, topic, len(topics))
    row = judged_rows(qrels, topics[document_topic], names)
    start, end, is_whole = results.spans
    is_unmapped = start == columns.UNMAPPED
    length = np.where(row >= 0, qrels.length[row], UNKNOWN)
    if run.lengths is not None:
        indexed_length = document_lengths(run, names.series()).fill_null(UNKNOWN).to_numpy()
        length = np.where(length == UNKNOWN, indexed_length, length)
    length = length[document_of]
    is_unknown = is_whole & (length == UNKNOWN)
    # A whole document of unknown length overlaps every other part of it, so its end is infinite.
    end = np.where(is_whole, np.where(is_unknown, LARGEST_OFFSET, length), end)
    start, end = np.where(is_unmapped, 0, start), np.where(is_unmapped, 0, end)
    if not conventions.past_length_allowed:
        _refuse_past_length(run, results, end, length, is_whole)
    row_with_highlights = np.where((row >= 0) & qrels.relevant[row], row, UNKNOWN)
    returned = PartSpans(document_of, start, end)
    returned_size = end - start + columns.UNMAPPED_SIZE * is_unmapped
    if conventions.overlap is Overlap.REFUSE:
        _refuse_overlap(run, qrels, topics[topic], results, returned)
    ranked, pieces = read_pieces(returned, row_with_highlights[document_of], qrels, conventions)
    document_of, start, end = document_of[ranked], start[ranked], end[ranked]
    is_unmapped, is_unknown = is_unmapped[ranked], is_unknown[ranked]
    size = totals(pieces.part, pieces.size, len(document_of)) + columns.UNMAPPED_SIZE * is_unmapped
    document_unknown = np.zeros(len(row), dtype=bool)
    document_unknown[document_of[is_unknown]] = True
    return PlacedParts(
        run=run,
        qrels=qrels,
        topics=topics,
        part_document=document_of,
        part_size=size,
        part_relevant=_relevant_sizes(qrels, row_with_highlights[document_of], pieces),
        part_unmapped=is_unmapped,
        part_start=start,
        part_end=end,
        document_topic=document_topic,
        document_row=row,
        document_names=names,
        document_unknown=document_unknown,
        pieces=pieces,
        returned_spans=returned,
        returned_size=returned_size,
    )


def first_appearances(names: Names, topic: Ints, topics: int) -> tuple[Ints, Names, Ints]:
    """Documents by topic and first appearance: each part's document, the names, their topics."""
    first_of = names.first_rows(Segments.grouped(topic, topics))
    is_first = first_of == np.arange(len(first_of))
    document = (np.cumsum(is_first) - 1)[first_of]
    first_row = np.flatnonzero(is_first)
    return document, names.take(first_row), topic[first_row]


def judged_rows(qrels: PreparedQrels, topic: Ints, names: Names) -> Ints:
    """The row of each retrieved document in the judgements, -1 for an unjudged one."""
    rows = np.full(len(names), UNKNOWN, dtype=np.int64)
    index, row = qrels.lookup.rows_of(topic, names)
    rows[index] = row
    return rows


def _refuse_past_length(
    run: Run, results: RunColumns, end: Ints, length: Ints, is_whole: Bools
) -> None:
    rows = np.flatnonzero(~is_whole & (length != UNKNOWN) & (end > length))
    if len(rows):
        problems = [
            Problem(
                int(results.line[row]),
                f"the part ends at {end[row]}, beyond the end of its document at {length[row]}",
            )
            for row in rows
        ]
        raise BadInput(
            run.source,
            problems,
            "parts that end within their documents (--like inex_eval takes the rest as irrelevant)",
        )


def _refuse_overlap(
    run: Run, qrels: PreparedQrels, topic: Ints, results: RunColumns, parts: PartSpans
) -> None:
    _, start, end = on_axis(parts)
    rows = np.flatnonzero(overlaps_earlier(start, end))
    names = results.documents.take(rows).strings()
    problems = [
        Problem(
            int(results.line[row]),
            f"overlaps an earlier part of document {document!r} for topic"
            f" {qrels.topics[topic[row]]!r}",
        )
        for row, document in zip(rows, names, strict=True)
    ]
    if problems:
        hint = "parts that do not overlap, or --overlap once, paid, drop or repeat"
        raise OverlapFound(run.source, problems, hint)


def _relevant_sizes(qrels: PreparedQrels, row: Ints, pieces: Pieces) -> Ints:
    """Rsize of each part, given the row of its document if that has highlights."""
    piece = np.flatnonzero((row[pieces.part] >= 0) & pieces.is_counted)
    part, start, end = pieces.part[piece], pieces.start[piece], pieces.end[piece]
    return totals(part, qrels.highlights.count(row[part], start, end), len(row))


@frozen(eq=False)
class FirstReads:
    """The text that each ranked part is the first to read, as pieces by part and offset.

    No character occurs twice, whatever the overlap policy does with repeated text. A whole document
    of unknown length ends at LARGEST_OFFSET.
    """

    placed_parts: PlacedParts
    pieces: Pieces

    @classmethod
    def of(cls, parts: PlacedParts) -> Self:
        """The pieces of all ranked parts; the judgements must have highlights."""
        parts.qrels.need_highlights()
        spans = PartSpans(parts.part_document, parts.part_start, parts.part_end)
        return cls(parts, first_reads(spans))

    @cached_property
    def document(self) -> Ints:
        """The document of each piece, among those that were returned."""
        return self.placed_parts.part_document[self.pieces.part]

    @cached_property
    def rank(self) -> Ints:
        """The rank at which each piece is read."""
        return self.placed_parts.part_segments.nth[self.pieces.part]

    @cached_property
    def document_found(self) -> Ints:
        """The highlighted characters that were read of each document."""
        piece, _, size = self.overlaps
        return totals(self.document[piece], size, len(self.placed_parts.document_row))

    @cached_property
    def document_read(self) -> Ints:
        """The characters that were read of each document, each once.

        An element without offsets counts with its size; the value of a whole document of unknown
        length is meaningless.
        """
        sizes = totals(self.document, self.pieces.size, len(self.placed_parts.document_row))
        return sizes + self.placed_parts.document_unmapped

    @cached_property
    def overlaps(self) -> tuple[Ints, Ints, Ints]:
        """Overlaps of pieces and passages: (piece, passage, characters)."""
        row = self.placed_parts.document_row[self.document]
        piece = np.flatnonzero(row >= 0)
        index, passage, size = self.placed_parts.qrels.highlights.overlaps(
            row[piece], self.pieces.start[piece], self.pieces.end[piece]
        )
        return piece[index], passage, size
