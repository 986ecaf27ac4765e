"""Chunks: everything that a system could return, cut from its documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeAlias

from foveal.errors import Problem, counted
from foveal.late import pl
from foveal.spans import LARGEST_OFFSET
from foveal.tables import _columns as c
from foveal.tables._frames import Complaints, typed
from foveal.tables._inputs import Frame, Row, as_frame

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, eq=False, repr=False)
class Chunks:
    """The chunk list of one chunker: a frame of doc, start and end, in the order given."""

    frame: pl.DataFrame
    source: str = "chunks"

    @classmethod
    def of(
        cls, frame: pl.DataFrame, *, source: str = "chunks", problems: Sequence[Problem] = ()
    ) -> Self:
        """The chunks in a frame; everything wrong with it is raised at once."""
        complaints = Complaints(source, problems)
        table = typed(frame, c.CHUNK_SCHEMA, [c.DOC, c.START, c.END], complaints)
        complaints.add(_broken_rules(table))
        complaints.refuse(table, "chunks")
        return cls(table.drop(c.LINE), source)

    @classmethod
    def coerced(cls, data: ChunksLike) -> Self:
        """Chunks as they are, or those in a frame or in dicts with the keys doc, start and end."""
        if isinstance(data, cls):
            return data
        return cls.of(as_frame(data, c.CHUNK_SCHEMA, "chunks"))

    def __repr__(self) -> str:
        documents = counted(self.frame[c.DOC].n_unique(), "document")
        return f"<Chunks: {counted(self.frame.height, 'chunk')} of {documents}>"


ChunksLike: TypeAlias = Chunks | Frame | Iterable[Row] | list[object]
"""A chunk list: `Chunks`, a frame or a list of dicts."""


def _broken_rules(table: pl.DataFrame) -> list[Problem]:
    start, end = pl.col(c.START), pl.col(c.END)
    rules = [
        (start < 0, "a chunk has a negative offset"),
        (end < start, "a chunk ends before it starts"),
        (end > LARGEST_OFFSET, f"an offset is larger than {LARGEST_OFFSET:,}"),
    ]
    return [
        Problem(line, reason)
        for broken, reason in rules
        for line in table.filter(broken)[c.LINE].to_list()
    ]
