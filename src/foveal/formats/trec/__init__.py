"""TREC's text formats: whole documents ranked, whole documents judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from foveal.choices import Order, Ties
from foveal.compiled import TREC_QRELS, TREC_RUN
from foveal.errors import DataError
from foveal.files import Source
from foveal.formats._compiled_lines import CompiledLines, document_results, graded_judgements
from foveal.formats._format import QrelsRows, ReadOptions, RunRows, qrels_format, run_format, width
from foveal.formats._plain_lines import (
    Layout,
    exact,
    fields,
    refuse_nulls,
    refuse_values,
    word_lines,
)
from foveal.formats._run_rows import with_scores_as_read
from foveal.formats.trec.subtopics import LINE as SUBTOPIC_LINE
from foveal.formats.trec.subtopics import RECOGNISED, has_subtopics, subtopic_rows
from foveal.late import pl
from foveal.registry import files_of
from foveal.tables import Qrels, Run, refuse_unplaced
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

RUN_LINE = Layout((c.TOPIC, "", c.DOC, c.RANK, c.SCORE, c.TAG), minimum=6, numbers=(c.SCORE,))
LONG_RUN_LINE = replace(RUN_LINE, names=(*RUN_LINE.names, ""), rest=True)


def write_run(run: Run) -> bytes:
    """Lines of a run of whole documents."""
    refuse_unplaced(run)
    if not run.whole_documents_only:
        raise DataError(
            f"trec holds whole documents only, but run {run.name!r} returns parts of documents:"
            " use inex, jsonl or csv"
        )
    frame, tag = with_scores_as_read(run), pl.lit(run.tag).alias(c.TAG)
    return word_lines(frame.select(c.TOPIC, pl.lit("Q0"), c.DOC, c.RANK, c.SCORE, tag))


def write_qrels(qrels: Qrels, elements: ElementLookup | None = None) -> bytes:
    """Lines of judgements that have grades only."""
    if qrels.passages.height:
        raise DataError("trec cannot hold highlights: use inex or jsonl")
    refuse_values(qrels.documents, [c.LENGTH, c.ENTRY, c.STATED], "trec")
    refuse_nulls(qrels.documents, [c.GRADE], "trec")
    return word_lines(qrels.documents.select(c.TOPIC, pl.lit("0"), c.DOC, exact(c.GRADE)))


@run_format(
    name="trec",
    title="TREC run",
    sentence="Six columns, whole documents, ranked by score.",
    shape="topic Q0 doc rank score tag",
    examples=("301 Q0 FR940202-2-00150 1 2.129133 mine",),
    extensions=(".trec",),
    recognises=lambda head: width(head) == 6,
    guesses=True,
    write=write_run,
    ties=Ties.ID,
    needs_scores=True,
)
def read_run(source: Source, options: ReadOptions) -> RunRows:
    """Run in lines of six columns; if lenient, everything after the tag is skipped."""
    lines = CompiledLines.of(source, TREC_RUN) if options.elements is None else None
    results = document_results(lines) if lines else None
    if lines and results:
        return RunRows(frame=results, tag=lines.tag, order=Order.SCORE)
    table = fields(source, RUN_LINE)
    if options.lenient and table.problems:
        table = fields(source, LONG_RUN_LINE)
    return RunRows(frame=table.frame, tag=table.tag, order=Order.SCORE, problems=table.problems)


@qrels_format(
    name="trec",
    title="TREC judgements",
    sentence="Four columns, a grade for each whole document.",
    shape="topic iter doc grade",
    examples=("301 0 CR93E-10279 1",),
    extensions=(".trec",),
    recognises=lambda head: width(head) == 4,
    guesses=True,
    write=write_qrels,
    holds_highlights=False,
)
def read_qrels(source: Source, options: ReadOptions) -> QrelsRows:
    """Judgements in lines of four columns."""
    lines = CompiledLines.of(source, TREC_QRELS) if options.elements is None else None
    if lines and (judgements := graded_judgements(lines)):
        return QrelsRows(documents=judgements)
    table = fields(source, SUBTOPIC_LINE)
    if not options.is_named and has_subtopics(table.frame):
        return subtopic_rows(table.frame, table.problems, (RECOGNISED,))
    return QrelsRows(documents=table.frame.drop(c.ASPECT), problems=table.problems)


files_of(__name__)  # importing a file registers what it makes
