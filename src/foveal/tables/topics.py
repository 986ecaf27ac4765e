"""Topics: what somebody wanted to know, in the words of those who made the collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from foveal.errors import Problem
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables._frames import Complaints, Frame, Rows, as_frame, typed


@dataclass(frozen=True, eq=False)
class Topics:
    """Topics by name, each with its title and more; what a file does not say is null.

    `frame` has the columns topic, title, description, narrative, castitle, phrasetitle and
    mmtitle.
    """

    frame: pl.DataFrame
    source: str = "topics"
    format: str = "table"

    @classmethod
    def of(
        cls,
        frame: pl.DataFrame,
        *,
        source: str = "topics",
        format: str = "table",  # noqa: A002  # the field's name
        problems: Sequence[Problem] = (),
    ) -> Self:
        """The topics of a frame, or every reason why it is none."""
        complaints = Complaints(source, problems)
        lines = frame[c.LINE] if c.LINE in frame.columns else pl.Series(range(1, frame.height + 1))
        table = typed(frame, c.TOPIC_SCHEMA, [c.TOPIC], complaints, lines)
        twice = ~table[c.TOPIC].is_first_distinct() & table[c.TOPIC].is_not_null()
        complaints.add(
            Problem(lines[row], f"topic {table[c.TOPIC][row]!r} is there already")
            for row in twice.arg_true()
        )
        complaints.refuse(table, "topics")
        return cls(table, source, format)

    @classmethod
    def from_frame(cls, frame: pl.DataFrame | Frame) -> Self:
        """The topics in a Polars, pandas or pyarrow frame with the columns of topics."""
        return cls.of(as_frame(frame))

    @classmethod
    def from_dicts(cls, rows: Rows) -> Self:
        """The topics in a list of dicts, one per topic."""
        return cls.of(as_frame(rows))

    @property
    def titles(self) -> dict[str, str]:
        """The title of each topic that has one."""
        titled = self.frame.drop_nulls(c.TITLE)
        return dict(titled.select(c.TOPIC, c.TITLE).iter_rows())
