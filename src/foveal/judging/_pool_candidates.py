"""What one run adds to a pool: the documents it returns within the depth, and parts of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foveal.alignment import first_appearances
from foveal.choices import PoolUnit
from foveal.errors import DataError, UnknownLength, counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Bools, Ints, Segments, read_until, united
from foveal.tables import Names, Run, document_lengths, refuse_unplaced, rows_in_order
from foveal.tables import columns as c


@frozen(eq=False)
class PoolCandidates:
    """Documents of a run within the pool's depth, and the parts that it returns of them.

    `documents` has topic, doc, the document's rank by first appearance and whether it is judged; by
    topic and rank. Each part has the row of its document there, its start and its end; parts that
    overlap are merged. Whole documents, entry points and elements of unknown place are no parts.
    """

    source: str
    is_file: bool
    documents: pl.DataFrame
    document: Ints
    start: Ints
    end: Ints
    notes: tuple[str, ...]


@frozen(eq=False)
class PoolDepth:
    """Depth to which a run is read for each topic.

    With `only_unjudged`, judged documents do not count towards the depth. `judged` has topic and doc
    of every judged document.
    """

    unit: PoolUnit
    depth: int
    only_unjudged: bool = False
    judged: pl.DataFrame | None = None

    def of(self, run: Run) -> PoolCandidates:
        """Candidates of a run within this depth."""
        rows = _Rows.of(run)
        if self.unit is PoolUnit.DOCUMENTS:
            documents, end = self._documents(rows), rows.end
            parts = documents[rows.part_document]
        else:
            parts, end = self._results(rows)
            documents = np.zeros(len(rows.names), dtype=bool)
            documents[rows.part_document[parts]] = True
        number = np.cumsum(documents) - 1
        has_text = np.flatnonzero(parts & rows.has_text)
        document, start, end = united(
            number[rows.part_document[has_text]], rows.start[has_text], end[has_text], len(number)
        )
        return PoolCandidates(
            source=run.source,
            is_file=bool(run.origin.stem),
            documents=self._named(rows, documents),
            document=document,
            start=start,
            end=end,
            notes=(*run.notes, *self._notes(rows)),
        )

    def _documents(self, rows: _Rows) -> Bools:
        """The documents within the depth, if that counts documents."""
        if not self.only_unjudged:
            return rows.rank <= self.depth
        unjudged = ~self._named(rows, np.ones(len(rows.names), dtype=bool))[c.JUDGED].to_numpy()
        before = rows.documents.running(unjudged.astype(np.int64)) - unjudged
        within: Bools = before < self.depth
        return within

    def _results(self, rows: _Rows) -> tuple[Bools, Ints]:
        """The results within the depth, and where each one ends there."""
        if self.unit is PoolUnit.RESULTS:
            return rows.parts.nth <= self.depth, rows.end
        return read_until(rows.topic, rows.texts(), min(self.depth, np.iinfo(np.int64).max))

    def _named(self, rows: _Rows, which: Bools) -> pl.DataFrame:
        """Some documents with their topic, their rank and whether they are judged."""
        frame = pl.DataFrame(
            {
                c.TOPIC: pl.Series(rows.topics, dtype=pl.String).gather(rows.document_topic[which]),
                c.DOC: rows.names.take(which).series(),
                c.RANK: rows.rank[which],
            }
        )
        if self.judged is None:
            return frame.with_columns(pl.lit(value=False).alias(c.JUDGED))
        known = self.judged.with_columns(pl.lit(value=True).alias(c.JUDGED))
        marked = frame.join(known, on=[c.TOPIC, c.DOC], how="left", maintain_order="left")
        return marked.with_columns(pl.col(c.JUDGED).fill_null(value=False))

    def _notes(self, rows: _Rows) -> Iterator[str]:
        if unknown := int(np.count_nonzero(rows.unmapped)):
            hint = " (--docs DOCUMENTS finds texts)" if rows.run.results.has_texts else ""
            cost = f", and each costs {c.UNMAPPED_SIZE} characters"
            yield (
                f"{counted(unknown, 'result')} of unknown place{hint}: the documents are pooled,"
                f" without a passage{cost if self.unit is PoolUnit.CHARACTERS else ''}"
            )
        if self.unit is PoolUnit.CHARACTERS and (empty := int(np.count_nonzero(rows.empty))):
            yield f"{counted(empty, 'result')} without text, which costs no characters"


@frozen(eq=False)
class _Rows:
    """The results of a run as they are read, and their documents by topic and first appearance."""

    run: Run
    topics: list[str]
    topic: Ints
    start: Ints
    end: Ints
    whole: Bools
    part_document: Ints
    names: Names
    document_topic: Ints

    @classmethod
    def of(cls, run: Run) -> _Rows:
        """The results of a run."""
        given = run.results
        order = rows_in_order(run)
        results = given.taken(order)
        topic = given.topic.rows[order]
        document = first_appearances(results.documents, topic, len(given.topics))
        return cls(run, given.topics, topic, *results.spans, *document)

    @property
    def documents(self) -> Segments:
        """The documents of each topic."""
        return Segments.grouped(self.document_topic, len(self.topics))

    @property
    def parts(self) -> Segments:
        """The results of each topic."""
        return Segments.grouped(self.topic, len(self.topics))

    @property
    def rank(self) -> Ints:
        """The rank of each document."""
        return self.documents.nth

    @property
    def unmapped(self) -> Bools:
        """Which results have no known place in their documents."""
        unmapped: Bools = self.start == c.UNMAPPED
        return unmapped

    @property
    def has_text(self) -> Bools:
        """Which results are parts whose place is known and that have text."""
        filled: Bools = self.end > self.start
        return filled & ~self.whole & ~self.unmapped

    @property
    def empty(self) -> Bools:
        """Which results are entry points."""
        empty: Bools = self.end == self.start
        return empty & ~self.whole & ~self.unmapped

    def texts(self) -> tuple[Ints, Ints, Ints]:
        """The document, start and end of each result, to be read character by character.

        Whole documents need a length, and a run of entry points is refused: they cost nothing, so
        all of it would be read. An element of unknown place is as long as everywhere else, and its
        text is not that of another.
        """
        refuse_unplaced(self.run)
        empty, unmapped = int(np.count_nonzero(self.empty)), self.unmapped
        if 2 * empty > len(self.start):
            raise DataError(
                f"run {self.run.name!r} returns entry points ({empty:,} of"
                f" {counted(len(self.start), 'result')} have no text), which cost no characters, so"
                " they would all be pooled: use --unit documents or --unit results"
            )
        document = self.part_document.copy()
        document[unmapped] = len(self.names) + np.arange(np.count_nonzero(unmapped))
        end = np.where(self.whole, self._lengths(), self.end)
        end[unmapped] = c.UNMAPPED_SIZE
        return document, np.maximum(self.start, 0), end

    def _lengths(self) -> Ints:
        """The length of each result's document, which must be known if it is returned whole."""
        if not self.whole.any():
            return self.end
        asked = np.zeros(len(self.names), dtype=bool)
        asked[self.part_document[self.whole]] = True
        lengths = document_lengths(self.run, self.names.series()).fill_null(c.UNMAPPED).to_numpy()
        unknown = np.flatnonzero(asked & (lengths == c.UNMAPPED))
        if len(unknown):
            raise UnknownLength(
                self.run.name,
                self.names.at(int(unknown[0])),
                len(unknown),
                whole_document=True,
                judged=False,
            )
        return lengths[self.part_document]
