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
from foveal.errors import BadInput, DataError, Problem, counted, shortened, some
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
LOOKED_AT = 10_000
SHOWN_DOCUMENTS = 3


def best_reading(
    chunks: Chunks | None, named: PreparedQrels, judged: PreparedQrels, topics: Ints
) -> tuple[Ints, Ints]:
    """Highlighted text in chunks, and all text that is highlighted or in a chunk with highlights.

    Both for each of `topics`. `named` are the judgements with the names of their documents, of which
    `judged` may be samples.
    """
    judged.need_highlights()
    if chunks is None:
        raise DataError(NO_CHUNKS)
    frame = chunks.frame
    document, known = _numbered(frame[columns.DOC], named.names.series())
    start, end = (frame[name].to_numpy() for name in (columns.START, columns.END))
    count = int(document.max(initial=-1)) + 2
    passages = judged.passages
    own = known[passages.row % named.documents]
    if len(own) and (own == count - 1).all():
        (highlighted,) = named.names.take(passages.row[:1] % named.documents).strings()
        raise DataError(OTHER_DOCUMENTS.format(chunks.source, frame[columns.DOC][0], highlighted))
    in_chunks = Highlights.of(*united(document, start, end, count), count)
    found = in_chunks.count(own, passages.start, passages.end)
    low, high = extended(
        (own, passages.start, passages.end),
        (document, start, end),
        count,
        touching=judged.conventions.touching_counts,
    )
    row, first, last = united(passages.row, low, high, judged.samples * judged.documents)
    number = len(judged.topics)
    held = totals(judged.topic[passages.row], found, number)
    read = totals(judged.topic[row], last - first, number)
    return held[topics], read[topics]


def _numbered(chunked: pl.Series, judged: pl.Series) -> tuple[Ints, Ints]:
    """Numbers of the chunks' documents and of the judged ones; those without chunks share one."""
    number = numbered(chunked)
    known = chunked.unique(maintain_order=True)
    place = judged.replace_strict(known, np.arange(len(known)), default=UNKNOWN).to_numpy()
    return number, np.where(place == UNKNOWN, len(known), place)


Array = TypeVar("Array", Floats, Ints)


@frozen(eq=False)
class Alignment(ABC):
    """A run aligned with the judgements, or with many samples of them: what a measure looks at.

    `topics` are the numbers of the evaluated topics. Parts, documents and grades are computed when
    a measure first asks for them.
    """

    run: Run
    judged: PreparedQrels
    conventions: Conventions
    topics: Ints

    @property
    @abstractmethod
    def laid(self) -> PlacedParts:
        """The parts as spans of the judged documents."""

    @property
    @abstractmethod
    def text(self) -> FoundCharacters:
        """The highlighted text that the parts contain."""

    @cached_property
    def parts(self) -> RankedParts:
        """The ranking of parts."""
        return RankedParts.of(self.laid, self.judged, self.topics, self.text)

    @cached_property
    def returned(self) -> RawParts:
        """The parts as they were returned, and what they share with passages."""
        return RawParts.of(self.laid, self.judged, self.topics)

    @cached_property
    def stretches(self) -> HighlightPieces:
        """The highlighted text in the order in which it is read."""
        return HighlightPieces.of(self.laid, self.judged, self.topics)

    @cached_property
    def met(self) -> PassagePairs:
        """The parts as they were returned, and the passages that they meet."""
        return PassagePairs.of(self.laid, self.judged, self.topics)

    @cached_property
    def best_reading(self) -> tuple[Ints, Ints]:
        """What the best run of the system's chunks finds and reads, for each topic."""
        return best_reading(self.run.chunk_list, self.named, self.judged, self.topics)

    @property
    def named(self) -> PreparedQrels:
        """The judgements with the names of their documents."""
        return self.judged

    @cached_property
    def documents(self) -> RankedDocuments:
        """The ranking of documents, with what was returned from each."""
        return RankedDocuments.of(self.laid, self.judged, self.topics, self.text)

    @cached_property
    def graded(self) -> GradedLists:
        """The ranking of documents with their grades, cut at the conventions' depth."""
        lists = self._whole_graded
        if self.conventions.depth is not None:
            lists = lists.cut(self.conventions.depth)
        return lists

    def aspects(self, answering: AspectRule) -> AspectLists:
        """The aspects of the answers, documents or parts; the measures of one call share them."""
        if answering not in self._aspect_lists:
            self._aspect_lists[answering] = self._with_aspects(answering)
        return self._aspect_lists[answering]

    @property
    def topics_without_aspects(self) -> Ints:
        """The evaluated topics of which measures of aspects, if any were asked, found none."""
        bare = [self.topics[lists.aspects == 0] for lists in self._aspect_lists.values()]
        return np.unique(np.concatenate(bare)) if bare else np.arange(0)

    def _with_aspects(self, answering: AspectRule) -> AspectLists:
        # What the measures look at is cut or thinned out by document, never by part.
        lists = (
            self._whole_graded
            if answering.parts
            else self.graded.seen(judged_only=answering.judged_only)
        )
        names = self.named.names
        if self.run.whole_documents_only:
            return AspectLists.of_documents(lists, names, answering)
        return AspectLists.of_parts(self.laid, lists, names, answering)

    @cached_property
    def _aspect_lists(self) -> dict[AspectRule, AspectLists]:
        return {}

    @property
    def _whole_graded(self) -> GradedLists:
        return GradedLists.of_documents(self.judged, self.topics, self.laid, self.text.samples)


@frozen(eq=False)
class AlignedRun(Alignment):
    """One run aligned with the judgements, and what is reported of it beside its scores.

    `counts` has the number of results of each evaluated topic. Topics that are nearly tied have
    scores that differ, but not as 32-bit numbers; rising ones have scores that rise down the list,
    mixed ones scores that rise and fall. Of a run that stays in its file, the `results` are the lists
    of judged documents.
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
        """What ranks the results."""
        return ranked_by(self.run, self.conventions)

    @cached_property
    def missing_topics(self) -> Ints:
        """The places of the evaluated topics for which nothing was returned."""
        return np.flatnonzero(self.counts == 0)

    @property
    def has_judged_documents(self) -> bool:
        """Whether any document that was returned is judged for its topic."""
        if "laid" in vars(self):
            return bool(np.any(self.laid.document_row != UNKNOWN))
        return bool(len(self._whole_graded.topic))

    def each_time(self, values: Array, places: Ints | None = None) -> Array:
        """Values of the evaluated topics, or of those at some places, as often as these count.

        Topics are along the last axis.
        """
        if self.judged.times is None:
            return values
        topics = self.topics if places is None else self.topics[places]
        return np.repeat(values, self.judged.times[topics], axis=-1)

    @property
    def listed_topics(self) -> Ints:
        """The places of the evaluated topics that are listed, each in a row of its own."""
        every = np.arange(len(self.topics))
        if self.conventions.missing_topics_have_rows:
            return every
        return np.delete(every, self.missing_topics)

    def topic_notes(self) -> Iterator[str]:
        """Notes on topics and documents that the run and the judgements do not share."""
        judged, returned = self.judged, self.run.results.topics
        missing = [judged.topics[i] for i in self.topics[self.missing_topics]]
        if len(missing) == len(self.topics):
            yield AlarmNote(
                f"none of its topics ({some(returned)}) is among the topics that are scored"
                f" ({some(missing)}), so every score is that of an empty list"
                f"{naming_hint(returned, missing)}"
            )
            return
        # Where topics were chosen, the others are left out on purpose.
        if self.unjudged_topics and judged.times is None:
            yield f"ignored {counted(self.unjudged_topics, 'topic')} without judgements"
        if not self.has_judged_documents:
            yield self._other_documents()
        if missing:
            topics = counted(len(missing), "judged topic")
            yield f"{topics} without results, scored as empty lists: {some(missing)}"
        # The topics that would count if all judged ones did.
        counts = np.array(judged.eligible, dtype=bool)
        counts[self.topics] = False
        skipped = [judged.topics[i] for i in np.flatnonzero(counts)]
        if skipped:
            topics = counted(len(skipped), "judged topic")
            yield f"{topics} without results, left out of the mean (topics retrieved): {some(skipped)}"

    def _other_documents(self) -> str:
        """The note that run and judgements share no document, and which names may mean the same."""
        names = self.judged.names
        evaluated = np.flatnonzero(np.isin(self.judged.topic, self.topics))
        returned = _first_names(self.laid.document_names)
        judged, known = _first_names(names.take(evaluated)), _first_names(names)
        if not {*known}.isdisjoint(returned):
            meant = "they are judged for other topics"
        else:
            meant = DocumentNames(judged).question(returned) or "are these the same identifiers?"
        return (
            f"none of its documents ({shortened(', '.join(returned[:SHOWN_DOCUMENTS]))}) is judged for"
            f" its topic (judged are {shortened(', '.join(judged[:SHOWN_DOCUMENTS]))}): {meant}"
        )

    def order_notes(self) -> Iterator[str]:
        """Notes on ranks and scores: several lists in one, or distances taken for scores."""
        several = counted(int(np.count_nonzero(self.counts > 1)), "topic")
        # A format that ranks equal ranks by place expects them.
        ties = self.conventions.ties or self.run.ties
        if self.order_by is Order.RANK and self.tied_topics and ties is not Ties.PLACE:
            yield (
                f"ranks repeat within a topic in {self.tied_topics:,} of {several}: are several"
                " questions under one topic?"
            )
        is_listed = self.order_by is Order.FILE and self.conventions.order is None
        if is_listed and self.mixed_topics:
            yield (
                f"ranked as listed, which contradicts the scores in {self.mixed_topics:,} of"
                f" {several}: --order score ranks by score"
            )
        if 2 * self.rising_topics <= np.count_nonzero(self.counts > 1):
            return
        where = f"in {self.rising_topics:,} of {several}"
        if self.order_by is Order.SCORE:
            yield (
                f"listed by rising score {where} but ranked by falling score: distances? --order file"
                " ranks them as listed"
            )
        else:
            kept = "as listed" if self.order_by is Order.FILE else "by rank"
            yield f"scores rise down the list {where}: distances? (ranked {kept})"

    def aspect_notes(self) -> Iterator[str]:
        """Note topics without aspects, if measures of aspects were asked for."""
        bare = [self.judged.topics[i] for i in self.topics_without_aspects]
        if bare:
            yield (
                f"{counted(len(bare), 'topic')} without aspects that count, where measures of aspects"
                f" are 0: {some(bare)}"
            )

    def whole_document_notes(self) -> Iterator[str]:
        """Note that whole documents were scored as chunks."""
        # Laid out when a measure first asked where parts are: others look at documents only.
        looked_at_text = self.conventions.task is Task.RAG and "laid" in vars(self)
        if looked_at_text and self.run.whole_documents_only:
            yield (
                "no result has a start and an end, so each is a whole document, which finds everything"
                " in it: if they are chunks, give start and end, or their text and --docs DOCUMENTS"
                " (in Python docs=)"
            )

    def chunk_notes(self) -> Iterator[str]:
        """Notes on results, or highlighted documents, that are not in the chunk list."""
        # Read when a measure first asked for the best run of the chunks: others need no list.
        chunks = self.run.chunk_list if "best_reading" in vars(self) else None
        if chunks is None:
            return
        span = [columns.DOC, columns.START, columns.END]
        first = self.run.frame.head(LOOKED_AT)
        # Only the chunks of the first results are looked at further.
        known = chunks.frame.select(span).join(first, on=span, how="semi")
        strange = first.join(known, on=span, how="anti").height
        if strange:
            more = "the first " if first.height < self.run.frame.height else ""
            yield (
                f"{strange:,} of {more}{counted(first.height, 'result')} not in the chunk list"
                f" ({chunks.source}): does it belong to another run?"
            )
        names = self.judged.names.series().gather(self.judged.passages.row).unique()
        absent = names.filter(~names.is_in(chunks.frame[columns.DOC].unique().implode())).sort()
        if len(absent):
            yield (
                f"{counted(len(absent), 'document')} with highlights but without chunks in the list"
                f" ({chunks.source}), first {absent[0]!r}: nothing can be found there"
            )

    def limit_notes(self) -> Iterator[str]:
        """Note topics with more results than INEX allows."""
        over = self.counts[self.counts > TOPIC_RESULTS]
        if len(over) and self.conventions.task is not Task.RAG:
            yield (
                f"{counted(len(over), 'topic')} over INEX's limit of {TOPIC_RESULTS:,} results (up to"
                f" {over.max():,}): all of them are scored"
            )

    @cached_property
    def laid(self) -> PlacedParts:
        """The parts as spans of the judged documents; a run in its file is read again and kept."""
        ordered = self.results
        if isinstance(ordered, GradedLists):
            return align(self.run.whole(), self.judged, self.conventions).laid
        results, topic = ordered.results, ordered.topic.rows
        permutation = ordered.order.permutation
        if permutation is not None:
            results, topic = results.taken(permutation), topic[permutation]
        return place_parts(self.run, self.judged, self.conventions, self.topics, results, topic)

    @cached_property
    def text(self) -> FoundCharacters:
        """The highlighted text that the parts contain."""
        part = np.flatnonzero(self.laid.part_relevant)
        return FoundCharacters(1, np.zeros_like(part), part, self.laid.part_relevant[part])

    @cached_property
    def _whole_graded(self) -> GradedLists:
        own = self.results
        if isinstance(own, GradedLists):
            return own
        if not self.run.whole_documents_only:
            return super()._whole_graded
        return GradedLists.of_rows(self.judged, self.topics, own.results, own.topic, own.order)


def _first_names(names: Names) -> list[str]:
    return list(dict.fromkeys(names.take(np.arange(min(len(names), LOOKED_AT))).strings()))


def align(run: Run, judged: PreparedQrels, conventions: Conventions) -> AlignedRun:
    """Align a run with the judgements block by block; read it whole where that cannot be."""
    _refuse_unplaced(run, judged, conventions)
    blocks = aligned_blocks(run, judged, conventions)
    if not blocks:
        return align(run.whole(), judged, conventions)
    returned = np.concatenate([block.topics for block in blocks])
    topics = evaluated_topics(judged.eligible, returned, conventions.topics)
    place = np.full(len(judged.topics), UNKNOWN, dtype=np.int64)
    place[topics] = np.arange(len(topics))
    counts = np.zeros(len(topics), dtype=np.int64)
    counts[place[returned]] = np.concatenate([block.counts for block in blocks])
    last = blocks[-1]
    alignment = AlignedRun(
        run=run if last.ordered else _named(run, last),
        judged=judged,
        conventions=conventions,
        topics=topics,
        unjudged_topics=sum(block.unjudged_topics for block in blocks),
        counts=counts,
        tied_topics=sum(block.tied_topics for block in blocks),
        nearly_tied_topics=sum(block.nearly_tied_topics for block in blocks),
        rising_topics=sum(block.rising_topics for block in blocks),
        mixed_topics=sum(block.mixed_topics for block in blocks),
        results=_among(last.ordered, place[returned], len(topics))
        if last.ordered
        else _joined(blocks, judged, topics, counts, place),
    )
    if not run.whole_documents_only:
        # Parts that overlap or reach too far are refused whichever measures are asked for.
        _ = alignment.laid
    return alignment


def _named(run: Run, last: AlignedBlock) -> Run:
    """The run in a file by its name and tag, which are known with the last block."""
    return replace(run, name=last.name, origin=replace(run.origin, last_tag=last.tag))


def _among(ordered: OrderedResults, place: Ints, topics: int) -> OrderedResults:
    """The results with the places of their topics among more topics, in the same order."""
    column = ordered.topic
    if column.topics == topics:
        return ordered
    wider = TopicColumn(column.first, place[column.topic], column.height, topics)
    return replace(ordered, topic=wider)


def _joined(
    blocks: Sequence[AlignedBlock], judged: PreparedQrels, topics: Ints, counts: Ints, place: Ints
) -> GradedLists:
    """The judged documents of all blocks."""
    found = zip(*(block.judged_documents for block in blocks), strict=True)
    topic, rank, row = map(np.concatenate, found)
    order = np.argsort(place[topic], kind="stable")
    row = row[order]
    return GradedLists(
        judged=judged,
        topics=topics,
        count=counts,
        topic=place[topic][order],
        rank=rank[order],
        row=row,
        grade=judged.grade[row],
    )


def _refuse_unplaced(run: Run, judged: PreparedQrels, conventions: Conventions) -> None:
    """Refuse parts without offsets; in INEX's runs they are elements that count as irrelevant.

    Judgements of whole documents do not ask where a text is.
    """
    if run.whole_documents_only:
        return
    if judged.has_highlights:
        refuse_unplaced(run)
    if run.origin.is_inex or conventions.like is Like.INEX_EVAL:
        return
    unmapped = run.frame[columns.START] == columns.UNMAPPED
    lines = run.frame[columns.LINE].filter(unmapped).to_list()
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

    `read` is how many characters of the topic's list are read before a piece, `found` how many of
    these are highlighted and new, `size` how many characters it has. It goes on over the end of a
    part if the next part begins with highlighted text. `highlighted` is Trel of each topic.
    """

    topic: Ints
    read: Ints
    found: Ints
    size: Ints
    highlighted: Ints

    @classmethod
    def of(cls, laid: PlacedParts, judged: PreparedQrels, topics: Ints) -> Self:
        """The pieces of a run, for one sample of the judgements after the other."""
        judged.need_highlights()
        topic, read, size = _within_pieces(laid, judged)
        opens = np.ones(len(topic), dtype=bool)
        opens[1:] = (topic[1:] != topic[:-1]) | (read[1:] != read[:-1] + size[:-1])
        size = totals(np.cumsum(opens) - 1, size, int(opens.sum()))
        topic, read = topic[opens], read[opens]
        found = Segments.grouped(topic, len(topics)).running(size) - size
        return cls(topic, read, found, size, judged.topic_highlighted[topics])

    def total(self, values: Floats) -> Floats:
        """The sum over each topic's stretches."""
        return totals(self.topic, values, len(self.highlighted))


def _within_pieces(laid: PlacedParts, judged: PreparedQrels) -> tuple[Ints, Ints, Ints]:
    """The highlighted text of each piece: topic, characters read before it, its own characters."""
    pieces, piece = laid.pieces, laid.relevant_pieces
    before_part = laid.read - laid.part_size
    of_part = Segments.grouped(pieces.part, len(before_part))
    before = before_part[pieces.part] + of_part.running(pieces.size) - pieces.size
    sample = np.repeat(np.arange(judged.samples), len(piece))
    piece = np.tile(piece, judged.samples)
    document = laid.part_document[pieces.part[piece]]
    row = laid.document_row[document] + sample * judged.documents
    span, offset, size = judged.highlights.pieces(row, pieces.start[piece], pieces.end[piece])
    topic = laid.document_topic[document] + sample * len(laid.topics)
    return topic[span], before[piece[span]] + offset, size


@frozen(eq=False)
class AlignedSamples(Alignment):
    """One run aligned with samples of the judgements; to a measure, each sample has its own topics.

    The text read is the same for every sample; only how much of it is highlighted differs.
    """

    aligned: AlignedRun
    found: FoundCharacters

    @property
    def named(self) -> PreparedQrels:
        """The judgements that the samples are drawn from."""
        return self.aligned.judged

    @property
    def laid(self) -> PlacedParts:
        """The parts as spans of the judged documents."""
        return self.aligned.laid

    @property
    def text(self) -> FoundCharacters:
        """The highlighted text that the parts contain."""
        return self.found


def align_samples(alignment: AlignedRun, samples: PreparedQrels, kept: Bools) -> AlignedSamples:
    """Align a run with samples of the judgements; `kept`: a row per sample, a column per passage.

    What a part shares with several passages adds up, so that one sparse matrix, parts × passages,
    gives the highlighted text of every part under every sample.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  # slow to load, and scoring does not need it

    part, passage, common = alignment.laid.overlaps
    showing, place = np.unique(part, return_inverse=True)
    overlap = csr_array((common, (place, passage)), shape=(len(showing), kept.shape[1]))
    size = np.ascontiguousarray((overlap @ kept.T.astype(np.int64)).T)
    sample, which = np.nonzero(size)
    numbers = len(alignment.judged.topics) * np.arange(len(kept))[:, None] + alignment.topics
    return AlignedSamples(
        alignment.run,
        samples,
        alignment.conventions,
        numbers.ravel(),
        alignment,
        FoundCharacters(len(kept), sample, showing[which], size[sample, which]),
    )
