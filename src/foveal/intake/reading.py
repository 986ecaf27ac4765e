"""Documents from wherever their texts are: files, archives, tables, frameworks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from foveal.collection import is_index, read_texts
from foveal.errors import BadInput, DataError, Problem, UsageError, counted, kind
from foveal.files import REMOTE
from foveal.formats import is_table, is_unicode, read_table
from foveal.intake._fields import fields_of
from foveal.intake.documents import Documents
from foveal.late import pl
from foveal.tables import ALIASES, Frame, aliased, is_frame
from foveal.tables import columns as c
from foveal.work import stage

DocumentsLike: TypeAlias = (
    Documents | str | os.PathLike[str] | Mapping[str, str] | Frame | Iterable[object]
)
"""Documents: a path, {id: text}, a frame, or a list of dicts or of a framework's documents."""

# A document as it was given: its line or row if it has one, its id and its text.
Given: TypeAlias = tuple[int | None, object, object]
_IDS = ("id", "id_", "doc_id", c.DOC, *ALIASES[c.DOC])


def read_documents(source: DocumentsLike) -> Documents:
    """The texts of documents, to find and verify the offsets of chunks with.

    The source is a folder or an archive (tar, zip) of text or XML files, whose names without ending
    are the documents' ids (for files of the same name, their paths in the folder); a JSONL, JSON (an array of objects), CSV, TSV or Parquet file with the
    columns doc (or id) and text; {id: text}; a frame or a list of dicts with these columns; or a
    list of documents of LangChain, LlamaIndex or Haystack.
    """
    if isinstance(source, Documents):
        return source
    if isinstance(source, str | os.PathLike):
        return _at(os.fspath(source))
    if isinstance(source, Mapping):
        return Documents(_checked(_named(source.items()), "documents"))
    if is_frame(source):
        # Lines are those of files; rows in memory are counted.
        table = pl.DataFrame(source).drop(c.LINE, strict=False)
        return Documents(_checked(_columns(table, "documents"), "documents"))
    if not isinstance(source, Iterable):
        raise UsageError(
            f"cannot read documents from {type(source).__name__}: give a path, {{id: text}}, a frame,"
            " or a list of dicts or documents"
        )
    rows = ((row, *_own(document)) for row, document in enumerate(source, 1))
    return Documents(_checked(rows, "documents"))


def _at(path: str) -> Documents:
    is_folder = REMOTE not in path and Path(path).is_dir()
    if is_folder and is_index(path):
        raise DataError(
            f"{path}: an offset index, which has no texts: give the collection it was made from"
        )
    notes: tuple[str, ...] = ()
    with stage(f"reading {Path(path).name}"):
        if not is_folder and is_table(path):
            texts = _checked(_columns(read_table(path), path), path)
        else:
            read = read_texts(path)
            texts, notes = _checked(_named(read.documents), path), read.notes
    if not texts:
        raise BadInput(path, [Problem(None, "; ".join(("no documents", *notes)))])
    return Documents(texts, path, tuple(f"{path}: {note}" for note in notes))


def _named(pairs: Iterable[tuple[object, object]]) -> Iterator[Given]:
    """Ids and texts that are on no line: the id says which document is meant."""
    return ((None, own, text) for own, text in pairs)


def _columns(table: pl.DataFrame, source: str) -> Iterator[Given]:
    """The lines, ids and texts in a table, whose columns may have other names.

    Without lines, rows are counted from 1.
    """
    lines = table[c.LINE] if c.LINE in table.columns else range(1, table.height + 1)
    table = table.drop(c.LINE, strict=False)
    taken = aliased([c.DOC, c.TEXT], table.columns)
    names = {c.DOC: taken.get(c.DOC, c.DOC), c.TEXT: taken.get(c.TEXT, c.TEXT)}
    if names[c.DOC] not in table.columns and "id" in table.columns:
        names[c.DOC] = "id"
    missing = [ours for ours, theirs in names.items() if theirs not in table.columns]
    if missing:
        found = ", ".join(table.columns) or "none"
        what = " and ".join(map(repr, missing))
        reason = (
            f"documents need the columns 'doc' (or 'id') and 'text': no {what} (found: {found})"
        )
        raise BadInput(source, [Problem(None, reason)])
    yield from zip(lines, table[names[c.DOC]], table[names[c.TEXT]], strict=True)


def _own(document: object) -> tuple[object, object]:
    """The id and the text of a document of a framework, of a dict or of a pair."""
    if isinstance(document, tuple) and len(document) == 2:
        return document
    text = fields_of(document).text
    if isinstance(document, Mapping):
        return _id(document, (c.DOC, *ALIASES[c.DOC], "id")), text
    own = {name: getattr(document, name, None) for name in _IDS}
    # LangChain's documents mostly have no id; their loaders say where they came from.
    meta = getattr(document, "metadata", None) or getattr(document, "meta", None)
    return _id(own, _IDS) or _id(meta if isinstance(meta, Mapping) else {}, _IDS), text


def _id(fields: Mapping[str, object], names: Iterable[str]) -> object:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _checked(documents: Iterable[Given], source: str) -> dict[str, str]:
    """Ids and texts, each id once."""
    texts: dict[str, str] = {}
    problems = []
    for line, own, text in documents:
        name = str(own) if isinstance(own, int) and not isinstance(own, bool) else own
        if not isinstance(name, str) or not name or not is_unicode(name):
            missing = name is None or name == ""
            reason = f"id is {kind(own)}, not an identifier"
            problems.append(Problem(line, "a document without an id" if missing else reason))
        elif not isinstance(text, str) or not is_unicode(text):
            problems.append(Problem(line, _no_text(name, text)))
        elif texts.setdefault(name, text) != text:
            problems.append(
                Problem(line, f"a second document {name!r} with another text: ids must differ")
            )
    if problems:
        error = BadInput(source, problems)
        error.lead_with(f"{source}: {counted(len(problems), 'document')} cannot be used")
        raise error
    return texts


def _no_text(name: str, text: object) -> str:
    """What is wrong with the text of a document."""
    if text is None:
        return f"document {name!r} has no text"
    if isinstance(text, str):
        return f"the text of document {name!r} has half a character (a lone surrogate, \\ud800 …)"
    return f"the text of document {name!r} is {kind(text)}, not text"
