"""The documents of the lab, judged and made up, and the simulated runs of them."""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar

import numpy as np

from foveal.alignment import PreparedQrels
from foveal.choices import Order
from foveal.elements import ElementLookup
from foveal.errors import DataError, NoHighlights, UsageError, counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Bools, Floats, Ints
from foveal.tables import Origin, Qrels, QrelsLike, Run, RunRows, columns

MADE_UP = "made-up"
UNKNOWN = -1
# The lowest grade that means the same as a highlight: relevant.
RELEVANT_GRADE = 1.0

AnyNumbers = TypeVar("AnyNumbers", Ints, Floats)


def read_only(numbers: AnyNumbers) -> AnyNumbers:
    """Make an array read-only, because all functions of the lab share it."""
    numbers.setflags(write=False)
    return numbers


@frozen(eq=False)
class Parts:
    """Parts of documents: the row of each part's document, its start and its end."""

    document: Ints
    start: Ints
    end: Ints

    def only(self, keep: Bools) -> Parts:
        """The parts selected by a mask."""
        return Parts(self.document[keep], self.start[keep], self.end[keep])


@frozen(eq=False)
class LabDocuments:
    """Documents by row: the judged ones in the order of their file, then the made-up ones.

    `topic` is an index into `topics`; a length of -1 is unknown. `passages` are those of documents with
    highlights, in order. A topic has at least as many documents without highlights as relevant ones;
    if too few were judged, the rest are made up.
    """

    topics: tuple[str, ...]
    topic: Ints
    name: pl.Series
    length: Ints
    highlighted: Ints
    judged_count: int
    passages: Parts
    elements: ElementLookup | None

    @cached_property
    def relevant(self) -> Ints:
        """The relevant documents, topic after topic, those with most highlighted text first.

        Ties keep the order of the judgement file.
        """
        rows = np.flatnonzero(self.highlighted > 0)
        return read_only(rows[np.lexsort((-self.highlighted[rows], self.topic[rows]))])

    @cached_property
    def others(self) -> Ints:
        """Documents without highlights of the topics that have relevant ones, topic after topic."""
        rows = np.flatnonzero((self.highlighted == 0) & self._has_relevant[self.topic])
        return read_only(rows[np.argsort(self.topic[rows], kind="stable")])

    @cached_property
    def intruders(self) -> Ints:
        """The first document without highlights of every topic with relevant ones."""
        return read_only(self.others[self.topic_starts(self.others)])

    @cached_property
    def _has_relevant(self) -> Bools:
        return np.bincount(self.topic[self.relevant], minlength=len(self.topics)) > 0

    def topic_starts(self, documents: Ints) -> Ints:
        """Index of each topic's first document in a list of documents, topic after topic."""
        return np.flatnonzero(np.diff(self.topic[documents], prepend=UNKNOWN))

    def places(self, documents: Ints) -> Ints:
        """Index of each document in its topic's list, from 0."""
        starts = self.topic_starts(documents)
        count = np.diff(starts, append=len(documents))
        return np.arange(len(documents)) - np.repeat(starts, count)

    def whole(self, documents: Ints) -> Parts:
        """Whole documents as parts."""
        return Parts(documents, np.zeros_like(documents), self.length[documents])

    @cached_property
    def passage_frame(self) -> pl.DataFrame:
        """The passages as a frame for the offset index: doc, start, end."""
        return pl.DataFrame(
            {
                columns.DOC: self.name.gather(self.passages.document),
                columns.START: self.passages.start,
                columns.END: self.passages.end,
            }
        )


def lab_qrels(qrels: QrelsLike, elements: ElementLookup | None) -> Qrels:
    """Judgements for the lab: they must have highlights, and contradicting grades are dropped."""
    if elements is not None and not hasattr(elements, "smallest_containing"):
        raise UsageError(
            f"elements must be an offset index, opened with foveal.open_index, got {elements!r}"
        )
    judgements = Qrels.coerced(qrels)
    if not judgements.passages.height:
        # Simulated runs are made of highlights, whatever the measures.
        raise NoHighlights(instead="")
    return _without_contradicting_grades(judgements, elements)


def _without_contradicting_grades(qrels: Qrels, elements: ElementLookup | None) -> Qrels:
    """The judgements without grades that contradict the highlights, with lengths from the index.

    Simulated runs contain only highlighted text: a document that is relevant only by its grade would
    upset their order of merit.
    """
    documents = qrels.documents
    relevant = np.zeros(documents.height, dtype=bool)
    relevant[qrels.passages[columns.JUDGED].to_numpy()] = True
    grade = documents[columns.GRADE]
    contradicts = ((grade >= RELEVANT_GRADE) != pl.Series(relevant)).fill_null(value=False)
    notes = qrels.notes
    if contradicts.any():
        notes += (
            f"grades that contradict the highlights of their document are ignored: {contradicts.sum()}",
        )
    length = documents[columns.LENGTH]
    if elements is not None:
        index_lengths = elements.lengths(documents[columns.DOC])
        notes += _length_notes(documents.filter(relevant), index_lengths.filter(relevant))
        length = pl.select(pl.coalesce(length, index_lengths)).to_series()
    documents = documents.with_columns(
        pl.when(~contradicts).then(grade).alias(columns.GRADE), length.alias(columns.LENGTH)
    )
    return qrels.with_frames(documents, notes=notes)


def lab_of(qrels: Qrels, prepared: PreparedQrels, elements: ElementLookup | None) -> LabDocuments:
    """The lab's documents from judgements and their prepared form."""
    names = qrels.documents[columns.DOC]
    document = qrels.passages[columns.JUDGED].to_numpy().astype(np.int64)
    passages = Parts(
        document, qrels.passages[columns.START].to_numpy(), qrels.passages[columns.END].to_numpy()
    ).only(prepared.highlighted[document] > 0)
    for array in (passages.document, passages.start, passages.end):
        read_only(array)
    made_up_topic, made_up_length, made_up_names = _made_up_documents(prepared, names)
    return LabDocuments(
        topics=tuple(prepared.topics),
        topic=read_only(np.concatenate([prepared.topic, made_up_topic])),
        name=pl.concat([names, made_up_names]),
        length=read_only(np.concatenate([prepared.length, made_up_length])),
        highlighted=read_only(np.concatenate([prepared.highlighted, np.zeros_like(made_up_topic)])),
        judged_count=names.len(),
        passages=passages,
        elements=elements,
    )


def _made_up_documents(qrels: PreparedQrels, names: pl.Series) -> tuple[Ints, Ints, pl.Series]:
    """Topics, lengths and names of the made-up documents."""
    relevant, not_relevant = (
        np.bincount(qrels.topic[mask], minlength=len(qrels.topics))
        for mask in (qrels.highlighted > 0, qrels.highlighted == 0)
    )
    count = np.maximum(relevant - not_relevant, 0)
    topic = np.repeat(np.arange(len(qrels.topics)), count)
    number = np.arange(len(topic)) - np.repeat(np.cumsum(count) - count, count) + 1
    stem = MADE_UP
    while names.str.starts_with(stem).any():
        stem = f"{stem}-{MADE_UP}"
    made_up = pl.select(pl.format("{}-{}", pl.lit(stem), pl.lit(pl.Series(number)))).to_series()
    return topic, _median_lengths(qrels)[topic], made_up


def _median_lengths(qrels: PreparedQrels) -> Ints:
    """Median length of each topic's judged documents, rounded down; -1 if unknown."""
    documents = pl.DataFrame({columns.TOPIC: qrels.topic, columns.LENGTH: qrels.length})
    rows = documents.filter(pl.col(columns.LENGTH) >= 0)
    medians = rows.group_by(columns.TOPIC).agg(pl.median(columns.LENGTH).floor().cast(pl.Int64))
    lengths = np.full(len(qrels.topics), UNKNOWN, dtype=np.int64)
    lengths[medians[columns.TOPIC].to_numpy()] = medians[columns.LENGTH].to_numpy()
    return lengths


def _length_notes(documents: pl.DataFrame, index_lengths: pl.Series) -> tuple[str, ...]:
    """Compare lengths in judgements and offset index: refuses impossible ones, notes shorter ones."""
    names, length = documents[columns.DOC], documents[columns.LENGTH]
    absent = names.filter(index_lengths.is_null()).unique(maintain_order=True)
    if len(absent):
        raise DataError(
            f"{counted(len(absent), 'document')} with highlights missing from the offset index,"
            f" first {absent[0]!r}: index the collection that was judged"
        )
    longer = (index_lengths > length).fill_null(value=False).arg_true()
    if len(longer):
        row = longer[0]
        # Its elements could end beyond the length that the judgements give.
        raise DataError(
            f"{counted(len(longer), 'judged document')} longer in the offset index than in the"
            f" judgements, first {names[row]!r} ({index_lengths[row]:,} and {length[row]:,} characters):"
            " index the collection that was judged, and count as the judgements do (--count)"
        )
    shorter_count = int((index_lengths < length).sum())
    if not shorter_count:
        return ()
    return (
        f"{counted(shorter_count, 'judged document')} shorter in the offset index than in the judgements",
    )


def simulated(lab: LabDocuments, name: str, documents: Ints, parts: Parts) -> Run:
    """The run that returns documents, topic after topic, with the given parts of relevant ones.

    A relevant document without parts keeps its rank with an empty part; the others are whole.
    """
    whole_parts = lab.whole(documents[lab.highlighted[documents] == 0])
    empty = np.setdiff1d(documents[lab.highlighted[documents] > 0], parts.document)
    groups = (parts, whole_parts, Parts(empty, np.zeros_like(empty), np.zeros_like(empty)))
    document, start, end = (
        np.concatenate([getattr(group, field) for group in groups])
        for field in ("document", "start", "end")
    )
    order = np.lexsort((start, document))
    part_index, count = _parts_of(documents, document[order], len(lab.topic))
    part_index = order[part_index]
    returned = np.repeat(documents, count)
    rank = lab.places(returned) + 1
    topic_size = np.bincount(lab.topic[returned], minlength=len(lab.topics))
    has_span = pl.col(columns.END) >= 0
    frame = pl.DataFrame(
        {
            columns.TOPIC: pl.Series(lab.topics, dtype=pl.String).gather(lab.topic[returned]),
            columns.DOC: lab.name.gather(returned),
            columns.START: start[part_index],
            columns.END: end[part_index],
            columns.RANK: rank,
            columns.SCORE: (topic_size[lab.topic[returned]] - rank + 1).astype(np.float64),
        }
    ).with_columns(pl.when(has_span).then(pl.col(columns.START, columns.END)))
    # As in INEX's submissions, a whole document without span may be among parts: its length is unknown.
    rows = RunRows(frame=frame, name=name, order=Order.FILE)
    return Run.of(rows, origin=Origin(name, format="inex-xml"))


def _parts_of(documents: Ints, owner: Ints, row_count: int) -> tuple[Ints, Ints]:
    """Indices of the parts of documents in their order, and each one's number of parts.

    `owner` is the document of each part, in rising order.
    """
    counts = np.bincount(owner, minlength=row_count)
    first = np.cumsum(counts) - counts
    sizes = counts[documents]
    index = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(first[documents], sizes) + index, sizes
