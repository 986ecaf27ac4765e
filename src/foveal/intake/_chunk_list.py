"""A whole list of chunks in document order: a table, a file or a splitter's chunks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Self

from foveal.choices import Copies, chosen
from foveal.errors import BadInput, Problem, and_list, counted
from foveal.formats import read_table
from foveal.frozen import frozen
from foveal.intake._document_placement import Part, match_chunks
from foveal.intake._hit_fields import documents_of, fields_of
from foveal.intake._search import FoldedMatch, FoldedText, Matches, SearchText, TextMatch, fold
from foveal.late import pl
from foveal.tables import (
    ChunkListLike,
    Chunks,
    DocumentNames,
    chunk_rows,
    is_frame,
    refuse_wrong_docs,
)
from foveal.tables import columns as c
from foveal.work import uncollected

IN_MEMORY = "chunks"
BEYOND = "{:,} to {:,} is not a place in document {!r}, which has {:,} characters"
LOST = "the chunk's text is not in its document"
SEVERAL = "the chunk's text has {} places in document {!r}: --copies first takes the first"
UNKNOWN = "the chunk's document is not among the documents given"
_SCHEMA = (c.DOC, c.TEXT, c.START, c.END)


@frozen(eq=False)
class ChunkList:
    """A whole list of chunks (doc, text, start, end) in document order, and their documents."""

    table: pl.DataFrame
    texts: Mapping[str, str]
    source: str = IN_MEMORY
    _folded: dict[str, FoldedText] = field(default_factory=dict)

    @classmethod
    def of(cls, chunks: ChunkListLike, texts: Mapping[str, str]) -> Self:
        """Chunks in the order given."""
        source = str(chunks) if isinstance(chunks, str | os.PathLike) else IN_MEMORY
        return cls(_table(chunks, texts, source), texts, source)

    @cached_property
    def matches_by_doc(self) -> dict[str, list[tuple[int, SearchText, Matches]]]:
        """Row, pattern and possible matches of each chunk, by document."""
        names = DocumentNames(self.texts).resolve(self.table[c.DOC].unique(maintain_order=True))
        rows: dict[str, list[int]] = {}
        parts = []
        for row, (doc, *rest) in enumerate(self.table.select(_SCHEMA).iter_rows()):
            rows.setdefault(names.get(doc, doc), []).append(row)
            parts.append(Part(*rest))
        by_doc = {}
        for doc, doc_rows in rows.items():
            if doc in self.texts:
                matches = match_chunks(self.folded(doc), [parts[row] for row in doc_rows])
                by_doc[doc] = [(row, *match) for row, match in zip(doc_rows, matches, strict=True)]
        return by_doc

    def folded(self, doc: str) -> FoldedText:
        """Document ready to be searched; made once."""
        if doc not in self._folded:
            self._folded[doc] = FoldedText(self.texts[doc])
        return self._folded[doc]

    def by_text(self, doc: str) -> dict[str, Matches]:
        """Matches of the texts of a document's chunks; a text of several chunks has several."""
        matches_of: dict[str, dict[FoldedMatch, None]] = {}
        for _, pattern, matches in self.matches_by_doc.get(doc, []):
            matches_of.setdefault(fold(pattern.text), {}).update(dict.fromkeys(matches))
        return {text: list(matches) for text, matches in matches_of.items() if matches}

    @uncollected()
    def placed(self, copies: Copies) -> pl.DataFrame:
        """Chunks with their spans (doc, start, end, text); those without one are refused."""
        spans: list[TextMatch | None] = [None] * self.table.height
        reasons: dict[int, str] = {}
        texts, starts, ends = (self.table[name].to_list() for name in (c.TEXT, c.START, c.END))
        for doc, chunks in self.matches_by_doc.items():
            folded = self.folded(doc)
            length = len(folded.text)
            for row, pattern, matches in chunks:
                if texts[row] is None:
                    if 0 <= starts[row] <= ends[row] <= length:
                        spans[row] = TextMatch(starts[row], ends[row], exact=True)
                    else:
                        reasons[row] = BEYOND.format(starts[row], ends[row], doc, length)
                elif len(matches) == 1 or (matches and copies is Copies.FIRST):
                    spans[row] = folded.text_match(pattern, matches[0])
                else:
                    reasons[row] = SEVERAL.format(len(matches), doc) if matches else LOST
        refused = [row for row, span in enumerate(spans) if span is None]
        if refused:
            lines = self.table[c.LINE].to_list()
            problems = [Problem(lines[row], reasons.get(row, UNKNOWN)) for row in refused]
            raise BadInput(self.source, problems)
        return self.table.select(c.DOC, c.TEXT, c.LINE).with_columns(
            pl.Series(c.START, [span and span.start for span in spans], dtype=pl.Int64),
            pl.Series(c.END, [span and span.end for span in spans], dtype=pl.Int64),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Note: chunks without a match, or with several."""
        counts = [len(matches) for rows in self.matches_by_doc.values() for _, _, matches in rows]
        lost_count = self.table.height - len(counts) + counts.count(0)
        several_count = sum(count > 1 for count in counts)
        items = [f"{counted(lost_count, 'chunk')} not in their document"] if lost_count else []
        items += [f"{counted(several_count, 'chunk')} with several places"] if several_count else []
        return (f"of {self.table.height:,} chunks in the list, {and_list(items)}",) if items else ()


def read_chunks(
    source: ChunkListLike,
    *,
    docs: Mapping[str, str] | None = None,
    copies: Copies | str = Copies.REFUSE,
) -> Chunks:
    """All chunks that a system could return, for measures of a chunking such as cPmax.

    The source is a JSONL, CSV, TSV or Parquet file, a frame, a list of dicts or of a splitter's
    chunks. With `docs` (`foveal.read_documents`), start and end are verified by the chunks' texts, or
    found.
    """
    if not isinstance(docs, Mapping):
        refuse_wrong_docs(docs)
    name = str(source) if isinstance(source, str | os.PathLike) else IN_MEMORY
    chunk_list = ChunkList.of(source, docs or {})
    table = chunk_list.table
    if docs:
        table = chunk_list.placed(chosen(Copies, copies))
    elif table.select(pl.any_horizontal(pl.col(c.START, c.END).is_null()).any()).item():
        reason = (
            "chunks without start and end: give --docs DOCUMENTS (in Python docs=) to find them"
        )
        raise BadInput(name, [Problem(None, reason)])
    return Chunks.of(table, source=name)


def _table(chunks: ChunkListLike, texts: Mapping[str, str], source: str) -> pl.DataFrame:
    chunks = getattr(chunks, "frame", chunks)
    if isinstance(chunks, str | os.PathLike):
        table = read_table(chunks)
    elif is_frame(chunks):
        # Lines are those of files; rows in memory are counted.
        table = pl.DataFrame(chunks).drop(c.LINE, strict=False)
    else:
        fields = [fields_of(chunk) for chunk in chunks]  # type: ignore[union-attr]  # no frame
        table = pl.DataFrame(
            {
                c.DOC: documents_of(fields, texts),
                c.TEXT: [chunk.text for chunk in fields],
                c.START: [chunk.start for chunk in fields],
                c.END: [chunk.end for chunk in fields],
            }
        )
    return chunk_rows(table, source)
