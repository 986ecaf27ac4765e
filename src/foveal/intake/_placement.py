"""Where each of many parts is in the texts of documents, or why it has no place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field

from foveal.choices import Copies, OffsetUnit
from foveal.errors import counted, listed, shortened, some
from foveal.frozen import frozen
from foveal.intake._chunk_list import ChunkList
from foveal.intake._document_placement import DocumentPlacement, Part, Placement
from foveal.intake._search import MOST_PLACES, Folded
from foveal.late import pl
from foveal.spans import boundaries
from foveal.tables import (
    HINTED,
    AuditStatus,
    DocumentNames,
)
from foveal.tables import columns as c
from foveal.work import tracked, uncollected

PART = (c.DOC, c.TEXT, c.START, c.END, c.ORDINAL)
QUOTED = 60
# Documents among which the text of gold is looked for if its own does not have it.
MOST_SEARCHED = 1_000
# What documents that come from no file are called.
GIVEN = "documents"


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

    folded: dict[str, Folded] = field(default_factory=dict)
    hinted: dict[str, str] = field(default_factory=dict)
    searched: list[Part] = field(default_factory=list)
    sizes: dict[str, dict[OffsetUnit, int]] = field(default_factory=dict)

    @uncollected()
    def placements(self, parts: pl.DataFrame) -> Placements:
        """Placements of parts. Columns: doc, and any of text, start and end; null if not given."""
        given = parts.select(
            pl.col(name) if name in parts.columns else pl.lit(None, dtype=dtype).alias(name)
            for name, dtype in zip(PART, (pl.String, pl.String, *[pl.Int64] * 3), strict=True)
        )
        distinct = given.unique(maintain_order=True)
        names = DocumentNames(self.texts).meant(
            distinct[c.DOC].drop_nulls().unique(maintain_order=True)
        )
        own = [names.get(doc, doc) for doc in distinct[c.DOC]]
        asked = [Part(*row) for row in distinct.select(PART[1:]).iter_rows()]
        own = self._with_homes(own, asked)
        rows: dict[str | None, list[int]] = {}
        for row, doc in enumerate(own):
            rows.setdefault(doc, []).append(row)
        placements: list[Placement] = [Placement(AuditStatus.UNKNOWN)] * len(asked)
        for doc, mine in tracked(rows.items(), "finding texts", len(rows)):
            if doc is not None and doc in self.texts:
                found = self._of_document(doc).placements([asked[row] for row in mine])
                for row, placement in zip(mine, found, strict=True):
                    placements[row] = placement
        told = distinct.select(PART).with_columns(
            pl.Series(c.DOCUMENT, own, dtype=pl.String), *self._columns(own, asked, placements)
        )
        joined = given.join(told, on=PART, how="left", maintain_order="left", nulls_equal=True)
        notes = () if self.chunks is None else self.chunks.notes
        return Placements(joined, names, notes, is_listed=self.chunks is not None)

    def _with_homes(self, own: Sequence[str | None], asked: Sequence[Part]) -> list[str | None]:
        """The documents, with the only one that has it for every text without a document.

        A text that is in several documents gets the first if that is wished; others have none.
        """
        homeless = [row for row, doc in enumerate(own) if doc is None and asked[row].text]
        homes: dict[int, list[str]] = {row: [] for row in homeless}
        searched = self.texts if homeless else ()
        for doc in tracked(searched, "searching documents", len(searched)):
            found = self._of_document(doc).placements([asked[row] for row in homeless])
            for row, placement in zip(homeless, found, strict=True):
                if placement.verdict is not AuditStatus.LOST:
                    homes[row].append(doc)
        settled = list(own)
        for row, docs in homes.items():
            if len(docs) == 1 or (docs and self.copies is Copies.FIRST):
                settled[row] = docs[0]
        return settled

    def _of_document(self, doc: str) -> DocumentPlacement:
        listed = {} if self.chunks is None else self.chunks.by_text(doc)
        return DocumentPlacement(self._folded(doc), self.unit, self.copies, listed)

    def _folded(self, doc: str) -> Folded:
        if doc not in self.folded:
            self.folded[doc] = Folded(self.texts[doc])
        return self.folded[doc]

    def _columns(
        self, own: Sequence[str | None], asked: Sequence[Part], placements: Sequence[Placement]
    ) -> list[pl.Series]:
        return [
            pl.Series(c.VERDICT, [found.verdict.value for found in placements], dtype=pl.String),
            pl.Series(c.FOUND_START, [found.start for found in placements], dtype=pl.Int64),
            pl.Series(c.FOUND_END, [found.end for found in placements], dtype=pl.Int64),
            pl.Series(c.SHIFT, [found.shift for found in placements], dtype=pl.Int64),
            pl.Series(c.PLACES, [found.places for found in placements], dtype=pl.Int64),
            pl.Series(c.LOOSE, [not found.exact for found in placements], dtype=pl.Boolean),
            pl.Series(
                c.CONVERTIBLE,
                [
                    found.verdict is AuditStatus.BEYOND
                    and bool(self._fitting_units(doc or "", part))
                    for doc, part, found in zip(own, asked, placements, strict=True)
                ],
                dtype=pl.Boolean,
            ),
            pl.Series(
                c.PROBLEM,
                [
                    self._problem(doc, part, found) if found.verdict.is_unusable else None
                    for doc, part, found in zip(own, asked, placements, strict=True)
                ],
                dtype=pl.String,
            ),
        ]

    def _problem(self, doc: str | None, part: Part, found: Placement) -> str | None:
        """Why a part has no place, and what to do about it."""
        if doc is None:
            told = f"the text is in none of {self._all}, or in several of them: name its document"
            return f"{told}: {_quoted(part)}" if part.text else "neither a document nor a text"
        why: dict[AuditStatus, Callable[[], str | None]] = {
            AuditStatus.UNKNOWN: lambda: self._unknown(doc),
            AuditStatus.COPIES: lambda: _copies(
                doc, found, is_listed=self.chunks is not None, is_gold=self.is_gold
            ),
            AuditStatus.LOST: lambda: self._lost(doc, part),
            AuditStatus.INSIDE: lambda: self._inside(doc, part),
            AuditStatus.BEYOND: lambda: self._beyond(doc, part),
        }
        return why[found.verdict]()

    def _lost(self, doc: str, part: Part) -> str:
        if not (part.text or "").strip():
            return "the text is blank, and its offsets are not given or do not fit"
        if not self.is_gold:
            told = f"the text is not in document {doc!r}: is this the version that was split?"
            return f"{told} {_quoted(part)}"
        elsewhere = self._homes(part, but=doc)
        hint = f", but in document {elsewhere[0]!r}" if len(elsewhere) == 1 else ""
        return f"the text is not word for word in document {doc!r}{hint}: {_quoted(part)}"

    def _homes(self, part: Part, but: str) -> list[str]:
        """Other documents with a text, as far as few lost texts and few documents allow to look."""
        # A file of gold of another corpus loses every text, and looking takes long.
        self.searched.append(part)
        if len(self.searched) > HINTED or len(self.texts) > MOST_SEARCHED:
            return []
        bare = Part(part.text, None, None)
        return [
            own
            for own in self.texts
            if own != but
            and self._of_document(own).placements([bare])[0].verdict is not AuditStatus.LOST
        ]

    def _unknown(self, doc: str) -> str:
        # A whole run of strange documents shows only its first ones, and looking takes long.
        if len(self.hinted) < HINTED or doc in self.hinted:
            self.hinted.setdefault(doc, self._hint(doc))
        return self.hinted.get(doc) or f"document {doc!r} is not one of {self._all}"

    def _hint(self, doc: str) -> str:
        """Why a document is unknown: its name fits none of them, or several."""
        fits = DocumentNames(self.texts).fitting([doc])[doc]
        if len(fits) > 1:
            return fits_several(doc, fits, self._all)
        if fits:
            return (
                f"document {doc!r} fits {fits[0]!r} of {self._all}, but another name fits it as well:"
                " use one name for one document"
            )
        names = DocumentNames(self.texts)
        alike = names.namesakes(doc)
        close = names.nearest(doc) if len(alike) < 2 else None
        hint = f"; did you mean {close!r}?" if close else ""
        hint = f"; of the same file name: {some([*map(repr, alike)])}" if len(alike) > 1 else hint
        return f"document {doc!r} is not one of {self._all}{hint}"

    def _inside(self, doc: str, part: Part) -> str:
        what = f"{part.start}" if part.end is None else f"{part.start} to {part.end}"
        return (
            f"{what} is inside a character of document {doc!r} or beyond its end, if offsets count"
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
        """What else offsets may count, so that a part is in its document, and how many it has."""
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

    `rows` has, besides the columns of the parts, the document under its own name (document), the verdict, the
    offsets found, shift, places, whether the text was found only loosely, and the problem.
    `is_listed` says whether there was a chunk list.
    """

    rows: pl.DataFrame
    names: Mapping[str, str]
    notes: tuple[str, ...]
    is_listed: bool


def all_of(texts: Collection[str], source: str) -> str:
    """All documents, in words."""
    all_texts = counted(len(texts), "document")
    return f"the {all_texts} given" if source == GIVEN else f"the {all_texts} of {source}"


def fits_several(doc: str, fits: Sequence[str], all_texts: str) -> str:
    """What is wrong with a name that does not tell some documents apart."""
    shown = some([repr(own) for own in fits])
    return f"document {doc!r} fits {len(fits):,} of {all_texts} ({shown}): give more of its path"


def _copies(doc: str, found: Placement, *, is_listed: bool, is_gold: bool) -> str | None:
    if found.start is not None:
        return None
    times = f"{found.places:,}" + (" or more" if found.places == MOST_PLACES else "")
    shown = [f"{place:,}" for place in found.seen]
    at = listed(shown) if len(shown) == found.places else f"{', '.join(shown)}, …"
    hint = (
        "the list of chunks does not tell them apart either, so give start and end"
        if is_listed
        else "give start and end"
        if is_gold
        else "give all chunks in document order (--chunks FILE, in Python chunks= of from_hits)"
    )
    return (
        f"the text occurs {times} times in document {doc!r} (at {at}): {hint}, or take the first place"
        ' (--copies first, in Python copies="first")'
    )


def _quoted(part: Part) -> str:
    return repr(shortened(" ".join((part.text or "").split()), QUOTED))


def _unit_words(unit: OffsetUnit) -> str:
    return {OffsetUnit.UTF16: "code units of UTF-16", OffsetUnit.BYTES: "bytes"}.get(
        unit, "characters"
    )
