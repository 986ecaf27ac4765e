"""Conversions of runs and judgements for formats that hold less, or other columns."""

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
    """Paths with a number at every step, without leading zeros."""
    frame = pl.DataFrame({c.PATH: paths})
    path = pl.col(c.PATH).str.strip_chars(" \t\r\n")
    point = path.str.extract(r"(\.\d+)$").fill_null("")
    is_point = path.str.contains(POINT)
    steps = pl.when(is_point).then(path.str.replace(r"\.\d+$", "")).otherwise(path)
    # A slash at the end gives the last step the shape of the others.
    numbered = (
        (steps + "/").str.replace_all(r"([^/\]])/", "${1}[1]/").str.strip_suffix("/")
    ).str.replace_all(r"\[0+([0-9])", "[${1}")
    return frame.select(
        pl.when(is_point).then(numbered + point).otherwise(numbered).alias(c.PATH)
    ).to_series()


def as_elements(run: Run, elements: ElementLookup) -> tuple[Run, int]:
    """The run with each part that has text widened to the smallest element around it.

    Also returns the number of parts that became larger. Parts given by path keep it; entry points
    and unmapped elements are unchanged. The run must have the lengths of its documents.
    """
    frame = with_whole_documents_as_spans(run).frame
    start, end = pl.col(c.START), pl.col(c.END)
    paths = normalised_paths(frame[c.PATH]) if run.results.has_paths else None
    frame = frame.with_columns(
        paths if paths is not None else pl.lit(None, dtype=pl.String).alias(c.PATH)
    ).with_row_index(c.ROW)
    parts = frame.filter(pl.col(c.PATH).is_null() & (end > start))
    smallest = elements.smallest_containing(parts.select(c.DOC, c.START, c.END))
    outside = parts.filter(smallest[c.PATH].is_null())
    if outside.height:
        rows = outside.select(c.LINE, c.DOC, c.START, c.END).iter_rows()
        problems = [
            Problem(line, f"no element of document {doc!r} contains characters {first} to {last}")
            for line, doc, first, last in rows
        ]
        raise BadInput(run.source, problems)
    widened = int(((smallest[c.START] < parts[c.START]) | (smallest[c.END] > parts[c.END])).sum())
    replacements = smallest.select(c.START, c.END, c.PATH).with_columns(parts[c.ROW])
    frame = frame.update(replacements, on=c.ROW, how="left").drop(c.ROW)
    return run.with_frame(frame), widened


def with_whole_documents_as_spans(run: Run) -> Run:
    """The run with whole documents of known length as spans from their first character on."""
    refuse_unplaced(run)
    length = pl.lit(document_lengths(run, run.frame[c.DOC]))
    is_whole = pl.col(c.START).is_null() & length.is_not_null()
    frame = run.frame.with_columns(
        pl.when(is_whole).then(0).otherwise(c.START).alias(c.START),
        pl.when(is_whole).then(length).otherwise(c.END).alias(c.END),
    )
    return run.with_frame(frame)


def as_documents(run: Run) -> Run:
    """The run with each document once, whole, at the rank of its first part.

    Scores are those of the first parts if they give this ranking; otherwise they are 1/rank, and a
    note says so.
    """
    rank = pl.int_range(1, pl.len() + 1).over(c.TOPIC)
    no_offsets = [pl.lit(None, dtype=pl.Int64).alias(name) for name in (c.START, c.END)]
    frame = (
        run.frame[rows_in_order(run)]
        .unique([c.TOPIC, c.DOC], keep="first", maintain_order=True)
        .select(c.RUN_COLUMNS)
        .with_columns(*no_offsets, pl.when(pl.col(c.RANK).is_not_null()).then(rank).alias(c.RANK))
    )
    documents = run.with_frame(frame)
    if documents.results.score is None or _are_ranked_by_score(documents):
        return documents
    note = "scores are 1/rank, because the scores of the first parts alone do not give this ranking"
    rescored = run.with_frame(frame.with_columns((1.0 / rank).alias(c.SCORE)))
    return replace(rescored, notes=(*run.notes, note))


def _are_ranked_by_score(run: Run) -> bool:
    """True if results are listed by falling score without ties, even as 32-bit numbers."""
    results = run.results
    topic = results.topic
    ranking = ReadingOrder.of(Order.SCORE, results, topic, Ties.FILE, single_precision=True)
    tie_count = len(ranking.tied_topics) + len(ranking.nearly_tied_topics(results, topic))
    return ranking.permutation is None and not tie_count


def with_scores(run: Run) -> Run:
    """The run with scores, 1/rank in its topic, if it has none."""
    if not run.frame[c.SCORE].null_count():
        return run
    rows = rows_in_order(run)
    rank = run.frame[rows].select(pl.int_range(1, pl.len() + 1).over(c.TOPIC)).to_series()
    score = np.empty(len(rows), dtype=np.float64)
    score[rows] = 1.0 / rank.to_numpy()
    return run.with_frame(run.frame.with_columns(pl.Series(c.SCORE, score)))


def count_resized(qrels: Qrels, elements: ElementLookup) -> int:
    """Count documents whose length or highlighted size differs from the index or the passages."""
    documents = qrels.documents
    length_differs = documents[c.LENGTH] != elements.lengths(documents[c.DOC])
    size_differs = documents[c.STATED] != pl.Series(_highlighted(qrels))
    return int((length_differs.fill_null(value=False) | size_differs.fill_null(value=False)).sum())


def _highlighted(qrels: Qrels) -> Ints:
    """Number of highlighted characters in each document."""
    size = np.zeros(qrels.documents.height, dtype=np.int64)
    lengths = (qrels.passages[c.END] - qrels.passages[c.START]).to_numpy()
    np.add.at(size, qrels.passages[c.JUDGED].to_numpy(), lengths)
    return size


def graded_by_aspect(qrels: Qrels) -> Qrels:
    """Judgements of whole documents by aspect: grade 1 for each aspect anywhere in their text."""
    aspects = qrels.judgements.aspects
    if aspects is None:
        return qrels
    rows = np.unique(aspects.row)
    frame = aspects.frame.select(pl.Series(c.JUDGED, np.searchsorted(rows, aspects.row)), c.ASPECT)
    documents = qrels.documents.select(c.TOPIC, c.DOC)[rows]
    aspects_once = frame.unique(maintain_order=True)
    return Qrels.of(QrelsRows(documents=documents, aspects=aspects_once), source=qrels.source)


def only_passages(qrels: Qrels) -> Qrels:
    """Judgements reduced to passages and their aspects: documents without passages are dropped."""
    row = qrels.passages[c.JUDGED].to_numpy()
    has_passages = np.bincount(row, minlength=qrels.documents.height) > 0
    new_row = pl.Series(c.JUDGED, (np.cumsum(has_passages) - 1)[row], dtype=pl.UInt32)
    aspects = qrels.judgements.aspects
    kept_rows = QrelsRows(
        documents=qrels.documents.select(c.TOPIC, c.DOC).filter(pl.Series(has_passages)),
        passages=qrels.passages.with_columns(new_row),
        aspects=None if aspects is None else aspects.of_rows(has_passages).frame,
    )
    return Qrels.of(kept_rows, source=qrels.source)


def graded_by_text(qrels: Qrels, minimum: int) -> Qrels:
    """Judgements of whole documents: grade 1 for a minimum of highlighted characters, else 0."""
    size = _highlighted(qrels)
    documents = qrels.documents.select(
        c.TOPIC, c.DOC, pl.Series(c.GRADE, (size >= minimum).astype(np.float64)), c.LINE
    )
    return Qrels.of(QrelsRows(documents=documents), source=qrels.source, format=qrels.format)
