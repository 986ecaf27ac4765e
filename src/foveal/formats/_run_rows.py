"""Rows of a run as formats write them: named columns, in an order that reads back the same."""

from __future__ import annotations

import numpy as np

from foveal.choices import Order, Ties
from foveal.errors import DataError, counted
from foveal.files import STANDARD_INPUT, Source, is_special
from foveal.late import pl
from foveal.spans import Segments
from foveal.tables import Run, RunRows, numbered, rows_in_order
from foveal.tables import columns as c

NAMES = (c.TOPIC, c.DOC, c.START, c.END, c.RANK, c.SCORE)


def run_columns(run: Run) -> pl.DataFrame:
    """Columns that are not empty, ranked like the run, and the run's tag."""
    frame = run.frame
    count = frame.filter(pl.all_horizontal(pl.col(c.START, *_texts(run)).is_null())).height
    if 0 < count < frame.height:
        raise DataError(
            f"run {run.name!r} mixes {counted(count, 'whole document')} with parts, for which tables"
            " have no place: give the collection's offset index (`foveal convert --elements INDEX`),"
            " or use inex-xml"
        )
    frame = with_ranks_as_read(run, Ties.FILE)
    nonempty = [column for column in NAMES if frame[column].null_count() < frame.height]
    return frame.select(*nonempty, *_texts(run), pl.lit(run.tag).alias(c.TAG))


def _texts(run: Run) -> list[str]:
    return [c.TEXT] if run.results.has_texts else []


def run_name(source: Source, name: str, tag: str) -> str:
    """Name of a run in its file, else the file's stem; for a pipe without a name, the tag."""
    is_pipe = source.path == STANDARD_INPUT or is_special(source.path)
    return name or (tag if is_pipe else "") or source.stem


def constant(frame: pl.DataFrame, column: str) -> str:
    """Value that all rows of a table have in a column; empty if they differ or have none."""
    if column not in frame.columns:
        return ""
    values = frame[column].cast(pl.String, strict=False).unique().head(2).to_list()
    return (values[0] or "") if len(values) == 1 else ""


def in_file_order(run: Run) -> pl.DataFrame:
    """Rows for a format that ranks by line: sorted only if they are out of order.

    Missing ranks are filled in.
    """
    rows = rows_in_order(run)
    frame = _with_any_ranks(run)
    return frame if np.array_equal(rows, rows_in_order(run, Order.FILE)) else frame[rows]


def with_ranks_as_read(run: Run, ties: Ties) -> pl.DataFrame:
    """Rows for a format that ranks by rank, else by score and `ties`, else by line.

    New ranks are given only if results would otherwise be read in another order.
    """
    order_read = Run.of(RunRows(frame=run.frame.head(1))).order
    # Ties in rank are broken by line, unless by place.
    ties_by_line = order_read is not Order.SCORE and Ties.PLACE not in {ties, run.ties}
    is_same = order_read is run.order and (ties is run.ties or ties_by_line)
    if is_same or np.array_equal(rows_in_order(run), rows_in_order(run, order_read, ties)):
        return run.frame
    return run.frame.with_columns(_ranks(run))


def ranked_by_place(run: Run) -> pl.DataFrame:
    """Rows for a format that ranks by rank, then by document, offset and length.

    New ranks are given only if results would otherwise be read in another order.
    """
    if run.frame[c.RANK].null_count():
        return run.frame.with_columns(_ranks(run))
    is_same = np.array_equal(rows_in_order(run), rows_in_order(run, Order.RANK, Ties.PLACE))
    return run.frame if is_same else run.frame.with_columns(_ranks(run))


def with_scores_as_read(run: Run) -> pl.DataFrame:
    """Rows for a format that ranks by score; refused if the scores contradict the order.

    Missing ranks are filled in.
    """
    if run.frame[c.SCORE].null_count():
        raise DataError(
            f"run {run.name!r} has no scores, and this format ranks by score: `foveal convert` adds"
            " 1/rank"
        )
    if run.order is Order.SCORE and run.ties is Ties.ID:
        return _with_any_ranks(run)
    rows = rows_in_order(run)
    score, topic = run.frame[c.SCORE].to_numpy()[rows], numbered(run.frame[c.TOPIC])[rows]
    if np.any((topic[1:] == topic[:-1]) & (score[1:] > score[:-1])):
        raise DataError(
            f"run {run.name!r} is ranked by {run.order}, which its scores contradict, but this format"
            " ranks by score: `foveal check --fix` gives scores that fit"
        )
    # Equal scores are sorted as well, for readers that break ties by line.
    return in_file_order(run)


def _with_any_ranks(run: Run) -> pl.DataFrame:
    return run.frame.with_columns(_ranks(run)) if run.frame[c.RANK].null_count() else run.frame


def _ranks(run: Run) -> pl.Series:
    rows = rows_in_order(run)
    topic = numbered(run.frame[c.TOPIC])[rows]
    ranks = np.empty(len(rows), dtype=np.int64)
    ranks[rows] = Segments.grouped(topic, len(rows)).nth
    return pl.Series(c.RANK, ranks)
