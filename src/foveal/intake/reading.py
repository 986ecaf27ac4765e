"""Documents from wherever their texts are: files, archives, tables, frameworks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from foveal.collection import is_index, read_texts
from foveal.errors import BadInput, DataError, Problem, UsageError, counted
from foveal.files import REMOTE
from foveal.intake._fields import fields_of
from foveal.intake._rows import SEPARATORS, read_rows, suffix_of
from foveal.intake.documents import Documents
from foveal.late import pl
from foveal.tables import ALIASES, Frame, aliased, is_frame
from foveal.tables import columns as c

DocumentsLike: TypeAlias = (
    Documents | str | os.PathLike[str] | Mapping[str, str] | Frame | Iterable[object]
)
"""Documents: a path, {id: text}, a frame, or a list of dicts or of a framework's documents."""

_TABLES = {*SEPARATORS, ".jsonl", ".ndjson", ".parquet"}
_IDS = ("id", "id_", "doc_id", c.DOC, *ALIASES[c.DOC])


def read_documents(source: DocumentsLike) -> Documents:
    """The texts of documents, to find and verify the offsets of chunks with.

    The source is a folder or an archive (tar, zip) of text or XML files, whose names without ending
    are the documents' ids; a JSONL, CSV, TSV or Parquet file with the columns doc (or id) and text;
    {id: text}; a frame or a list of dicts with these columns; or a list of documents of LangChain,
    LlamaIndex or Haystack.
    """
    if isinstance(source, Documents):
        return source
    if isinstance(source, str | os.PathLike):
        return _at(os.fspath(source))
    if isinstance(source, Mapping):
        return Documents(_checked(source.items(), "documents"))
    if is_frame(source):
        return Documents(_checked(_columns(pl.DataFrame(source), "documents"), "documents"))
    if not isinstance(source, Iterable):
        raise UsageError(
            f"cannot read documents from {type(source).__name__}: give a path, {{id: text}}, a frame,"
            " or a list of dicts or documents"
        )
    return Documents(_checked((_own(document) for document in source), "documents"))


def _at(path: str) -> Documents:
    if REMOTE not in path and Path(path).is_dir() and is_index(path):
        raise DataError(
            f"{path}: an offset index, which has no texts: give the collection it was made from"
        )
    is_table = suffix_of(path) in _TABLES and not (REMOTE not in path and Path(path).is_dir())
    pairs = _columns(read_rows(path), path) if is_table else read_texts([path])
    texts = _checked(pairs, path)
    if not texts:
        raise BadInput(path, [Problem(None, "no documents")])
    return Documents(texts, path)


def _columns(table: pl.DataFrame, source: str) -> Iterator[tuple[object, object]]:
    """The ids and texts in a table, whose columns may have other names."""
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
    yield from zip(table[names[c.DOC]], table[names[c.TEXT]], strict=True)


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


def _checked(pairs: Iterable[tuple[object, object]], source: str) -> dict[str, str]:
    """Ids and texts, each id once."""
    texts: dict[str, str] = {}
    problems = []
    for number, (own, text) in enumerate(pairs, 1):
        name = str(own) if isinstance(own, int) and not isinstance(own, bool) else own
        if not isinstance(name, str) or not name:
            problems.append(Problem(number, "a document without an id"))
        elif not isinstance(text, str):
            problems.append(Problem(number, f"document {name!r} has no text"))
        elif texts.setdefault(name, text) != text:
            problems.append(
                Problem(number, f"a second document {name!r} with another text: ids must differ")
            )
    if problems:
        error = BadInput(source, problems)
        error.lead_with(f"{source}: {counted(len(problems), 'document')} cannot be used")
        raise error
    return texts
