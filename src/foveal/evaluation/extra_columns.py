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
    """A column of runs, and the average over the results of a topic."""

    name: str
    """The name in results, as the caller wrote it."""

    column: str
    average: ColumnAverage

    @classmethod
    def parsed(cls, text: str) -> ExtraColumn:
        """Parse a text such as latency_ms, which is averaged, or cost:sum."""
        column, _, word = text.strip().rpartition(":")
        if column and word in set(ColumnAverage):
            return cls(text.strip(), column, ColumnAverage(word))
        return cls(text.strip(), text.strip(), ColumnAverage.MEAN)

    def by_topic(self, run: Run, topics: Sequence[str], rows: Ints) -> Floats:
        """One number for each topic; NaN where the run has none. `rows` is the reading order."""
        if self.column not in run.frame.columns:
            raise DataError(
                f"run {run.name!r} ({run.source}) was read without the column {self.column!r}: name"
                f" it when the run is made, as in foveal.read_run(..., also={[self.column]!r})"
            )
        numbers = run.frame.select(c.TOPIC, self.column)[rows].drop_nulls()
        if numbers.is_empty():
            raise DataError(f"{run.source}: the column {self.column!r} has no numbers")
        average = getattr(pl.col(self.column).cast(pl.Float64), self.average.value)()
        averages = numbers.group_by(c.TOPIC, maintain_order=True).agg(average)
        all_topics = pl.DataFrame({c.TOPIC: topics}, schema={c.TOPIC: pl.String})
        with_nulls = all_topics.join(averages, on=c.TOPIC, how="left", maintain_order="left")
        return with_nulls[self.column].fill_null(float("nan")).to_numpy()


def parse_extra_columns(also: str | Iterable[str]) -> tuple[ExtraColumn, ...]:
    """The columns in a list, or in one text with commas between them."""
    texts = also.split(",") if isinstance(also, str) else list(also)
    extra_columns = [ExtraColumn.parsed(text) for text in texts]
    for column in extra_columns:
        if not column.name:
            raise UsageError("also needs the names of columns, such as latency_ms,cost:sum")
        if column.column in {c.TOPIC, c.DOC, c.LINE}:
            raise UsageError(f"also cannot average the column {column.column!r}: it has no numbers")
    return tuple(dict.fromkeys(extra_columns))
