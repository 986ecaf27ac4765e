"""What retrieval frameworks and other tools call our columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from foveal.tables import _columns as c

if TYPE_CHECKING:
    from foveal.late import pl

# The exact name wins, then the first of these that is there; identifiers come before texts.
ALIASES = {
    c.TOPIC: ("query_id", "qid", "question_id", "query"),
    c.DOC: (
        "doc_id",
        # PyTerrier has both, and its docid is a number of its own.
        "docno",
        "docid",
        "document_id",
        "document",
        "source",
        "file_path",
        "filename",
        "ref_doc_id",
    ),
    c.START: ("start_index", "start_char_idx", "start_char", "begin", "offset"),
    c.END: ("end_index", "end_char_idx", "end_char"),
    c.TEXT: ("content", "page_content", "chunk", "passage"),
    c.GRADE: ("label", "relevance"),
    c.SCORE: ("similarity", "distance"),
    c.TITLE: ("query", "text"),
}
# What a result may have under another name, and a judgement.
OF_RUNS = (c.TOPIC, c.DOC, c.START, c.END, c.SCORE, c.TEXT)
OF_JUDGEMENTS = (c.TOPIC, c.DOC, c.START, c.END, c.GRADE, c.TEXT)
# Where frameworks keep what they know of a chunk, and Haystack's names, which are in no table.
METADATA = ("metadata", "meta")
OF_HAYSTACK = {c.DOC: ("source_id", "file_name"), c.START: ("split_idx_start",)}
# What is looked for there, and the kinds of values that it has.
_OFFSET = (int, float, str)
_INSIDE = {c.DOC: (str, int), c.START: _OFFSET, c.END: _OFFSET, c.TEXT: (str,)}


def unfolded(item: dict[str, Any]) -> dict[str, Any]:
    """A row with the document, offsets and text of its metadata, where it does not say so itself.

    >>> unfolded({"page_content": "Two fish.", "metadata": {"source": "a", "page": 3}})
    {'page_content': 'Two fish.', 'source': 'a'}
    """
    inside = [inner for name in METADATA if isinstance(inner := item.get(name), Mapping)]
    found: dict[str, Any] = {}
    for ours, kinds in _INSIDE.items() if inside else ():
        names = (ours, *ALIASES[ours])
        if any(item.get(name) is not None for name in names):
            continue
        told = (
            (key, inner[key])
            for inner in inside
            for key in (*names, *OF_HAYSTACK.get(ours, ()))
            if isinstance(inner.get(key), kinds) and not isinstance(inner[key], bool)
        )
        for key, value in islice(told, 1):
            found[key if key in names else ours] = value
    if not found:
        return item
    return {**{key: item[key] for key in item if key not in METADATA}, **found}


def aliased(wanted: Iterable[str], found: Collection[str]) -> dict[str, str]:
    """Their name of each wanted column that is there under another name, by our name."""
    taken: dict[str, str] = {}
    for ours in wanted:
        free = {*found} - {*taken.values()}
        theirs = [name for name in ALIASES.get(ours, ()) if name in free]
        if ours not in found and theirs:
            taken[ours] = theirs[0]
    return taken


def columns_setting(*taken: Mapping[str, str]) -> dict[str, str]:
    """The setting that says what was taken for what in some tables, each once; none if nothing was."""
    pairs = dict.fromkeys(pair for names in taken for pair in names.items())
    return {"columns": ", ".join(f"{theirs} as {ours}" for theirs, ours in pairs)} if pairs else {}


def filled(frame: pl.DataFrame) -> list[str]:
    """The columns that have values; if there are no rows, all."""
    return [
        name
        for name in frame.columns
        if not frame.height or frame[name].null_count() < frame.height
    ]


def renamed(
    frame: pl.DataFrame, wanted: Iterable[str], also: Collection[str] = ()
) -> tuple[pl.DataFrame, dict[str, str]]:
    """The frame with columns of other tools under our names, and which were taken for which.

    A column of ours without values does not count as one; those in `also` keep their names.
    """
    taken = aliased(wanted, [name for name in filled(frame) if name not in also])
    theirs = {name: ours for ours, name in taken.items()}
    return frame.drop(taken, strict=False).rename(theirs), theirs
