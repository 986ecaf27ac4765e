"""What a run found, missed and wasted: by topic, and for one topic by document, result and piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from foveal.alignment import AlignedRun, FirstReads, PreparedQrels, RankedParts, ratio
from foveal.choices import Task
from foveal.errors import NoHighlights, UnknownLength, UsageError, did_you_mean, some
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
    first_sharing,
    joined_up,
    layered,
    totals,
)
from foveal.tables import Run, document_lengths
from foveal.tables import columns as c


class PassageOutcome(StrEnum):
    """What became of a passage."""

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
    """What was read of one run: the topics, and all about one of them where one was chosen.

    `pieces` (doc, start, end, rank) are where each character is first read; `dropped` results take
    no rank.
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

    With a topic, only that one is looked at, but closely; `doc` is a document to show beside those
    that were returned or are relevant.
    """

    evaluation: Evaluation
    topic: str | None = None
    doc: str | None = None

    def __post_init__(self) -> None:
        """Refuse a topic that there is nothing to tell about."""
        judged = self.evaluation.judged
        if not judged.has_highlights:
            raise NoHighlights(
                "; the scores of each topic do not need them (foveal evaluate --per-topic)"
            )
        if self.topic is None:
            return
        if self.topic not in judged.topics:
            hint = did_you_mean(self.topic, judged.topics, repr)
            state = "judged" if judged.times is None else "chosen"
            raise UsageError(
                f"topic {self.topic!r} is not {state}{hint} ({state}: {some(judged.topics)})"
            )
        if not judged.eligible[judged.topics.index(self.topic)]:
            raise UsageError(
                f"topic {self.topic!r} has nothing relevant: there is nothing to find or to miss"
            )

    @cached_property
    def narrowed(self) -> Evaluation:
        """The evaluation of the chosen topic alone, or of all."""
        if self.topic is None:
            return self.evaluation
        judged = self.evaluation.judged
        chosen = np.array([name == self.topic for name in judged.topics])
        return replace(self.evaluation, judged=judged.only(chosen))

    @property
    def parameters(self) -> dict[str, Mapping[str, float]]:
        """The parameters of each document score."""
        decided = self.evaluation.conventions
        return {name: DOCUMENT_SCORES[name].resolve({}, decided) for name in c.RETURNED_SCORES}

    @property
    def shown_scores(self) -> tuple[str, ...]:
        """The document scores that are shown; bep and t2i mean nothing for chunks."""
        if self.evaluation.task.task is Task.RAG:
            return tuple(name for name in c.RETURNED_SCORES if name not in {c.BEP, c.T2I})
        return c.RETURNED_SCORES

    @property
    def settings(self) -> dict[str, str]:
        """What a reader of the explanation must know beside the settings of scores."""
        told = {"measure": self.evaluation.measures[0].name}
        if self.topic is not None:
            told["document scores"] = score_parameters(
                self.evaluation.conventions, self.shown_scores
            )
        return told

    def __call__(self, run: Run) -> RunExplanation:
        """What a run found, missed and wasted."""
        alignment = self.narrowed.aligned(run.whole())
        first = FirstReads.of(alignment.placed_parts)
        scores = self.narrowed.scored(alignment)
        closely = self.topic is not None
        laid = alignment.placed_parts
        return RunExplanation(
            scores=scores,
            topics=_topics(alignment, first, scores),
            passages=_passages(alignment, first),
            documents=(
                _documents(alignment, first, self)
                if closely
                else pl.DataFrame(schema=c.EXPLAINED_DOCUMENT_SCHEMA)
            ),
            results=(
                _results(alignment) if closely else pl.DataFrame(schema=c.EXPLAINED_RESULT_SCHEMA)
            ),
            pieces=_pieces(first) if closely else pl.DataFrame(schema=c.PIECE_SCHEMA),
            dropped=len(laid.returned_spans.document) - len(laid.part_document),
        )


def _topics(alignment: AlignedRun, first: FirstReads, scores: RunScores) -> pl.DataFrame:
    """The characters of each topic that were found, missed and wasted, each counted once."""
    laid, judged, count = alignment.placed_parts, alignment.qrels, len(alignment.topics)
    topic, own = laid.document_topic, judged.passages
    found = totals(topic, first.document_found, count)
    read = totals(topic, first.document_read, count)
    highlighted = totals(judged.topic[own.row], own.size, len(judged.topics))
    highlighted = highlighted[alignment.topics]
    known = np.ones(count, dtype=bool)
    known[topic[laid.document_unknown]] = False
    listed = alignment.topics_with_rows
    columns: dict[str, Any] = {
        c.RESULTS: laid.part_segments.held,
        c.HIGHLIGHTED: highlighted,
        c.FOUND: found,
        c.MISSED: highlighted - found,
        c.WASTED: known_numbers(read - found, known),
    }
    return pl.DataFrame(
        {
            c.TOPIC: scores.topics,
            c.VALUE: scores.values[0],
            **{name: pl.Series(values).gather(listed) for name, values in columns.items()},
        },
        schema=c.EXPLAINED_TOPIC_SCHEMA,
    )


def _passages(alignment: AlignedRun, first: FirstReads) -> pl.DataFrame:
    """What became of each passage of the evaluated topics, and the rank at which that was settled."""
    judged, laid, own = alignment.qrels, alignment.placed_parts, alignment.qrels.passages
    piece, passage, common = first.overlaps
    found = totals(passage, common, len(own))
    rank = np.zeros(len(own), dtype=np.int64)
    np.maximum.at(rank, passage, first.rank[piece])
    # By row of the judgements: was the document returned, and how much of it was read?
    returned = np.zeros(judged.document_count, dtype=bool)
    read = np.zeros(judged.document_count, dtype=np.int64)
    known = np.flatnonzero(laid.document_row >= 0)
    returned[laid.document_row[known]] = True
    read[laid.document_row[known]] = first.document_read[known]
    outcome = np.select(
        [found == own.size, found > 0, read[own.row] > 0, returned[own.row]],
        [
            PassageOutcome.FOUND.value,
            PassageOutcome.CUT.value,
            PassageOutcome.WRONG_PLACE.value,
            PassageOutcome.NO_TEXT.value,
        ],
        PassageOutcome.WRONG_DOCUMENT.value,
    )
    topic = judged.topic[own.row]
    at = np.flatnonzero(np.isin(topic, alignment.topics))
    return pl.DataFrame(
        {
            c.TOPIC: pl.Series(judged.topics, dtype=pl.String).gather(topic[at]),
            c.DOC: judged.names.taken(own.row[at]).series(),
            c.START: own.start[at],
            c.END: own.end[at],
            c.FOUND: found[at],
            c.RANK: known_numbers(rank[at], found[at] > 0),
            c.OUTCOME: outcome[at].tolist(),
        },
        schema=c.EXPLAINED_PASSAGE_SCHEMA,
    ).with_columns(_aspects(judged, at))


def _aspects(judged: PreparedQrels, passages: Ints) -> list[pl.Series]:
    """The aspects of passages that count, in lists; no column if the judgements name none."""
    if judged.aspect_columns is None:
        return []
    own = judged.aspects.where(judged.aspects.grade >= judged.conventions.rel)
    place = own.passage_places(judged.highlights)
    names = pl.Series(own.names, dtype=pl.String).gather(own.aspect)
    named = pl.DataFrame({c.JUDGED: place, c.ASPECTS: names}).unique(maintain_order=True)
    lists = named.group_by(c.JUDGED).agg(c.ASPECTS)
    shown = pl.DataFrame({c.JUDGED: passages})
    return [shown.join(lists, on=c.JUDGED, how="left", maintain_order="left")[c.ASPECTS]]


def _documents(alignment: AlignedRun, first: FirstReads, asked: ExplainTask) -> pl.DataFrame:
    """The documents that were returned, then the relevant ones that were not."""
    laid, judged = alignment.placed_parts, alignment.qrels
    known = laid.document_row >= 0
    row = np.where(known, laid.document_row, 0)
    indexed = document_lengths(alignment.run, laid.document_names.series())
    length = known_numbers(judged.length[row], known & (judged.length[row] >= 0))
    highlighted = np.where(known, judged.highlighted[row], 0)
    found = first.document_found
    returned = document_columns(alignment)
    frame = pl.DataFrame(
        {
            **returned,
            c.RESULTS: np.bincount(laid.part_document, minlength=len(row)),
            c.LENGTH: length.fill_null(indexed),
            c.HIGHLIGHTED: highlighted,
            c.FOUND: found,
            c.MISSED: _in_passages(alignment, row, known) - found,
            c.WASTED: known_numbers(first.document_read - found, ~laid.document_unknown),
            c.ENTRY: known_numbers(judged.entry[row], known & (judged.entry[row] >= 0)),
            c.FIRST_START: known_numbers(laid.document_start, laid.document_start >= 0),
            **_patience(alignment, asked.parameters[c.T2I]),
        }
    )
    rows = pl.concat([_typed(frame), _typed(_unreturned(alignment, asked.doc))])
    return rows.with_columns(pl.col(pl.Float64).fill_nan(None))


def _in_passages(alignment: AlignedRun, row: Ints, known: Bools) -> Ints:
    """The highlighted characters of documents as their passages have them."""
    own = alignment.qrels.passages
    sizes = totals(own.row, own.size, alignment.qrels.document_count)
    return np.where(known, sizes[row], 0)


def _patience(alignment: AlignedRun, parameters: Mapping[str, Any]) -> dict[str, pl.Series]:
    """What the reader of t2i meets in each relevant document, where all lengths are known."""
    documents, laid = alignment.documents, alignment.placed_parts
    length = documents.qrels.length[documents.row]
    own = documents.only((length >= 0) & ~laid.document_unknown[documents.document])
    met = patient_reading(own, **parameters)
    columns = {}
    for name, values in zip((c.T2I_FOUND, c.T2I_WASTED), met, strict=True):
        every = np.full(len(laid.document_row), -1, dtype=np.int64)
        every[own.document] = values
        columns[name] = known_numbers(every, every >= 0)
    return columns


def _unreturned(alignment: AlignedRun, doc: str | None) -> pl.DataFrame:
    """The relevant documents that were not returned, and one that was asked for."""
    judged, laid = alignment.qrels, alignment.placed_parts
    own = np.flatnonzero(np.isin(judged.topic, alignment.topics))
    own = own[~np.isin(own, laid.document_row)]
    names = judged.names.taken(own).series()
    wanted = judged.relevant[own] | (names == doc).to_numpy() if doc else judged.relevant[own]
    row, names = own[wanted], names.filter(pl.Series(wanted))
    zero = np.zeros(len(row), dtype=np.int64)
    columns: dict[str, Any] = {
        c.TOPIC: pl.Series(judged.topics, dtype=pl.String).gather(judged.topic[row]),
        c.DOC: names,
        c.RELEVANT: judged.relevant[row],
        c.LENGTH: known_numbers(judged.length[row], judged.length[row] >= 0),
        c.HIGHLIGHTED: judged.highlighted[row],
        c.MISSED: _in_passages(alignment, row, np.ones(len(row), dtype=bool)),
        c.ENTRY: known_numbers(judged.entry[row], judged.entry[row] >= 0),
        **dict.fromkeys((c.RESULTS, c.FOUND, c.WASTED, c.SIZE, c.RSIZE), zero),
        **dict.fromkeys(c.RETURNED_SCORES, zero.astype(np.float64)),
    }
    missing = [name for name in c.EXPLAINED_DOCUMENT_SCHEMA if name not in columns]
    return pl.DataFrame({**columns, **{name: [None] * len(row) for name in missing}})


def _typed(documents: pl.DataFrame) -> pl.DataFrame:
    schema = c.EXPLAINED_DOCUMENT_SCHEMA.items()
    return documents.select(pl.col(name).cast(dtype) for name, dtype in schema)


def _results(alignment: AlignedRun) -> pl.DataFrame:
    """The results by rank; if one has no known size, precision is blank for all of them."""
    laid = alignment.placed_parts
    parts = RankedParts.of_all_parts(laid, alignment.qrels, alignment.topics)
    unknown = laid.document_unknown[laid.part_document]
    none: Floats = np.full(len(unknown), np.nan)
    try:
        relevance, precision, recall = in_reading_order(parts)
        best = interpolated_in_reading_order(parts)
    except UnknownLength:
        relevance = precision = best = none
        recall = ratio(parts.found, parts.topic_highlighted[parts.topic])
    placed = ~laid.part_unmapped
    frame = pl.DataFrame(
        {
            c.TOPIC: [alignment.qrels.topics[number] for number in alignment.topics[parts.topic]],
            c.RANK: laid.part_segments.nth,
            c.DOC: laid.document_names.series().gather(laid.part_document),
            c.START: known_numbers(laid.part_start, placed),
            c.END: known_numbers(laid.part_end, placed & ~unknown),
            c.SIZE: known_numbers(laid.part_size, ~unknown),
            c.RSIZE: laid.part_relevant,
            c.RELEVANCE: relevance,
            c.TEXT_P: precision,
            c.TEXT_R: recall,
            c.INTERPOLATED: best,
        },
        schema=c.EXPLAINED_RESULT_SCHEMA,
    )
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def _pieces(first: FirstReads) -> pl.DataFrame:
    """Where each character is first read."""
    return pl.DataFrame(
        {
            c.DOC: first.placed_parts.document_names.series().gather(first.document),
            c.START: first.pieces.start,
            c.END: first.pieces.end,
            c.RANK: first.rank,
        },
        schema=c.PIECE_SCHEMA,
    )


NO_RANK = 0


def segments(
    topic: str, documents: pl.DataFrame, highlights: pl.DataFrame, pieces: Sequence[pl.DataFrame]
) -> pl.DataFrame:
    """Each document (doc, length) from end to end, cut where the kind of text or its rank changes.

    Highlights and pieces have the columns doc, start and end, pieces also rank: where a run first
    reads each character. With the pieces of a second run there are a kind and a rank for it as
    well. A document of unknown length ends where the last span that is known ends.
    """
    names = documents[c.DOC]
    place = pl.DataFrame({c.DOC: names, c.PLACE: np.arange(len(names))})
    length = documents[c.LENGTH].fill_null(0).to_numpy()
    marked = _layer(highlights, place)
    read = [_layer(own, place) for own in pieces]
    read = _within([marked, *read], length)[1:]
    cut, (highlight, *cover) = layered(length, marked, *read)
    kinds, ranks = [], []
    for covering, own in zip(cover, pieces, strict=True):
        held = own.join(place, on=c.DOC, how="inner", maintain_order="left")[c.RANK].to_numpy()
        rank = np.append(held, NO_RANK)[covering]
        kinds.append(_kinds(highlight >= 0, covering >= 0))
        ranks.append(rank)
    joined, begins = joined_up(cut, *kinds, *ranks)
    columns = {
        c.TOPIC: [topic] * len(joined.start),
        c.DOC: names.gather(joined.document),
        c.START: joined.start,
        c.END: joined.end,
    }
    for heads, kind, rank in zip(_HEADS, kinds, ranks, strict=False):
        columns[heads[0]] = [c.KINDS[number] for number in kind[begins]]
        columns[heads[1]] = pl.Series(rank[begins]).replace(NO_RANK, None)
    return pl.DataFrame(columns, schema_overrides=c.SEGMENT_SCHEMA)


def moves(results: pl.DataFrame, others: pl.DataFrame) -> pl.Series:
    """The rank, in another run, of the first result that has text of each result; null if none."""
    both = pl.concat([results[c.DOC], others[c.DOC]]).rank("dense").cast(pl.Int64).to_numpy()
    count = results.height
    at = first_sharing(_spans(results, both[:count]), _spans(others, both[count:]))
    return others[c.RANK].gather(pl.Series(at).replace(-1, None))


_HEADS = ((c.KIND, c.RANK), (c.AGAINST_KIND, c.AGAINST_RANK))


def _kinds(is_highlighted: Bools, is_read: Bools) -> Ints:
    """The place of each kind among all kinds."""
    names = np.where(
        is_highlighted,
        np.where(is_read, c.KINDS.index(c.FOUND), c.KINDS.index(c.MISSED)),
        np.where(is_read, c.KINDS.index(c.WASTED), c.KINDS.index(c.OTHER)),
    )
    return names.astype(np.int64)


def _layer(spans: pl.DataFrame, place: pl.DataFrame) -> Layer:
    """The spans of the documents that are shown."""
    own = spans.join(place, on=c.DOC, how="inner", maintain_order="left")
    return Layer(own[c.PLACE].to_numpy(), own[c.START].to_numpy(), own[c.END].to_numpy())


def _within(layers: Sequence[Layer], length: Ints) -> list[Layer]:
    """The layers without what is beyond every known place of a document of unknown length."""
    known = length.copy()
    for layer in layers:
        told = layer.end < LARGEST_OFFSET
        np.maximum.at(known, layer.document[told], layer.end[told])
    return [layer._replace(end=np.minimum(layer.end, known[layer.document])) for layer in layers]


def _spans(results: pl.DataFrame, document: Ints) -> Layer:
    """Results as spans; one of unknown place is before every document, a whole one has no end."""
    start = results[c.START].fill_null(-1)
    end = results[c.END].fill_null(
        pl.select(pl.when(start < 0).then(-1).otherwise(LARGEST_OFFSET)).to_series()
    )
    return Layer(document, start.to_numpy(), end.to_numpy())
