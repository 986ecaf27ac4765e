"""Runs and judgements made to fit formats that hold less, or hold it differently."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from foveal.choices import Order, Ties
from foveal.errors import BadInput, Problem
from foveal.late import pl
from foveal.spans import Ints
from foveal.tables import (
    Qrels,
    QrelsRows,
    ReadingOrder,
    Run,
    document_lengths,
    refuse_unplaced,
    rows_in_order,
)
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

POINT = r"/text\(\)(\[\d+\])?\.\d+$"


def normalised_paths(paths: pl.Series) -> pl.Series:
    """Paths in which every step has its number, without leading zeros."""
    frame = pl.DataFrame({c.PATH: paths})
    whole = pl.col(c.PATH).str.strip_chars(" \t\r\n")
    point = whole.str.extract(r"(\.\d+)$").fill_null("")
    is_point = whole.str.contains(POINT)
    steps = pl.when(is_point).then(whole.str.replace(r"\.\d+$", "")).otherwise(whole)
    # A slash at the end gives the last step the shape of the others.
    numbered = (
        (steps + "/").str.replace_all(r"([^/\]])/", "${1}[1]/").str.strip_suffix("/")
    ).str.replace_all(r"\[0+([0-9])", "[${1}")
    return frame.select(
        pl.when(is_point).then(numbered + point).otherwise(numbered).alias(c.PATH)
    ).to_series()


def as_elements(run: Run, elements: ElementLookup) -> tuple[Run, int]:
    """The run with each part that has text widened to the smallest element around it.

    Also how many parts became larger. Parts that were given by path keep it; entry points and
    unmapped elements stay as they are. The run must have the lengths of its documents.
    """
    frame = with_whole_documents_as_spans(run).frame
    start, end = pl.col(c.START), pl.col(c.END)
    known = normalised_paths(frame[c.PATH]) if run.results.has_paths else None
    frame = frame.with_columns(
        known if known is not None else pl.lit(None, dtype=pl.String).alias(c.PATH)
    ).with_row_index(c.ROW)
    asked = frame.filter(pl.col(c.PATH).is_null() & (end > start))
    found = elements.smallest_containing(asked.select(c.DOC, c.START, c.END))
    lost = asked.filter(found[c.PATH].is_null())
    if lost.height:
        problems = [
            Problem(
                line, f"no element of document {document!r} contains characters {first} to {last}"
            )
            for line, document, first, last in lost.select(
                c.LINE, c.DOC, c.START, c.END
            ).iter_rows()
        ]
        raise BadInput(run.source, problems)
    grown = int(((found[c.START] < asked[c.START]) | (found[c.END] > asked[c.END])).sum())
    widened = found.select(c.START, c.END, c.PATH).with_columns(asked[c.ROW])
    frame = frame.update(widened, on=c.ROW, how="left").drop(c.ROW)
    return run.with_frame(frame), grown


def with_whole_documents_as_spans(run: Run) -> Run:
    """The run with whole documents of known length as spans from their first character on."""
    refuse_unplaced(run)
    length = pl.lit(document_lengths(run, run.frame[c.DOC]))
    whole = pl.col(c.START).is_null() & length.is_not_null()
    frame = run.frame.with_columns(
        pl.when(whole).then(0).otherwise(c.START).alias(c.START),
        pl.when(whole).then(length).otherwise(c.END).alias(c.END),
    )
    return run.with_frame(frame)


def as_documents(run: Run) -> Run:
    """The run with each document once, whole, where its first part is ranked.

    Scores are those of the first parts if these alone give the ranking; otherwise they are 1/rank,
    which a note says.
    """
    place = pl.int_range(1, pl.len() + 1).over(c.TOPIC)
    nowhere = [pl.lit(None, dtype=pl.Int64).alias(name) for name in (c.START, c.END)]
    frame = (
        run.frame[rows_in_order(run)]
        .unique([c.TOPIC, c.DOC], keep="first", maintain_order=True)
        .select(c.RUN_COLUMNS)
        .with_columns(*nowhere, pl.when(pl.col(c.RANK).is_not_null()).then(place).alias(c.RANK))
    )
    documents = run.with_frame(frame)
    if documents.results.score is None or _are_ranked_by_score(documents):
        return documents
    note = "scores are 1/rank, because the scores of the first parts alone do not give this ranking"
    rescored = run.with_frame(frame.with_columns((1.0 / place).alias(c.SCORE)))
    return replace(rescored, notes=(*run.notes, note))


def _are_ranked_by_score(run: Run) -> bool:
    """Whether results are listed by falling score without ties, even of 32-bit numbers."""
    results = run.results
    topic = results.topic
    order = ReadingOrder.of(Order.SCORE, results, topic, Ties.FILE, single_precision=True)
    tied = len(order.tied) + len(order.nearly_tied_topics(results, topic))
    return order.permutation is None and not tied


def with_scores(run: Run) -> Run:
    """The run with scores, 1/rank in its topic, if it has none."""
    if not run.frame[c.SCORE].null_count():
        return run
    rows = rows_in_order(run)
    place = run.frame[rows].select(pl.int_range(1, pl.len() + 1).over(c.TOPIC)).to_series()
    score = np.empty(len(rows), dtype=np.float64)
    score[rows] = 1.0 / place.to_numpy()
    return run.with_frame(run.frame.with_columns(pl.Series(c.SCORE, score)))


def other_sizes(qrels: Qrels, elements: ElementLookup) -> int:
    """How many documents have a length or highlighted size that differs from what is counted."""
    table = qrels.documents
    length = table[c.LENGTH] != elements.lengths(table[c.DOC])
    stated = table[c.STATED] != pl.Series(_highlighted(qrels))
    return int((length.fill_null(value=False) | stated.fill_null(value=False)).sum())


def _highlighted(qrels: Qrels) -> Ints:
    """The highlighted characters of each document."""
    size = np.zeros(qrels.documents.height, dtype=np.int64)
    lengths = (qrels.passages[c.END] - qrels.passages[c.START]).to_numpy()
    np.add.at(size, qrels.passages[c.JUDGED].to_numpy(), lengths)
    return size


def graded_by_aspect(qrels: Qrels) -> Qrels:
    """Judgements of documents that have aspects, wherever in their text: grade 1 for each aspect."""
    aspects = qrels.judgements.aspects
    if aspects is None:
        return qrels
    rows = np.unique(aspects.row)
    named = aspects.frame.select(pl.Series(c.JUDGED, np.searchsorted(rows, aspects.row)), c.ASPECT)
    documents = qrels.documents.select(c.TOPIC, c.DOC)[rows]
    aspects_once = named.unique(maintain_order=True)
    return Qrels.of(QrelsRows(documents=documents, aspects=aspects_once), source=qrels.source)


def passages_alone(qrels: Qrels) -> Qrels:
    """The passages of documents that have some, with their aspects, and nothing else."""
    judged = qrels.passages[c.JUDGED].to_numpy()
    kept = np.bincount(judged, minlength=qrels.documents.height) > 0
    rows = pl.Series(c.JUDGED, (np.cumsum(kept) - 1)[judged], dtype=pl.UInt32)
    aspects = qrels.judgements.aspects
    kept_rows = QrelsRows(
        documents=qrels.documents.select(c.TOPIC, c.DOC).filter(pl.Series(kept)),
        passages=qrels.passages.with_columns(rows),
        aspects=None if aspects is None else aspects.of_rows(kept).frame,
    )
    return Qrels.of(kept_rows, source=qrels.source)


def graded_by_text(qrels: Qrels, least: int) -> Qrels:
    """Judgements of documents: grade 1 for at least so many highlighted characters, else 0."""
    size = _highlighted(qrels)
    documents = qrels.documents.select(
        c.TOPIC, c.DOC, pl.Series(c.GRADE, (size >= least).astype(np.float64)), c.LINE
    )
    return Qrels.of(QrelsRows(documents=documents), source=qrels.source, format=qrels.format)
