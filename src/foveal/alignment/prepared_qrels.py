"""Judgements prepared once and then used for every run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np

from foveal.conventions import Conventions
from foveal.errors import BadInput, NoAspects, NoHighlights, Problem
from foveal.frozen import frozen
from foveal.spans import Bools, Floats, Highlights, Ints, Segments, clipped, totals
from foveal.tables import AspectColumns, Lookup, Names, Qrels, QrelsColumns, eligible_topics

Value = TypeVar("Value")
UNKNOWN = -1


@frozen(eq=False)
class _JudgedDocuments:
    """Topic and stated values of the judged documents, by row; -1 (for grades: NaN) if not stated."""

    topic: Ints
    grade: Floats
    length: Ints
    entry: Ints
    rsize: Ints

    @classmethod
    def of(cls, judgements: QrelsColumns, topic: Ints, conventions: Conventions) -> Self:
        """The columns; stated sizes are used only if the conventions say so."""
        size = judgements.stated_size
        if not conventions.stated_relevant_size:
            size = np.full(len(size), UNKNOWN, dtype=np.int64)
        return cls(topic, judgements.grade, judgements.length, judgements.entry, size)


@frozen(eq=False)
class Passages:
    """The passages by document row and start; `table_row` is their row in the judgements' table."""

    table_row: Ints
    row: Ints
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.row)

    @property
    def size(self) -> Ints:
        """The characters of each passage."""
        return self.end - self.start

    @classmethod
    def of(
        cls, judgements: QrelsColumns, documents: _JudgedDocuments, conventions: Conventions
    ) -> Self:
        """The passages that count: those within their documents, unless the stated size is 0."""
        row = judgements.passage_row
        start, end = judgements.passage_start, judgements.passage_end
        table_row = np.flatnonzero(documents.rsize[row] != 0)
        row, start, end = row[table_row], start[table_row], end[table_row]
        if conventions.past_length_allowed:
            index, end = clipped(start, end, documents.length[row])
            table_row, row, start = table_row[index], row[index], start[index]
        return cls(table_row, row, start, end)


@frozen(eq=False)
class PreparedQrels:
    """Judgements as arrays: topics by number, documents by row, and the step function H over them.

    Arrays named `topic_*` have one entry per topic in `topics`; the others one per judged
    document. `length` and `entry` are -1 if unknown; `grade` is 1 or 0 by highlights if no grade
    was stated, and negative if the document was not judged. With several samples, topics
    and documents are repeated for each sample. Each array is computed on first use.
    """

    topics: list[str]
    names: Names
    documents: _JudgedDocuments
    passages: Passages
    conventions: Conventions
    has_highlights: bool
    topic_mask: Bools | None = None
    """Mask of the topics that may count; `None` means all."""

    times: Ints | None = None
    """How many times each topic (of one sample) counts, if the caller chose topics."""

    sample_count: int = 1
    aspect_columns: AspectColumns | None = None
    """The aspects that count, by document row; `None` if the judgements name none."""

    cache: dict[object, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, qrels: Qrels, conventions: Conventions) -> Self:
        """The judgements under the given conventions."""
        if not conventions.past_length_allowed:
            _refuse_past_length(qrels)
        judgements = qrels.judgements
        topics = sorted(judgements.topics)
        index = {name: index for index, name in enumerate(topics)}
        number = np.array([index[name] for name in judgements.topics], dtype=np.int64)
        documents = _JudgedDocuments.of(judgements, number[judgements.topic], conventions)
        return cls(
            topics=topics,
            names=judgements.names,
            documents=documents,
            passages=Passages.of(judgements, documents, conventions),
            conventions=conventions,
            has_highlights=qrels.has_highlights,
            times=np.array([qrels.chosen.times[name] for name in topics]) if qrels.chosen else None,
            aspect_columns=_aspects(judgements, documents, conventions),
        )

    @property
    def document_count(self) -> int:
        """The number of judged documents, in one sample."""
        return len(self.documents.topic)

    def has_irrelevant(self, rel: float) -> bool:
        """True if a judged document has a lower grade than this."""
        return bool(np.any((self.grade >= 0) & (self.grade < rel)))

    def need_highlights(self) -> None:
        """Raise NoHighlights if the judgements are about whole documents only."""
        if not self.has_highlights:
            raise NoHighlights

    @property
    def aspects(self) -> AspectColumns:
        """The aspects of the judged documents, by row; raises NoAspects if none are named.

        With several samples, each has the aspects of its own passages; those of whole
        documents are in all.
        """
        if self.aspect_columns is None:
            raise NoAspects
        return self.aspect_columns

    def only(self, keep: Bools) -> PreparedQrels:
        """The same judgements with a mask of the topics that count."""
        return replace(self, topic_mask=keep, cache={})

    def sampled(self, keep: Bools) -> PreparedQrels:
        """The judgements reduced to samples of their passages, one sample after the other.

        `keep` has a row per sample and a column per passage. Topic t of sample s is number s·T + t,
        document d is row s·D + d. The stated size of a document that lost a passage is ignored; its
        stated entry point stays.
        """
        sample, passage = np.nonzero(keep)
        passages, count, documents = self.passages, self.document_count, self.documents
        if (documents.rsize >= 0).any():
            lost_counts = [np.bincount(passages.row[~mask], minlength=count) for mask in keep]
            size = np.where(np.array(lost_counts) > 0, UNKNOWN, documents.rsize)
            documents = replace(documents, rsize=size.ravel())
        return replace(
            self,
            topics=self.topics * len(keep),
            names=self.names.take(np.arange(0)),
            documents=documents,
            passages=Passages(
                passages.table_row[passage],
                sample * count + passages.row[passage],
                passages.start[passage],
                passages.end[passage],
            ),
            sample_count=len(keep),
            aspect_columns=self._sampled_aspects(keep),
            cache={},
        )

    def _sampled_aspects(self, keep: Bools) -> AspectColumns | None:
        """The aspects of the passages in each sample, one sample after the other."""
        aspects = self.aspect_columns
        if aspects is None:
            return None
        whole_documents = np.ones((len(keep), 1), dtype=bool)
        column = aspects.highlight_indices(self.highlights)
        sample, entry = np.nonzero(np.hstack([keep, whole_documents])[:, column])
        return replace(aspects.where(entry), row=sample * self.document_count + aspects.row[entry])

    @cached_property
    def topic(self) -> Ints:
        """The number of each document's topic."""
        return self._topics_of(np.arange(self.sample_count * self.document_count))

    @cached_property
    def highlighted(self) -> Ints:
        """Trel(d): the highlighted characters of each document, as stated or as counted."""
        passages = self.passages
        highlighted = totals(passages.row, passages.size, self.sample_count * self.document_count)
        if (self.documents.rsize >= 0).any():
            highlighted = np.where(self.documents.rsize >= 0, self.documents.rsize, highlighted)
        return highlighted

    @cached_property
    def relevant(self) -> Bools:
        """rel(d): mask of documents with highlights; by grade if the judgements have none."""
        if self.has_highlights:
            return self.highlighted > 0
        return self.grade >= self.conventions.rel

    @cached_property
    def grade(self) -> Floats:
        """The grade of each document; where none was stated, 1 if it has highlights, else 0."""
        stated_grade = np.tile(self.documents.grade, self.sample_count)
        return np.where(np.isnan(stated_grade), self.highlighted > 0, stated_grade)

    @cached_property
    def length(self) -> Ints:
        """The length of each document."""
        return np.tile(self.documents.length, self.sample_count)

    @cached_property
    def entry(self) -> Ints:
        """The best entry point of each document, or the start of its first highlight."""
        entry = np.tile(self.documents.entry, self.sample_count)
        if self.conventions.entry_point_must_be_stated:
            return entry
        first_start = np.full(len(entry), UNKNOWN, dtype=np.int64)
        first_start[self.passages.row[::-1]] = self.passages.start[::-1]
        return np.where(entry == UNKNOWN, first_start, entry)

    @cached_property
    def highlights(self) -> Highlights:
        """The highlights of all documents on one axis."""
        spans, count = self.passages, self.sample_count * self.document_count
        return Highlights.of(spans.row, spans.start, spans.end, count)

    @cached_property
    def topic_highlighted(self) -> Ints:
        """Trel: the highlighted characters of each topic."""
        highlighted = self.highlighted[self.relevant]
        return totals(self._topics_of_relevant, highlighted, len(self.topics))

    @cached_property
    def topic_relevant(self) -> Ints:
        """Nrel: the relevant documents of each topic."""
        return np.bincount(self._topics_of_relevant, minlength=len(self.topics))

    @cached_property
    def eligible(self) -> Bools:
        """Mask of the topics that count."""
        graded = self.documents.topic[self.documents.grade > 0]
        graded_count = np.bincount(graded, minlength=len(self.topics) // self.sample_count)
        count = self.topic_relevant + np.tile(graded_count, self.sample_count)
        eligible = eligible_topics(count, all_judged=self.conventions.irrelevant_topics_count)
        mask = self.topic_mask
        return eligible if mask is None else eligible & np.tile(mask, self.sample_count)

    @cached_property
    def _topics_of_relevant(self) -> Ints:
        return self._topics_of(np.flatnonzero(self.relevant))

    def _topics_of(self, rows: Ints) -> Ints:
        """Topic numbers of the documents in the given rows."""
        if self.sample_count == 1:
            return self.documents.topic[rows]
        sample, document = np.divmod(rows, self.document_count)
        topic_count = len(self.topics) // self.sample_count
        topic: Ints = self.documents.topic[document] + topic_count * sample
        return topic

    @cached_property
    def by_grade(self) -> Ints:
        """The judged documents by topic, the highest grade first."""
        return np.lexsort((-self.grade, self.topic))

    @cached_property
    def segments(self) -> Segments:
        """The documents of each topic in `by_grade`."""
        return Segments.grouped(self.topic[self.by_grade], len(self.topics))

    @property
    def lookup(self) -> Lookup:
        """The judged documents by topic and name."""
        return self.cached(Lookup, lambda: Lookup.of(self.names, self.documents.topic, self.topics))

    def topic_numbers(self, names: Sequence[str]) -> Ints:
        """The number of each topic, -1 where it is not judged."""
        number = self.cached("numbers", lambda: {name: n for n, name in enumerate(self.topics)})
        return np.array([number.get(name, UNKNOWN) for name in names], dtype=np.int64)

    def cached(self, key: object, compute: Callable[[], Value]) -> Value:
        """The value of `compute`, computed once per key: all runs use the same judgements."""
        if key not in self.cache:
            self.cache[key] = compute()
        value: Value = self.cache[key]
        return value

    def __getstate__(self) -> dict[str, object]:
        """The state for another process, without the cache, which it can compute again."""
        return {**self.__dict__, "cache": {}}


def _aspects(
    judgements: QrelsColumns, documents: _JudgedDocuments, conventions: Conventions
) -> AspectColumns | None:
    """The aspects that count: those of whole documents, and of passages as in `Passages.of`."""
    aspects = judgements.aspects
    if aspects is None:
        return None
    if aspects.is_whole.all():
        return aspects
    aspects = aspects.where(np.flatnonzero(aspects.is_whole | (documents.rsize[aspects.row] != 0)))
    if not conventions.past_length_allowed:
        return aspects
    whole_rows, passage_rows = np.flatnonzero(aspects.is_whole), np.flatnonzero(~aspects.is_whole)
    length = documents.length[aspects.row[passage_rows]]
    index, end = clipped(aspects.start[passage_rows], aspects.end[passage_rows], length)
    aspects.end[passage_rows[index]] = end
    return aspects.where(np.sort(np.concatenate([whole_rows, passage_rows[index]])))


def _refuse_past_length(qrels: Qrels) -> None:
    judgements = qrels.judgements
    row, start, end = judgements.passage_row, judgements.passage_start, judgements.passage_end
    length = judgements.length[row]
    indices = np.flatnonzero((length != UNKNOWN) & (end > length))
    if len(indices):
        problems = [
            Problem(
                int(judgements.line[row[i]]),
                f"the passage from {start[i]} to {end[i]} goes beyond the end of its document at"
                f" {length[i]}",
            )
            for i in indices
        ]
        raise BadInput(
            qrels.source,
            problems,
            "passages that end within their documents (--like inex_eval ignores what is beyond)",
        )
