"""The documents of a run: their lengths and names, and results without a known place in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from foveal.errors import BadInput, Problem, counted
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables._names import Names, may_repeat
from foveal.tables._notes import InfoNote
from foveal.tables._run_columns import is_unplaced
from foveal.tables._text_lookup import meant_documents
from foveal.tables.run import Run


def document_lengths(run: Run, documents: pl.Series) -> pl.Series:
    """The lengths of some documents from the offset index; null where unknown."""
    if run.lengths is None:
        return pl.repeat(None, len(documents), dtype=pl.Int64, eager=True)
    asked = pl.DataFrame({c.DOC: documents})
    return asked.join(run.lengths, on=c.DOC, how="left", maintain_order="left")[c.LENGTH]


def with_judged_names(run: Run, names: Names) -> Run:
    """The run with documents under the names of judged ones, as far as those can be meant.

    Where its texts were compared with documents, names are known to be names of documents. A judged
    name means one of these as a name in the run does. Names that mean none of them are compared with
    each other.
    """
    if run.audit is None:
        return run
    known = {*names.strings()}
    meant, documents = run.audit.names, run.audit.documents
    judged = meant_documents(known, documents)
    # A document's own name is the last, so it is taken if it is judged.
    under = {own: name for name, own in judged.items()}
    under |= {name: name for name in known if name in documents}
    own_names = dict.fromkeys(run.frame[c.DOC].unique().sort())
    homes = {name: meant.get(name, name) for name in own_names if name not in known}
    judged_names = {name: under[own] for name, own in homes.items() if own in under}
    others = [name for name, own in homes.items() if own not in documents]
    free = known - own_names.keys() - {*under.values()}
    judged_names |= meant_documents(others, free)
    alike = {
        name: other
        for name, other in judged_names.items()
        if meant.get(name) != other and meant.get(other) != name
    }
    if alike:
        first, other = next(iter(alike.items()))
        note = InfoNote(
            f"{counted(len(alike), 'document')} named otherwise than in the judgements:"
            f" {first!r} is {other!r}{', …' if len(alike) > 1 else ''}"
        )
        run = replace(run, notes=(*run.notes, note))
    return with_document_names(run, judged_names) if judged_names else run


def with_document_names(run: Run, names: Mapping[str, str]) -> Run:
    """The run with other names for some documents, their lengths included."""
    doc = pl.col(c.DOC).replace(dict(names))
    lengths = run.lengths
    if lengths is not None:
        # Two names may mean one document.
        lengths = lengths.with_columns(doc).unique(c.DOC, maintain_order=True)
    return replace(run.with_frame(run.frame.with_columns(doc)), lengths=lengths)


def unplaced_results(run: Run) -> pl.DataFrame:
    """The results whose text is known, but not where it is in the document."""
    if not run.results.has_texts:
        return pl.DataFrame(schema=c.RUN_SCHEMA)
    return run.frame.filter(is_unplaced(run.frame))


def may_be_documents(run: Run) -> bool:
    """Whether no result says where in its document it is, and no document is returned twice.

    The texts beside such results may be those of the whole documents.
    """
    if run.whole_documents_only:
        return True
    return unplaced_results(run).height == len(run.results) and not may_repeat(run.frame)


def refuse_unplaced(run: Run) -> None:
    """Raise if the text of some results is still to be found in the documents."""
    # A run without texts needs no frame to answer this.
    if not run.results.has_texts or not (count := unplaced_results(run).height):
        return
    have = f"{counted(count, 'result')} {'has' if count == 1 else 'have'}"
    documents = ", or leave out the text of whole documents" if may_be_documents(run) else ""
    reason = (
        f"{have} text but not both start and end: give --docs DOCUMENTS (in Python"
        f" docs=foveal.read_documents(...)) to find the text{documents}"
    )
    raise BadInput(run.source, [Problem(None, reason)])
