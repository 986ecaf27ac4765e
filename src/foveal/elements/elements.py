"""Elements: the span of every element in its document's text."""

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
        """True if offsets count every code point."""

    def spans(self, references: pl.DataFrame) -> pl.DataFrame:
        """start, end and problem of each reference (doc, path, path_end), in the same order.

        Without path_end a reference means one element, text node or point; with it, everything
        from the start of the first to the end of the second. If there is a problem, start and end
        are null.
        """

    def smallest_containing(self, spans: pl.DataFrame) -> pl.DataFrame:
        """path, start, end of the smallest element around each span (doc, start, end), or null.

        Of elements with the same span it returns the outermost.
        """

    def largest_inside(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Row (of the span), path, start, end of the largest elements inside spans, in order.

        They have text and do not overlap; of elements with the same span it returns the outermost.
        """

    def leaves_inside(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Row (of the span), path, start, end of the elements with text and no elements inside."""

    def rows_of(self, documents: pl.Series) -> pl.DataFrame:
        """doc, path, start, end of all elements of documents, in order of the documents given."""

    def nesting_of(self, documents: pl.Series) -> Nesting:
        """All elements of distinct documents, without paths, in order of the documents given.

        Unknown documents are left out.
        """

    def points(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Path and path_end of each span (doc, start, end): points in text nodes.

        Null if the document has no such text, or if offsets do not count characters.
        """


@frozen(eq=False)
class Elements:
    """The elements of documents, in order of the documents and then of their start tags.

    `nesting` has depths and spans; `tag` is an index into `names`; `ordinal` is an element's number
    among those of the same name in its parent. A comment or processing instruction that separates
    two text nodes of element `break_row[i]` is at offset `break_offset[i]`. `counts_characters` is
    false if offsets count bytes, or consecutive white space once, so that characters cannot be
    counted off.
    """

    documents: pl.Series
    names: pl.Series
    nesting: Nesting
    tag: Ints
    ordinal: Ints
    break_row: Ints
    break_offset: Ints
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
        """Make elements from a nesting in which rows with tag -1 separate two text nodes.

        Ordinals are counted if they are not given.
        """
        is_element = tag >= 0
        element_row = np.cumsum(is_element) - 1
        breaks = np.flatnonzero(~is_element & (nesting.parent >= 0))
        only_elements = nesting.only(is_element)
        tag = tag[is_element]
        return cls(
            documents=documents.alias(c.DOC),
            names=names,
            nesting=only_elements,
            tag=tag,
            ordinal=only_elements.ordinals(tag) if ordinal is None else ordinal[is_element],
            break_row=element_row[nesting.parent[breaks]],
            break_offset=nesting.start[breaks],
            counts_characters=counts_characters,
        )

    @classmethod
    def concatenated(cls, parts: Sequence[Self]) -> Self:
        """The elements of several tables, one after another."""
        names = pl.concat([part.names for part in parts]).unique(maintain_order=True)
        tags, break_rows, firsts, rows = [], [], [np.zeros(1, dtype=np.int64)], 0
        for part in parts:
            tags.append(number_among(part.names, names)[part.tag])
            break_rows.append(part.break_row + rows)
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
            break_row=np.concatenate(break_rows),
            break_offset=np.concatenate([part.break_offset for part in parts]),
            counts_characters=all(part.counts_characters for part in parts),
        )

    def document_rows(self, documents: pl.Series) -> Ints:
        """The row of each document; -1 for unknown ones."""
        return number_among(documents.cast(pl.String), self.documents)

    def lengths(self, documents: pl.Series) -> pl.Series:
        """The length of each document; null for unknown ones."""
        lengths = pl.Series(c.LENGTH, self.nesting.length)
        row = pl.Series(self.document_rows(documents))
        return lengths.gather(pl.select(pl.when(row >= 0).then(row)).to_series())

    def spans(self, references: pl.DataFrame) -> pl.DataFrame:
        """start, end and problem of each reference; see `ElementLookup`."""
        return self.resolve(References.of(references))

    def resolve(self, references: References) -> pl.DataFrame:
        """start, end and problem of references whose paths are already parsed."""
        return referenced(self, self.document_rows(references.document), references)

    def smallest_containing(self, spans: pl.DataFrame) -> pl.DataFrame:
        """path, start, end of the smallest element around each span, or null."""
        span_row, *bounds = self._known_spans(spans)
        element = np.full(spans.height, -1, dtype=np.int64)
        element[span_row] = self.nesting.smallest_containing(*bounds)
        paths = self.path_rows(np.unique(element[element >= 0]))
        elements = pl.DataFrame({c.ROW: element})
        return elements.join(paths, on=c.ROW, how="left", maintain_order="left").drop(c.ROW)

    def largest_inside(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Row (of the span), path, start, end of the largest elements inside spans, in order."""
        span_row, *bounds = self._known_spans(spans)
        return self._path_rows_of_spans(span_row, *self.nesting.largest_inside(*bounds))

    def leaves_inside(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Row (of the span), path, start, end of the elements with text and no elements inside."""
        span_row, *bounds = self._known_spans(spans)
        return self._path_rows_of_spans(span_row, *self.nesting.leaves_inside(*bounds))

    def points(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Path and path_end, the points in text nodes at which spans start and end."""
        span_row, document, start, end = self._known_spans(spans)
        length = self.nesting.length[document]
        # An empty span is at the start of the next character, or at the end of the document.
        first = np.minimum(start, length - 1)
        last = np.where(end > start, end - 1, first)
        fits = (first >= 0) & (end <= length) & self.counts_characters
        # Plain text has no elements.
        fits[fits] = self.nesting.innermost(document[fits], first[fits]) >= 0
        points = {}
        for name, character, offset in ((c.PATH, first, start), (c.PATH_END, last, end)):
            paths = self._points(document[fits], character[fits], offset[fits])
            rows = pl.DataFrame({c.ROW: span_row[fits], name: paths})
            all_rows = pl.DataFrame({c.ROW: np.arange(spans.height)})
            points[name] = all_rows.join(rows, on=c.ROW, how="left", maintain_order="left")[name]
        return pl.DataFrame(points)

    def _points(self, document: Ints, character: Ints, offset: Ints) -> pl.Series:
        """Paths of offsets, each as a point in the text node of a character."""
        row = self.nesting.innermost(document, character)
        distinct, index = np.unique(row, return_inverse=True)
        piece, start, _ = self.nesting.text_nodes(distinct, self.break_row, self.break_offset)
        # Pieces are sorted by element and offset; the right one is the last that starts before.
        count = np.bincount(piece, minlength=len(distinct))
        first = np.cumsum(count) - count
        base = np.concatenate([[0], np.cumsum(self.nesting.end[distinct] + 1)])[:-1]
        node = np.searchsorted(base[piece] + start, base[index] + character, side="right") - 1
        paths = self._paths(distinct).gather(index)
        numbers = (pl.lit(pl.Series(n)) for n in (node - first[index] + 1, offset - start[node]))
        return pl.select(pl.format("{}/text()[{}].{}", paths, *numbers)).to_series()

    def rows_of(self, documents: pl.Series) -> pl.DataFrame:
        """doc, path, start, end of all elements of documents, in order of the documents given."""
        elements = self.only(documents)
        rows = np.arange(len(elements.tag))
        names = elements.documents.gather(elements.nesting.document).alias(c.DOC)
        return elements.path_rows(rows).drop(c.ROW).insert_column(0, names)

    def nesting_of(self, documents: pl.Series) -> Nesting:
        """All elements of distinct documents, in order of the documents given."""
        return self.only(documents).nesting

    def only(self, documents: pl.Series) -> Elements:
        """The elements of the given documents, each once and in order; unknown ones are left out."""
        document = self.document_rows(documents.unique(maintain_order=True))
        document = document[document >= 0]
        old = self.nesting
        count = (old.first[1:] - old.first[:-1])[document]
        first = np.concatenate([[0], np.cumsum(count)])
        shift = old.first[document] - first[:-1]
        row = np.arange(first[-1]) + np.repeat(shift, count)
        break_row, break_offset = self._breaks_of(row)
        nesting = Nesting(first, old.length[document], old.depth[row], old.start[row], old.end[row])
        return Elements(
            self.documents.gather(document), self.names, nesting, self.tag[row],
            self.ordinal[row], break_row, break_offset, self.counts_characters,
        )  # fmt: skip

    def _breaks_of(self, row: Ints) -> tuple[Ints, Ints]:
        """Breaks in the given rows: (index among these rows, offset)."""
        first = np.searchsorted(self.break_row, row, side="left")
        count = np.searchsorted(self.break_row, row, side="right") - first
        break_row = np.repeat(np.arange(len(row)), count)
        return break_row, self.break_offset[first[break_row] + Segments.sized(count).nth - 1]

    def _known_spans(self, spans: pl.DataFrame) -> tuple[Ints, Ints, Ints, Ints]:
        """Spans in known documents: (row of the span, document, start, end)."""
        document = self.document_rows(spans[c.DOC])
        has_offsets = spans[c.START].is_not_null() & spans[c.END].is_not_null()
        span_row = np.flatnonzero((document >= 0) & has_offsets.to_numpy())
        start, end = (
            spans[name].cast(pl.Int64).gather(span_row).to_numpy() for name in (c.START, c.END)
        )
        return span_row, document[span_row], start, end

    def _path_rows_of_spans(self, span_row: Ints, span: Ints, element: Ints) -> pl.DataFrame:
        distinct, index = np.unique(element, return_inverse=True)
        paths = self.path_rows(distinct).drop(c.ROW)[index]
        return paths.insert_column(0, pl.Series(c.ROW, span_row[span]))

    def path_rows(self, rows: Ints) -> pl.DataFrame:
        """row, path, start, end of elements, given by ascending rows."""
        start, end = self.nesting.start[rows], self.nesting.end[rows]
        return pl.DataFrame({c.ROW: rows, c.PATH: self._paths(rows), c.START: start, c.END: end})

    def _paths(self, rows: Ints) -> pl.Series:
        """The paths of elements, built from the roots down."""
        needed = self._with_ancestors(rows)
        names, ordinals = self.names.gather(self.tag[needed]), pl.Series(self.ordinal[needed])
        steps = pl.select(pl.format("/{}[{}]", names, pl.lit(ordinals))).to_series()
        parent = np.searchsorted(needed, self.nesting.parent[needed])
        depth = self.nesting.depth[needed]
        order = np.argsort(depth, kind="stable")
        parts, parent_paths, level_first = [], pl.Series(dtype=pl.String), 0
        index = np.empty(len(needed), dtype=np.int64)
        for level in np.split(order, np.flatnonzero(np.diff(depth[order])) + 1):
            paths = steps.gather(level)
            if len(parent_paths):
                paths = parent_paths.gather(index[parent[level]] - level_first) + paths
                level_first += len(parent_paths)
            index[level] = level_first + np.arange(len(level))
            parent_paths = paths
            parts.append(paths)
        all_paths = pl.concat(parts) if parts else parent_paths
        return all_paths.gather(index[np.searchsorted(needed, rows)])

    def _with_ancestors(self, rows: Ints) -> Ints:
        """Rows and the rows of all their ancestors, ascending."""
        levels, parents = [rows], rows
        while len(parents):
            parents = np.unique(self.nesting.parent[parents])
            parents = parents[parents >= 0]
            levels.append(parents)
        return np.unique(np.concatenate(levels))
