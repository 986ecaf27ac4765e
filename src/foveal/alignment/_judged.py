"""Judgements made ready to be met by runs: prepared once, used for every run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from foveal.errors import BadInput, Problem
from foveal.spans import Bools, Highlights, Ints, clipped
from foveal.tables import BLOCK, Qrels, TopicColumn, columns, document_keys, eligible_topics

if TYPE_CHECKING:
    from collections.abc import Callable

    from foveal.choices import Conventions

Floats = NDArray[np.float64]
Prepared = TypeVar("Prepared")
UNKNOWN = -1
# Eight megabytes, which stay in the processor's cache while millions of rows are looked up.
KNOWN_BITS = 23
KEY_SHIFT = np.uint64(64 - KNOWN_BITS)


@dataclass(frozen=True, eq=False)
class _Documents:
    """Judged documents as they were given, by row; -1 (for grades: not a number) where unsaid."""

    topic: Ints
    grade: Floats
    length: Ints
    entry: Ints
    size: Ints

    @classmethod
    def of(cls, documents: pl.DataFrame, topic: Ints, conventions: Conventions) -> Self:
        """The columns; sizes that are stated count only where the conventions say so."""
        size = np.full(documents.height, UNKNOWN, dtype=np.int64)
        if conventions.stated_relevant_size:
            size = documents[columns.STATED].fill_null(UNKNOWN).to_numpy()
        return cls(
            topic=topic,
            grade=documents[columns.GRADE].fill_null(np.nan).to_numpy(),
            length=documents[columns.LENGTH].fill_null(UNKNOWN).to_numpy(),
            entry=documents[columns.ENTRY].fill_null(UNKNOWN).to_numpy(),
            size=size,
        )

    def repeated(self, samples: int, topics: int) -> _Documents:
        """The documents once for every sample, each time with topics of their own."""
        sample = np.repeat(np.arange(samples), len(self.topic))
        again = {name: np.tile(column, samples) for name, column in self.__dict__.items()}
        return replace(self, **{**again, "topic": again["topic"] + topics * sample})


@dataclass(frozen=True, eq=False)
class Passages:
    """Highlights one by one, by row and start; `number` is their place in the judgements' table."""

    number: Ints
    row: Ints
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.row)

    @classmethod
    def of(cls, passages: pl.DataFrame, given: _Documents, conventions: Conventions) -> Self:
        """The passages that count: within their documents, and not stated to have no size."""
        row = passages[columns.JUDGED].to_numpy().astype(np.int64)
        start, end = passages[columns.START].to_numpy(), passages[columns.END].to_numpy()
        number = np.flatnonzero(given.size[row] != 0)
        row, start, end = row[number], start[number], end[number]
        if conventions.past_length_allowed:
            kept, end = clipped(start, end, given.length[row])
            number, row, start = number[kept], row[kept], start[kept]
        return cls(number, row, start, end)


@dataclass(frozen=True, eq=False)
class Judged:
    """The judged topics by number, their documents by row, and the step function H over them.

    Arrays named `topic_*` have one entry per topic in `topics`; the others one per judged
    document. `length` and `entry` are -1 where nobody knows them; `grade` is 1 or 0 where only
    highlights tell whether the document is relevant, and negative where it was not judged.
    """

    topics: list[str]
    topic_highlighted: Ints
    topic_relevant: Ints
    eligible: Bools
    keys: pl.DataFrame
    topic: Ints
    grade: Floats
    relevant: Bools
    highlighted: Ints
    length: Ints
    entry: Ints
    highlights: Highlights
    has_highlights: bool
    passages: Passages
    given: _Documents
    remembered: dict[object, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, qrels: Qrels, conventions: Conventions) -> Self:
        """The judgements under the given conventions."""
        if not conventions.past_length_allowed:
            _refuse_past_length(qrels)
        documents = qrels.documents
        topics = documents[columns.TOPIC].unique().sort().to_list()
        topic = documents[columns.TOPIC].cast(pl.Enum(topics)).to_physical().cast(pl.Int64)
        given = _Documents.of(documents, topic.to_numpy(), conventions)
        return cls._of(
            topics,
            pl.DataFrame({"topic": topic, "doc": documents[columns.DOC]}).with_row_index("row"),
            given,
            Passages.of(qrels.passages, given, conventions),
            conventions,
            has_highlights=qrels.has_highlights,
        )

    @classmethod
    def _of(
        cls,
        topics: list[str],
        keys: pl.DataFrame,
        given: _Documents,
        passages: Passages,
        conventions: Conventions,
        *,
        has_highlights: bool,
    ) -> Self:
        row, start, end = passages.row, passages.start, passages.end
        highlighted = np.zeros(len(given.topic), dtype=np.int64)
        np.add.at(highlighted, row, end - start)
        highlighted = np.where(given.size >= 0, given.size, highlighted)
        relevant = highlighted > 0
        grade = np.where(np.isnan(given.grade), relevant, given.grade)
        if not has_highlights:
            relevant = grade >= conventions.rel
        topic_relevant = np.bincount(given.topic[relevant], minlength=len(topics))
        topic_highlighted = np.zeros(len(topics), dtype=np.int64)
        np.add.at(topic_highlighted, given.topic, highlighted)
        entry = given.entry
        if not conventions.entry_point_must_be_stated:
            first = np.full(len(given.topic), UNKNOWN, dtype=np.int64)
            first[row[::-1]] = start[::-1]
            entry = np.where(entry == UNKNOWN, first, entry)
        graded = np.bincount(given.topic[grade > 0], minlength=len(topics))
        return cls(
            topics=topics,
            topic_highlighted=topic_highlighted,
            topic_relevant=topic_relevant,
            eligible=eligible_topics(
                topic_relevant + graded, every=conventions.irrelevant_topics_count
            ),
            keys=keys,
            topic=given.topic,
            grade=grade,
            relevant=relevant,
            highlighted=highlighted,
            length=given.length,
            entry=entry,
            highlights=Highlights.of(row, start, end, len(given.topic)),
            has_highlights=has_highlights,
            passages=passages,
            given=given,
        )

    def among(self, topics: Bools) -> Judged:
        """The judgements of which only some topics count."""
        return replace(self, eligible=self.eligible & topics, remembered={})

    def sampled(self, kept: Bools, conventions: Conventions) -> Judged:
        """The judgements of many samples of the passages, one sample after the other.

        `kept` has a row per sample and a column per passage. Topic t of sample s is number s·T + t,
        document d is row s·D + d. A document that lost a passage is what is left of it, whatever
        size was stated; a stated entry point stays.
        """
        samples, documents = len(kept), len(self.topic)
        sample, passage = np.nonzero(kept)
        every = self.passages
        row = sample * documents + every.row[passage]
        left = np.bincount(row, minlength=samples * documents)
        whole = left == np.tile(np.bincount(every.row, minlength=documents), samples)
        given = self.given.repeated(samples, len(self.topics))
        return self._of(
            self.topics * samples,
            self.keys.clear(),
            replace(given, size=np.where(whole, given.size, UNKNOWN)),
            Passages(every.number[passage], row, every.start[passage], every.end[passage]),
            conventions,
            has_highlights=self.has_highlights,
        )

    @cached_property
    def by_grade(self) -> Ints:
        """The judged documents by topic, the best grade first."""
        return np.lexsort((-self.grade, self.topic))

    @cached_property
    def topic_offsets(self) -> Ints:
        """Where each topic starts in `by_grade`."""
        starts = np.searchsorted(self.topic[self.by_grade], np.arange(len(self.topics) + 1))
        return starts.astype(np.int64)

    def met(self, frame: pl.DataFrame, topic: Ints, column: TopicColumn) -> tuple[Ints, Ints]:
        """The judged ones among documents of some topics: which they are, and their rows here.

        `column` tells each document's place in `topic`. First the leading bits of hashes are
        looked up, then hashes compared, and names only where those agree: most documents have no
        judgement, and are out after the first step.
        """
        names = self.keys["doc"]
        wanted = document_keys(pl.Series(self.topics).gather(self.topic), names)
        known = np.zeros(1 << KNOWN_BITS, dtype=bool)
        known[wanted >> KEY_SHIFT] = True
        perhaps = pl.concat(
            _perhaps(known, frame.slice(begin, BLOCK)).with_columns(pl.col("at") + begin)
            for begin in range(0, max(frame.height, 1), BLOCK)
        )
        right = pl.DataFrame({"key": wanted, "row": np.arange(len(wanted))})
        met = perhaps.join(right, on="key", how="inner")
        at, row = (met[name].to_numpy() for name in ("at", "row"))
        same = (names[row] == frame[columns.DOC][at]).to_numpy()
        same &= topic[column.at(at)] == self.topic[row]
        return at[same], row[same]

    def once(self, key: object, compute: Callable[[], Prepared]) -> Prepared:
        """The value of `compute`, computed once per key: every run meets the same judgements."""
        if key not in self.remembered:
            self.remembered[key] = compute()
        prepared: Prepared = self.remembered[key]
        return prepared

    def __getstate__(self) -> dict[str, object]:
        """Travel between processes without what can be computed again."""
        return {**self.__dict__, "remembered": {}}


def _perhaps(known: Bools, frame: pl.DataFrame) -> pl.DataFrame:
    """The rows whose keys begin like one that is known."""
    keys = document_keys(frame[columns.TOPIC], frame[columns.DOC])
    at = np.flatnonzero(known[keys >> KEY_SHIFT])
    return pl.DataFrame({"key": keys[at], "at": at})


def _refuse_past_length(qrels: Qrels) -> None:
    length = qrels.documents[columns.LENGTH].gather(qrels.passages[columns.JUDGED])
    past = qrels.passages.with_columns(length).filter(pl.col(columns.END) > pl.col(columns.LENGTH))
    if past.height:
        lines = qrels.documents[columns.LINE]
        problems = [
            Problem(lines[row], f"passage [{start}, {end}) reaches past the document's {length}")
            for row, start, end, length in past.iter_rows()
        ]
        raise BadInput(
            qrels.source, problems, "passages within the document (--like inex_eval lets them pass)"
        )
