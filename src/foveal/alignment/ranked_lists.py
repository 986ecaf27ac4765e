"""Ranked lists of all topics in flat arrays, and the highlighted text that they find.

Lists of characters have entries only for results that add highlighted text: running sums change
and the best values occur nowhere else. Nothing here loops over topics or results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from typing import Self, TypeVar

import numpy as np

from foveal.alignment.budgets import Budget, text_within
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
    """The results in all topics' lists that matter to a measure, by topic, then by rank.

    `count` has the length of each topic's list; `topic` and `rank` have an entry per such result.
    """

    offsets: Ints = field(init=False, repr=False)
    count: Ints
    topic: Ints
    rank: Ints

    def __post_init__(self) -> None:
        """Compute the offsets that cut the entries into topics."""
        object.__setattr__(self, "offsets", Segments.grouped(self.topic, len(self.count)).offsets)

    def total(self, values: Values) -> Values:
        """The sum over each topic's list, added up in order of rank."""
        return totals(self.topic, values, len(self.count))

    def within(self, depth: int | Ints | None) -> Ints:
        """The number of each topic's entries that have at most this rank."""
        if depth is None:
            return self.entry_count
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

    sample_count: int
    sample: Ints
    part: Ints
    size: Ints


@frozen(eq=False)
class CharacterLists(RankedLists):
    """Lists for which recall is known: `topics` are the evaluated topics among the judged ones."""

    placed_parts: PlacedParts
    qrels: PreparedQrels
    topics: Ints

    @property
    def topic_highlighted(self) -> Ints:
        """Trel: the highlighted characters of each topic."""
        self.qrels.need_highlights()
        return self.qrels.topic_highlighted[self.topics]

    def best(self, values: Floats, mask: Bools) -> Floats:
        """The largest value in each list among the entries in the mask; 0 without any."""
        indices = np.flatnonzero(mask)
        best = np.zeros(len(self.count))
        np.maximum.at(best, self.topic[indices], values[indices])
        return best

    def interpolated(self, values: Floats, running: Ints, total: Ints, level: Fraction) -> Floats:
        """The best value at or beyond the entry where a running sum reaches a share of its total."""
        if self.qrels.conventions.recall_in_doubles:
            level_read = self._levels(running, total)
            return self.best(values, (level_read >= float(100 * level)) & (level_read < LEVELS))
        needed = -((-level.numerator * total) // level.denominator)
        return self.best(values, running >= needed[self.topic])

    def interpolated_mean(self, values: Floats, running: Ints, total: Ints) -> Floats:
        """The mean of the interpolated values at recall 0.00, 0.01 … 1.00."""
        mean: Floats = self.interpolated_curve(values, running, total).mean(axis=1)
        return mean

    def interpolated_curve(self, values: Floats, running: Ints, total: Ints) -> Floats:
        """The best value at or beyond recall 1.00, 0.99 … 0.00: lists × levels."""
        level = self._levels(running, total)
        index = np.flatnonzero(level < LEVELS)
        best = np.zeros((len(self.count), LEVELS))
        np.maximum.at(best, (self.topic[index], level[index]), values[index])
        return np.maximum.accumulate(best[:, ::-1], axis=1)

    def _levels(self, running: Ints, total: Ints) -> Ints:
        """The highest of the 101 recall levels that is reached at each entry."""
        if self.qrels.conventions.recall_in_doubles:
            return np.floor(100 * ratio(running, total[self.topic])).astype(np.int64)
        level: Ints = 100 * running // total[self.topic]
        return np.minimum(level, LEVELS - 1)


@frozen(eq=False)
class RankedParts(CharacterLists):
    """The parts that contain highlighted text, and how much has been read after each."""

    part: Ints
    relevant_size: Ints
    cache: dict[Budget, tuple[Ints, Ints]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, parts: PlacedParts, qrels: PreparedQrels, topics: Ints, characters: FoundCharacters
    ) -> Self:
        """The parts that contain highlighted text, for one sample of the judgements after the other."""
        qrels.need_highlights()
        return cls(
            count=np.tile(parts.part_segments.entry_count, characters.sample_count),
            topic=characters.sample * len(parts.topics) + parts.part_topic[characters.part],
            rank=parts.part_segments.nth[characters.part],
            placed_parts=parts,
            qrels=qrels,
            topics=topics,
            part=characters.part,
            relevant_size=characters.size,
        )

    @classmethod
    def of_all_parts(cls, parts: PlacedParts, qrels: PreparedQrels, topics: Ints) -> Self:
        """All parts, those without highlighted text included."""
        part = np.arange(len(parts.part_relevant))
        characters = FoundCharacters(1, np.zeros_like(part), part, parts.part_relevant)
        return cls.of(parts, qrels, topics, characters)

    @cached_property
    def read(self) -> Ints:
        """Characters read up to and including each part."""
        return self.placed_parts.read[self.part]

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
        return self._for_samples(self.placed_parts.read_until(rank))

    def read_within(self, budget: Budget) -> tuple[Ints, Ints]:
        """Characters and highlighted characters read for each topic until a budget is spent."""
        if budget not in self.cache:
            self.cache[budget] = self._read_within(budget)
        return self.cache[budget]

    def _read_within(self, budget: Budget) -> tuple[Ints, Ints]:
        parts, samples = self.placed_parts, self.qrels.sample_count
        read, piece_read = text_within(parts, budget)
        piece = parts.relevant_pieces
        piece = piece[piece_read[piece] > 0]
        document = parts.part_document[parts.pieces.part[piece]]
        start = parts.pieces.start[piece]
        sample = np.repeat(np.arange(samples), len(piece))
        piece_found = self.qrels.highlights.count(
            np.tile(parts.document_row[document], samples) + sample * self.qrels.document_count,
            np.tile(start, samples),
            np.tile(start + piece_read[piece], samples),
        )
        topic = np.tile(parts.document_topic[document], samples) + sample * len(parts.topics)
        return self._for_samples(read), totals(topic, piece_found, len(self.count))

    def _for_samples(self, by_topic: Ints) -> Ints:
        return np.tile(by_topic, self.qrels.sample_count)


@frozen(eq=False)
class RankedDocuments(CharacterLists):
    """The relevant documents of each topic's list by first appearance, and the text returned.

    `document` is the index among all documents returned, `row` the row of the judged document.
    """

    document: Ints
    row: Ints
    characters: FoundCharacters
    character_document: Ints
    """Index, here, of the document that each entry of `characters` is in."""

    cache: dict[object, Floats] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, parts: PlacedParts, qrels: PreparedQrels, topics: Ints, characters: FoundCharacters
    ) -> Self:
        """The relevant documents, for one sample of the judgements after the other."""
        documents, samples = parts.relevant_documents, characters.sample_count
        rows = qrels.document_count * np.arange(samples)[:, None] + parts.document_row[documents]
        sample, index = np.nonzero(qrels.relevant[rows])
        document = documents[index]
        count = len(parts.document_row)
        key = characters.sample * count + parts.part_document[characters.part]
        character_document = np.searchsorted(sample * count + document, key)
        return cls(
            count=np.tile(parts.document_segments.entry_count, samples),
            topic=sample * len(parts.topics) + parts.document_topic[document],
            rank=parts.document_segments.nth[document],
            placed_parts=parts,
            qrels=qrels,
            topics=topics,
            document=document,
            row=rows[sample, index],
            characters=characters,
            character_document=character_document,
        )

    def only(self, keep: Bools) -> Self:
        """The documents in the mask, with the ranks that they have among all."""
        ranked = {name: getattr(self, name)[keep] for name in ("topic", "rank", "document", "row")}
        mask = keep[self.character_document]
        text = {name: getattr(self.characters, name)[mask] for name in ("sample", "part", "size")}
        return replace(
            self,
            **ranked,
            characters=replace(self.characters, **text),
            character_document=(np.cumsum(keep) - 1)[self.character_document[mask]],
            cache={},
        )

    @cached_property
    def relevant_size(self) -> Ints:
        """Highlighted characters returned from each document."""
        return totals(self.character_document, self.characters.size, len(self.document))

    @cached_property
    def size(self) -> Ints:
        """Characters returned from each document; raises UnknownLength if any is unknown."""
        self.placed_parts.refuse_unknown_lengths(self.document)
        return self.placed_parts.document_size[self.document]

    @cached_property
    def precisions(self) -> tuple[Ints, Floats]:
        """P(d) after each part that adds highlighted text: (document, precision), by rank.

        `document` is an index into these documents, the precision the highlighted share of the text
        read of that document; raises UnknownLength if any length is unknown.
        """
        self.placed_parts.refuse_unknown_lengths(self.document)
        order = np.argsort(self.character_document, kind="stable")
        document = self.character_document[order]
        size, part = self.characters.size[order], self.characters.part[order]
        found_size = Segments.grouped(document, len(self.document)).running(size)
        read_size = self.placed_parts.part_document_read[part]
        return document, ratio(found_size, read_size)

    @property
    def unmapped_size(self) -> Ints:
        """Characters of each document's elements without offsets."""
        return self.placed_parts.document_unmapped[self.document]

    @property
    def first_start(self) -> Ints:
        """The start of each document's first-ranked part, -1 if unknown."""
        return self.placed_parts.document_start[self.document]

    @cached_property
    def highlighted(self) -> Ints:
        """Trel(d): the highlighted characters of each whole document."""
        self.qrels.need_highlights()
        return self.qrels.highlighted[self.row]

    @property
    def topic_relevant(self) -> Ints:
        """Nrel: the relevant documents of each topic."""
        return self.qrels.topic_relevant[self.topics]

    @cached_property
    def read_pieces(self) -> tuple[Ints, Ints]:
        """The text that is read of these documents: (index of the document here, piece)."""
        parts = self.placed_parts
        index = np.full((self.qrels.sample_count, len(parts.document_row)), -1, dtype=np.int64)
        sample = self.topic // max(len(parts.topics), 1)
        index[sample, self.document] = np.arange(len(self.document))
        index = index[:, parts.part_document[parts.pieces.part]]
        sample, piece = np.nonzero(index >= 0)
        return index[sample, piece], piece

    def cached(self, key: object, compute: Callable[[], Floats]) -> Floats:
        """The value of `compute`, computed once per key: many measures share a document score."""
        if key not in self.cache:
            self.cache[key] = compute()
        return self.cache[key]
