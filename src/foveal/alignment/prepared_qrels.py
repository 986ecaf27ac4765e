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

Prepared = TypeVar("Prepared")
UNKNOWN = -1


@frozen(eq=False)
class _Documents:
    """Judged documents as they were given, by row; -1 (for grades: NaN) where nothing is stated."""

    topic: Ints
    grade: Floats
    length: Ints
    entry: Ints
    size: Ints

    @classmethod
    def of(cls, judgements: QrelsColumns, topic: Ints, conventions: Conventions) -> Self:
        """The columns; stated sizes are used only if the conventions say so."""
        size = judgements.stated
        if not conventions.stated_relevant_size:
            size = np.full(len(size), UNKNOWN, dtype=np.int64)
        return cls(topic, judgements.grade, judgements.length, judgements.entry, size)


@frozen(eq=False)
class Passages:
    """The passages by document row and start; `number` is their place in the judgements' table."""

    number: Ints
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
    def of(cls, judgements: QrelsColumns, given: _Documents, conventions: Conventions) -> Self:
        """The passages that count: those within their documents, unless the stated size is 0."""
        row = judgements.passage_row
        start, end = judgements.passage_start, judgements.passage_end
        number = np.flatnonzero(given.size[row] != 0)
        row, start, end = row[number], start[number], end[number]
        if conventions.past_length_allowed:
            kept, end = clipped(start, end, given.length[row])
            number, row, start = number[kept], row[kept], start[kept]
        return cls(number, row, start, end)


@frozen(eq=False)
class PreparedQrels:
    """Judgements as arrays: topics by number, documents by row, and the step function H over them.

    Arrays named `topic_*` have one entry per topic in `topics`; the others one per judged
    document. `length` and `entry` are -1 where unknown; `grade` is 1 or 0 by highlights where no
    grade was given, and negative where the document was not judged. With several samples, topics
    and documents are repeated for each sample. Each array is computed when first asked for.
    """

    topics: list[str]
    names: Names
    given: _Documents
    passages: Passages
    conventions: Conventions
    has_highlights: bool
    studied: Bools | None = None
    """Topics that may count; None is all."""

    times: Ints | None = None
    """How often each topic (of one sample) counts, if topics were chosen."""

    samples: int = 1
    given_aspects: AspectColumns | None = None
    """The aspects that count by document row; None if the judgements name none."""

    remembered: dict[object, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, qrels: Qrels, conventions: Conventions) -> Self:
        """The judgements under the given conventions."""
        if not conventions.past_length_allowed:
            _refuse_past_length(qrels)
        judgements = qrels.judgements
        topics = sorted(judgements.topics)
        place = {name: place for place, name in enumerate(topics)}
        number = np.array([place[name] for name in judgements.topics], dtype=np.int64)
        given = _Documents.of(judgements, number[judgements.topic], conventions)
        return cls(
            topics=topics,
            names=judgements.names,
            given=given,
            passages=Passages.of(judgements, given, conventions),
            conventions=conventions,
            has_highlights=qrels.has_highlights,
            times=np.array([qrels.chosen.times[name] for name in topics]) if qrels.chosen else None,
            given_aspects=_aspects(judgements, given, conventions),
        )

    @property
    def documents(self) -> int:
        """The number of judged documents, in one sample."""
        return len(self.given.topic)

    def has_irrelevant(self, rel: float) -> bool:
        """Whether a document was judged and has a lower grade than this."""
        return bool(np.any((self.grade >= 0) & (self.grade < rel)))

    def need_highlights(self) -> None:
        """Raise NoHighlights if the judgements are about whole documents only."""
        if not self.has_highlights:
            raise NoHighlights

    @property
    def aspects(self) -> AspectColumns:
        """The aspects of the judged documents, by row; raises NoAspects if none are named.

        With several samples, each has those of the passages that it keeps; whole documents keep
        theirs.
        """
        if self.given_aspects is None:
            raise NoAspects
        return self.given_aspects

    def among(self, topics: Bools) -> PreparedQrels:
        """The same judgements, of which only some topics count."""
        return replace(self, studied=topics, remembered={})

    def sampled(self, kept: Bools) -> PreparedQrels:
        """The judgements reduced to samples of their passages, one sample after the other.

        `kept` has a row per sample and a column per passage. Topic t of sample s is number s·T + t,
        document d is row s·D + d. The stated size of a document that lost a passage is ignored; its
        stated entry point stays.
        """
        sample, passage = np.nonzero(kept)
        every, documents, given = self.passages, self.documents, self.given
        if (given.size >= 0).any():
            lost = [np.bincount(every.row[~own], minlength=documents) for own in kept]
            stated = np.where(np.array(lost) > 0, UNKNOWN, given.size)
            given = replace(given, size=stated.ravel())
        return replace(
            self,
            topics=self.topics * len(kept),
            names=self.names.take(np.arange(0)),
            given=given,
            passages=Passages(
                every.number[passage],
                sample * documents + every.row[passage],
                every.start[passage],
                every.end[passage],
            ),
            samples=len(kept),
            given_aspects=self._sampled_aspects(kept),
            remembered={},
        )

    def _sampled_aspects(self, kept: Bools) -> AspectColumns | None:
        """The aspects of the passages in each sample, one sample after the other."""
        own = self.given_aspects
        if own is None:
            return None
        always = np.ones((len(kept), 1), dtype=bool)
        place = own.passage_places(self.highlights)
        sample, entry = np.nonzero(np.hstack([kept, always])[:, place])
        return replace(own.where(entry), row=sample * self.documents + own.row[entry])

    @cached_property
    def topic(self) -> Ints:
        """The number of each document's topic."""
        return self._topic_of(np.arange(self.samples * self.documents))

    @cached_property
    def highlighted(self) -> Ints:
        """Trel(d): the highlighted characters of each document, as stated or as counted."""
        own = self.passages
        highlighted = totals(own.row, own.size, self.samples * self.documents)
        if (self.given.size >= 0).any():
            highlighted = np.where(self.given.size >= 0, self.given.size, highlighted)
        return highlighted

    @cached_property
    def relevant(self) -> Bools:
        """rel(d): whether each document has highlights; without any in the judgements, by grade."""
        if self.has_highlights:
            return self.highlighted > 0
        return self.grade >= self.conventions.rel

    @cached_property
    def grade(self) -> Floats:
        """The grade of each document; where none was given, 1 if it has highlights, else 0."""
        given = np.tile(self.given.grade, self.samples)
        return np.where(np.isnan(given), self.highlighted > 0, given)

    @cached_property
    def length(self) -> Ints:
        """The length of each document."""
        return np.tile(self.given.length, self.samples)

    @cached_property
    def entry(self) -> Ints:
        """The best entry point of each document, or the start of its first highlight."""
        entry = np.tile(self.given.entry, self.samples)
        if self.conventions.entry_point_must_be_stated:
            return entry
        first = np.full(len(entry), UNKNOWN, dtype=np.int64)
        first[self.passages.row[::-1]] = self.passages.start[::-1]
        return np.where(entry == UNKNOWN, first, entry)

    @cached_property
    def highlights(self) -> Highlights:
        """The highlights of all documents on one axis."""
        own = self.passages
        return Highlights.of(own.row, own.start, own.end, self.samples * self.documents)

    @cached_property
    def topic_highlighted(self) -> Ints:
        """Trel: the highlighted characters of each topic."""
        highlighted = self.highlighted[self.relevant]
        return totals(self._topic_of_relevant, highlighted, len(self.topics))

    @cached_property
    def topic_relevant(self) -> Ints:
        """Nrel: the relevant documents of each topic."""
        return np.bincount(self._topic_of_relevant, minlength=len(self.topics))

    @cached_property
    def eligible(self) -> Bools:
        """Which topics count."""
        graded = self.given.topic[self.given.grade > 0]
        count = np.bincount(graded, minlength=len(self.topics) // self.samples)
        every = self.conventions.irrelevant_topics_count
        eligible = eligible_topics(self.topic_relevant + np.tile(count, self.samples), every=every)
        return eligible if self.studied is None else eligible & np.tile(self.studied, self.samples)

    @cached_property
    def _topic_of_relevant(self) -> Ints:
        return self._topic_of(np.flatnonzero(self.relevant))

    def _topic_of(self, rows: Ints) -> Ints:
        """The number of some documents' topics."""
        if self.samples == 1:
            return self.given.topic[rows]
        sample, document = np.divmod(rows, self.documents)
        topic: Ints = self.given.topic[document] + len(self.topics) // self.samples * sample
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
        return self.once(Lookup, lambda: Lookup.of(self.names, self.given.topic, self.topics))

    def topic_numbers(self, names: Sequence[str]) -> Ints:
        """The number of each topic, -1 where it is not judged."""
        number = self.once("numbers", lambda: {name: n for n, name in enumerate(self.topics)})
        return np.array([number.get(name, UNKNOWN) for name in names], dtype=np.int64)

    def once(self, key: object, compute: Callable[[], Prepared]) -> Prepared:
        """The value of `compute`, computed once per key: every run uses the same judgements."""
        if key not in self.remembered:
            self.remembered[key] = compute()
        prepared: Prepared = self.remembered[key]
        return prepared

    def __getstate__(self) -> dict[str, object]:
        """Leave out what can be computed again when sent to another process."""
        return {**self.__dict__, "remembered": {}}


def _aspects(
    judgements: QrelsColumns, given: _Documents, conventions: Conventions
) -> AspectColumns | None:
    """The aspects that count: those of whole documents, and of passages as in `Passages.of`."""
    own = judgements.aspects
    if own is None:
        return None
    if own.is_whole.all():
        return own
    own = own.where(np.flatnonzero(own.is_whole | (given.size[own.row] != 0)))
    if not conventions.past_length_allowed:
        return own
    whole, passage = np.flatnonzero(own.is_whole), np.flatnonzero(~own.is_whole)
    kept, end = clipped(own.start[passage], own.end[passage], given.length[own.row[passage]])
    own.end[passage[kept]] = end
    return own.where(np.sort(np.concatenate([whole, passage[kept]])))


def _refuse_past_length(qrels: Qrels) -> None:
    judgements = qrels.judgements
    row, start, end = judgements.passage_row, judgements.passage_start, judgements.passage_end
    length = judgements.length[row]
    past = np.flatnonzero((length != UNKNOWN) & (end > length))
    if len(past):
        problems = [
            Problem(
                int(judgements.line[row[at]]),
                f"the passage from {start[at]} to {end[at]} goes beyond the end of its document at"
                f" {length[at]}",
            )
            for at in past
        ]
        raise BadInput(
            qrels.source,
            problems,
            "passages that end within their documents (--like inex_eval ignores what is beyond)",
        )
