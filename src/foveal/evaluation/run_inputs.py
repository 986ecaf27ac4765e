"""Runs prepared for scoring: with texts, chunk lists, and the judgements' names of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from foveal.choices import Copies
from foveal.errors import UsageError, counted
from foveal.late import pl
from foveal.tables import (
    Chunks,
    ChunksLike,
    DocumentNames,
    InfoNote,
    Names,
    Run,
    TextLookup,
    with_document_names,
)
from foveal.tables import columns as c


def with_texts(runs: Sequence[Run], docs: TextLookup | None, copies: Copies | str) -> list[Run]:
    """The runs compared with the documents, unless that was done before."""
    if docs is None:
        return list(runs)
    return [run if run.audit else docs.placed(run, copies=copies) for run in runs]


def with_chunk_lists(
    runs: Sequence[Run], chunks: ChunksLike | Mapping[str, ChunksLike] | None
) -> list[Run]:
    """Add chunk lists to runs without one: the same for all runs, or one by the run's name."""
    names = [run.name for run in runs]
    if not isinstance(chunks, Mapping):
        chunks = {} if chunks is None else dict.fromkeys(names, Chunks.coerced(chunks))
    for name in chunks:
        if name not in names:
            raise UsageError(
                "chunks must be a list of chunks or {name of a run: chunks}, but no run is called"
                f" {name!r} (runs: {', '.join(names)})"
            )
    return [
        run.with_chunks(Chunks.coerced(chunks[run.name]))
        if run.chunks is None and run.name in chunks
        else run
        for run in runs
    ]


def with_judged_names(run: Run, names: Names) -> Run:
    """The run with its documents renamed to those of the judgements, as far as these match.

    Only a run whose texts were compared with documents is changed. Names in the run and in the
    judgements are matched with the names of these documents; names that match none of them are
    matched with each other.
    """
    if run.audit is None:
        return run
    judged = {*names.strings()}
    audit_names, documents = run.audit.names, run.audit.documents
    # Later entries win: a document's exact name is used if it is judged.
    judged_name = {doc: name for name, doc in DocumentNames(documents).resolve(judged).items()}
    judged_name |= {name: name for name in judged if name in documents}
    run_names = dict.fromkeys(run.frame[c.DOC].unique().sort())
    document_of = {name: audit_names.get(name, name) for name in run_names if name not in judged}
    new_names = {name: judged_name[doc] for name, doc in document_of.items() if doc in judged_name}
    without_document = [name for name, doc in document_of.items() if doc not in documents]
    unused = judged - run_names.keys() - {*judged_name.values()}
    new_names |= DocumentNames(unused).resolve(without_document)
    guesses = {
        name: judged_doc
        for name, judged_doc in new_names.items()
        if audit_names.get(name) != judged_doc and audit_names.get(judged_doc) != name
    }
    if guesses:
        first, judged_doc = next(iter(guesses.items()))
        note = InfoNote(
            f"{counted(len(guesses), 'document')} named otherwise than in the judgements:"
            f" {first!r} is {judged_doc!r}{', …' if len(guesses) > 1 else ''}"
        )
        run = replace(run, notes=(*run.notes, note))
    return with_document_names(run, new_names) if new_names else run


def text_length_notes(run: Run) -> Iterator[str]:
    """Note: offsets disagree with the results' own texts (no documents given)."""
    if run.audit is not None or not run.results.has_texts:
        return
    size = pl.col(c.END) - pl.col(c.START)
    misfits = run.frame.filter(pl.col(c.TEXT).str.len_chars().cast(pl.Int64) != size)
    if misfits.height:
        yield (
            f"end - start is not the length of the text of {counted(misfits.height, 'result')}, first"
            f" at line {misfits[c.LINE][0]}: do offsets count bytes? --docs DOCUMENTS (in Python"
            " docs=) verifies them"
        )
