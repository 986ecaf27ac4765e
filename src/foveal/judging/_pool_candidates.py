"""Candidates of one run for a pool: documents within the depth, and their returned parts."""

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

    `documents` has topic, doc, the document's rank by first appearance and whether it is judged,
    sorted by topic and rank. `document` is the row of each part's document; overlapping parts are
    merged. Whole documents, entry points and elements at unknown offsets are not parts.
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
            documents, end = self._is_document_within(rows), rows.end
            parts = documents[rows.part_document]
        else:
            parts, end = self._results_within(rows)
            documents = np.zeros(len(rows.names), dtype=bool)
            documents[rows.part_document[parts]] = True
        new_row = np.cumsum(documents) - 1
        has_text = np.flatnonzero(parts & rows.has_text)
        document, start, end = united(
            new_row[rows.part_document[has_text]], rows.start[has_text], end[has_text], len(new_row)
        )
        return PoolCandidates(
            source=run.source,
            is_file=bool(run.origin.stem),
            documents=self._frame(rows, documents),
            document=document,
            start=start,
            end=end,
            notes=(*run.notes, *self._notes(rows)),
        )

    def _is_document_within(self, rows: _Rows) -> Bools:
        """Mask of the documents within the depth, if the unit is documents."""
        if not self.only_unjudged:
            return rows.rank <= self.depth
        unjudged = ~self._frame(rows, np.ones(len(rows.names), dtype=bool))[c.JUDGED].to_numpy()
        unjudged_before = rows.documents.running(unjudged.astype(np.int64)) - unjudged
        within: Bools = unjudged_before < self.depth
        return within

    def _results_within(self, rows: _Rows) -> tuple[Bools, Ints]:
        """Mask of the results within the depth, and the end of each, cut at the depth."""
        if self.unit is PoolUnit.RESULTS:
            return rows.parts.nth <= self.depth, rows.end
        return read_until(rows.topic, rows.texts(), min(self.depth, np.iinfo(np.int64).max))

    def _frame(self, rows: _Rows, mask: Bools) -> pl.DataFrame:
        """Selected documents with topic, rank, and whether they are judged."""
        frame = pl.DataFrame(
            {
                c.TOPIC: pl.Series(rows.topics, dtype=pl.String).gather(rows.document_topic[mask]),
                c.DOC: rows.names.take(mask).series(),
                c.RANK: rows.rank[mask],
            }
        )
        if self.judged is None:
            return frame.with_columns(pl.lit(value=False).alias(c.JUDGED))
        judged = self.judged.with_columns(pl.lit(value=True).alias(c.JUDGED))
        with_judged = frame.join(judged, on=[c.TOPIC, c.DOC], how="left", maintain_order="left")
        return with_judged.with_columns(pl.col(c.JUDGED).fill_null(value=False))

    def _notes(self, rows: _Rows) -> Iterator[str]:
        if unmapped_count := int(np.count_nonzero(rows.is_unmapped)):
            advice = " (--docs DOCUMENTS finds texts)" if rows.run.results.has_texts else ""
            cost = f", and each costs {c.UNMAPPED_SIZE} characters"
            yield (
                f"{counted(unmapped_count, 'result')} of unknown place{advice}: the documents are pooled,"
                f" without a passage{cost if self.unit is PoolUnit.CHARACTERS else ''}"
            )
        if self.unit is PoolUnit.CHARACTERS and (empty := int(np.count_nonzero(rows.is_empty))):
            yield f"{counted(empty, 'result')} without text, which costs no characters"


@frozen(eq=False)
class _Rows:
    """The results of a run in rank order, and their documents by topic and first appearance."""

    run: Run
    topics: list[str]
    topic: Ints
    start: Ints
    end: Ints
    is_whole: Bools
    part_document: Ints
    names: Names
    document_topic: Ints

    @classmethod
    def of(cls, run: Run) -> _Rows:
        """The results of a run."""
        run_results = run.results
        order = rows_in_order(run)
        results = run_results.take(order)
        topic = run_results.topic.rows[order]
        documents = first_appearances(results.documents, topic, len(run_results.topics))
        return cls(run, run_results.topics, topic, *results.spans, *documents)

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
    def is_unmapped(self) -> Bools:
        """Mask of the results at unknown offsets."""
        mask: Bools = self.start == c.UNMAPPED
        return mask

    @property
    def has_text(self) -> Bools:
        """Mask of the parts with text at known offsets."""
        is_longer: Bools = self.end > self.start
        return is_longer & ~self.is_whole & ~self.is_unmapped

    @property
    def is_empty(self) -> Bools:
        """Mask of the entry points."""
        mask: Bools = self.end == self.start
        return mask & ~self.is_whole & ~self.is_unmapped

    def texts(self) -> tuple[Ints, Ints, Ints]:
        """The document, start and end of each result, to be read character by character.

        Whole documents need a length, and a run of entry points is refused: they cost nothing, so
        all of it would be read. An element at unknown offsets has the usual size, and counts as a
        document that no other result is in.
        """
        refuse_unplaced(self.run)
        empty_count, is_unmapped = int(np.count_nonzero(self.is_empty)), self.is_unmapped
        if 2 * empty_count > len(self.start):
            raise DataError(
                f"run {self.run.name!r} returns entry points ({empty_count:,} of"
                f" {counted(len(self.start), 'result')} have no text), which cost no characters, so"
                " they would all be pooled: use --unit documents or --unit results"
            )
        document = self.part_document.copy()
        document[is_unmapped] = len(self.names) + np.arange(np.count_nonzero(is_unmapped))
        end = np.where(self.is_whole, self._lengths(), self.end)
        end[is_unmapped] = c.UNMAPPED_SIZE
        return document, np.maximum(self.start, 0), end

    def _lengths(self) -> Ints:
        """The length of each result's document, which must be known if it is returned whole."""
        if not self.is_whole.any():
            return self.end
        is_needed = np.zeros(len(self.names), dtype=bool)
        is_needed[self.part_document[self.is_whole]] = True
        lengths = document_lengths(self.run, self.names.series()).fill_null(c.UNMAPPED).to_numpy()
        unknown = np.flatnonzero(is_needed & (lengths == c.UNMAPPED))
        if len(unknown):
            raise UnknownLength(
                self.run.name,
                self.names.name_at(int(unknown[0])),
                len(unknown),
                whole_document=True,
                judged=False,
            )
        return lengths[self.part_document]
