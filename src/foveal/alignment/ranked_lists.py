"""Ranked lists of all topics in flat arrays, and the highlighted text that they find.

The lists of what was found hold only the places at which something is found: running sums change
and the best values occur nowhere else. Nothing here loops over topics or results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from typing import Self, TypeVar

import numpy as np

from foveal.alignment.budgets import Budget, spent
from foveal.alignment.placed_parts import PlacedParts
from foveal.alignment.prepared_qrels import PreparedQrels
from foveal.frozen import frozen
from foveal.spans import Bools, Floats, Ints, Segments, totals

Values = TypeVar("Values", Ints, Floats)
LEVELS = 101


def ratio(part: Ints | Floats, whole: Ints | Floats) -> Floats:
    """Part divided by whole; NaN where the whole is 0."""
    part, whole = np.broadcast_arrays(part, whole)
    share = np.full(part.shape, np.nan)
    np.divide(part, whole, out=share, where=whole != 0)
    return share


@frozen(eq=False)
class RankedLists(Segments):
    """The places of all topics' lists that matter to a measure, by topic, then by rank.

    `count` has the length of each topic's list; `topic` and `rank` have an entry per place held.
    """

    offsets: Ints = field(init=False, repr=False)
    count: Ints
    topic: Ints
    rank: Ints

    def __post_init__(self) -> None:
        """Find where each topic's places begin."""
        object.__setattr__(self, "offsets", Segments.grouped(self.topic, len(self.count)).offsets)

    def total(self, values: Values) -> Values:
        """The sum over each topic's list, added up in order of rank."""
        return totals(self.topic, values, len(self.count))

    def within(self, depth: int | Ints | None) -> Ints:
        """How many of each topic's places have at most this rank."""
        if depth is None:
            return self.held
        limit = depth if isinstance(depth, int) else depth[self.topic]
        return np.bincount(self.topic[self.rank <= limit], minlength=len(self.count))

    def at(self, running: Values, cutoff: int | None) -> Values:
        """The value of a running sum at a rank, or at the end of a shorter list."""
        return self.sums_after(running, self.within(cutoff))


@frozen(eq=False)
class FoundCharacters:
    """Highlighted characters of each part that contains any, by sample and part.

    The judgements themselves count as one sample.
    """

    samples: int
    sample: Ints
    part: Ints
    size: Ints


@frozen(eq=False)
class CharacterLists(RankedLists):
    """Lists for which recall is known: `topics` are the evaluated topics among the judged ones."""

    laid: PlacedParts
    judged: PreparedQrels
    topics: Ints

    @property
    def topic_highlighted(self) -> Ints:
        """Trel: the highlighted characters of each topic."""
        self.judged.need_highlights()
        return self.judged.topic_highlighted[self.topics]

    def best(self, values: Floats, where: Bools) -> Floats:
        """The largest value in each list among the marked places; 0 if none is marked."""
        marked = np.flatnonzero(where)
        best = np.zeros(len(self.count))
        np.maximum.at(best, self.topic[marked], values[marked])
        return best

    def interpolated(self, values: Floats, found: Ints, wanted: Ints, level: Fraction) -> Floats:
        """The best value at or beyond the place where a share of what is wanted has been found."""
        if self.judged.conventions.recall_in_doubles:
            reached = self._levels(found, wanted)
            return self.best(values, (reached >= float(100 * level)) & (reached < LEVELS))
        needed = -((-level.numerator * wanted) // level.denominator)
        return self.best(values, found >= needed[self.topic])

    def interpolated_mean(self, values: Floats, found: Ints, wanted: Ints) -> Floats:
        """The mean of the interpolated values at recall 0.00, 0.01 … 1.00."""
        mean: Floats = self.interpolated_curve(values, found, wanted).mean(axis=1)
        return mean

    def interpolated_curve(self, values: Floats, found: Ints, wanted: Ints) -> Floats:
        """The best value at or beyond recall 1.00, 0.99 … 0.00: lists × levels."""
        reached = self._levels(found, wanted)
        kept = np.flatnonzero(reached < LEVELS)
        best = np.zeros((len(self.count), LEVELS))
        np.maximum.at(best, (self.topic[kept], reached[kept]), values[kept])
        return np.maximum.accumulate(best[:, ::-1], axis=1)

    def _levels(self, found: Ints, wanted: Ints) -> Ints:
        """The highest of the 101 recall levels that each place has reached."""
        if self.judged.conventions.recall_in_doubles:
            return np.floor(100 * ratio(found, wanted[self.topic])).astype(np.int64)
        reached: Ints = 100 * found // wanted[self.topic]
        return np.minimum(reached, LEVELS - 1)


@frozen(eq=False)
class RankedParts(CharacterLists):
    """The parts that contain highlighted text, and how much has been read after each."""

    part: Ints
    relevant_size: Ints
    remembered: dict[Budget, tuple[Ints, Ints]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, laid: PlacedParts, judged: PreparedQrels, topics: Ints, text: FoundCharacters
    ) -> Self:
        """The parts that contain highlighted text, for one sample of the judgements after the other."""
        judged.need_highlights()
        return cls(
            count=np.tile(laid.part_segments.held, text.samples),
            topic=text.sample * len(laid.topics) + laid.part_topic[text.part],
            rank=laid.part_segments.nth[text.part],
            laid=laid,
            judged=judged,
            topics=topics,
            part=text.part,
            relevant_size=text.size,
        )

    @classmethod
    def every(cls, laid: PlacedParts, judged: PreparedQrels, topics: Ints) -> Self:
        """All parts, those without highlighted text included."""
        part = np.arange(len(laid.part_relevant))
        text = FoundCharacters(1, np.zeros_like(part), part, laid.part_relevant)
        return cls.of(laid, judged, topics, text)

    @cached_property
    def read(self) -> Ints:
        """Characters read up to and including each part."""
        return self.laid.read[self.part]

    @cached_property
    def found(self) -> Ints:
        """Highlighted characters read up to and including each part."""
        return self.running(self.relevant_size)

    @cached_property
    def precision(self) -> Floats:
        """Share of the text read so far that is highlighted."""
        return ratio(self.found, self.read)

    def read_until(self, rank: int | None) -> Ints:
        """Characters read for each topic up to a rank, or to the end of a shorter list."""
        return self._for_samples(self.laid.read_until(rank))

    def spending(self, budget: Budget) -> tuple[Ints, Ints]:
        """Characters and highlighted characters read for each topic until a budget is spent."""
        if budget not in self.remembered:
            self.remembered[budget] = self._spending(budget)
        return self.remembered[budget]

    def _spending(self, budget: Budget) -> tuple[Ints, Ints]:
        laid, samples = self.laid, self.judged.samples
        read, taken = spent(laid, budget)
        piece = laid.relevant_pieces
        piece = piece[taken[piece] > 0]
        document = laid.part_document[laid.pieces.part[piece]]
        start = laid.pieces.start[piece]
        sample = np.repeat(np.arange(samples), len(piece))
        found = self.judged.highlights.count(
            np.tile(laid.document_row[document], samples) + sample * self.judged.documents,
            np.tile(start, samples),
            np.tile(start + taken[piece], samples),
        )
        topic = np.tile(laid.document_topic[document], samples) + sample * len(laid.topics)
        return self._for_samples(read), totals(topic, found, len(self.count))

    def _for_samples(self, by_topic: Ints) -> Ints:
        return np.tile(by_topic, self.judged.samples)


@frozen(eq=False)
class RankedDocuments(CharacterLists):
    """The relevant documents of each topic's list by first appearance, and what was returned of each.

    `document` is the place among all documents returned, `row` the row of the judged document.
    """

    document: Ints
    row: Ints
    text: FoundCharacters
    text_place: Ints
    """The place of the document here in which each found text is."""

    remembered: dict[object, Floats] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, laid: PlacedParts, judged: PreparedQrels, topics: Ints, text: FoundCharacters
    ) -> Self:
        """The relevant documents, for one sample of the judgements after the other."""
        documents, samples = laid.relevant_documents, text.samples
        rows = judged.documents * np.arange(samples)[:, None] + laid.document_row[documents]
        sample, which = np.nonzero(judged.relevant[rows])
        document = documents[which]
        returned = len(laid.document_row)
        key = text.sample * returned + laid.part_document[text.part]
        place = np.searchsorted(sample * returned + document, key)
        return cls(
            count=np.tile(laid.document_segments.held, samples),
            topic=sample * len(laid.topics) + laid.document_topic[document],
            rank=laid.document_segments.nth[document],
            laid=laid,
            judged=judged,
            topics=topics,
            document=document,
            row=rows[sample, which],
            text=text,
            text_place=place,
        )

    def among(self, which: Bools) -> Self:
        """Some of the documents; those that are left out keep their ranks."""
        kept = {name: getattr(self, name)[which] for name in ("topic", "rank", "document", "row")}
        found = which[self.text_place]
        own = {name: getattr(self.text, name)[found] for name in ("sample", "part", "size")}
        return replace(
            self,
            **kept,
            text=replace(self.text, **own),
            text_place=(np.cumsum(which) - 1)[self.text_place[found]],
            remembered={},
        )

    @cached_property
    def relevant_size(self) -> Ints:
        """Highlighted characters returned from each document."""
        return totals(self.text_place, self.text.size, len(self.document))

    @cached_property
    def size(self) -> Ints:
        """Characters returned from each document; raises UnknownLength if any is unknown."""
        self.laid.refuse_unknown(self.document)
        return self.laid.document_size[self.document]

    @cached_property
    def adding(self) -> tuple[Ints, Floats]:
        """The parts that add highlighted text, by document and rank, and P(d) after each of them.

        For each part the place of its document here, and the highlighted share of what has been
        read of that document; raises UnknownLength if any is unknown.
        """
        self.laid.refuse_unknown(self.document)
        order = np.argsort(self.text_place, kind="stable")
        place = self.text_place[order]
        found = Segments.grouped(place, len(self.document)).running(self.text.size[order])
        return place, ratio(found, self.laid.read_of_document[self.text.part[order]])

    @property
    def unmapped_size(self) -> Ints:
        """Characters of each document's elements of unknown place."""
        return self.laid.document_unmapped[self.document]

    @property
    def first_start(self) -> Ints:
        """Where each document's first-ranked part starts, -1 if unknown."""
        return self.laid.document_start[self.document]

    @cached_property
    def highlighted(self) -> Ints:
        """Trel(d): the highlighted characters of each whole document."""
        self.judged.need_highlights()
        return self.judged.highlighted[self.row]

    @property
    def topic_relevant(self) -> Ints:
        """Nrel: the relevant documents of each topic."""
        return self.judged.topic_relevant[self.topics]

    @cached_property
    def shown(self) -> tuple[Ints, Ints]:
        """What is read of the documents: the place of the document here, and the piece of text."""
        laid = self.laid
        place = np.full((self.judged.samples, len(laid.document_row)), -1, dtype=np.int64)
        place[self.topic // max(len(laid.topics), 1), self.document] = np.arange(len(self.document))
        place = place[:, laid.part_document[laid.pieces.part]]
        sample, piece = np.nonzero(place >= 0)
        return place[sample, piece], piece

    def once(self, key: object, compute: Callable[[], Floats]) -> Floats:
        """The value of `compute`, computed once per key: many measures share a document score."""
        if key not in self.remembered:
            self.remembered[key] = compute()
        return self.remembered[key]
