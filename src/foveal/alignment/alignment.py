"""A run aligned with the judgements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self, TypeVar

import numpy as np

from foveal.alignment.aspect_lists import AspectLists, AspectRule
from foveal.alignment.blocks import AlignedBlock, OrderedResults, aligned_blocks, ranked_by
from foveal.alignment.graded_lists import GradedLists
from foveal.alignment.placed_parts import PlacedParts, place_parts
from foveal.alignment.prepared_qrels import UNKNOWN, PreparedQrels
from foveal.alignment.ranked_lists import FoundCharacters, RankedDocuments, RankedParts
from foveal.alignment.raw_parts import PassagePairs, RawParts
from foveal.choices import Like, Order, Task, Ties
from foveal.conventions import Conventions
from foveal.errors import BadInput, DataError, Problem, counted, shortened, shortened_list
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Bools, Floats, Highlights, Ints, Segments, extended, totals, united
from foveal.tables import (
    TOPIC_RESULTS,
    AlarmNote,
    Chunks,
    DocumentNames,
    Names,
    Run,
    TopicColumn,
    columns,
    evaluated_topics,
    naming_hint,
    numbered,
    refuse_unplaced,
)

NO_CHUNKS = (
    "the best precision that a chunking allows needs the list of all chunks: give --chunks FILE with"
    " rows of doc, start and end (in Python chunks=)"
)

OTHER_DOCUMENTS = (
    "{}: no chunk is of a document with highlighted text (chunks of {!r}, judged is {!r}): are these"
    " the same identifiers?"
)

# Names and results that notes look at: the first of them show what is meant.
EXAMINED_ROWS = 10_000
SHOWN_DOCUMENTS = 3


def best_chunk_run(
    chunks: Chunks | None, named_qrels: PreparedQrels, qrels: PreparedQrels, topics: Ints
) -> tuple[Ints, Ints]:
    """Highlighted text in chunks, and all text that is highlighted or in a chunk with highlights.

    Both for each of `topics`. `named_qrels` have the names of the judged documents; `qrels` are the
    same judgements or samples of them.
    """
    qrels.need_highlights()
    if chunks is None:
        raise DataError(NO_CHUNKS)
    frame = chunks.frame
    document, judged_document = _numbered(frame[columns.DOC], named_qrels.names.series())
    start, end = (frame[name].to_numpy() for name in (columns.START, columns.END))
    count = int(document.max(initial=-1)) + 2
    passages = qrels.passages
    passage_document = judged_document[passages.row % named_qrels.document_count]
    if len(passage_document) and (passage_document == count - 1).all():
        (name,) = named_qrels.names.take(passages.row[:1] % named_qrels.document_count).strings()
        raise DataError(OTHER_DOCUMENTS.format(chunks.source, frame[columns.DOC][0], name))
    chunk_text = Highlights.of(*united(document, start, end, count), count)
    passage_found = chunk_text.count(passage_document, passages.start, passages.end)
    start, end = extended(
        (passage_document, passages.start, passages.end),
        (document, start, end),
        count,
        touching=qrels.conventions.touching_counts,
    )
    row, start, end = united(passages.row, start, end, qrels.sample_count * qrels.document_count)
    topic_count = len(qrels.topics)
    found_size = totals(qrels.topic[passages.row], passage_found, topic_count)
    read_size = totals(qrels.topic[row], end - start, topic_count)
    return found_size[topics], read_size[topics]


def _numbered(chunk_names: pl.Series, judged_names: pl.Series) -> tuple[Ints, Ints]:
    """Numbers of the chunks' documents and of the judged ones; those without chunks share one."""
    names = chunk_names.unique(maintain_order=True)
    number = judged_names.replace_strict(names, np.arange(len(names)), default=UNKNOWN).to_numpy()
    return numbered(chunk_names), np.where(number == UNKNOWN, len(names), number)


Array = TypeVar("Array", Floats, Ints)


@frozen(eq=False)
class Alignment(ABC):
    """A run aligned with the judgements, or with many samples of them: the input of a measure.

    `topics` are the numbers of the evaluated topics. Parts, documents and grades are computed when
    a measure first asks for them.
    """

    run: Run
    qrels: PreparedQrels
    conventions: Conventions
    topics: Ints

    @property
    @abstractmethod
    def placed_parts(self) -> PlacedParts:
        """The parts as spans of the judged documents."""

    @property
    @abstractmethod
    def found_characters(self) -> FoundCharacters:
        """The highlighted characters of each part that contains any."""

    @cached_property
    def parts(self) -> RankedParts:
        """The ranking of parts."""
        return RankedParts.of(self.placed_parts, self.qrels, self.topics, self.found_characters)

    @cached_property
    def raw_parts(self) -> RawParts:
        """The parts as they were returned, and the text that they share with passages."""
        return RawParts.of(self.placed_parts, self.qrels, self.topics)

    @cached_property
    def highlight_pieces(self) -> HighlightPieces:
        """The highlighted text in the order in which it is read."""
        return HighlightPieces.of(self.placed_parts, self.qrels, self.topics)

    @cached_property
    def passage_pairs(self) -> PassagePairs:
        """The parts as they were returned, each with the passages that it overlaps."""
        return PassagePairs.of(self.placed_parts, self.qrels, self.topics)

    @cached_property
    def best_chunk_run(self) -> tuple[Ints, Ints]:
        """Highlighted and all characters that the best run of the chunks reads, for each topic."""
        return best_chunk_run(self.run.chunk_list, self.named_qrels, self.qrels, self.topics)

    @property
    def named_qrels(self) -> PreparedQrels:
        """The judgements with the names of their documents."""
        return self.qrels

    @cached_property
    def documents(self) -> RankedDocuments:
        """The ranking of documents, with the text returned from each."""
        return RankedDocuments.of(self.placed_parts, self.qrels, self.topics, self.found_characters)

    @cached_property
    def graded(self) -> GradedLists:
        """The ranking of documents with their grades, cut at the conventions' depth."""
        lists, depth = self._full_graded, self.conventions.depth
        return lists if depth is None else lists.cut(depth)

    def aspects(self, rule: AspectRule) -> AspectLists:
        """The aspects of the results, documents or parts; the measures of one call share them."""
        if rule not in self._aspect_lists:
            self._aspect_lists[rule] = self._with_aspects(rule)
        return self._aspect_lists[rule]

    @property
    def topics_without_aspects(self) -> Ints:
        """The evaluated topics in which measures of aspects, if any were computed, found none."""
        topics = [self.topics[lists.aspect_count == 0] for lists in self._aspect_lists.values()]
        return np.unique(np.concatenate(topics)) if topics else np.arange(0)

    def _with_aspects(self, rule: AspectRule) -> AspectLists:
        # Depth and judged_only shorten lists of documents, never lists of parts.
        lists = (
            self._full_graded if rule.parts else self.graded.filtered(judged_only=rule.judged_only)
        )
        names = self.named_qrels.names
        if self.run.whole_documents_only:
            return AspectLists.of_documents(lists, names, rule)
        return AspectLists.of_parts(self.placed_parts, lists, names, rule)

    @cached_property
    def _aspect_lists(self) -> dict[AspectRule, AspectLists]:
        return {}

    @property
    def _full_graded(self) -> GradedLists:
        samples = self.found_characters.sample_count
        return GradedLists.of_documents(self.qrels, self.topics, self.placed_parts, samples)


@frozen(eq=False)
class AlignedRun(Alignment):
    """One run aligned with the judgements, with the counts that its notes need.

    `counts` has the number of results of each evaluated topic. The scores of a nearly tied topic
    differ, but not as 32-bit numbers; those of a rising topic rise down the list, those of a mixed
    one rise and fall. If the run stays in its file, `results` are the lists of judged documents.
    """

    unjudged_topics: int
    counts: Ints
    tied_topics: int
    nearly_tied_topics: int
    rising_topics: int
    mixed_topics: int
    results: OrderedResults | GradedLists

    @property
    def order_by(self) -> Order:
        """The order that ranks the results: score, rank or the file."""
        return ranked_by(self.run, self.conventions)

    @cached_property
    def missing_topics(self) -> Ints:
        """Indices of the evaluated topics without results."""
        return np.flatnonzero(self.counts == 0)

    @property
    def has_judged_documents(self) -> bool:
        """True if any returned document is judged for its topic."""
        if "placed_parts" in vars(self):
            return bool(np.any(self.placed_parts.document_row != UNKNOWN))
        return bool(len(self._full_graded.topic))

    def repeated(self, values: Array, indices: Ints | None = None) -> Array:
        """Values of the evaluated topics (or those at `indices`), each as often as its topic counts.

        Topics are along the last axis.
        """
        if self.qrels.times is None:
            return values
        topics = self.topics if indices is None else self.topics[indices]
        return np.repeat(values, self.qrels.times[topics], axis=-1)

    @property
    def topics_with_rows(self) -> Ints:
        """Indices of the evaluated topics that have a row in tables."""
        indices = np.arange(len(self.topics))
        all_have_rows = self.conventions.missing_topics_have_rows
        return indices if all_have_rows else np.delete(indices, self.missing_topics)

    def topic_notes(self) -> Iterator[str]:
        """Notes on topics and documents that the run and the judgements do not share."""
        qrels = self.qrels
        missing = [qrels.topics[i] for i in self.topics[self.missing_topics]]
        if len(missing) == len(self.topics):
            returned = self.run.results.topics
            yield AlarmNote(
                f"its topics ({shortened_list(returned)}) are not among the scored topics"
                f" ({shortened_list(missing)}), so it scores as an empty"
                f" run{naming_hint(returned, missing)}"
            )
            return
        # If the caller chose topics, the others are left out on purpose.
        if self.unjudged_topics and qrels.times is None:
            yield f"ignored {counted(self.unjudged_topics, 'topic')} without judgements"
        if not self.has_judged_documents:
            yield self._other_documents()
        if missing:
            topics = counted(len(missing), "judged topic")
            yield f"{topics} without results, scored as empty lists: {shortened_list(missing)}"
        # Eligible topics that are not evaluated because the run has no results for them.
        is_skipped = np.array(qrels.eligible, dtype=bool)
        is_skipped[self.topics] = False
        skipped = [qrels.topics[i] for i in np.flatnonzero(is_skipped)]
        if skipped:
            topics = counted(len(skipped), "judged topic")
            yield f"{topics} without results, left out of the mean (topics retrieved): {shortened_list(skipped)}"

    def _other_documents(self) -> str:
        """Note: run and judgements share no document, and two names that may mean the same one."""
        names = self.qrels.names
        rows = np.flatnonzero(np.isin(self.qrels.topic, self.topics))
        run_names = _first_names(self.placed_parts.document_names)
        judged_names, known_names = _first_names(names.take(rows)), _first_names(names)
        if not {*known_names}.isdisjoint(run_names):
            question = "they are judged for other topics"
        else:
            question = (
                DocumentNames(judged_names).hint(run_names) or "are these the same identifiers?"
            )
        return (
            f"none of its documents ({shortened(', '.join(run_names[:SHOWN_DOCUMENTS]))}) is judged for"
            f" its topic (judged are {shortened(', '.join(judged_names[:SHOWN_DOCUMENTS]))}): {question}"
        )

    def order_notes(self) -> Iterator[str]:
        """Notes on ranks and scores: several lists in one, or scores that may be distances."""
        topics = counted(int(np.count_nonzero(self.counts > 1)), "topic")
        # A format whose ties are broken by place in the file expects equal ranks.
        ties = self.conventions.ties or self.run.ties
        if self.order_by is Order.RANK and self.tied_topics and ties is not Ties.PLACE:
            yield (
                f"ranks repeat within a topic in {self.tied_topics:,} of {topics}: are several"
                " questions under one topic?"
            )
        is_listed = self.order_by is Order.FILE and self.conventions.order is None
        if is_listed and self.mixed_topics:
            yield (
                f"ranked as listed, which contradicts the scores in {self.mixed_topics:,} of"
                f" {topics}: --order score ranks by score"
            )
        if 2 * self.rising_topics <= np.count_nonzero(self.counts > 1):
            return
        where = f"in {self.rising_topics:,} of {topics}"
        if self.order_by is Order.SCORE:
            yield (
                f"listed by rising score {where} but ranked by falling score: distances? --order file"
                " ranks them as listed"
            )
        else:
            order = "as listed" if self.order_by is Order.FILE else "by rank"
            yield f"scores rise down the list {where}: distances? (ranked {order})"

    def aspect_notes(self) -> Iterator[str]:
        """Note topics without aspects, if measures of aspects were asked for."""
        topics = [self.qrels.topics[i] for i in self.topics_without_aspects]
        if topics:
            yield (
                f"{counted(len(topics), 'topic')} without aspects that count, where measures of aspects"
                f" are 0: {shortened_list(topics)}"
            )

    def whole_document_notes(self) -> Iterator[str]:
        """Note that whole documents were scored as chunks."""
        # Parts are placed once a measure needs their offsets; the others use documents only.
        uses_parts = self.conventions.task is Task.RAG and "placed_parts" in vars(self)
        if uses_parts and self.run.whole_documents_only:
            yield (
                "no result has a start and an end, so each is a whole document, which finds everything"
                " in it: if they are chunks, give start and end, or their text and --docs DOCUMENTS"
                " (in Python docs=)"
            )

    def chunk_notes(self) -> Iterator[str]:
        """Notes on results, or highlighted documents, that are not in the chunk list."""
        # Only measures that need the best run of the chunks read the list.
        chunks = self.run.chunk_list if "best_chunk_run" in vars(self) else None
        if chunks is None:
            return
        span = [columns.DOC, columns.START, columns.END]
        results = self.run.frame.head(EXAMINED_ROWS)
        # Lists can have millions of chunks: only those of the first results matter here.
        in_list = chunks.frame.select(span).join(results, on=span, how="semi")
        unlisted = results.join(in_list, on=span, how="anti").height
        if unlisted:
            first_of = "the first " if results.height < self.run.frame.height else ""
            yield (
                f"{unlisted:,} of {first_of}{counted(results.height, 'result')} not in the chunk list"
                f" ({chunks.source}): does it belong to another run?"
            )
        names = self.qrels.names.series().gather(self.qrels.passages.row).unique()
        absent = names.filter(~names.is_in(chunks.frame[columns.DOC].unique().implode())).sort()
        if len(absent):
            yield (
                f"{counted(len(absent), 'document')} with highlights but without chunks in the list"
                f" ({chunks.source}), first {absent[0]!r}: nothing can be found there"
            )

    def limit_notes(self) -> Iterator[str]:
        """Note topics with more results than INEX allows."""
        counts = self.counts[self.counts > TOPIC_RESULTS]
        if len(counts) and self.conventions.task is not Task.RAG:
            yield (
                f"{counted(len(counts), 'topic')} over INEX's limit of {TOPIC_RESULTS:,} results (up to"
                f" {counts.max():,}): all of them are scored"
            )

    @cached_property
    def placed_parts(self) -> PlacedParts:
        """The parts as spans of the judged documents; a run in its file is read again."""
        ordered = self.results
        if isinstance(ordered, GradedLists):
            return align(self.run.whole(), self.qrels, self.conventions).placed_parts
        results, topic = ordered.results, ordered.topic.rows
        permutation = ordered.order.permutation
        if permutation is not None:
            results, topic = results.take(permutation), topic[permutation]
        return place_parts(self.run, self.qrels, self.conventions, self.topics, results, topic)

    @cached_property
    def found_characters(self) -> FoundCharacters:
        """The highlighted characters of each part that contains any."""
        part = np.flatnonzero(self.placed_parts.part_relevant)
        return FoundCharacters(1, np.zeros_like(part), part, self.placed_parts.part_relevant[part])

    @cached_property
    def _full_graded(self) -> GradedLists:
        ordered = self.results
        if isinstance(ordered, GradedLists):
            return ordered
        if not self.run.whole_documents_only:
            return super()._full_graded
        results, topic, order = ordered.results, ordered.topic, ordered.order
        return GradedLists.of_rows(self.qrels, self.topics, results, topic, order)


def _first_names(names: Names) -> list[str]:
    return list(dict.fromkeys(names.take(np.arange(min(len(names), EXAMINED_ROWS))).strings()))


def align(run: Run, qrels: PreparedQrels, conventions: Conventions) -> AlignedRun:
    """Align a run with the judgements block by block, or as a whole if that is not possible."""
    _refuse_unplaced(run, qrels, conventions)
    blocks = aligned_blocks(run, qrels, conventions)
    if not blocks:
        return align(run.whole(), qrels, conventions)
    returned = np.concatenate([block.topics for block in blocks])
    topics = evaluated_topics(qrels.eligible, returned, conventions.topics)
    topic_index = np.full(len(qrels.topics), UNKNOWN, dtype=np.int64)
    topic_index[topics] = np.arange(len(topics))
    counts = np.zeros(len(topics), dtype=np.int64)
    counts[topic_index[returned]] = np.concatenate([block.counts for block in blocks])
    last_block = blocks[-1]
    alignment = AlignedRun(
        run=run if last_block.ordered else _with_last_name(run, last_block),
        qrels=qrels,
        conventions=conventions,
        topics=topics,
        unjudged_topics=sum(block.unjudged_topics for block in blocks),
        counts=counts,
        tied_topics=sum(block.tied_topics for block in blocks),
        nearly_tied_topics=sum(block.nearly_tied_topics for block in blocks),
        rising_topics=sum(block.rising_topics for block in blocks),
        mixed_topics=sum(block.mixed_topics for block in blocks),
        results=_renumbered(last_block.ordered, topic_index[returned], len(topics))
        if last_block.ordered
        else _joined_lists(blocks, qrels, topics, counts, topic_index),
    )
    if not run.whole_documents_only:
        # Refuse parts that overlap or end beyond their documents, whichever measures follow.
        _ = alignment.placed_parts
    return alignment


def _with_last_name(run: Run, last_block: AlignedBlock) -> Run:
    """The run with its name and tag, which are known once the last block of its file is read."""
    return replace(run, name=last_block.name, origin=replace(run.origin, last_tag=last_block.tag))


def _renumbered(ordered: OrderedResults, topic_index: Ints, topic_count: int) -> OrderedResults:
    """The results with their topics as indices into more topics, in the same order."""
    topic = ordered.topic
    if topic.topics == topic_count:
        return ordered
    topic = TopicColumn(topic.first, topic_index[topic.topic], topic.height, topic_count)
    return replace(ordered, topic=topic)


def _joined_lists(
    blocks: Sequence[AlignedBlock], qrels: PreparedQrels, topics: Ints, counts: Ints, index: Ints
) -> GradedLists:
    """The judged documents of all blocks."""
    arrays = zip(*(block.judged_documents for block in blocks), strict=True)
    topic, rank, row = map(np.concatenate, arrays)
    order = np.argsort(index[topic], kind="stable")
    row = row[order]
    return GradedLists(
        qrels=qrels,
        topics=topics,
        count=counts,
        topic=index[topic][order],
        rank=rank[order],
        row=row,
        grade=qrels.grade[row],
    )


def _refuse_unplaced(run: Run, qrels: PreparedQrels, conventions: Conventions) -> None:
    """Refuse parts without offsets; in INEX's runs they are elements that count as irrelevant.

    Judgements of whole documents need no offsets.
    """
    if run.whole_documents_only:
        return
    if qrels.has_highlights:
        refuse_unplaced(run)
    if run.origin.is_inex or conventions.like is Like.INEX_EVAL:
        return
    is_unmapped = run.frame[columns.START] == columns.UNMAPPED
    lines = run.frame[columns.LINE].filter(is_unmapped).to_list()
    if lines:
        reason = (
            f"no offset (-1) on {counted(len(lines), 'result')}, first at line {min(lines)}: give"
            " the text and --docs DOCUMENTS (in Python docs=foveal.read_documents(...)) to find it;"
            " --like inex_eval counts such results as irrelevant"
        )
        raise BadInput(run.source, [Problem(None, reason)])


@frozen(eq=False)
class HighlightPieces:
    """Pieces of highlighted text that a run finds, by topic and reading order.

    `read` is the number of characters of the topic's list that are read before a piece, `found` how
    many of these are highlighted and new, `size` the characters of the piece. A piece continues in
    the next part if that begins with highlighted text. `highlighted` is Trel of each topic.
    """

    topic: Ints
    read: Ints
    found: Ints
    size: Ints
    highlighted: Ints

    @classmethod
    def of(cls, parts: PlacedParts, qrels: PreparedQrels, topics: Ints) -> Self:
        """The pieces of a run, for one sample of the judgements after the other."""
        qrels.need_highlights()
        topic, read, size = _within_pieces(parts, qrels)
        is_start = np.ones(len(topic), dtype=bool)
        is_start[1:] = (topic[1:] != topic[:-1]) | (read[1:] != read[:-1] + size[:-1])
        size = totals(np.cumsum(is_start) - 1, size, int(is_start.sum()))
        topic, read = topic[is_start], read[is_start]
        found_before = Segments.grouped(topic, len(topics)).running(size) - size
        return cls(topic, read, found_before, size, qrels.topic_highlighted[topics])

    def total(self, values: Floats) -> Floats:
        """The sum over each topic's pieces."""
        return totals(self.topic, values, len(self.highlighted))


def _within_pieces(parts: PlacedParts, qrels: PreparedQrels) -> tuple[Ints, Ints, Ints]:
    """The highlighted text that is read: its topic, the characters read before it, its size."""
    pieces, piece = parts.pieces, parts.relevant_pieces
    read_before_part = parts.read - parts.part_size
    segments = Segments.grouped(pieces.part, len(read_before_part))
    read_before = read_before_part[pieces.part] + segments.running(pieces.size) - pieces.size
    sample = np.repeat(np.arange(qrels.sample_count), len(piece))
    piece = np.tile(piece, qrels.sample_count)
    document = parts.part_document[pieces.part[piece]]
    row = parts.document_row[document] + sample * qrels.document_count
    span, offset, size = qrels.highlights.pieces(row, pieces.start[piece], pieces.end[piece])
    topic = parts.document_topic[document] + sample * len(parts.topics)
    return topic[span], read_before[piece[span]] + offset, size


@frozen(eq=False)
class AlignedSamples(Alignment):
    """One run aligned with samples of the judgements; to a measure, each sample has its own topics.

    The text read is the same for every sample; only how much of it is highlighted differs.
    """

    aligned: AlignedRun
    characters: FoundCharacters

    @property
    def named_qrels(self) -> PreparedQrels:
        """The judgements that the samples are drawn from."""
        return self.aligned.qrels

    @property
    def placed_parts(self) -> PlacedParts:
        """The parts as spans of the judged documents."""
        return self.aligned.placed_parts

    @property
    def found_characters(self) -> FoundCharacters:
        """The highlighted characters of each part that contains any."""
        return self.characters


def align_samples(alignment: AlignedRun, samples: PreparedQrels, keep: Bools) -> AlignedSamples:
    """Align a run with samples of the judgements; `keep`: a row per sample, a column per passage.

    The overlaps of a part with several passages add up, so that one sparse matrix, parts × passages,
    gives the highlighted text of every part under every sample.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  # slow to load, and scoring does not need it

    part, passage, size = alignment.placed_parts.overlaps
    parts, part_index = np.unique(part, return_inverse=True)
    overlap = csr_array((size, (part_index, passage)), shape=(len(parts), keep.shape[1]))
    found_size = np.ascontiguousarray((overlap @ keep.T.astype(np.int64)).T)
    sample, column = np.nonzero(found_size)
    topics = len(alignment.qrels.topics) * np.arange(len(keep))[:, None] + alignment.topics
    return AlignedSamples(
        alignment.run,
        samples,
        alignment.conventions,
        topics.ravel(),
        alignment,
        FoundCharacters(len(keep), sample, parts[column], found_size[sample, column]),
    )
