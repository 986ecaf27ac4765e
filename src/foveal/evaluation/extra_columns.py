"""What is shown beside the topics of scores: counts, titles, and numbers of a run such as latency."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from foveal.choices import ColumnAverage
from foveal.errors import DataError, UsageError, kind, some
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Floats, Ints
from foveal.tables import Run, Topics
from foveal.tables import columns as c

TopicColumns = Mapping[str, Mapping[str, str | int | None]]


def topic_columns(
    topics: Sequence[str], times: Mapping[str, int], titles: Mapping[str, str] | None
) -> dict[str, Mapping[str, str | int | None]]:
    """Columns by name, each with a value by topic; none where there is nothing to show."""
    shown: dict[str, Mapping[str, str | int | None]] = {}
    if times:
        shown[c.TIMES] = {topic: times.get(topic, 1) for topic in topics}
    if titles is not None:
        shown[c.TITLE] = {topic: titles.get(topic) for topic in topics}
    return shown


def with_topic_columns(frame: pl.DataFrame, shown: TopicColumns) -> pl.DataFrame:
    """Rows by topic with what is shown beside topics; the means have none of it."""
    types = {c.TIMES: pl.Int64, c.TITLE: pl.String}
    return frame.with_columns(
        pl.col(c.TOPIC)
        .replace_strict(list(known), list(known.values()), default=None, return_dtype=types[name])
        .alias(name)
        for name, known in shown.items()
    )


def known_titles(titles: Mapping[str, str] | Topics) -> dict[str, str]:
    """The title of each topic that has one; topics may be numbers."""
    if isinstance(titles, Topics):
        return titles.titles
    if not isinstance(titles, Mapping):
        raise UsageError(
            f"titles must be {{topic: title}}, or what read_topics returns, got {kind(titles)}"
        )
    given: Mapping[Any, Any] = titles
    # The title that a frame lacks is not a number.
    return {str(topic): str(own) for topic, own in given.items() if isinstance(own, str | int)}


def untitled(scored: Sequence[str], titles: Mapping[str, str] | Topics) -> Iterator[str]:
    """That the titles are those of other topics."""
    if isinstance(titles, Topics):
        place, known = titles.source, titles.names
    else:
        place, known = "the titles given", list(map(str, titles))
    if set(scored).isdisjoint(known):
        yield (
            f"no topic has a title: none of those scored ({some(scored)}) is in {place}"
            f" ({some(known) or 'empty'})"
        )


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
