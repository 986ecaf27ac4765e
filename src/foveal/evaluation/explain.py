"""Found, missed and wasted text of a run: by topic, and for one topic by document, result and piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from foveal.alignment import AlignedRun, FirstReads, PreparedQrels, RankedParts, ratio
from foveal.choices import Task
from foveal.errors import NoHighlights, UnknownLength, UsageError, did_you_mean, shortened_list
from foveal.evaluation.breakdown import document_columns, known_numbers, score_parameters
from foveal.evaluation.evaluate import Evaluation
from foveal.evaluation.run_scores import RunScores
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import (
    DOCUMENT_SCORES,
    in_reading_order,
    interpolated_in_reading_order,
    patient_reading,
)
from foveal.spans import (
    LARGEST_OFFSET,
    Bools,
    Floats,
    Ints,
    Layer,
    first_overlapping,
    layered,
    merged_neighbours,
    totals,
)
from foveal.tables import Run, document_lengths
from foveal.tables import columns as c


class PassageOutcome(StrEnum):
    """Outcome of a passage."""

    FOUND = "found"
    CUT = "cut"
    """Some of it was returned."""

    WRONG_PLACE = "wrong place"
    """Other text of its document was returned."""

    NO_TEXT = "no text"
    """Its document was returned as an entry point, without any text."""

    WRONG_DOCUMENT = "wrong document"
    """Its document was not returned."""

    COPY = "only a copy"
    """Nothing of it was returned, but the same text from somewhere else."""


@frozen(eq=False)
class RunExplanation:
    """The topics of one run, and all details of the chosen topic, if any.

    `pieces` (doc, start, end, rank) give the rank at which each character is first read; `dropped`
    results have no rank.
    """

    scores: RunScores
    topics: pl.DataFrame
    passages: pl.DataFrame
    documents: pl.DataFrame
    results: pl.DataFrame
    pieces: pl.DataFrame
    dropped: int = 0


@frozen(eq=False)
class ExplainTask:
    """Explains one run after the other; it can be sent to other processes.

    With a topic, only that one is explained, in all details; `doc` is a document to show in addition
    to returned and relevant ones.
    """

    evaluation: Evaluation
    topic: str | None = None
    doc: str | None = None

    def __post_init__(self) -> None:
        """Refuse a topic that is not judged or has nothing relevant."""
        qrels = self.evaluation.qrels
        if not qrels.has_highlights:
            raise NoHighlights(
                "; the scores of each topic do not need them (foveal evaluate --per-topic)"
            )
        if self.topic is None:
            return
        if self.topic not in qrels.topics:
            hint = did_you_mean(self.topic, qrels.topics, repr)
            state = "judged" if qrels.times is None else "chosen"
            raise UsageError(
                f"topic {self.topic!r} is not {state}{hint} ({state}: {shortened_list(qrels.topics)})"
            )
        if not qrels.eligible[qrels.topics.index(self.topic)]:
            raise UsageError(
                f"topic {self.topic!r} has nothing relevant: there is nothing to find or to miss"
            )

    @cached_property
    def narrowed(self) -> Evaluation:
        """The evaluation of the chosen topic alone, or of all topics."""
        if self.topic is None:
            return self.evaluation
        qrels = self.evaluation.qrels
        is_chosen = np.array([name == self.topic for name in qrels.topics])
        return replace(self.evaluation, qrels=qrels.only(is_chosen))

    @property
    def parameters(self) -> dict[str, Mapping[str, float]]:
        """The parameters of each document score."""
        conventions = self.evaluation.conventions
        return {name: DOCUMENT_SCORES[name].resolve({}, conventions) for name in c.RETURNED_SCORES}

    @property
    def shown_scores(self) -> tuple[str, ...]:
        """The document scores that are shown; bep and t2i are meaningless for chunks."""
        if self.evaluation.task.task is Task.RAG:
            return tuple(name for name in c.RETURNED_SCORES if name not in {c.BEP, c.T2I})
        return c.RETURNED_SCORES

    @property
    def settings(self) -> dict[str, str]:
        """Settings of the explanation, in addition to those of scores."""
        settings = {"measure": self.evaluation.measures[0].name}
        if self.topic is not None:
            settings["document scores"] = score_parameters(
                self.evaluation.conventions, self.shown_scores
            )
        return settings

    def __call__(self, run: Run) -> RunExplanation:
        """The explanation of a run."""
        alignment = self.narrowed.aligned(run.whole())
        reads = FirstReads.of(alignment.placed_parts)
        scores = self.narrowed.scored(alignment)
        has_topic = self.topic is not None
        placed_parts = alignment.placed_parts
        return RunExplanation(
            scores=scores,
            topics=_topics(alignment, reads, scores),
            passages=_passages(alignment, reads),
            documents=(
                _documents(alignment, reads, self)
                if has_topic
                else pl.DataFrame(schema=c.EXPLAINED_DOCUMENT_SCHEMA)
            ),
            results=(
                _results(alignment) if has_topic else pl.DataFrame(schema=c.EXPLAINED_RESULT_SCHEMA)
            ),
            pieces=_pieces(reads) if has_topic else pl.DataFrame(schema=c.PIECE_SCHEMA),
            dropped=len(placed_parts.returned_spans.document) - len(placed_parts.part_document),
        )


def _topics(alignment: AlignedRun, reads: FirstReads, scores: RunScores) -> pl.DataFrame:
    """The characters of each topic that were found, missed and wasted, each counted once."""
    placed_parts, qrels, count = alignment.placed_parts, alignment.qrels, len(alignment.topics)
    topic, passages = placed_parts.document_topic, qrels.passages
    found = totals(topic, reads.document_found, count)
    read = totals(topic, reads.document_read, count)
    highlighted = totals(qrels.topic[passages.row], passages.size, len(qrels.topics))
    highlighted = highlighted[alignment.topics]
    has_lengths = np.ones(count, dtype=bool)
    has_lengths[topic[placed_parts.document_unknown]] = False
    with_results = alignment.topics_with_rows
    columns: dict[str, Any] = {
        c.RESULTS: placed_parts.part_segments.entry_count,
        c.HIGHLIGHTED: highlighted,
        c.FOUND: found,
        c.MISSED: highlighted - found,
        c.WASTED: known_numbers(read - found, has_lengths),
    }
    return pl.DataFrame(
        {
            c.TOPIC: scores.topics,
            c.VALUE: scores.values[0],
            **{name: pl.Series(values).gather(with_results) for name, values in columns.items()},
        },
        schema=c.EXPLAINED_TOPIC_SCHEMA,
    )


def _passages(alignment: AlignedRun, reads: FirstReads) -> pl.DataFrame:
    """Outcome of each passage of the evaluated topics, and the rank at which it was decided."""
    qrels, placed_parts = alignment.qrels, alignment.placed_parts
    passages = qrels.passages
    piece, passage, common = reads.overlaps
    found = totals(passage, common, len(passages))
    rank = np.zeros(len(passages), dtype=np.int64)
    np.maximum.at(rank, passage, reads.rank[piece])
    # By row of the judgements: whether the document was returned, and how much of it was read.
    returned = np.zeros(qrels.document_count, dtype=bool)
    read = np.zeros(qrels.document_count, dtype=np.int64)
    with_row = np.flatnonzero(placed_parts.document_row >= 0)
    returned[placed_parts.document_row[with_row]] = True
    read[placed_parts.document_row[with_row]] = reads.document_read[with_row]
    outcome = np.select(
        [found == passages.size, found > 0, read[passages.row] > 0, returned[passages.row]],
        [
            PassageOutcome.FOUND.value,
            PassageOutcome.CUT.value,
            PassageOutcome.WRONG_PLACE.value,
            PassageOutcome.NO_TEXT.value,
        ],
        PassageOutcome.WRONG_DOCUMENT.value,
    )
    topic = qrels.topic[passages.row]
    indices = np.flatnonzero(np.isin(topic, alignment.topics))
    return pl.DataFrame(
        {
            c.TOPIC: pl.Series(qrels.topics, dtype=pl.String).gather(topic[indices]),
            c.DOC: qrels.names.take(passages.row[indices]).series(),
            c.START: passages.start[indices],
            c.END: passages.end[indices],
            c.FOUND: found[indices],
            c.RANK: known_numbers(rank[indices], found[indices] > 0),
            c.OUTCOME: outcome[indices].tolist(),
        },
        schema=c.EXPLAINED_PASSAGE_SCHEMA,
    ).with_columns(_aspects(qrels, indices))


def _aspects(qrels: PreparedQrels, passages: Ints) -> list[pl.Series]:
    """The relevant aspects of passages, in lists; no column if the judgements name none."""
    if qrels.aspect_columns is None:
        return []
    aspects = qrels.aspects.where(qrels.aspects.grade >= qrels.conventions.rel)
    passage = aspects.highlight_indices(qrels.highlights)
    names = pl.Series(aspects.names, dtype=pl.String).gather(aspects.aspect)
    by_passage = pl.DataFrame({c.JUDGED: passage, c.ASPECTS: names}).unique(maintain_order=True)
    lists = by_passage.group_by(c.JUDGED).agg(c.ASPECTS)
    rows = pl.DataFrame({c.JUDGED: passages})
    return [rows.join(lists, on=c.JUDGED, how="left", maintain_order="left")[c.ASPECTS]]


def _documents(alignment: AlignedRun, reads: FirstReads, task: ExplainTask) -> pl.DataFrame:
    """The documents that were returned, then the relevant ones that were not."""
    placed_parts, qrels = alignment.placed_parts, alignment.qrels
    is_judged = placed_parts.document_row >= 0
    row = np.where(is_judged, placed_parts.document_row, 0)
    indexed = document_lengths(alignment.run, placed_parts.document_names.series())
    length = known_numbers(qrels.length[row], is_judged & (qrels.length[row] >= 0))
    highlighted = np.where(is_judged, qrels.highlighted[row], 0)
    found, start = reads.document_found, placed_parts.document_start
    returned = document_columns(alignment)
    frame = pl.DataFrame(
        {
            **returned,
            c.RESULTS: np.bincount(placed_parts.part_document, minlength=len(row)),
            c.LENGTH: length.fill_null(indexed),
            c.HIGHLIGHTED: highlighted,
            c.FOUND: found,
            c.MISSED: _in_passages(alignment, row, is_judged) - found,
            c.WASTED: known_numbers(reads.document_read - found, ~placed_parts.document_unknown),
            c.ENTRY: known_numbers(qrels.entry[row], is_judged & (qrels.entry[row] >= 0)),
            c.FIRST_START: known_numbers(start, start >= 0),
            **_patience(alignment, task.parameters[c.T2I]),
        }
    )
    rows = pl.concat([_typed(frame), _typed(_unreturned(alignment, task.doc))])
    return rows.with_columns(pl.col(pl.Float64).fill_nan(None))


def _in_passages(alignment: AlignedRun, row: Ints, is_judged: Bools) -> Ints:
    """The highlighted characters of documents, counted in their passages."""
    passages = alignment.qrels.passages
    sizes = totals(passages.row, passages.size, alignment.qrels.document_count)
    return np.where(is_judged, sizes[row], 0)


def _patience(alignment: AlignedRun, parameters: Mapping[str, Any]) -> dict[str, pl.Series]:
    """The characters that t2i's reader finds and wastes in each relevant document of known length."""
    documents, placed_parts = alignment.documents, alignment.placed_parts
    length = documents.qrels.length[documents.row]
    unknown = placed_parts.document_unknown[documents.document]
    known_documents = documents.only((length >= 0) & ~unknown)
    found_and_wasted = patient_reading(known_documents, **parameters)
    columns = {}
    for name, values in zip((c.T2I_FOUND, c.T2I_WASTED), found_and_wasted, strict=True):
        by_document = np.full(len(placed_parts.document_row), -1, dtype=np.int64)
        by_document[known_documents.document] = values
        columns[name] = known_numbers(by_document, by_document >= 0)
    return columns


def _unreturned(alignment: AlignedRun, doc: str | None) -> pl.DataFrame:
    """The relevant documents that were not returned, and the requested one."""
    qrels, placed_parts = alignment.qrels, alignment.placed_parts
    rows = np.flatnonzero(np.isin(qrels.topic, alignment.topics))
    rows = rows[~np.isin(rows, placed_parts.document_row)]
    names = qrels.names.take(rows).series()
    is_shown = qrels.relevant[rows] | (names == doc).to_numpy() if doc else qrels.relevant[rows]
    row, names = rows[is_shown], names.filter(pl.Series(is_shown))
    zero = np.zeros(len(row), dtype=np.int64)
    columns: dict[str, Any] = {
        c.TOPIC: pl.Series(qrels.topics, dtype=pl.String).gather(qrels.topic[row]),
        c.DOC: names,
        c.RELEVANT: qrels.relevant[row],
        c.LENGTH: known_numbers(qrels.length[row], qrels.length[row] >= 0),
        c.HIGHLIGHTED: qrels.highlighted[row],
        c.MISSED: _in_passages(alignment, row, np.ones(len(row), dtype=bool)),
        c.ENTRY: known_numbers(qrels.entry[row], qrels.entry[row] >= 0),
        **dict.fromkeys((c.RESULTS, c.FOUND, c.WASTED, c.SIZE, c.RSIZE), zero),
        **dict.fromkeys(c.RETURNED_SCORES, zero.astype(np.float64)),
    }
    missing = [name for name in c.EXPLAINED_DOCUMENT_SCHEMA if name not in columns]
    return pl.DataFrame({**columns, **{name: [None] * len(row) for name in missing}})


def _typed(documents: pl.DataFrame) -> pl.DataFrame:
    schema = c.EXPLAINED_DOCUMENT_SCHEMA.items()
    return documents.select(pl.col(name).cast(dtype) for name, dtype in schema)


def _results(alignment: AlignedRun) -> pl.DataFrame:
    """The results by rank; if any has an unknown size, precision is blank for all of them."""
    placed_parts = alignment.placed_parts
    parts = RankedParts.of_all_parts(placed_parts, alignment.qrels, alignment.topics)
    unknown = placed_parts.document_unknown[placed_parts.part_document]
    nan_values: Floats = np.full(len(unknown), np.nan)
    try:
        relevance, precision, recall = in_reading_order(parts)
        best = interpolated_in_reading_order(parts)
    except UnknownLength:
        relevance = precision = best = nan_values
        recall = ratio(parts.found, parts.topic_highlighted[parts.topic])
    is_placed = ~placed_parts.part_unmapped
    frame = pl.DataFrame(
        {
            c.TOPIC: [alignment.qrels.topics[number] for number in alignment.topics[parts.topic]],
            c.RANK: placed_parts.part_segments.nth,
            c.DOC: placed_parts.document_names.series().gather(placed_parts.part_document),
            c.START: known_numbers(placed_parts.part_start, is_placed),
            c.END: known_numbers(placed_parts.part_end, is_placed & ~unknown),
            c.SIZE: known_numbers(placed_parts.part_size, ~unknown),
            c.RSIZE: placed_parts.part_relevant,
            c.RELEVANCE: relevance,
            c.TEXT_P: precision,
            c.TEXT_R: recall,
            c.INTERPOLATED: best,
        },
        schema=c.EXPLAINED_RESULT_SCHEMA,
    )
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def _pieces(reads: FirstReads) -> pl.DataFrame:
    """Spans of text by the rank at which they are first read."""
    return pl.DataFrame(
        {
            c.DOC: reads.placed_parts.document_names.series().gather(reads.document),
            c.START: reads.pieces.start,
            c.END: reads.pieces.end,
            c.RANK: reads.rank,
        },
        schema=c.PIECE_SCHEMA,
    )


NO_RANK = 0


def segments(
    topic: str, documents: pl.DataFrame, highlights: pl.DataFrame, pieces: Sequence[pl.DataFrame]
) -> pl.DataFrame:
    """Each document (doc, length) from start to end, cut where the kind of text or its rank changes.

    Highlights and pieces have the columns doc, start and end, pieces also rank: the rank at which a
    run first reads each character. With the pieces of a second run there are a kind and a rank for
    it as well. A document of unknown length ends with its last known span.
    """
    names = documents[c.DOC]
    indices = pl.DataFrame({c.DOC: names, c.PLACE: np.arange(len(names))})
    length = documents[c.LENGTH].fill_null(0).to_numpy()
    highlighted = _layer(highlights, indices)
    read = [_layer(run_pieces, indices) for run_pieces in pieces]
    read = _within([highlighted, *read], length)[1:]
    cut, (highlight_index, *piece_indices) = layered(length, highlighted, *read)
    kinds, ranks = [], []
    for piece_index, run_pieces in zip(piece_indices, pieces, strict=True):
        rows = run_pieces.join(indices, on=c.DOC, how="inner", maintain_order="left")
        rank = np.append(rows[c.RANK].to_numpy(), NO_RANK)[piece_index]
        kinds.append(_kinds(highlight_index >= 0, piece_index >= 0))
        ranks.append(rank)
    spans, starts = merged_neighbours(cut, *kinds, *ranks)
    columns = {
        c.TOPIC: [topic] * len(spans.start),
        c.DOC: names.gather(spans.document),
        c.START: spans.start,
        c.END: spans.end,
    }
    for (kind_column, rank_column), kind, rank in zip(_COLUMNS, kinds, ranks, strict=False):
        columns[kind_column] = [c.KINDS[number] for number in kind[starts]]
        columns[rank_column] = pl.Series(rank[starts]).replace(NO_RANK, None)
    return pl.DataFrame(columns, schema_overrides=c.SEGMENT_SCHEMA)


def moves(first: pl.DataFrame, second: pl.DataFrame) -> pl.Series:
    """For each result of the first run, the rank of the first overlapping one of the second, or null."""
    document = pl.concat([first[c.DOC], second[c.DOC]]).rank("dense").cast(pl.Int64).to_numpy()
    count = first.height
    index = first_overlapping(_spans(first, document[:count]), _spans(second, document[count:]))
    return second[c.RANK].gather(pl.Series(index).replace(-1, None))


_COLUMNS = ((c.KIND, c.RANK), (c.AGAINST_KIND, c.AGAINST_RANK))


def _kinds(is_highlighted: Bools, is_read: Bools) -> Ints:
    """The index of each kind of text."""
    indices = np.where(
        is_highlighted,
        np.where(is_read, c.KINDS.index(c.FOUND), c.KINDS.index(c.MISSED)),
        np.where(is_read, c.KINDS.index(c.WASTED), c.KINDS.index(c.OTHER)),
    )
    return indices.astype(np.int64)


def _layer(spans: pl.DataFrame, indices: pl.DataFrame) -> Layer:
    """The spans of the documents that are shown."""
    rows = spans.join(indices, on=c.DOC, how="inner", maintain_order="left")
    return Layer(rows[c.PLACE].to_numpy(), rows[c.START].to_numpy(), rows[c.END].to_numpy())


def _within(layers: Sequence[Layer], length: Ints) -> list[Layer]:
    """The layers, cut at the last known offset of a document of unknown length."""
    ends = length.copy()
    for layer in layers:
        has_end = layer.end < LARGEST_OFFSET
        np.maximum.at(ends, layer.document[has_end], layer.end[has_end])
    return [layer._replace(end=np.minimum(layer.end, ends[layer.document])) for layer in layers]


def _spans(results: pl.DataFrame, document: Ints) -> Layer:
    """Results as spans: one without offsets is from -1 to -1, a whole document ends at the largest offset."""
    start = results[c.START].fill_null(-1)
    end = results[c.END].fill_null(
        pl.select(pl.when(start < 0).then(-1).otherwise(LARGEST_OFFSET)).to_series()
    )
    return Layer(document, start.to_numpy(), end.to_numpy())
