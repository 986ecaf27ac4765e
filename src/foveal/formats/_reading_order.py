"""A run's rows for writing: whatever ranks them now, reading them back ranks them the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from foveal.choices import Order, Ties
from foveal.errors import DataError
from foveal.tables import Run, TopicColumn, reading_order
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.spans import Bools, Ints


def in_file_order(run: Run) -> pl.DataFrame:
    """The rows for a format that ranks by line: moved only if they do not stand in order.

    Ranks are filled in where there are none.
    """
    rows = _rows_as_read(run)
    frame = _with_any_ranks(run)
    return frame if np.array_equal(rows, _rows_as_read(run, Order.FILE)) else frame[rows]


def with_ranks_as_read(run: Run) -> pl.DataFrame:
    """The rows for a format that ranks by rank, else by score, else by line.

    Ranks are given anew only if that would change the order of a topic's results.
    """
    by_columns = Run.of(run.frame.head(1), name=run.name).order
    if by_columns is run.order or np.array_equal(
        _rows_as_read(run), _rows_as_read(run, by_columns)
    ):
        return run.frame
    return run.frame.with_columns(_ranks(run))


def with_scores_as_read(run: Run) -> pl.DataFrame:
    """The rows for a format that ranks by score; refused if the scores contradict the order.

    Ranks are filled in where there are none.
    """
    if run.frame[c.SCORE].null_count():
        raise DataError(f"run {run.name!r} has no scores, and this format ranks by score")
    if run.order is Order.SCORE:
        return _with_any_ranks(run)
    rows = _rows_as_read(run)
    score = run.frame[c.SCORE].to_numpy()[rows]
    if np.any(_same_topic(run, rows) & (score[1:] > score[:-1])):
        raise DataError(
            f"run {run.name!r} is ranked by {run.order}, its scores contradict that, and this"
            " format ranks by score"
        )
    # Equal scores stand in order, for readers that break ties by line.
    return in_file_order(run)


def _with_any_ranks(run: Run) -> pl.DataFrame:
    return run.frame.with_columns(_ranks(run)) if run.frame[c.RANK].null_count() else run.frame


def _rows_as_read(run: Run, order: Order | None = None) -> Ints:
    topic = TopicColumn.of(_topic_numbers(run))
    rows, _ = reading_order(run, run.frame, topic, order, Ties.ID)
    return np.arange(run.frame.height) if rows is None else rows


def _topic_numbers(run: Run) -> Ints:
    topic = run.frame[c.TOPIC]
    names = topic.unique(maintain_order=True)
    return topic.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64)


def _same_topic(run: Run, rows: Ints) -> Bools:
    topic = _topic_numbers(run)[rows]
    same: Bools = topic[1:] == topic[:-1]
    return same


def _ranks(run: Run) -> pl.Series:
    rows = _rows_as_read(run)
    place = np.arange(len(rows))
    first = np.concatenate([[0], np.flatnonzero(~_same_topic(run, rows)) + 1])
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[rows] = place - np.repeat(first, np.diff(first, append=len(rows))) + 1
    return pl.Series(c.RANK, ranks)
