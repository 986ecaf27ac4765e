"""Topics: the information needs of a test collection, with titles and descriptions."""

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
        """The topics in a frame; all its problems are raised at once."""
        problem_list = ProblemList(source, problems)
        lines = frame[c.LINE] if c.LINE in frame.columns else pl.Series(range(1, frame.height + 1))
        further_fields = _further_fields(frame)
        table = problem_list.typed(frame, c.TOPIC_SCHEMA, [c.TOPIC], lines)
        table = table.with_columns(further_fields) if table.height else table
        is_repeated = ~table[c.TOPIC].is_first_distinct() & table[c.TOPIC].is_not_null()
        problem_list.add(
            Problem(lines[row], f"topic {table[c.TOPIC][row]!r} is repeated")
            for row in is_repeated.arg_true()
        )
        problem_list.refuse(table, "topics")
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


def _further_fields(frame: pl.DataFrame) -> list[pl.Series]:
    """The other columns as text, null where blank; lists and structures are dropped."""
    return [
        column.cast(pl.String).replace("", None)
        for column in frame
        if column.name not in {*c.TOPIC_SCHEMA, c.LINE}
        and not column.dtype.is_nested()
        and column.dtype not in {pl.Object, pl.Binary}
    ]
