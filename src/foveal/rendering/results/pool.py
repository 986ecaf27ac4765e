"""A pool: numbers of documents to judge by topic; for programs, all documents."""

from __future__ import annotations

from typing import Any

from foveal.choices import Form
from foveal.errors import counted
from foveal.late import pl
from foveal.rendering._numbers import percent, tenths, tenths_of_percent
from foveal.rendering._table import Table
from foveal.tables import Pool
from foveal.tables import columns as c


def tables(pool: Pool, form: Form) -> list[Table]:
    """A row per topic; below it the numbers over all topics, in words."""
    header = [c.TOPIC, "documents", "in 2 or more runs", "share", c.PASSAGES, "judged already"]
    rows = [
        [topic, f"{documents:,}", f"{shared:,}", _share(shared, documents), f"{passages:,}",
         f"{judged:,}"]
        for topic, documents, shared, passages, judged in pool.topics.iter_rows()
    ]  # fmt: skip
    if "judged" not in pool.settings:
        header, rows = header[:-1], [row[:-1] for row in rows]
    return [Table(header, rows, 1, pool.settings, below=_in_words(pool))]


def rows(pool: Pool) -> pl.DataFrame:
    """A row per document."""
    return pool.frame


def document(pool: Pool) -> dict[str, Any]:
    """The pool as a JSON document."""
    return {
        "settings": pool.settings,
        "documents": pool.frame,
        "topics": pool.topics,
        "notes": pool.notes,
    }


def _share(count: int, total: int) -> str:
    return percent(count / total) if total else ""


def _in_words(pool: Pool) -> str:
    """The pool in words."""
    counts, total = pool.topics, pool.frame.height
    if not total:
        return "No document is left to be judged."
    documents = counts[c.POOLED].to_list()
    shared, judged = (int(counts[name].sum()) for name in (c.SHARED, c.JUDGED))
    text = (
        f"{pool.summary}, {tenths(total / counts.height)} a topic (from {min(documents):,} to"
        f" {max(documents):,}); two or more runs returned {tenths_of_percent(shared / total)} of"
        " them."
    )
    if judged:
        were = "was" if judged == 1 else "were"
        text += f" {counted(judged, 'document')} {were} left out as judged already."
    return text
