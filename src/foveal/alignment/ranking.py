"""What of ranked lists matters to a measure, in flat arrays, and what is read off them.

A ranking holds, for all topics at once, the places of the lists at which something is found; by
topic, then by rank. Between them nothing is found, so that no other place can be the best or the
last to count. Nothing here loops over topics or results.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np

from foveal.alignment.judged import Judged
from foveal.alignment.parts import LaidParts
from foveal.errors import NoHighlights
from foveal.spans import Bools, Floats, Ints

if TYPE_CHECKING:
    from collections.abc import Callable

Values = TypeVar("Values", Ints, Floats)
LEVELS = 101


def ratio(part: Ints | Floats, whole: Ints | Floats) -> Floats:
    """Part divided by whole; not a number where the whole is 0."""
    part, whole = np.broadcast_arrays(part, whole)
    share = np.full(part.shape, np.nan)
    np.divide(part, whole, out=share, where=whole != 0)
    return share


@dataclass(frozen=True, eq=False)
class Ranking:
    """The places of all topics' lists that matter.

    `count` has the length of each topic's list; `topic` and `rank` have an entry per place held.
    """

    count: Ints
    topic: Ints
    rank: Ints
    recall_in_doubles: bool

    @cached_property
    def offsets(self) -> Ints:
        """Where each topic's places start."""
        return np.searchsorted(self.topic, np.arange(len(self.count) + 1)).astype(np.int64)

    @cached_property
    def held(self) -> Ints:
        """The number of places held of each topic."""
        return np.diff(self.offsets)

    @cached_property
    def nth(self) -> Ints:
        """Which of its topic's places each one is, from 1."""
        return np.arange(len(self.topic)) - self.offsets[self.topic] + 1

    def cumulative(self, values: Values) -> Values:
        """Running sums within each topic's list."""
        if np.issubdtype(values.dtype, np.floating):
            return cumulative_floats(values, self.offsets)
        running = np.cumsum(values)
        before = np.concatenate([[0], running])[self.offsets[:-1]]
        within: Values = running - before[self.topic]
        return within

    def total(self, values: Values) -> Values:
        """The sum over each topic's list."""
        totals = np.zeros(len(self.count), dtype=values.dtype)
        np.add.at(totals, self.topic, values)
        return totals

    def at(self, running: Values, cutoff: int | None) -> Values:
        """What a running sum has come to at a rank, or at the end of a shorter list."""
        passed = self.held
        if cutoff is not None:
            passed = np.bincount(self.topic[self.rank <= cutoff], minlength=len(self.count))
        padded: Values = np.append(running, running.dtype.type(0))
        return padded[np.where(passed > 0, self.offsets[:-1] + passed - 1, len(running))]

    def best(self, values: Floats, where: Bools) -> Floats:
        """The largest value in each list among the marked places; 0 if none is marked."""
        marked = np.flatnonzero(where)
        best = np.zeros(len(self.count))
        np.maximum.at(best, self.topic[marked], values[marked])
        return best

    def interpolated(self, values: Floats, found: Ints, wanted: Ints, level: Fraction) -> Floats:
        """The best value at or beyond the place where a share of what is wanted was found."""
        if self.recall_in_doubles:
            reached = self._levels(found, wanted)
            return self.best(values, (reached >= float(100 * level)) & (reached < LEVELS))
        needed = -((-level.numerator * wanted) // level.denominator)
        return self.best(values, found >= needed[self.topic])

    def interpolated_mean(self, values: Floats, found: Ints, wanted: Ints) -> Floats:
        """The mean of the interpolated values at recall 0.00, 0.01 … 1.00."""
        reached = self._levels(found, wanted)
        kept = np.flatnonzero(reached < LEVELS)
        best = np.zeros((len(self.count), LEVELS))
        np.maximum.at(best, (self.topic[kept], reached[kept]), values[kept])
        curve = np.maximum.accumulate(best[:, ::-1], axis=1)
        mean: Floats = curve.mean(axis=1)
        return mean

    def _levels(self, found: Ints, wanted: Ints) -> Ints:
        """The highest of the 101 recall levels that each place has reached."""
        if self.recall_in_doubles:
            return np.floor(100 * ratio(found, wanted[self.topic])).astype(np.int64)
        reached: Ints = 100 * found // wanted[self.topic]
        return np.minimum(reached, LEVELS - 1)


def cumulative_floats(values: Values, offsets: Ints) -> Values:
    """Running sums that do not carry one topic's rounding into the next.

    Lists of similar length are laid out as the rows of one table; there are as many tables as
    powers of two among the lengths.
    """
    count = np.diff(offsets)
    running = np.empty_like(values)
    scale = np.frexp(count.astype(np.float64))[1]
    for power in np.unique(scale[count > 0]):
        lists = np.flatnonzero(scale == power)
        step = np.arange(count[lists].max())
        inside = step < count[lists][:, None]
        place = np.where(inside, offsets[lists][:, None] + step, 0)
        sums = np.cumsum(np.where(inside, values[place], 0.0), axis=1)
        running[place[inside]] = sums[inside]
    return running


@dataclass(frozen=True, eq=False)
class FoundText:
    """How much highlighted text each part shows, for parts that show any, by sample and part.

    Judgements as they are count as one sample.
    """

    samples: int
    sample: Ints
    part: Ints
    size: Ints


@dataclass(frozen=True, eq=False)
class RankedParts(Ranking):
    """The parts that show highlighted text, and how much had been read by then."""

    laid: LaidParts
    documents: RankedDocuments
    part: Ints
    relevant_size: Ints
    wanted: Ints

    @classmethod
    def of(cls, documents: RankedDocuments, text: FoundText) -> Self:
        """The parts that show text, beside the documents they come from."""
        laid, samples = documents.laid, text.samples
        return cls(
            count=np.tile(np.diff(laid.part_offsets), samples),
            topic=text.sample * len(laid.topics) + laid.part_topic[text.part],
            rank=laid.part_rank[text.part],
            recall_in_doubles=documents.recall_in_doubles,
            laid=laid,
            documents=documents,
            part=text.part,
            relevant_size=text.size,
            wanted=documents.topic_highlighted,
        )

    @cached_property
    def read(self) -> Ints:
        """Characters read up to and including each part."""
        return self.laid.read[self.part]

    @cached_property
    def found(self) -> Ints:
        """Highlighted characters read up to and including each part."""
        return self.cumulative(self.relevant_size)

    @cached_property
    def precision(self) -> Floats:
        """Share of what was read that is highlighted."""
        return ratio(self.found, self.read)

    def read_until(self, rank: int | None) -> Ints:
        """Characters read by each topic up to a rank, or the end of a shorter list."""
        return self._for_samples(self.laid.read_until(rank))

    def within(self, budget: int) -> tuple[Ints, Ints]:
        """Characters and highlighted characters read by each topic until a budget is spent."""
        read, taken = self.laid.spent(budget)
        documents = self.documents
        document, segment = documents.shown
        start = self.laid.segment_start[segment]
        relevant = documents.judged.highlights.count(
            documents.row[document], start, start + taken[segment]
        )
        found = np.zeros(len(self.count), dtype=np.int64)
        np.add.at(found, documents.topic[document], relevant)
        return self._for_samples(read), found

    def _for_samples(self, by_topic: Ints) -> Ints:
        return np.tile(by_topic, len(self.count) // max(len(by_topic), 1))


@dataclass(frozen=True, eq=False)
class RankedDocuments(Ranking):
    """The relevant documents of each topic's list by first appearance, and what was shown of each.

    `document` is the place among all that were returned, `row` the judged document.
    """

    laid: LaidParts
    judged: Judged
    topics: Ints
    document: Ints
    row: Ints
    relevant_size: Ints
    remembered: dict[object, Floats] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        laid: LaidParts,
        judged: Judged,
        topics: Ints,
        text: FoundText,
        *,
        recall_in_doubles: bool,
    ) -> Self:
        """The documents that are relevant by the judgements, of every sample in turn."""
        documents, samples = laid.relevant_documents, text.samples
        judged_per_sample = len(judged.topic) // samples
        rows = judged_per_sample * np.arange(samples)[:, None] + laid.document_row[documents]
        sample, which = np.nonzero(judged.relevant[rows])
        document = documents[which]
        returned = len(laid.document_row)
        key = text.sample * returned + laid.part_document[text.part]
        found = np.zeros(len(document), dtype=np.int64)
        np.add.at(found, np.searchsorted(sample * returned + document, key), text.size)
        return cls(
            count=np.tile(laid.document_count, samples),
            topic=sample * len(laid.topics) + laid.document_topic[document],
            rank=laid.document_rank[document],
            recall_in_doubles=recall_in_doubles,
            laid=laid,
            judged=judged,
            topics=topics,
            document=document,
            row=rows[sample, which],
            relevant_size=found,
        )

    @cached_property
    def size(self) -> Ints:
        """Characters shown of each document; refused if nobody knows some."""
        self.refuse_unknown()
        return self.laid.document_size[self.document]

    @property
    def unmapped_size(self) -> Ints:
        """Characters of each document's elements of unknown place."""
        return self.laid.document_unmapped[self.document]

    @property
    def first_start(self) -> Ints:
        """Where each document's first-ranked part starts, -1 if that is unknown."""
        return self.laid.document_start[self.document]

    @cached_property
    def highlighted(self) -> Ints:
        """Trel(d): the highlighted characters of each whole document."""
        self.need_highlights()
        return self.judged.highlighted[self.row]

    @property
    def topic_relevant(self) -> Ints:
        """Nrel: the relevant documents of each topic."""
        return self.judged.topic_relevant[self.topics]

    @property
    def topic_highlighted(self) -> Ints:
        """Trel: the highlighted characters of each topic."""
        self.need_highlights()
        return self.judged.topic_highlighted[self.topics]

    @cached_property
    def shown(self) -> tuple[Ints, Ints]:
        """What is read of the documents: the document's place here, and the segment."""
        laid = self.laid
        samples = len(self.count) // max(len(laid.topics), 1)
        place = np.full((samples, len(laid.document_row)), -1, dtype=np.int64)
        place[self.topic // max(len(laid.topics), 1), self.document] = np.arange(len(self.document))
        place = place[:, laid.part_document[laid.segment_part]]
        sample, segment = np.nonzero(place >= 0)
        return place[sample, segment], segment

    def once(self, key: object, compute: Callable[[], Floats]) -> Floats:
        """The value of `compute`, computed once per key: many measures share a document score."""
        if key not in self.remembered:
            self.remembered[key] = compute()
        return self.remembered[key]

    def refuse_unknown(self) -> None:
        """Raise if there are whole documents whose length nobody knows."""
        self.laid.refuse_unknown(self.document)

    def need_highlights(self) -> None:
        """Raise if the judgements speak of documents only."""
        if not self.judged.has_highlights:
            raise NoHighlights
