"""Places many parts in the texts of documents, or says why a part has no place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field

from foveal.choices import Copies, OffsetUnit
from foveal.errors import and_list, counted, shortened, shortened_list
from foveal.frozen import frozen
from foveal.intake._chunk_list import ChunkList
from foveal.intake._document_placement import DocumentPlacement, Part, Placement
from foveal.intake._search import MAX_MATCHES, FoldedText
from foveal.late import pl
from foveal.spans import boundaries
from foveal.tables import MAX_HINTS, AuditStatus, DocumentNames
from foveal.tables import columns as c
from foveal.work import tracked, uncollected

PART = (c.DOC, c.TEXT, c.START, c.END, c.ORDINAL)
QUOTED = 60
# Number of documents up to which a lost text of the judgements is searched for in all of them.
MAX_SEARCHED = 1_000
# Name of documents that come from no file.
IN_MEMORY = "documents"


@frozen(eq=False)
class PlacementQuery:
    """Documents to find parts in, the unit of offsets, and the choice among several places.

    `chunks` is a whole chunk list in document order.
    """

    texts: Mapping[str, str]
    source: str
    unit: OffsetUnit = OffsetUnit.CHARACTERS
    copies: Copies = Copies.REFUSE
    chunks: ChunkList | None = None
    is_gold: bool = False
    """Whether parts are judged, which a list of chunks does not place."""

    folded: dict[str, FoldedText] = field(default_factory=dict)
    hinted: dict[str, str] = field(default_factory=dict)
    searched: list[Part] = field(default_factory=list)
    sizes: dict[str, dict[OffsetUnit, int]] = field(default_factory=dict)

    @uncollected()
    def placements(self, parts: pl.DataFrame) -> Placements:
        """Placements of parts. Columns: doc, and any of text, start and end; null if not given."""
        table = parts.select(
            pl.col(name) if name in parts.columns else pl.lit(None, dtype=dtype).alias(name)
            for name, dtype in zip(PART, (pl.String, pl.String, *[pl.Int64] * 3), strict=True)
        )
        distinct = table.unique(maintain_order=True)
        names = DocumentNames(self.texts).resolve(
            distinct[c.DOC].drop_nulls().unique(maintain_order=True)
        )
        docs = [names.get(doc, doc) for doc in distinct[c.DOC]]
        part_list = [Part(*row) for row in distinct.select(PART[1:]).iter_rows()]
        docs = self._filled_docs(docs, part_list)
        rows: dict[str | None, list[int]] = {}
        for row, doc in enumerate(docs):
            rows.setdefault(doc, []).append(row)
        placements: list[Placement] = [Placement(AuditStatus.UNKNOWN)] * len(part_list)
        for doc, doc_rows in tracked(rows.items(), "finding texts", len(rows)):
            if doc is not None and doc in self.texts:
                placed = self._of_document(doc).placements([part_list[row] for row in doc_rows])
                for row, placement in zip(doc_rows, placed, strict=True):
                    placements[row] = placement
        placed_rows = distinct.select(PART).with_columns(self._columns(docs, part_list, placements))
        placed_table = table.join(
            placed_rows, on=PART, how="left", maintain_order="left", nulls_equal=True
        )
        notes = () if self.chunks is None else self.chunks.notes
        return Placements(placed_table, names, notes, is_listed=self.chunks is not None)

    def _filled_docs(self, docs: Sequence[str | None], parts: Sequence[Part]) -> list[str | None]:
        """The documents, filled in for texts without one that only one document has.

        A text that several documents have gets the first of them if `copies` says so, else none.
        """
        rows = [row for row, doc in enumerate(docs) if doc is None and parts[row].text]
        docs_by_row: dict[int, list[str]] = {row: [] for row in rows}
        searched = self.texts if rows else ()
        for doc in tracked(searched, "searching documents", len(searched)):
            placements = self._of_document(doc).placements([parts[row] for row in rows])
            for row, placement in zip(rows, placements, strict=True):
                if placement.verdict is not AuditStatus.LOST:
                    docs_by_row[row].append(doc)
        filled_docs = list(docs)
        for row, row_docs in docs_by_row.items():
            if len(row_docs) == 1 or (row_docs and self.copies is Copies.FIRST):
                filled_docs[row] = row_docs[0]
        return filled_docs

    def _of_document(self, doc: str) -> DocumentPlacement:
        chunk_matches = {} if self.chunks is None else self.chunks.by_text(doc)
        if doc not in self.folded:
            self.folded[doc] = FoldedText(self.texts[doc])
        return DocumentPlacement(self.folded[doc], self.unit, self.copies, chunk_matches)

    def _columns(
        self, docs: Sequence[str | None], parts: Sequence[Part], placements: Sequence[Placement]
    ) -> list[pl.Series]:
        rows = list(zip(docs, parts, placements, strict=True))
        convertible = [
            p.verdict is AuditStatus.BEYOND and bool(self._fitting_units(doc or "", part))
            for doc, part, p in rows
        ]
        problems = [
            self._problem(doc, part, p) if p.verdict.is_unusable else None for doc, part, p in rows
        ]
        return [
            pl.Series(c.DOCUMENT, docs, dtype=pl.String),
            pl.Series(c.VERDICT, [p.verdict.value for p in placements], dtype=pl.String),
            pl.Series(c.FOUND_START, [p.start for p in placements], dtype=pl.Int64),
            pl.Series(c.FOUND_END, [p.end for p in placements], dtype=pl.Int64),
            pl.Series(c.SHIFT, [p.shift for p in placements], dtype=pl.Int64),
            pl.Series(c.PLACES, [p.matches for p in placements], dtype=pl.Int64),
            pl.Series(c.LOOSE, [not p.exact for p in placements], dtype=pl.Boolean),
            pl.Series(c.CONVERTIBLE, convertible, dtype=pl.Boolean),
            pl.Series(c.PROBLEM, problems, dtype=pl.String),
        ]

    def _problem(self, doc: str | None, part: Part, placement: Placement) -> str | None:
        """Reason why a part has no place, and what to do about it."""
        if doc is None:
            reason = f"the text is in none of {self._all}, or in several of them: name its document"
            return f"{reason}: {_quoted(part)}" if part.text else "neither a document nor a text"
        reasons: dict[AuditStatus, Callable[[], str | None]] = {
            AuditStatus.UNKNOWN: lambda: self._unknown(doc),
            AuditStatus.COPIES: lambda: _copies(
                doc, placement, is_listed=self.chunks is not None, is_gold=self.is_gold
            ),
            AuditStatus.LOST: lambda: self._lost(doc, part),
            AuditStatus.INSIDE: lambda: self._inside(doc, part),
            AuditStatus.BEYOND: lambda: self._beyond(doc, part),
        }
        return reasons[placement.verdict]()

    def _lost(self, doc: str, part: Part) -> str:
        if not (part.text or "").strip():
            return "the text is blank, and its offsets are not given or do not fit"
        if not self.is_gold:
            reason = f"the text is not in document {doc!r}: is this the version that was split?"
            return f"{reason} {_quoted(part)}"
        other_docs = self._other_docs_with(part, excluded=doc)
        hint = f", but in document {other_docs[0]!r}" if len(other_docs) == 1 else ""
        return f"the text is not word for word in document {doc!r}{hint}: {_quoted(part)}"

    def _other_docs_with(self, part: Part, excluded: str) -> list[str]:
        """Other documents with a part's text; only the first few lost texts are searched for."""
        # Judgements of another corpus lose every text, and searching takes long.
        self.searched.append(part)
        if len(self.searched) > MAX_HINTS or len(self.texts) > MAX_SEARCHED:
            return []
        text_alone = Part(part.text, None, None)
        return [
            name
            for name in self.texts
            if name != excluded
            and self._of_document(name).placements([text_alone])[0].verdict is not AuditStatus.LOST
        ]

    def _unknown(self, doc: str) -> str:
        # Only the first unknown documents are shown, and finding a similar name takes long.
        if len(self.hinted) < MAX_HINTS or doc in self.hinted:
            self.hinted.setdefault(doc, self._hint(doc))
        return self.hinted.get(doc) or f"document {doc!r} is not one of {self._all}"

    def _hint(self, doc: str) -> str:
        """Reason why a document is unknown: its name fits no document, or several."""
        fits = DocumentNames(self.texts).matches([doc])[doc]
        if len(fits) > 1:
            return fits_several(doc, fits, self._all)
        if fits:
            return (
                f"document {doc!r} fits {fits[0]!r} of {self._all}, but another name fits it as well:"
                " use one name for one document"
            )
        document_names = DocumentNames(self.texts)
        names = document_names.namesakes(doc)
        nearest = document_names.nearest(doc) if len(names) < 2 else None
        hint = f"; did you mean {nearest!r}?" if nearest else ""
        if len(names) > 1:
            hint = f"; of the same file name: {shortened_list([*map(repr, names)])}"
        return f"document {doc!r} is not one of {self._all}{hint}"

    def _inside(self, doc: str, part: Part) -> str:
        offsets = f"{part.start}" if part.end is None else f"{part.start} to {part.end}"
        return (
            f"{offsets} is inside a character of document {doc!r} or beyond its end, if offsets count"
            f" {_unit_words(self.unit)}"
        )

    def _beyond(self, doc: str, part: Part) -> str:
        hints = [
            f"; it has {size:,} {_unit_words(unit)}: --count {unit.value} converts such offsets"
            for unit, size in self._fitting_units(doc, part)
        ]
        hint = hints[0] if hints else ""
        end, length = part.end, len(self.texts[doc])
        return f"the part ends at {end:,}, but document {doc!r} at {length:,}{hint}"

    def _fitting_units(self, doc: str, part: Part) -> list[tuple[OffsetUnit, int]]:
        """Units in which a part is inside its document, each with the document's length in it."""
        if self.unit is not OffsetUnit.CHARACTERS:
            return []
        text = self.texts[doc]
        if doc not in self.sizes:
            # Counted once: a run whose offsets count bytes can have thousands of such parts.
            units = (OffsetUnit.UTF16, OffsetUnit.BYTES)
            self.sizes[doc] = {unit: int(boundaries(text, unit)[-1]) for unit in units}
        return [
            (unit, size)
            for unit, size in self.sizes[doc].items()
            if size > len(text) and size >= (part.end or 0)
        ]

    @property
    def _all(self) -> str:
        return all_of(self.texts, self.source)


@frozen(eq=False)
class Placements:
    """Placements of many parts.

    Besides the columns of the parts, `rows` has the id of the document (document), the verdict, the
    actual offsets, shift, number of matches, whether the text matches only loosely, and the problem.
    `is_listed` says whether there was a chunk list.
    """

    rows: pl.DataFrame
    names: Mapping[str, str]
    notes: tuple[str, ...]
    is_listed: bool


def all_of(texts: Collection[str], source: str) -> str:
    """Phrase for all documents."""
    all_texts = counted(len(texts), "document")
    return f"the {all_texts} given" if source == IN_MEMORY else f"the {all_texts} of {source}"


def fits_several(doc: str, fits: Sequence[str], all_texts: str) -> str:
    """Reason for refusing a name that fits several documents."""
    names = shortened_list([repr(fit) for fit in fits])
    return f"document {doc!r} fits {len(fits):,} of {all_texts} ({names}): give more of its path"


def _copies(doc: str, placement: Placement, *, is_listed: bool, is_gold: bool) -> str | None:
    if placement.start is not None:
        return None
    times = f"{placement.matches:,}" + (" or more" if placement.matches == MAX_MATCHES else "")
    starts = [f"{start:,}" for start in placement.starts]
    at_text = and_list(starts) if len(starts) == placement.matches else f"{', '.join(starts)}, …"
    hint = (
        "the list of chunks does not tell them apart either, so give start and end"
        if is_listed
        else "give start and end"
        if is_gold
        else "give all chunks in document order (--chunks FILE, in Python chunks= of from_hits)"
    )
    return (
        f"the text occurs {times} times in document {doc!r} (at {at_text}): {hint}, or take the first place"
        ' (--copies first, in Python copies="first")'
    )


def _quoted(part: Part) -> str:
    return repr(shortened(" ".join((part.text or "").split()), QUOTED))


def _unit_words(unit: OffsetUnit) -> str:
    words = {OffsetUnit.UTF16: "code units of UTF-16", OffsetUnit.BYTES: "bytes"}
    return words.get(unit, "characters")
