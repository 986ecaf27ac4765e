"""The one order in which a topic's results are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from foveal.choices import Order, Ties
from foveal.errors import DataError
from foveal.tables import _columns as c

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from foveal.spans import Ints
    from foveal.tables._run import Run


def reading_order(
    run: Run, frame: pl.DataFrame, topic: Ints, order: Order | None, ties: Ties
) -> tuple[Ints, int]:
    """The permutation of a run's rows by topic and rank, and the number of topics with ties.

    `frame` holds the rows to be ordered and `topic` their topic numbers.
    """
    how = order or run.order
    if how is Order.FILE:
        return _by(topic), 0
    name = c.RANK if how is Order.RANK else c.SCORE
    column = frame[name]
    if column.null_count():
        raise DataError(f"run {run.name!r} has no {name} on every result: use another --order")
    if how is Order.RANK:
        return np.lexsort((column.to_numpy(), topic)), 0
    return _by_score(frame, topic, column.to_numpy(), ties)


def _by(topic: Ints) -> Ints:
    """The stable permutation by topic."""
    if np.all(topic[1:] >= topic[:-1]):
        return np.arange(len(topic), dtype=np.int64)
    # NumPy sorts 16-bit keys by radix, which is several times faster.
    small = topic.astype(np.uint16) if len(topic) and topic.max() < 1 << 16 else topic
    return np.argsort(small, kind="stable").astype(np.int64)


def _by_score(
    frame: pl.DataFrame, topic: Ints, score: NDArray[np.float64], ties: Ties
) -> tuple[Ints, int]:
    permutation = _by(topic)
    sorted_topic, sorted_score = topic[permutation], score[permutation]
    same_topic = sorted_topic[1:] == sorted_topic[:-1]
    if np.any(same_topic & (sorted_score[1:] > sorted_score[:-1])):
        permutation = np.lexsort((-score, topic))
        sorted_topic, sorted_score = topic[permutation], score[permutation]
    tied = same_topic & (sorted_score[1:] == sorted_score[:-1])
    tied_topics = len(np.unique(sorted_topic[1:][tied]))
    if ties is Ties.ID and tied_topics:
        permutation = _ties_by_id_descending(frame, permutation, tied)
    return permutation, tied_topics


def _ties_by_id_descending(frame: pl.DataFrame, permutation: Ints, tied: NDArray[np.bool_]) -> Ints:
    group = np.concatenate([[0], np.cumsum(~tied)])
    in_tie = np.flatnonzero(np.append(tied, False) | np.concatenate([[False], tied]))
    rows = permutation[in_tie]
    ordered = pl.DataFrame({"group": group[in_tie], "doc": frame[c.DOC][rows], "row": rows}).sort(
        "group", "doc", "row", descending=[False, True, False]
    )
    permutation = permutation.copy()
    permutation[in_tie] = ordered["row"].to_numpy()
    return permutation
