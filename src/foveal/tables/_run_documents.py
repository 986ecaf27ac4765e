"""The documents of a run: their lengths and names, and results whose text is not located in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from foveal.errors import BadInput, Problem, counted
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables._names import may_repeat
from foveal.tables._run_columns import is_unplaced
from foveal.tables.run import Run


def document_lengths(run: Run, documents: pl.Series) -> pl.Series:
    """The lengths of the given documents from the offset index; null where unknown."""
    if run.lengths is None:
        return pl.repeat(None, len(documents), dtype=pl.Int64, eager=True)
    names = pl.DataFrame({c.DOC: documents})
    return names.join(run.lengths, on=c.DOC, how="left", maintain_order="left")[c.LENGTH]


def with_document_names(run: Run, names: Mapping[str, str]) -> Run:
    """The run with its documents renamed, also in the table of lengths."""
    doc = pl.col(c.DOC).replace(dict(names))
    lengths = run.lengths
    if lengths is not None:
        # Two names may be mapped to one document.
        lengths = lengths.with_columns(doc).unique(c.DOC, maintain_order=True)
    return replace(run.with_frame(run.frame.with_columns(doc)), lengths=lengths)


def unplaced_results(run: Run) -> pl.DataFrame:
    """The results whose text is known, but not its offsets in the document."""
    if not run.results.has_texts:
        return pl.DataFrame(schema=c.RUN_SCHEMA)
    return run.frame.filter(is_unplaced(run.frame))


def may_be_documents(run: Run) -> bool:
    """Whether no result has offsets, and no document is returned twice.

    The texts of such results may be those of the whole documents.
    """
    if run.whole_documents_only:
        return True
    return unplaced_results(run).height == len(run.results) and not may_repeat(run.frame)


def refuse_unplaced(run: Run) -> None:
    """Raise if any result has a text that is not located in its document yet."""
    # For a run without texts, the frame need not be made.
    if not run.results.has_texts or not (count := unplaced_results(run).height):
        return
    subject = f"{counted(count, 'result')} {'has' if count == 1 else 'have'}"
    documents = ", or leave out the text of whole documents" if may_be_documents(run) else ""
    reason = (
        f"{subject} text but not both start and end: give --docs DOCUMENTS (in Python"
        f" docs=foveal.read_documents(...)) to find the text{documents}"
    )
    raise BadInput(run.source, [Problem(None, reason)])
