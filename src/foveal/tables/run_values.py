"""What is known of one run that was scored: its values, and how much it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np

from foveal.frozen import frozen
from foveal.spans import Floats
from foveal.tables._demands import Demand
from foveal.tables.groups import Groups

WORST_TOPICS = 5


@frozen(eq=False)
class GroupMeans:
    """One run's averages over a group of topics, one per measure, and how many topics these are."""

    topics: int
    overall: Sequence[float]


@frozen(eq=False)
class RunValues:
    """One run's values: a row per measure and a column per topic; `overall` has one per measure.

    Riding columns follow the measures; they are not a number where a topic has no results. If topics
    are in groups, `by_group` has the averages of each group that the run is scored on, then of `all`.
    """

    name: str
    topics: Sequence[str]
    values: Floats
    overall: Sequence[float]
    by_group: Mapping[str, GroupMeans] = field(default_factory=dict)

    def worst_topics(self, row: int, demand: Demand) -> list[tuple[str, float]]:
        """The topics that do not reach what is demanded of a measure's mean, worst first."""
        values = self.values[row]
        order = np.argsort(values if demand.rises else -values, kind="stable")[:WORST_TOPICS]
        return [
            (self.topics[place], float(values[place]))
            for place in order.tolist()
            if not demand.holds(float(values[place]))
        ]

    def among(self, rows: Sequence[int]) -> RunValues:
        """The values by some of the measures and riding columns, given by their rows."""
        groups = {
            name: GroupMeans(means.topics, [means.overall[row] for row in rows])
            for name, means in self.by_group.items()
        }
        overall = [self.overall[row] for row in rows]
        return RunValues(self.name, self.topics, self.values[list(rows)], overall, groups)

    def within(self, group: str, groups: Groups) -> RunValues:
        """The values on the topics of one group."""
        named = enumerate(groups.of_topics(self.topics))
        own = [place for place, name in named if name == group]
        topics = [self.topics[place] for place in own]
        return RunValues(self.name, topics, self.values[:, own], self.by_group[group].overall)


@frozen
class RunFacts:
    """How much text a run returns for topics with results: longer chunks raise recall."""

    chunks: float
    """Parts a topic."""

    median_characters: float
    """The median size of its parts."""

    characters_at_5: float
    """Characters of the first five parts of a topic, repeated ones included."""

    repeated: float
    """The share of the text that an earlier part of the topic contains."""
