"""Elements: where in its document's text every element is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np

from foveal.elements.paths import References, number_among
from foveal.elements.resolution import referenced
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Ints, Nesting, Segments
from foveal.tables import KnownDocuments
from foveal.tables import columns as c


class ElementLookup(KnownDocuments, Protocol):
    """Paths to spans and back, for elements in memory or in an index on disk."""

    @property
    def counts_characters(self) -> bool:
        """Whether offsets count every code point."""

    def spans(self, references: pl.DataFrame) -> pl.DataFrame:
        """start, end and problem of each reference (doc, path, path_end), in the same order.

        Without path_end a reference means one element, text node or point; with it, everything
        from the start of the first to the end of the second. If there is a problem, start and end
        are null.
        """

    def smallest_containing(self, spans: pl.DataFrame) -> pl.DataFrame:
        """path, start, end of the smallest element around each span (doc, start, end), or null.

        Of elements with the same span it gives the outermost.
        """

    def largest_inside(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Row (of the span), path, start, end of the largest elements inside spans, in order.

        They have text and do not overlap; of elements with the same span it gives the outermost.
        """

    def leaves_inside(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Row (of the span), path, start, end of the elements with text and no elements inside."""

    def listed(self, documents: pl.Series) -> pl.DataFrame:
        """doc, path, start, end of all elements of documents, in order of the documents given."""

    def nested(self, documents: pl.Series) -> Nesting:
        """All elements of distinct documents, without paths, in order of the documents given.

        Unknown documents are left out.
        """

    def points(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Path and path_end of each span (doc, start, end): where in a text node it starts, ends.

        Null where the document has no such text, or if offsets do not count characters.
        """


@frozen(eq=False)
class Elements:
    """The elements of documents, in order of the documents and then of their start tags.

    `nesting` has depths and spans; `tag` is an index into `names`; `ordinal` is an element's place
    among those of the same name in its parent. A comment or processing instruction that separates
    two text nodes of element `broken[i]` is at offset `at[i]`. `counts_characters` is false if
    offsets count bytes, or runs of white space once, so that characters cannot be counted off.
    """

    documents: pl.Series
    names: pl.Series
    nesting: Nesting
    tag: Ints
    ordinal: Ints
    broken: Ints
    at: Ints
    counts_characters: bool = True

    @classmethod
    def of(
        cls,
        documents: pl.Series,
        names: pl.Series,
        nesting: Nesting,
        tag: Ints,
        ordinal: Ints | None = None,
        *,
        counts_characters: bool = True,
    ) -> Self:
        """The elements of a nesting; a row whose tag is -1 separates two text nodes.

        Ordinals are counted if they are not given.
        """
        is_element = tag >= 0
        number = np.cumsum(is_element) - 1
        parting = np.flatnonzero(~is_element & (nesting.parent >= 0))
        kept = nesting.only(is_element)
        tag = tag[is_element]
        return cls(
            documents=documents.alias(c.DOC),
            names=names,
            nesting=kept,
            tag=tag,
            ordinal=kept.ordinals(tag) if ordinal is None else ordinal[is_element],
            broken=number[nesting.parent[parting]],
            at=nesting.start[parting],
            counts_characters=counts_characters,
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The elements of several tables, one after another."""
        names = pl.concat([part.names for part in parts]).unique(maintain_order=True)
        tags, brokens, firsts, rows = [], [], [np.zeros(1, dtype=np.int64)], 0
        for part in parts:
            tags.append(number_among(part.names, names)[part.tag])
            brokens.append(part.broken + rows)
            firsts.append(part.nesting.first[1:] + rows)
            rows += len(part.tag)
        nesting = Nesting(
            np.concatenate(firsts),
            *(
                np.concatenate([getattr(part.nesting, name) for part in parts])
                for name in ("length", "depth", "start", "end")
            ),
        )
        return cls(
            documents=pl.concat([part.documents for part in parts]),
            names=names,
            nesting=nesting,
            tag=np.concatenate(tags),
            ordinal=np.concatenate([part.ordinal for part in parts]),
            broken=np.concatenate(brokens),
            at=np.concatenate([part.at for part in parts]),
            counts_characters=all(part.counts_characters for part in parts),
        )

    def document_rows(self, documents: pl.Series) -> Ints:
        """The row of each document; -1 for unknown ones."""
        return number_among(documents.cast(pl.String), self.documents)

    def lengths(self, documents: pl.Series) -> pl.Series:
        """The length of each document; null for unknown ones."""
        known = pl.Series(c.LENGTH, self.nesting.length)
        row = pl.Series(self.document_rows(documents))
        return known.gather(pl.select(pl.when(row >= 0).then(row)).to_series())

    def spans(self, references: pl.DataFrame) -> pl.DataFrame:
        """start, end and problem of each reference; see `ElementLookup`."""
        return self.resolve(References.of(references))

    def resolve(self, references: References) -> pl.DataFrame:
        """start, end and problem of references whose paths are already parsed."""
        return referenced(self, self.document_rows(references.document), references)

    def smallest_containing(self, spans: pl.DataFrame) -> pl.DataFrame:
        """path, start, end of the smallest element around each span, or null."""
        known, *places = self._placed(spans)
        row = np.full(spans.height, -1, dtype=np.int64)
        row[known] = self.nesting.smallest_containing(*places)
        found = self.shown(np.unique(row[row >= 0]))
        asked = pl.DataFrame({c.ROW: row})
        return asked.join(found, on=c.ROW, how="left", maintain_order="left").drop(c.ROW)

    def largest_inside(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Row (of the span), path, start, end of the largest elements inside spans, in order."""
        known, *places = self._placed(spans)
        return self._answered(known, *self.nesting.largest_inside(*places))

    def leaves_inside(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Row (of the span), path, start, end of the elements with text and no elements inside."""
        known, *places = self._placed(spans)
        return self._answered(known, *self.nesting.leaves_inside(*places))

    def points(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Path and path_end, the points in text nodes at which spans start and end."""
        known, document, start, end = self._placed(spans)
        length = self.nesting.length[document]
        # An empty span is at the character after it, or after the document's last.
        first = np.minimum(start, length - 1)
        last = np.where(end > start, end - 1, first)
        fits = (first >= 0) & (end <= length) & self.counts_characters
        # Plain text has no elements.
        fits[fits] = self.nesting.innermost(document[fits], first[fits]) >= 0
        points = {}
        for name, character, place in ((c.PATH, first, start), (c.PATH_END, last, end)):
            written = self._points(document[fits], character[fits], place[fits])
            rows = pl.DataFrame({c.ROW: known[fits], name: written})
            asked = pl.DataFrame({c.ROW: np.arange(spans.height)})
            points[name] = asked.join(rows, on=c.ROW, how="left", maintain_order="left")[name]
        return pl.DataFrame(points)

    def _points(self, document: Ints, character: Ints, place: Ints) -> pl.Series:
        """The paths of places, each within the text node of a character."""
        row = self.nesting.innermost(document, character)
        distinct, which = np.unique(row, return_inverse=True)
        piece, start, _ = self.nesting.text_nodes(distinct, self.broken, self.at)
        # Pieces are sorted by element and place; the right one is the last that starts before.
        count = np.bincount(piece, minlength=len(distinct))
        first = np.cumsum(count) - count
        base = np.concatenate([[0], np.cumsum(self.nesting.end[distinct] + 1)])[:-1]
        found = np.searchsorted(base[piece] + start, base[which] + character, side="right") - 1
        return pl.select(
            pl.format(
                "{}/text()[{}].{}",
                self._paths(distinct).gather(which),
                pl.lit(pl.Series(found - first[which] + 1)),
                pl.lit(pl.Series(place - start[found])),
            )
        ).to_series()

    def listed(self, documents: pl.Series) -> pl.DataFrame:
        """doc, path, start, end of all elements of documents, in order of the documents given."""
        taken = self.taken(documents)
        rows = np.arange(len(taken.tag))
        names = taken.documents.gather(taken.nesting.document).alias(c.DOC)
        return taken.shown(rows).drop(c.ROW).insert_column(0, names)

    def nested(self, documents: pl.Series) -> Nesting:
        """All elements of distinct documents, in order of the documents given."""
        return self.taken(documents).nesting

    def taken(self, documents: pl.Series) -> Elements:
        """The elements of some documents, in the order given, each once; unknown ones are left out."""
        document = self.document_rows(documents.unique(maintain_order=True))
        document = document[document >= 0]
        whole = self.nesting
        count = (whole.first[1:] - whole.first[:-1])[document]
        first = np.concatenate([[0], np.cumsum(count)])
        moved = whole.first[document] - first[:-1]
        row = np.arange(first[-1]) + np.repeat(moved, count)
        broken, at = self._breaks_of(row)
        nesting = Nesting(
            first, whole.length[document], whole.depth[row], whole.start[row], whole.end[row]
        )
        return Elements(
            self.documents.gather(document), self.names, nesting, self.tag[row],
            self.ordinal[row], broken, at, self.counts_characters,
        )  # fmt: skip

    def _breaks_of(self, row: Ints) -> tuple[Ints, Ints]:
        """The breaks in some rows, numbered by the rows given."""
        begin = np.searchsorted(self.broken, row, side="left")
        count = np.searchsorted(self.broken, row, side="right") - begin
        broken = np.repeat(np.arange(len(row)), count)
        return broken, self.at[begin[broken] + Segments.sized(count).nth - 1]

    def _placed(self, spans: pl.DataFrame) -> tuple[Ints, Ints, Ints, Ints]:
        """The spans of known documents: their rows, documents, starts and ends."""
        document = self.document_rows(spans[c.DOC])
        given = spans[c.START].is_not_null() & spans[c.END].is_not_null()
        known = np.flatnonzero((document >= 0) & given.to_numpy())
        start, end = (
            spans[name].cast(pl.Int64).gather(known).to_numpy() for name in (c.START, c.END)
        )
        return known, document[known], start, end

    def _answered(self, known: Ints, span: Ints, row: Ints) -> pl.DataFrame:
        distinct, place = np.unique(row, return_inverse=True)
        found = self.shown(distinct).drop(c.ROW)[place]
        return found.insert_column(0, pl.Series(c.ROW, known[span]))

    def shown(self, rows: Ints) -> pl.DataFrame:
        """row, path, start, end of elements, given in ascending order."""
        return pl.DataFrame(
            {
                c.ROW: rows,
                c.PATH: self._paths(rows),
                c.START: self.nesting.start[rows],
                c.END: self.nesting.end[rows],
            }
        )

    def _paths(self, rows: Ints) -> pl.Series:
        """The paths of elements, built from the roots down."""
        needed = self._with_ancestors(rows)
        steps = pl.select(
            pl.format(
                "/{}[{}]",
                self.names.gather(self.tag[needed]),
                pl.lit(pl.Series(self.ordinal[needed])),
            )
        ).to_series()
        above = np.searchsorted(needed, self.nesting.parent[needed])
        depth = self.nesting.depth[needed]
        order = np.argsort(depth, kind="stable")
        parts, before, level_first = [], pl.Series(dtype=pl.String), 0
        place = np.empty(len(needed), dtype=np.int64)
        for level in np.split(order, np.flatnonzero(np.diff(depth[order])) + 1):
            own = steps.gather(level)
            if len(before):
                own = before.gather(place[above[level]] - level_first) + own
                level_first += len(before)
            place[level] = level_first + np.arange(len(level))
            before = own
            parts.append(own)
        whole = pl.concat(parts) if parts else before
        return whole.gather(place[np.searchsorted(needed, rows)])

    def _with_ancestors(self, rows: Ints) -> Ints:
        """Rows and all rows around them, ascending."""
        found, around = [rows], rows
        while len(around):
            around = np.unique(self.nesting.parent[around])
            around = around[around >= 0]
            found.append(around)
        return np.unique(np.concatenate(found))
