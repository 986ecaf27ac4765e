"""Scores row by row: a run, a measure, a topic, its group if topics are in groups, and the value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from math import isnan

from foveal.frozen import frozen
from foveal.tables import _columns as c
from foveal.tables.groups import Groups
from foveal.tables.run_values import RunValues

# Names, of which the group is there only if topics are in groups, and the value.
ScoreRow = tuple[str, *tuple[str, ...], float]


@frozen
class WrittenRows:
    """How rows are written: the measures and riding columns, and the groups of topics."""

    columns: Sequence[str]
    also: AbstractSet[str]
    groups: Groups | None

    def topics_of(self, run: RunValues) -> Iterator[ScoreRow]:
        """The rows of a run's topics."""
        own = [self.groups.of_topics(run.topics)] if self.groups else []
        names = zip(run.topics, *own, strict=True)
        for named, row in zip(names, run.values.T.tolist(), strict=True):
            yield from self._rows(run.name, named, row)

    def means_of(self, run: RunValues) -> Iterator[ScoreRow]:
        """The rows of a run's averages: over each group, and over all topics."""
        if not self.groups:
            yield from self._rows(run.name, (c.ALL_TOPICS,), run.overall)
        for group, means in run.by_group.items():
            yield from self._rows(run.name, (c.ALL_TOPICS, group), means.overall)

    def _rows(
        self, run: str, names: tuple[str, ...], values: Sequence[float]
    ) -> Iterator[ScoreRow]:
        for measure, value in zip(self.columns, values, strict=True):
            # A topic without results has nothing that rides along.
            if not isnan(value) or measure not in self.also:
                named: tuple[str, ...] = (measure, *names)
                yield run, *named, value
