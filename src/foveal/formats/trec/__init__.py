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
from foveal.formats._lines import Layout, all_null, exact, fields, none_null, word_lines
from foveal.formats._run_rows import with_scores_as_read
from foveal.formats.trec.subtopics import LINE as BY_SUBTOPIC
from foveal.formats.trec.subtopics import RECOGNISED, has_subtopics, subtopic_rows
from foveal.late import pl
from foveal.registry import files_of
from foveal.tables import Qrels, Run, refuse_unplaced
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

RUN_LINE = Layout((c.TOPIC, "", c.DOC, c.RANK, c.SCORE, c.TAG), least=6, numbers=(c.SCORE,))
LONG_RUN_LINE = replace(RUN_LINE, names=(*RUN_LINE.names, ""), rest=True)


def write_run(run: Run) -> bytes:
    """The lines of a run of whole documents."""
    refuse_unplaced(run)
    if not run.whole_documents_only:
        raise DataError(
            f"trec holds whole documents only, but run {run.name!r} returns parts of documents:"
            " use inex, jsonl or csv"
        )
    frame = with_scores_as_read(run)
    lines = frame.select(
        c.TOPIC, pl.lit("Q0"), c.DOC, c.RANK, c.SCORE, pl.lit(run.tag).alias(c.TAG)
    )
    return word_lines(lines)


def write_qrels(qrels: Qrels, elements: ElementLookup | None = None) -> bytes:
    """The lines of judgements that have grades only."""
    if qrels.passages.height:
        raise DataError("trec cannot hold highlights: use inex or jsonl")
    all_null(qrels.documents, [c.LENGTH, c.ENTRY, c.STATED], "trec")
    none_null(qrels.documents, [c.GRADE], "trec")
    lines = qrels.documents.select(c.TOPIC, pl.lit("0"), c.DOC, exact(c.GRADE))
    return word_lines(lines)


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
def read_run(source: Source, reading: ReadOptions) -> RunRows:
    """The run in lines of six columns; in lenient mode everything after the tag is skipped."""
    lines = CompiledLines.of(source, TREC_RUN) if reading.elements is None else None
    results = document_results(lines) if lines else None
    if lines and results:
        return RunRows(frame=results, tag=lines.tag, order=Order.SCORE)
    found = fields(source, RUN_LINE)
    if reading.lenient and found.problems:
        found = fields(source, LONG_RUN_LINE)
    return RunRows(frame=found.frame, tag=found.tag, order=Order.SCORE, problems=found.problems)


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
def read_qrels(source: Source, reading: ReadOptions) -> QrelsRows:
    """The judgements in lines of four columns."""
    lines = CompiledLines.of(source, TREC_QRELS) if reading.elements is None else None
    if lines and (judgements := graded_judgements(lines)):
        return QrelsRows(documents=judgements)
    found = fields(source, BY_SUBTOPIC)
    if not reading.is_named and has_subtopics(found.frame):
        return subtopic_rows(found.frame, found.problems, (RECOGNISED,))
    return QrelsRows(documents=found.frame.drop(c.ASPECT), problems=found.problems)


files_of(__name__)  # importing a file registers what it makes
