"""Texts of documents from any source, to verify and find the parts of runs and judgements."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from foveal.choices import Copies, OffsetUnit, chosen
from foveal.collection import is_index, read_texts
from foveal.errors import BadInput, DataError, Problem, UsageError, counted, value_text
from foveal.files import REMOTE
from foveal.formats import is_table, is_unicode, read_table
from foveal.frozen import frozen
from foveal.intake._chunk_list import ChunkList
from foveal.intake._hit_fields import fields_of
from foveal.intake._placement import PlacementQuery, all_of, fits_several
from foveal.intake._run_audit import audit_of, noted, passage_notes
from foveal.late import pl
from foveal.tables import (
    ChunkListLike,
    DocumentNames,
    Frame,
    PlacedText,
    Run,
    RunLike,
    aliases,
    is_frame,
    rows_in_order,
    unplaced_results,
)
from foveal.tables import columns as c
from foveal.work import stage

# A document before it is checked: its line or row if it has one, its id and its text.
DocumentRow: TypeAlias = tuple[int | None, object, object]
_IDS = ("id", "id_", "doc_id", c.DOC, *aliases.BY_COLUMN[c.DOC])


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
        """Ids of all documents, one set for the audits of all runs."""
        return frozenset(self.texts)

    def __repr__(self) -> str:
        return f"<Documents: {counted(len(self), 'document')}>"

    def lengths(self, documents: pl.Series) -> pl.Series:
        """Length of each document in characters; null if it is unknown."""
        ids = self.ids_by_name(documents)
        lengths = {name: len(self.texts[doc_id]) for name, doc_id in ids.items()}
        names = documents.cast(pl.String).alias(c.LENGTH)
        return names.replace_strict(lengths, default=None, return_dtype=pl.Int64)

    def judged_lengths(self, documents: pl.Series) -> pl.Series:
        """Lengths of judged documents; a name that fits several documents is refused."""
        fitting = DocumentNames(self.texts).matches(documents.cast(pl.String).drop_nulls())
        problems = [
            Problem(None, fits_several(name, fits, all_of(self.texts, self.source)))
            for name, fits in fitting.items()
            if len(fits) > 1
        ]
        if problems:
            raise BadInput("judgements", problems)
        return self.lengths(documents)

    def cut(self, parts: pl.DataFrame) -> pl.Series:
        """Text of each part (doc, start, end); null if the document is unknown.

        A part without start and end is the whole document.
        """
        ids = self.ids_by_name(parts[c.DOC])
        rows = parts.select(c.DOC, c.START, c.END).iter_rows()
        cuts = [self.texts[ids[doc]][start:end] if doc in ids else None for doc, start, end in rows]
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
        unit, copies = chosen(OffsetUnit, count), chosen(Copies, copies)
        chunk_list = None if chunks is None else ChunkList.of(chunks, self.texts)
        frame = table.frame[rows_in_order(table)]
        query = PlacementQuery(self.texts, self.source, unit, copies, chunk_list)
        placements = query.placements(frame)
        audit = noted(audit_of(frame, placements, self.names), placements, unit=unit, copies=copies)
        start, end = pl.col(c.FOUND_START).alias(c.START), pl.col(c.FOUND_END).alias(c.END)
        placed = frame.with_columns(placements.rows.select(start, end))
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

    def spans(self, parts: pl.DataFrame, *, copies: Copies | str = Copies.REFUSE) -> PlacedText:
        """Placed text of each part: columns doc, and any of start, end and text, null if not given."""
        copies = chosen(Copies, copies)
        query = PlacementQuery(self.texts, self.source, copies=copies, is_gold=True)
        placements = query.placements(parts)
        rows = placements.rows
        start, end = rows[c.FOUND_START].alias(c.START), rows[c.FOUND_END].alias(c.END)
        return PlacedText(start, end, rows[c.PROBLEM], passage_notes(placements, copies))

    def lengths_in(self, results: pl.DataFrame) -> pl.DataFrame:
        """Documents of the results with their lengths (doc, length)."""
        documents = results[c.DOC].unique(maintain_order=True)
        return pl.DataFrame({c.DOC: documents, c.LENGTH: self.lengths(documents)})

    def ids_by_name(self, documents: pl.Series) -> dict[str, str]:
        """Id of each document that is known, by the name given: its id, or a name that fits only it."""
        names = documents.cast(pl.String).drop_nulls().unique(maintain_order=True).to_list()
        ids = {name: name for name in names if name in self.texts}
        return {**ids, **DocumentNames(self.texts).resolve(names)}


class SomeDocuments(Documents):
    """Texts of only some documents; a result from another document keeps its stated offsets."""

    def placed(self, run: RunLike, **options: Any) -> Run:
        """The run with offsets that fit its texts, as far as these are known."""
        table = Run.coerced(run)
        known_docs = list(self.ids_by_name(table.frame[c.DOC]))
        is_known = table.frame.select(
            pl.col(c.DOC).is_in(known_docs) & pl.col(c.START).ne_missing(c.UNMAPPED)
        ).to_series()
        if unplaced_results(table).height or is_known.all():
            return super().placed(table, **options)
        if not is_known.any():
            return table
        placed = super().placed(table.with_frame(table.frame.filter(is_known)), **options)
        rows = pl.concat([placed.frame, table.frame.filter(~is_known)], how="diagonal_relaxed")
        return placed.with_frame(rows.sort(c.LINE, maintain_order=True))


DocumentsLike: TypeAlias = (
    Documents | str | os.PathLike[str] | Mapping[str, str] | Frame | Iterable[object]
)
"""Documents: a path, {id: text}, a frame, or a list of dicts or of a framework's documents."""


def read_documents(source: DocumentsLike) -> Documents:
    """Texts of documents, to find and verify the offsets of chunks with.

    The source is a folder or an archive (tar, zip) of text or XML files, whose names without ending
    are the documents' ids (for files of the same name, their paths in the folder); a JSONL, JSON (an array of objects), CSV, TSV or Parquet file with the
    columns doc (or id) and text; {id: text}; a frame or a list of dicts with these columns; or a
    list of documents of LangChain, LlamaIndex or Haystack.
    """
    if isinstance(source, Documents):
        return source
    if isinstance(source, str | os.PathLike):
        return _read_path(os.fspath(source))
    if isinstance(source, Mapping):
        rows = _rows_of_pairs(source.items())
    elif is_frame(source):
        rows = _rows_of_table(_without_lines(source), "documents")
    elif isinstance(source, Iterable):
        rows = ((row, *_id_and_text(document)) for row, document in enumerate(source, 1))
    else:
        raise UsageError(
            f"cannot read documents from {type(source).__name__}: give a path, {{id: text}}, a frame,"
            " or a list of dicts or documents"
        )
    return Documents(_checked(rows, "documents"))


def _without_lines(frame: Frame) -> pl.DataFrame:
    """Frame without line numbers, which only files have; rows in memory are counted from 1."""
    return pl.DataFrame(frame).drop(c.LINE, strict=False)


def _read_path(path: str) -> Documents:
    is_folder = REMOTE not in path and Path(path).is_dir()
    if is_folder and is_index(path):
        raise DataError(
            f"{path}: an offset index, which has no texts: give the collection it was made from"
        )
    notes: tuple[str, ...] = ()
    with stage(f"reading {Path(path).name}"):
        if not is_folder and is_table(path):
            texts = _checked(_rows_of_table(read_table(path), path), path)
        else:
            collection = read_texts(path)
            texts, notes = _checked(_rows_of_pairs(collection.documents), path), collection.notes
    if not texts:
        raise BadInput(path, [Problem(None, "; ".join(("no documents", *notes)))])
    return Documents(texts, path, tuple(f"{path}: {note}" for note in notes))


def _rows_of_pairs(pairs: Iterable[tuple[object, object]]) -> Iterator[DocumentRow]:
    """Documents without lines; in messages, the id says which is meant."""
    return ((None, doc_id, text) for doc_id, text in pairs)


def _rows_of_table(table: pl.DataFrame, source: str) -> Iterator[DocumentRow]:
    """Lines, ids and texts in a table, whose columns may have other names.

    Without lines, rows are counted from 1.
    """
    lines = table[c.LINE] if c.LINE in table.columns else range(1, table.height + 1)
    table = table.drop(c.LINE, strict=False)
    aliases_used = aliases.alias_by_column([c.DOC, c.TEXT], table.columns)
    names = {column: aliases_used.get(column, column) for column in (c.DOC, c.TEXT)}
    if names[c.DOC] not in table.columns and "id" in table.columns:
        names[c.DOC] = "id"
    missing = [column for column, name in names.items() if name not in table.columns]
    if missing:
        columns = ", ".join(table.columns) or "none"
        absent = " and ".join(map(repr, missing))
        reason = (
            f"documents need the columns 'doc' (or 'id') and 'text': no {absent} (found: {columns})"
        )
        raise BadInput(source, [Problem(None, reason)])
    yield from zip(lines, table[names[c.DOC]], table[names[c.TEXT]], strict=True)


def _id_and_text(document: object) -> tuple[object, object]:
    """Id and text of a framework's document, of a dict or of a pair."""
    if isinstance(document, tuple) and len(document) == 2:
        return document
    text = fields_of(document).text
    if isinstance(document, Mapping):
        return _id(document, (c.DOC, *aliases.BY_COLUMN[c.DOC], "id")), text
    fields = {name: getattr(document, name, None) for name in _IDS}
    # LangChain's documents mostly have no id; their loaders say where they came from.
    meta = getattr(document, "metadata", None) or getattr(document, "meta", None)
    return _id(fields, _IDS) or _id(meta if isinstance(meta, Mapping) else {}, _IDS), text


def _id(fields: Mapping[str, object], names: Iterable[str]) -> object:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _checked(documents: Iterable[DocumentRow], source: str) -> dict[str, str]:
    """Texts by id; refused if an id is missing or repeated, or a text is none."""
    texts: dict[str, str] = {}
    problems = []
    for line, doc_id, text in documents:
        name = str(doc_id) if isinstance(doc_id, int) and not isinstance(doc_id, bool) else doc_id
        if not isinstance(name, str) or not name or not is_unicode(name):
            missing = name is None or name == ""
            reason = f"id is {value_text(doc_id)}, not an identifier"
            problems.append(Problem(line, "a document without an id" if missing else reason))
        elif not isinstance(text, str) or not is_unicode(text):
            problems.append(Problem(line, _text_problem(name, text)))
        elif texts.setdefault(name, text) != text:
            reason = f"a second document {name!r} with another text: ids must differ"
            problems.append(Problem(line, reason))
    if problems:
        error = BadInput(source, problems)
        error.lead_with(f"{source}: {counted(len(problems), 'document')} cannot be used")
        raise error
    return texts


def _text_problem(name: str, text: object) -> str:
    """Reason why the text of a document cannot be used."""
    if text is None:
        return f"document {name!r} has no text"
    if isinstance(text, str):
        return f"the text of document {name!r} has half a character (a lone surrogate, \\ud800 …)"
    return f"the text of document {name!r} is {value_text(text)}, not text"
