"""Returned documents and results of runs, a row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from foveal.alignment import AlignedRun, RankedDocuments, RankedParts
from foveal.conventions import Conventions
from foveal.errors import NoHighlights, UnknownLength, and_list, counted
from foveal.evaluation.groups import Groups
from foveal.evaluation.run_scores import RunScores
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import DOCUMENT_SCORES, in_reading_order, score_documents
from foveal.shown import Shown
from foveal.spans import Bools, Floats, Ints, totals
from foveal.tables import Run
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.evaluation.evaluate import Evaluation


class RowUnit(StrEnum):
    """The unit of a row."""

    DOCUMENT = "document"
    RESULT = "result"

    @property
    def schema(self) -> dict[str, type[pl.DataType]]:
        """The columns of the rows."""
        is_document = self is RowUnit.DOCUMENT
        return c.RETURNED_DOCUMENT_SCHEMA if is_document else c.RETURNED_RESULT_SCHEMA


# Makes the rows of the run with an index.
RowSource: TypeAlias = "Callable[[RowUnit, int], pl.DataFrame]"


@frozen(eq=False, repr=False)
class Breakdown(Shown):
    """The documents or results that runs returned for the evaluated topics, with their values."""

    per: RowUnit
    rows: pl.DataFrame
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The number of rows."""
        return counted(self.rows.height, self.per.value)


def joined_rows(per: RowUnit, names: Sequence[str], rows: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The rows of several runs, concatenated, with the run's name as the first column."""
    frames = [
        frame.select(pl.lit(name).alias(c.RUN), pl.all())
        for name, frame in zip(names, rows, strict=True)
    ]
    return pl.concat(frames) if frames else pl.DataFrame(schema=per.schema)


def rows_of_runs(source: RowSource, indices: Sequence[int]) -> RowSource:
    """The rows of the runs with these indices only."""
    return lambda per, index: source(per, indices[index])


def rows_of_group(source: RowSource, group: str, groups: Groups) -> RowSource:
    """The rows of the topics of one group only."""

    def filtered(per: RowUnit, index: int) -> pl.DataFrame:
        rows = source(per, index)
        return rows.filter(pl.Series(groups.of_topics(rows[c.TOPIC]), dtype=pl.String) == group)

    return filtered


# Computed with the rows, because notes about a run depend on whether any text was found.
BREAKDOWN_MEASURE = "charR"


@frozen(eq=False)
class RunBreakdown:
    """One run's rows, without its name, and its scores, which hold settings and notes."""

    scores: RunScores
    rows: pl.DataFrame


@frozen(eq=False)
class BreakdownTask:
    """Makes the rows of one run after the other; it can be sent to other processes."""

    evaluation: Evaluation
    per: RowUnit

    def __call__(self, run: Run) -> RunBreakdown:
        """The rows of a run."""
        _refuse_without_highlights(self.evaluation)
        alignment = self.evaluation.aligned(run)
        scores = self.evaluation.scored(alignment)
        rows = _rows(alignment, self.per)
        notes = (*scores.notes, *_length_notes(self.per, rows))
        return RunBreakdown(replace(scores, notes=notes), rows)

    def joined(self, runs: Sequence[RunBreakdown]) -> Breakdown:
        """The rows of several runs, in the order given."""
        scores = self.evaluation.scores([run.scores for run in runs])
        settings = dict(scores.settings)
        if self.per is RowUnit.DOCUMENT:
            settings["document scores"] = score_parameters(self.evaluation.conventions)
        rows = joined_rows(self.per, scores.runs, [run.rows for run in runs])
        return Breakdown(self.per, rows, settings, scores.notes)


@frozen(eq=False)
class StoredRuns:
    """Row source for scored runs, which it keeps in memory."""

    evaluation: Evaluation
    runs: Sequence[Run]

    def __call__(self, per: RowUnit, index: int) -> pl.DataFrame:
        """The rows of the run with an index."""
        _refuse_without_highlights(self.evaluation)
        return _rows(self.evaluation.aligned(self.runs[index]), per)


def _refuse_without_highlights(evaluation: Evaluation) -> None:
    if not evaluation.qrels.has_highlights:
        raise NoHighlights(" or ask for topics (--per-topic, in Python scores.per_topic())")


def _rows(alignment: AlignedRun, per: RowUnit) -> pl.DataFrame:
    """The rows of one run by topic and rank."""
    columns = _COLUMNS_OF[per](alignment)
    schema = {name: dtype for name, dtype in per.schema.items() if name != c.RUN}
    frame = pl.DataFrame({name: columns[name] for name in schema}, schema=schema)
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def document_columns(alignment: AlignedRun) -> dict[str, Any]:
    """The columns of every document that was returned, by topic and rank."""
    placed_parts, documents = alignment.placed_parts, alignment.documents
    count = len(placed_parts.document_row)
    relevant = np.zeros(count, dtype=bool)
    relevant[placed_parts.relevant_documents] = True
    return {
        c.TOPIC: _topic_names(alignment, placed_parts.document_topic),
        c.DOC: placed_parts.document_names.series(),
        c.RANK: placed_parts.document_segments.nth,
        c.RELEVANT: relevant,
        c.SIZE: known_numbers(placed_parts.document_size, ~placed_parts.document_unknown),
        c.RSIZE: totals(placed_parts.part_document, placed_parts.part_relevant, count),
        **{
            name: _scored(documents, name, alignment.conventions, count)
            for name in c.RETURNED_SCORES
        },
    }


def _result_columns(alignment: AlignedRun) -> dict[str, Any]:
    placed_parts = alignment.placed_parts
    try:
        ranked_parts = RankedParts.of_all_parts(placed_parts, alignment.qrels, alignment.topics)
        relevance, precision, recall = in_reading_order(ranked_parts)
    except UnknownLength as error:
        error.add_note("needed by the size of each result")
        raise
    is_placed = ~placed_parts.part_unmapped
    return {
        c.TOPIC: _topic_names(alignment, placed_parts.part_topic),
        c.RANK: placed_parts.part_segments.nth,
        c.DOC: placed_parts.document_names.series().gather(placed_parts.part_document),
        c.START: known_numbers(placed_parts.part_start, is_placed),
        c.END: known_numbers(placed_parts.part_end, is_placed),
        c.SIZE: placed_parts.part_size,
        c.RSIZE: placed_parts.part_relevant,
        c.RELEVANCE: relevance,
        c.TEXT_P: precision,
        c.TEXT_R: recall,
    }


_COLUMNS_OF: dict[RowUnit, Callable[[AlignedRun], dict[str, Any]]] = {
    RowUnit.DOCUMENT: document_columns,
    RowUnit.RESULT: _result_columns,
}


def _topic_names(alignment: AlignedRun, indices: Ints) -> pl.Series:
    names = [alignment.qrels.topics[number] for number in alignment.topics]
    return pl.Series(names, dtype=pl.String).gather(indices)


def known_numbers(values: Ints, is_known: Bools) -> pl.Series:
    """Numbers, null where they are unknown."""
    return pl.Series(values).set(pl.Series(~is_known), None)


def _scored(documents: RankedDocuments, name: str, conventions: Conventions, count: int) -> Floats:
    """S(d) of all documents returned: 0 without highlights, NaN if a length is missing.

    Some scores need the size of the returned text, others the document's length, which implies that
    size: a score is computed for as many documents as possible.
    """
    placed_parts, length = documents.placed_parts, documents.qrels.length[documents.row]
    scores = np.zeros(count)
    scores[documents.document] = np.nan
    arguments = DOCUMENT_SCORES[name].resolve({}, conventions)
    is_any = np.ones(len(length), dtype=bool)
    for is_known in (is_any, ~placed_parts.document_unknown[documents.document], length >= 0):
        known_documents = documents if is_known.all() else documents.only(is_known)
        try:
            values = score_documents(known_documents, name, **arguments)
            scores[known_documents.document] = values
        except UnknownLength:
            continue
        break
    return scores


def _length_notes(per: RowUnit, rows: pl.DataFrame) -> list[str]:
    """Note: numbers that are missing because documents have an unknown length."""
    if per is RowUnit.RESULT:
        return []
    unknown = rows.filter(pl.any_horizontal(pl.all().is_null()))
    if not unknown.height:
        return []
    missing = [name for name in unknown.columns if unknown[name].null_count()]
    first = f"first {unknown[c.DOC][0]!r}" if unknown.height > 1 else repr(unknown[c.DOC][0])
    return [
        f"{and_list(missing)} left empty for {counted(unknown.height, 'document')} of unknown length,"
        f" {first}: give the length in the judgements, the collection's offset index (--elements"
        " INDEX) or its texts (--docs DOCUMENTS, in Python docs=)"
    ]


def score_parameters(conventions: Conventions, scores: Sequence[str] = c.RETURNED_SCORES) -> str:
    """The parameters of the document scores that have any."""
    arguments: dict[str, Mapping[str, Any]] = {
        name: DOCUMENT_SCORES[name].resolve({}, conventions) for name in scores
    }
    return ", ".join(
        f"{name}({','.join(f'{key}={value:g}' for key, value in values.items())})"
        for name, values in arguments.items()
        if values
    )
