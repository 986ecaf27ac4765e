"""Tables measured by an offset index: which documents it has, and how long they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from foveal.errors import BadInput, Problem
from foveal.tables import Qrels, Run
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.tables import ElementLookup


def measured_run(run: Run, elements: ElementLookup) -> Run:
    """The run with the lengths of its documents; refused if the index lacks any of them."""
    documents = run.frame[c.DOC].unique(maintain_order=True)
    lengths = _lengths(documents, elements)
    _refuse_absent(run.frame, lengths, run.source)
    notes = run.notes + (_notes(elements) if run.has_paths else ())
    return replace(run, lengths=lengths, notes=notes)


def measured_qrels(qrels: Qrels, elements: ElementLookup) -> Qrels:
    """Judgements with every length known; refused if the index lacks any of the documents."""
    table = qrels.documents
    lengths = _lengths(table[c.DOC].unique(maintain_order=True), elements)
    _refuse_absent(table, lengths, qrels.source)
    found = table.select(c.DOC).join(lengths, on=c.DOC, how="left", maintain_order="left")[c.LENGTH]
    differing = int((table[c.LENGTH] != found).sum())
    notes = qrels.notes + _notes(elements)
    if differing:
        notes += (
            f"{differing} documents whose length differs from the index: the judgements hold",
        )
    known = pl.Series(c.LENGTH, pl.select(pl.coalesce(table[c.LENGTH], found)).to_series())
    return replace(qrels, documents=table.with_columns(known), notes=notes)


def _notes(elements: ElementLookup) -> tuple[str, ...]:
    """What must be known of an index whose offsets are not those of others."""
    if elements.counts_characters:
        return ()
    return (
        "the index does not count characters (it was made with --count bytes or --whitespace"
        " merged): offsets from it fit only others counted so",
    )


def _lengths(documents: pl.Series, elements: ElementLookup) -> pl.DataFrame:
    return pl.DataFrame({c.DOC: documents, c.LENGTH: elements.lengths(documents).cast(pl.Int64)})


def _refuse_absent(table: pl.DataFrame, lengths: pl.DataFrame, source: str) -> None:
    absent = lengths.filter(pl.col(c.LENGTH).is_null())
    if absent.is_empty():
        return
    rows = table.join(absent, on=c.DOC, how="semi", maintain_order="left").sort(c.LINE)
    problems = [
        Problem(line, f"document {document!r} is not in the index")
        for line, document in rows.select(c.LINE, c.DOC).iter_rows()
    ]
    raise BadInput(source, problems)
