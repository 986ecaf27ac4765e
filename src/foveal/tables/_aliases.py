"""What retrieval frameworks and other tools call our columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from foveal.tables import _columns as c

# The exact name wins, then the first of these that is there; identifiers come before texts.
ALIASES = {
    c.TOPIC: ("query_id", "qid", "question_id", "query"),
    c.DOC: (
        "doc_id",
        "docid",
        "docno",
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
}


def aliased(wanted: Iterable[str], found: Collection[str]) -> dict[str, str]:
    """Their name of each wanted column that is there under another name, by our name."""
    taken: dict[str, str] = {}
    for ours in wanted:
        theirs = [name for name in ALIASES.get(ours, ()) if name in found]
        if ours not in found and theirs:
            taken[ours] = theirs[0]
    return taken
