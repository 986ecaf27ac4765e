"""Topics: what somebody wanted to know, in the words of the collection's makers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from foveal.errors import Problem, counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables._frames import ProblemList
from foveal.tables._inputs import Frame, Rows, as_frame


@frozen(eq=False, repr=False)
class Topics:
    """Topics by name, each with its title and more; fields that a file lacks are null.

    `frame` has the columns topic, title, description, narrative, castitle, phrasetitle and
    mmtitle, then the further fields that were given, such as con, dom, head or query_type, as text.
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
        """The topics in a frame; everything wrong with the frame is raised at once."""
        complaints = ProblemList(source, problems)
        lines = frame[c.LINE] if c.LINE in frame.columns else pl.Series(range(1, frame.height + 1))
        further = _further(frame)
        table = complaints.typed(frame, c.TOPIC_SCHEMA, [c.TOPIC], lines)
        table = table.with_columns(further) if table.height else table
        twice = ~table[c.TOPIC].is_first_distinct() & table[c.TOPIC].is_not_null()
        complaints.add(
            Problem(lines[row], f"topic {table[c.TOPIC][row]!r} is repeated")
            for row in twice.arg_true()
        )
        complaints.refuse(table, "topics")
        return cls(table, source, format)

    @classmethod
    def from_frame(cls, frame: Frame) -> Self:
        """The topics in a Polars, pandas or pyarrow frame with the columns of topics."""
        return cls.of(as_frame(frame, c.TOPIC_COLUMNS, "topics")[0])

    @classmethod
    def from_dicts(cls, rows: Rows) -> Self:
        """The topics in a list of dicts, one per topic."""
        return cls.of(as_frame(rows, c.TOPIC_COLUMNS, "topics")[0])

    def __repr__(self) -> str:
        return f"<Topics: {counted(self.frame.height, 'topic')}>"

    @property
    def names(self) -> list[str]:
        """The topics' names, as in the file."""
        return self.frame[c.TOPIC].to_list()

    @property
    def titles(self) -> dict[str, str]:
        """The title of each topic that has one."""
        titled = self.frame.drop_nulls(c.TITLE)
        return dict(titled.select(c.TOPIC, c.TITLE).iter_rows())


def _further(frame: pl.DataFrame) -> list[pl.Series]:
    """The other columns as text, null where nothing is said; lists and structures are not kept."""
    return [
        column.cast(pl.String).replace("", None)
        for column in frame
        if column.name not in {*c.TOPIC_SCHEMA, c.LINE}
        and not column.dtype.is_nested()
        and column.dtype not in {pl.Object, pl.Binary}
    ]
