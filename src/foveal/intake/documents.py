"""The texts of documents, and the parts of a run or of judgements compared with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from foveal.choices import Copies, OffsetUnit, chosen
from foveal.errors import BadInput, Problem, counted
from foveal.frozen import frozen
from foveal.intake._answers import Inquiry, all_of, fits_several
from foveal.intake._auditing import audit_of, notes_of_passages, told
from foveal.intake._chunk_list import ChunkList
from foveal.late import pl
from foveal.tables import (
    ChunkListLike,
    Placed,
    Run,
    RunLike,
    fitting_documents,
    meant_documents,
    rows_in_order,
)
from foveal.tables import columns as c


@frozen(eq=False, repr=False)
class Documents(Mapping[str, str]):
    """The texts of documents by their ids; `source` is where they came from, for messages.

    `notes` say what was skipped there.

    >>> import foveal
    >>> docs = foveal.read_documents({"a": "One fish. Two fish."})
    >>> docs
    <Documents: 1 document>
    >>> run = docs.placed([{"topic": "1", "doc": "a", "text": "Two fish."}])
    >>> run.frame.select("start", "end").row(0)
    (10, 19)
    """

    texts: Mapping[str, str]
    source: str = "documents"
    notes: tuple[str, ...] = ()

    def __getitem__(self, document: str) -> str:
        return self.texts[document]

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def names(self) -> frozenset[str]:
        """The ids of all documents, one set for the audits of all runs."""
        return frozenset(self.texts)

    def __repr__(self) -> str:
        return f"<Documents: {counted(len(self), 'document')}>"

    def lengths(self, documents: pl.Series) -> pl.Series:
        """The length of each document in characters; null where it is unknown."""
        asked = documents.cast(pl.String).alias(c.DOC).to_frame()
        known = self.own_names(documents)
        sizes = pl.DataFrame(
            {c.DOC: list(known), c.LENGTH: [len(self.texts[own]) for own in known.values()]},
            schema={c.DOC: pl.String, c.LENGTH: pl.Int64},
        )
        return asked.join(sizes, on=c.DOC, how="left", maintain_order="left")[c.LENGTH]

    def judged_lengths(self, documents: pl.Series) -> pl.Series:
        """The lengths of judged documents; a name that fits several documents is refused."""
        fitting = fitting_documents(documents.cast(pl.String).drop_nulls(), self.texts)
        problems = [
            Problem(None, fits_several(name, fits, all_of(self.texts, self.source)))
            for name, fits in fitting.items()
            if len(fits) > 1
        ]
        if problems:
            raise BadInput("judgements", problems)
        return self.lengths(documents)

    def cut(self, parts: pl.DataFrame) -> pl.Series:
        """The text of each part (doc, start, end); null where the document is unknown.

        A part without start and end is the whole document.
        """
        known = self.own_names(parts[c.DOC])
        rows = parts.select(c.DOC, c.START, c.END).iter_rows()
        cuts = [
            self.texts[known[doc]][start:end] if doc in known else None for doc, start, end in rows
        ]
        return pl.Series(c.TEXT, cuts, dtype=pl.String)

    def placed(
        self,
        run: RunLike,
        *,
        chunks: ChunkListLike | None = None,
        copies: Copies | str = Copies.REFUSE,
        count: OffsetUnit | str = OffsetUnit.CHARACTERS,
    ) -> Run:
        """The run with offsets that fit its texts; a note tells what was found or corrected.

        The text decides: an offset that does not fit it is corrected. A text that has no place in
        its document, or several that nothing tells apart, is refused, each with its line. `chunks`
        is the whole list of chunks in document order, which tells copies apart; `copies="first"`
        takes the first of several places; `count` is what the stated offsets count.
        """
        audited = self.audited(run, chunks=chunks, copies=copies, count=count)
        if audited.audit is not None:
            audited.audit.refuse_unplaced(audited.source)
        return audited

    def audited(
        self,
        run: RunLike,
        *,
        chunks: ChunkListLike | None = None,
        copies: Copies | str = Copies.REFUSE,
        count: OffsetUnit | str = OffsetUnit.CHARACTERS,
    ) -> Run:
        """The run compared with the documents, without refusing anything.

        `run.audit` has a verdict on each result; parts without a place have no offsets.
        """
        table = Run.coerced(run)
        unit, wish = chosen(OffsetUnit, count), chosen(Copies, copies)
        listed = None if chunks is None else ChunkList.of(chunks, self.texts)
        frame = table.frame[rows_in_order(table)]
        answers = Inquiry(self.texts, self.source, unit, wish, listed).answers(frame)
        audit = told(audit_of(frame, answers, self.names), answers, unit=unit, copies=wish)
        placed = frame.with_columns(
            answers.rows.select(
                pl.col(c.FOUND_START).alias(c.START), pl.col(c.FOUND_END).alias(c.END)
            )
        )
        # In the order of the file again, which may rank the results.
        return replace(
            table.with_frame(placed.sort(c.LINE, maintain_order=True)),
            audit=audit,
            notes=(*table.notes, *self.notes, *audit.notes),
            lengths=self.lengths_in(frame),
        )

    def placed_chunks(
        self, chunks: ChunkListLike, *, copies: Copies | str = Copies.REFUSE
    ) -> pl.DataFrame:
        """A whole chunk list in document order with its places: doc, start, end and text.

        Chunks without a place, or with several, are refused with their rows.
        """
        return ChunkList.of(chunks, self.texts).placed(chosen(Copies, copies))

    def spans(self, parts: pl.DataFrame, *, copies: Copies | str = Copies.REFUSE) -> Placed:
        """Where each part is: columns doc, and any of start, end and text, null where not given."""
        wish = chosen(Copies, copies)
        answers = Inquiry(self.texts, self.source, copies=wish, is_gold=True).answers(parts)
        rows = answers.rows
        return Placed(
            rows[c.FOUND_START].alias(c.START),
            rows[c.FOUND_END].alias(c.END),
            rows[c.PROBLEM],
            notes_of_passages(answers, wish),
        )

    def lengths_in(self, results: pl.DataFrame) -> pl.DataFrame:
        """Each document of some results with its length (doc, length)."""
        documents = results[c.DOC].unique(maintain_order=True)
        return pl.DataFrame({c.DOC: documents, c.LENGTH: self.lengths(documents)})

    def own_names(self, documents: pl.Series) -> dict[str, str]:
        """Our name of each document that is known, by its own or by one that can mean only it."""
        asked = documents.cast(pl.String).drop_nulls().unique(maintain_order=True).to_list()
        meant = {name: name for name in asked if name in self.texts}
        return {**meant, **meant_documents(asked, self.texts)}


class SomeDocuments(Documents):
    """The texts of some documents: a result from any other keeps the offsets that it states."""

    def placed(self, run: RunLike, **words: Any) -> Run:
        """The run with offsets that fit its texts, as far as these are known."""
        table = Run.coerced(run)
        known = list(self.own_names(table.frame[c.DOC]))
        here = table.frame.select(
            pl.col(c.DOC).is_in(known) & pl.col(c.START).ne_missing(c.UNMAPPED)
        ).to_series()
        if table.unplaced.height or here.all():
            return super().placed(table, **words)
        if not here.any():
            return table
        placed = super().placed(table.with_frame(table.frame.filter(here)), **words)
        rows = pl.concat([placed.frame, table.frame.filter(~here)], how="diagonal_relaxed")
        return placed.with_frame(rows.sort(c.LINE, maintain_order=True))
