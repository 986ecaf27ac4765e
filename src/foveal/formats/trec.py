"""TREC's text formats: whole documents ranked, whole documents judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from foveal.choices import Order
from foveal.errors import BadInput, DataError
from foveal.formats._fields import Layout, fields
from foveal.formats._reading_order import with_scores_as_read
from foveal.formats._records import QrelsFormat, RunFormat, width
from foveal.formats._word_lines import all_null, none_null, shortest, word_lines
from foveal.tables import Qrels, Run
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.formats._lines import Source

RUN_LINE = Layout((c.TOPIC, "", c.DOC, c.RANK, c.SCORE, c.TAG), least=6, numbers=(c.SCORE,))
LONG_RUN_LINE = replace(RUN_LINE, rest=True)
QRELS_LINE = Layout((c.TOPIC, "", c.DOC, c.GRADE), least=4, numbers=(c.GRADE,))


def read_run(source: Source) -> Run:
    """The run in lines of six columns."""
    return _run(source, RUN_LINE)


def read_long_run(source: Source) -> Run:
    """The run in lines of six columns or more; what follows the tag is passed over."""
    try:
        return _run(source, RUN_LINE)
    except BadInput:
        return _run(source, LONG_RUN_LINE)


def _run(source: Source, line: Layout) -> Run:
    found = fields(source, line)
    run = Run.of(
        found.frame,
        name=found.tag or source.stem,
        order=Order.SCORE,
        source=source.name,
        problems=found.problems,
    )
    return replace(run, last_tag=found.last_tag or "")


def write_run(run: Run) -> bytes:
    """The lines of a run of whole documents."""
    if not run.whole_documents_only:
        raise DataError(
            f"run {run.name!r} returns parts of documents, which trec has no place for:"
            " use inex, jsonl or csv"
        )
    frame = with_scores_as_read(run)
    lines = frame.select(
        c.TOPIC, pl.lit("Q0").alias("Q0"), c.DOC, c.RANK, c.SCORE, pl.lit(run.name).alias(c.TAG)
    )
    return word_lines(lines)


def read_qrels(source: Source) -> Qrels:
    """The judgements in lines of four columns."""
    found = fields(source, QRELS_LINE)
    none = pl.DataFrame(schema=c.PASSAGE_SCHEMA)
    return Qrels.of(found.frame, none, source=source.name, problems=found.problems)


def write_qrels(qrels: Qrels) -> bytes:
    """The lines of judgements that are grades alone."""
    if qrels.passages.height:
        raise DataError("trec has no place for highlights: use inex or jsonl")
    all_null(qrels.documents, [c.LENGTH, c.ENTRY, c.STATED], "trec")
    none_null(qrels.documents, [c.GRADE], "trec")
    lines = qrels.documents.select(c.TOPIC, pl.lit("0").alias("iter"), c.DOC, shortest(c.GRADE))
    return word_lines(lines)


RUN = RunFormat(
    name="trec",
    title="TREC run",
    sentence="Six columns, whole documents, ranked by score.",
    shape="topic Q0 doc rank score tag",
    examples=("301 Q0 FR940202-2-00150 1 2.129133 mine",),
    extensions=(".trec",),
    recognises=lambda head: width(head) == 6,
    read=read_run,
    read_leniently=read_long_run,
    write=write_run,
)
QRELS = QrelsFormat(
    name="trec",
    title="TREC judgements",
    sentence="Four columns, a grade for each whole document.",
    shape="topic iter doc grade",
    examples=("301 0 CR93E-10279 1",),
    extensions=(".trec",),
    recognises=lambda head: width(head) == 4,
    read=read_qrels,
    write=write_qrels,
)
