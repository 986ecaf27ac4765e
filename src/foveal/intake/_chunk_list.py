"""A whole list of chunks in document order, given as a table, a file or what a splitter returns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Self

from foveal.choices import Copies, chosen
from foveal.errors import BadInput, Problem, counted, listed
from foveal.formats import read_table
from foveal.frozen import frozen
from foveal.intake._document_placement import Part, chunk_places
from foveal.intake._hit_fields import documents_of, fields_of
from foveal.intake._search import Folded, FoldedMatch, Places, SearchText, TextMatch, bared
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

GIVEN = "chunks"
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
    source: str = GIVEN
    _folded: dict[str, Folded] = field(default_factory=dict)

    @classmethod
    def of(cls, given: ChunkListLike, texts: Mapping[str, str]) -> Self:
        """The chunks in the order given."""
        source = str(given) if isinstance(given, str | os.PathLike) else GIVEN
        return cls(_table(given, texts, source), texts, source)

    @cached_property
    def places(self) -> dict[str, list[tuple[int, SearchText, Places]]]:
        """By document, the row, the text and the possible places of each of its chunks."""
        names = DocumentNames(self.texts).meant(self.table[c.DOC].unique(maintain_order=True))
        rows: dict[str, list[int]] = {}
        parts = []
        for row, (doc, *rest) in enumerate(self.table.select(_SCHEMA).iter_rows()):
            rows.setdefault(names.get(doc, doc), []).append(row)
            parts.append(Part(*rest))
        found = {}
        for doc, mine in rows.items():
            if doc in self.texts:
                placed = chunk_places(self.folded(doc), [parts[row] for row in mine])
                found[doc] = [(row, *place) for row, place in zip(mine, placed, strict=True)]
        return found

    def folded(self, doc: str) -> Folded:
        """A document made ready to be searched, once."""
        if doc not in self._folded:
            self._folded[doc] = Folded(self.texts[doc])
        return self._folded[doc]

    def by_text(self, doc: str) -> dict[str, Places]:
        """The places of the texts of a document's chunks; a text of several chunks has several."""
        known: dict[str, dict[FoldedMatch, None]] = {}
        for _, needle, places in self.places.get(doc, []):
            known.setdefault(bared(needle.text), {}).update(dict.fromkeys(places))
        return {text: list(places) for text, places in known.items() if places}

    @uncollected()
    def placed(self, copies: Copies) -> pl.DataFrame:
        """The chunks with their places (doc, start, end, text); those without one are refused."""
        spots: list[TextMatch | None] = [None] * self.table.height
        reasons: dict[int, str] = {}
        texts, starts, ends = (self.table[name].to_list() for name in (c.TEXT, c.START, c.END))
        for doc, chunks in self.places.items():
            folded = self.folded(doc)
            length = len(folded.text)
            for row, needle, places in chunks:
                if texts[row] is None:
                    if 0 <= starts[row] <= ends[row] <= length:
                        spots[row] = TextMatch(starts[row], ends[row], exact=True)
                    else:
                        reasons[row] = BEYOND.format(starts[row], ends[row], doc, length)
                elif len(places) == 1 or (places and copies is Copies.FIRST):
                    spots[row] = folded.spot(needle, places[0])
                else:
                    reasons[row] = SEVERAL.format(len(places), doc) if places else LOST
        refused = [row for row, spot in enumerate(spots) if spot is None]
        if refused:
            lines = self.table[c.LINE].to_list()
            why = [Problem(lines[row], reasons.get(row, UNKNOWN)) for row in refused]
            raise BadInput(self.source, why)
        return self.table.select(c.DOC, c.TEXT, c.LINE).with_columns(
            pl.Series(c.START, [spot and spot.start for spot in spots], dtype=pl.Int64),
            pl.Series(c.END, [spot and spot.end for spot in spots], dtype=pl.Int64),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """How many chunks have no place or several, if some have."""
        counts = [len(found) for rows in self.places.values() for _, _, found in rows]
        lost = self.table.height - len(counts) + counts.count(0)
        several = sum(count > 1 for count in counts)
        told = [f"{counted(lost, 'chunk')} not in their document"] if lost else []
        told += [f"{counted(several, 'chunk')} with several places"] if several else []
        return (f"of {self.table.height:,} chunks in the list, {listed(told)}",) if told else ()


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
    name = str(source) if isinstance(source, str | os.PathLike) else GIVEN
    listed = ChunkList.of(source, docs or {})
    table = listed.table
    if docs:
        table = listed.placed(chosen(Copies, copies))
    elif table.select(pl.any_horizontal(pl.col(c.START, c.END).is_null()).any()).item():
        reason = (
            "chunks without start and end: give --docs DOCUMENTS (in Python docs=) to find them"
        )
        raise BadInput(name, [Problem(None, reason)])
    return Chunks.of(table, source=name)


def _table(given: ChunkListLike, texts: Mapping[str, str], source: str) -> pl.DataFrame:
    given = getattr(given, "frame", given)
    if isinstance(given, str | os.PathLike):
        table = read_table(given)
    elif is_frame(given):
        # Lines are those of files; rows in memory are counted.
        table = pl.DataFrame(given).drop(c.LINE, strict=False)
    else:
        chunks = [fields_of(chunk) for chunk in given]  # type: ignore[union-attr]  # no frame
        table = pl.DataFrame(
            {
                c.DOC: documents_of(chunks, texts),
                c.TEXT: [chunk.text for chunk in chunks],
                c.START: [chunk.start for chunk in chunks],
                c.END: [chunk.end for chunk in chunks],
            }
        )
    return chunk_rows(table, source)
