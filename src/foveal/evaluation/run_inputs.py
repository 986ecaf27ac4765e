"""Runs as they are scored: with texts, chunk lists, and the names that documents have in judgements."""

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
    """The runs compared with the documents; not again where that was done."""
    if docs is None:
        return list(runs)
    return [run if run.audit else docs.placed(run, copies=copies) for run in runs]


def with_chunk_lists(
    runs: Sequence[Run], chunks: ChunksLike | Mapping[str, ChunksLike] | None
) -> list[Run]:
    """The runs with a chunk list, those that have none: all the same one, or each its own by name."""
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
    """The run with documents under the names of judged ones, as far as those can be meant.

    Where its texts were compared with documents, names are known to be names of documents. A judged
    name means one of these as a name in the run does. Names that mean none of them are compared with
    each other.
    """
    if run.audit is None:
        return run
    judged = {*names.strings()}
    meant, documents = run.audit.names, run.audit.documents
    # The later entry wins: a document's exact name is used if it is judged.
    judged_name = {doc: name for name, doc in DocumentNames(documents).meant(judged).items()}
    judged_name |= {name: name for name in judged if name in documents}
    run_names = dict.fromkeys(run.frame[c.DOC].unique().sort())
    document_of = {name: meant.get(name, name) for name in run_names if name not in judged}
    new_names = {name: judged_name[doc] for name, doc in document_of.items() if doc in judged_name}
    without_document = [name for name, doc in document_of.items() if doc not in documents]
    unused = judged - run_names.keys() - {*judged_name.values()}
    new_names |= DocumentNames(unused).meant(without_document)
    guesses = {
        name: other
        for name, other in new_names.items()
        if meant.get(name) != other and meant.get(other) != name
    }
    if guesses:
        first, other = next(iter(guesses.items()))
        note = InfoNote(
            f"{counted(len(guesses), 'document')} named otherwise than in the judgements:"
            f" {first!r} is {other!r}{', …' if len(guesses) > 1 else ''}"
        )
        run = replace(run, notes=(*run.notes, note))
    return with_document_names(run, new_names) if new_names else run


def text_length_notes(run: Run) -> Iterator[str]:
    """Note that offsets do not fit the results' texts, unless documents were given to verify them."""
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
