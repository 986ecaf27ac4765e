"""The documents of the lab, judged and made up, and the runs that are made of them and of parts."""

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
# The lowest grade that says the same as a highlight.
RELEVANT_GRADE = 1.0

Numbers = TypeVar("Numbers", Ints, Floats)


def fixed(numbers: Numbers) -> Numbers:
    """The numbers, which nobody can change from now on: all functions of the lab see the same."""
    numbers.setflags(write=False)
    return numbers


@frozen(eq=False)
class Parts:
    """Parts of documents: the row of each one's document, its start and its end."""

    document: Ints
    start: Ints
    end: Ints

    def only(self, kept: Bools) -> Parts:
        """The parts that are kept."""
        return Parts(self.document[kept], self.start[kept], self.end[kept])


@frozen(eq=False)
class LabDocuments:
    """Documents by row: the judged ones in the order of their file, then the made-up ones.

    `topic` is a place in `topics`; a length of -1 is unknown. `passages` are those of documents with
    highlights, in order. A topic has at least as many documents without highlights as relevant ones;
    where too few were judged, the rest are made up.
    """

    topics: tuple[str, ...]
    topic: Ints
    name: pl.Series
    length: Ints
    highlighted: Ints
    judged: int
    passages: Parts
    elements: ElementLookup | None

    @cached_property
    def relevant(self) -> Ints:
        """The relevant documents, topic after topic, those with most highlighted text first.

        Among equals the judgement file decides.
        """
        rows = np.flatnonzero(self.highlighted > 0)
        return fixed(rows[np.lexsort((-self.highlighted[rows], self.topic[rows]))])

    @cached_property
    def others(self) -> Ints:
        """Documents without highlights of the topics that have relevant ones, topic after topic."""
        rows = np.flatnonzero((self.highlighted == 0) & self._counts[self.topic])
        return fixed(rows[np.argsort(self.topic[rows], kind="stable")])

    @cached_property
    def intruders(self) -> Ints:
        """The first document without highlights of every topic with relevant ones."""
        return fixed(self.others[self.openings(self.others)])

    @cached_property
    def _counts(self) -> Bools:
        return np.bincount(self.topic[self.relevant], minlength=len(self.topics)) > 0

    def openings(self, documents: Ints) -> Ints:
        """Where each topic begins among documents listed topic after topic."""
        return np.flatnonzero(np.diff(self.topic[documents], prepend=UNKNOWN))

    def places(self, documents: Ints) -> Ints:
        """The place of each document in its topic's list, from 0."""
        openings = self.openings(documents)
        count = np.diff(openings, append=len(documents))
        return np.arange(len(documents)) - np.repeat(openings, count)

    def whole(self, documents: Ints) -> Parts:
        """Documents as wholes."""
        return Parts(documents, np.zeros_like(documents), self.length[documents])

    @cached_property
    def passage_frame(self) -> pl.DataFrame:
        """The passages as the offset index takes them: doc, start, end."""
        return pl.DataFrame(
            {
                columns.DOC: self.name.gather(self.passages.document),
                columns.START: self.passages.start,
                columns.END: self.passages.end,
            }
        )


def usable(qrels: QrelsLike, elements: ElementLookup | None) -> Qrels:
    """The judgements as the lab takes them: with highlights, and told by them alone."""
    if elements is not None and not hasattr(elements, "smallest_containing"):
        raise UsageError(
            f"elements must be an offset index, opened with foveal.open_index, got {elements!r}"
        )
    judgements = Qrels.coerced(qrels)
    if not judgements.passages.height:
        # Runs are made of highlights, whatever the measures.
        raise NoHighlights(instead="")
    return _told_by_highlights(judgements, elements)


def _told_by_highlights(qrels: Qrels, elements: ElementLookup | None) -> Qrels:
    """The judgements without grades that contradict the highlights, with the lengths that are known.

    Simulated runs contain only what is highlighted: a document that only its grade calls relevant
    would upset their order of merit.
    """
    documents = qrels.documents
    relevant = np.zeros(documents.height, dtype=bool)
    relevant[qrels.passages[columns.JUDGED].to_numpy()] = True
    grade = documents[columns.GRADE]
    opposed = ((grade >= RELEVANT_GRADE) != pl.Series(relevant)).fill_null(value=False)
    notes = qrels.notes
    if opposed.any():
        notes += (
            f"grades that contradict the highlights of their document are ignored: {opposed.sum()}",
        )
    length = documents[columns.LENGTH]
    if elements is not None:
        known = elements.lengths(documents[columns.DOC])
        notes += _of_other_lengths(documents.filter(relevant), known.filter(relevant))
        length = pl.select(pl.coalesce(length, known)).to_series()
    documents = documents.with_columns(
        pl.when(~opposed).then(grade).alias(columns.GRADE), length.alias(columns.LENGTH)
    )
    return qrels.with_frames(documents, notes=notes)


def ground_of(qrels: Qrels, judged: PreparedQrels, elements: ElementLookup | None) -> LabDocuments:
    """The ground that judgements give, once they are ready for scoring."""
    names = qrels.documents[columns.DOC]
    document = qrels.passages[columns.JUDGED].to_numpy().astype(np.int64)
    passages = Parts(
        document, qrels.passages[columns.START].to_numpy(), qrels.passages[columns.END].to_numpy()
    ).only(judged.highlighted[document] > 0)
    for numbers in (passages.document, passages.start, passages.end):
        fixed(numbers)
    topic, length, added = _made_up(judged, names)
    return LabDocuments(
        topics=tuple(judged.topics),
        topic=fixed(np.concatenate([judged.topic, topic])),
        name=pl.concat([names, added]),
        length=fixed(np.concatenate([judged.length, length])),
        highlighted=fixed(np.concatenate([judged.highlighted, np.zeros_like(topic)])),
        judged=names.len(),
        passages=passages,
        elements=elements,
    )


def _made_up(judged: PreparedQrels, names: pl.Series) -> tuple[Ints, Ints, pl.Series]:
    """Topic, length and name of the documents that are made up."""
    relevant, others = (
        np.bincount(judged.topic[chosen], minlength=len(judged.topics))
        for chosen in (judged.highlighted > 0, judged.highlighted == 0)
    )
    count = np.maximum(relevant - others, 0)
    topic = np.repeat(np.arange(len(judged.topics)), count)
    number = np.arange(len(topic)) - np.repeat(np.cumsum(count) - count, count) + 1
    stem = MADE_UP
    while names.str.starts_with(stem).any():
        stem = f"{stem}-{MADE_UP}"
    made = pl.select(pl.format("{}-{}", pl.lit(stem), pl.lit(pl.Series(number)))).to_series()
    return topic, _median_lengths(judged)[topic], made


def _median_lengths(judged: PreparedQrels) -> Ints:
    """The median length of each topic's judged documents, the lower whole number, -1 if unknown."""
    documents = pl.DataFrame({columns.TOPIC: judged.topic, columns.LENGTH: judged.length})
    known = documents.filter(pl.col(columns.LENGTH) >= 0)
    medians = known.group_by(columns.TOPIC).agg(pl.median(columns.LENGTH).floor().cast(pl.Int64))
    lengths = np.full(len(judged.topics), UNKNOWN, dtype=np.int64)
    lengths[medians[columns.TOPIC].to_numpy()] = medians[columns.LENGTH].to_numpy()
    return lengths


def _of_other_lengths(documents: pl.DataFrame, known: pl.Series) -> tuple[str, ...]:
    """What is odd about the lengths of documents with highlights in the offset index."""
    names, length = documents[columns.DOC], documents[columns.LENGTH]
    absent = names.filter(known.is_null()).unique(maintain_order=True)
    if len(absent):
        raise DataError(
            f"{counted(len(absent), 'document')} with highlights missing from the offset index,"
            f" first {absent[0]!r}: index the collection that was judged"
        )
    longer = (known > length).fill_null(value=False).arg_true()
    if len(longer):
        row = longer[0]
        # Its elements could end beyond the length that the judgements give.
        raise DataError(
            f"{counted(len(longer), 'judged document')} longer in the offset index than in the"
            f" judgements, first {names[row]!r} ({known[row]:,} and {length[row]:,} characters):"
            " index the collection that was judged, and count as the judgements do (--count)"
        )
    shorter = int((known < length).sum())
    if not shorter:
        return ()
    return (
        f"{counted(shorter, 'judged document')} shorter in the offset index than in the judgements",
    )


def simulated(ground: LabDocuments, name: str, documents: Ints, parts: Parts) -> Run:
    """The run that returns documents, topic after topic, with the parts given of relevant ones.

    A relevant document without parts keeps its rank with an empty part; the others are whole.
    """
    whole = ground.whole(documents[ground.highlighted[documents] == 0])
    bare = np.setdiff1d(documents[ground.highlighted[documents] > 0], parts.document)
    groups = (parts, whole, Parts(bare, np.zeros_like(bare), np.zeros_like(bare)))
    document, start, end = (
        np.concatenate([getattr(group, field) for group in groups])
        for field in ("document", "start", "end")
    )
    order = np.lexsort((start, document))
    part, count = _taken(documents, document[order], len(ground.topic))
    part = order[part]
    returned = np.repeat(documents, count)
    rank = ground.places(returned) + 1
    last = np.bincount(ground.topic[returned], minlength=len(ground.topics))
    known = pl.col(columns.END) >= 0
    frame = pl.DataFrame(
        {
            columns.TOPIC: pl.Series(ground.topics, dtype=pl.String).gather(ground.topic[returned]),
            columns.DOC: ground.name.gather(returned),
            columns.START: start[part],
            columns.END: end[part],
            columns.RANK: rank,
            columns.SCORE: (last[ground.topic[returned]] - rank + 1).astype(np.float64),
        }
    ).with_columns(pl.when(known).then(pl.col(columns.START, columns.END)))
    # As in INEX's submissions, whole documents may be beside parts: those of unknown length.
    rows = RunRows(frame=frame, name=name, order=Order.FILE)
    return Run.of(rows, origin=Origin(name, format="inex-xml"))


def _taken(documents: Ints, owner: Ints, count: int) -> tuple[Ints, Ints]:
    """The parts of documents in their order, and how many each has; parts come by owner."""
    counts = np.bincount(owner, minlength=count)
    first = np.cumsum(counts) - counts
    own = counts[documents]
    inside = np.arange(own.sum()) - np.repeat(np.cumsum(own) - own, own)
    return np.repeat(first[documents], own) + inside, own
