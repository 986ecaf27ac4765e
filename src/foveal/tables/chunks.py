"""Chunks: everything that a system could return, cut from its documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self, TypeAlias

from foveal.errors import BadInput, Problem, counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import LARGEST_OFFSET
from foveal.tables import _columns as c
from foveal.tables._aliases import missing_columns, renamed
from foveal.tables._frames import ProblemList
from foveal.tables._inputs import Frame, Row, as_frame
from foveal.tables._run_columns import ends_by_length


@frozen(eq=False, repr=False)
class Chunks:
    """The chunk list of one chunker: a frame of doc, start and end, in the order given."""

    frame: pl.DataFrame
    source: str = "chunks"

    @classmethod
    def of(cls, frame: pl.DataFrame, *, source: str = "chunks") -> Self:
        """The chunks in a frame; all its problems are raised at once."""
        problem_list = ProblemList(source, ())
        table = problem_list.typed(frame, c.CHUNK_SCHEMA, [c.DOC, c.START, c.END])
        problem_list.add(_broken_rules(table))
        problem_list.refuse(table, "chunks")
        return cls(table.drop(c.LINE), source)

    @classmethod
    def coerced(cls, data: ChunksLike) -> Self:
        """Chunks as they are, or those in a frame or in dicts with the keys doc, start and end."""
        if isinstance(data, cls):
            return data
        frame, _ = as_frame(data, c.CHUNK_SCHEMA, "chunks")
        return cls.of(frame)

    def __repr__(self) -> str:
        documents = counted(self.frame[c.DOC].n_unique(), "document")
        return f"<Chunks: {counted(self.frame.height, 'chunk')} of {documents}>"


ChunksLike: TypeAlias = Chunks | Frame | Iterable[Row] | list[object]
"""A chunk list: `Chunks`, a frame or a list of dicts."""


def chunk_rows(frame: pl.DataFrame, source: str) -> pl.DataFrame:
    """Rows of a chunk list (doc, text, start, end) from columns under any known names; null if absent.

    A chunk needs its document, and its text or its span, whose length may replace the end. Rows
    without the column line are numbered from 1.
    """
    numbers = pl.int_range(1, frame.height + 1, dtype=pl.UInt32, eager=True)
    lines = frame[c.LINE] if c.LINE in frame.columns else numbers.alias(c.LINE)
    frame = frame.drop(c.LINE, strict=False)
    table, _ = renamed(frame, c.CHUNK_LIST_SCHEMA)
    problem_list, schema = ProblemList(source, ()), dict(c.CHUNK_LIST_SCHEMA)
    if by_length := ends_by_length(table):
        table, schema = table.drop(c.END, strict=False), schema | {c.LENGTH: pl.Int64}
    if table.columns and not {c.TEXT, c.START} & {*table.columns}:
        reason = missing_columns([c.START, c.END], frame.columns)
        raise BadInput(source, [Problem(None, reason)])
    rows = problem_list.typed(table, schema, [c.DOC], lines)
    if by_length:
        rows = rows.with_columns((pl.col(c.START) + pl.col(c.LENGTH)).alias(c.END))
    lacks_all = pl.any_horizontal(pl.col(c.START, c.END).is_null()) & pl.col(c.TEXT).is_null()
    empty = lines.filter(rows.select(lacks_all).to_series()) if rows.height else ()
    problem_list.add(Problem(line, "a chunk with neither text nor start and end") for line in empty)
    problem_list.refuse(rows, "chunks")
    return rows.select(list(c.CHUNK_LIST_SCHEMA)).with_columns(lines)


def _broken_rules(table: pl.DataFrame) -> list[Problem]:
    start, end = pl.col(c.START), pl.col(c.END)
    rules = [
        (start < 0, "a chunk has a negative offset"),
        (end < start, "a chunk ends before it starts"),
        (end > LARGEST_OFFSET, f"an offset is larger than {LARGEST_OFFSET:,}"),
    ]
    return [
        Problem(line, reason)
        for is_broken, reason in rules
        for line in table.filter(is_broken)[c.LINE].to_list()
    ]
