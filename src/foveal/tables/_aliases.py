"""What retrieval frameworks and other tools call our columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

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


def renamed(frame: pl.DataFrame, wanted: Iterable[str]) -> tuple[pl.DataFrame, dict[str, str]]:
    """The frame with columns of other tools under our names, and which were taken for which.

    A column of ours without values does not count as one.
    """
    taken = aliased(wanted, filled(frame))
    theirs = {name: ours for ours, name in taken.items()}
    return frame.drop(taken, strict=False).rename(theirs), theirs
