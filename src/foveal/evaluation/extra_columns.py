"""Extra columns: numbers of a run besides its scores, such as latency."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from foveal.choices import ColumnAverage
from foveal.errors import DataError, UsageError
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Floats, Ints
from foveal.tables import Run
from foveal.tables import columns as c


@frozen
class ExtraColumn:
    """A column of runs, and how the numbers of a topic's results become one."""

    name: str
    """What it is called in results: as it was asked for."""

    column: str
    how: ColumnAverage

    @classmethod
    def parsed(cls, text: str) -> ExtraColumn:
        """The column in words such as latency_ms, which is averaged, or cost:sum."""
        column, _, word = text.strip().rpartition(":")
        if column and word in set(ColumnAverage):
            return cls(text.strip(), column, ColumnAverage(word))
        return cls(text.strip(), text.strip(), ColumnAverage.MEAN)

    def by_topic(self, run: Run, topics: Sequence[str], rows: Ints) -> Floats:
        """One number for each of some topics; NaN where the run has none. `rows` is the reading order."""
        if self.column not in run.frame.columns:
            raise DataError(
                f"run {run.name!r} ({run.source}) was read without the column {self.column!r}: name"
                f" it when the run is made, as in foveal.read_run(..., also={[self.column]!r})"
            )
        known = run.frame.select(c.TOPIC, self.column)[rows].drop_nulls()
        if known.is_empty():
            raise DataError(f"{run.source}: the column {self.column!r} has no numbers")
        gathered = getattr(pl.col(self.column).cast(pl.Float64), self.how.value)()
        found = known.group_by(c.TOPIC, maintain_order=True).agg(gathered)
        asked = pl.DataFrame({c.TOPIC: topics}, schema={c.TOPIC: pl.String})
        joined = asked.join(found, on=c.TOPIC, how="left", maintain_order="left")
        return joined[self.column].fill_null(float("nan")).to_numpy()


def parse_extra_columns(also: str | Iterable[str]) -> tuple[ExtraColumn, ...]:
    """The columns asked for: a list, or one text with commas between them."""
    words = also.split(",") if isinstance(also, str) else list(also)
    found = [ExtraColumn.parsed(word) for word in words]
    for column in found:
        if not column.name:
            raise UsageError("also needs the names of columns, such as latency_ms,cost:sum")
        if column.column in {c.TOPIC, c.DOC, c.LINE}:
            raise UsageError(f"also cannot average the column {column.column!r}: it has no numbers")
    return tuple(dict.fromkeys(found))
