"""One run's values, and facts about their evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from foveal.alignment import RunFacts
from foveal.evaluation.demands import Demand
from foveal.evaluation.groups import GroupMeans, Groups
from foveal.evaluation.kernel_values import UserValues
from foveal.frozen import frozen
from foveal.spans import Floats
from foveal.tables import Origin

WORST_TOPICS = 5
UNKNOWN_ORIGIN = Origin("", format="")


@frozen(eq=False)
class RunScores:
    """One run's values: a row per measure and a column per topic; `overall` has one per measure.

    Extra columns follow the measures; they are NaN where a topic has no results. If topics
    are in groups, `by_group` has the averages of each group that the run is scored on, then of `all`.
    `facts` and the fields after it are set if the run was evaluated here, not for given scores.
    """

    name: str
    topics: Sequence[str]
    values: Floats
    overall: Sequence[float]
    by_group: Mapping[str, GroupMeans] = field(default_factory=dict)
    origin: Origin = UNKNOWN_ORIGIN
    """Where the run came from; its last tag is the run's name in trec_eval."""

    facts: RunFacts | None = None
    """How much text it returns, in task rag."""

    order: str = ""
    ties: str = ""
    tied_topics: int = 0
    nearly_tied_topics: int = 0
    ranks_by_grade: bool = False
    """Whether a measure used the ranking of documents by grade, which `depth` cuts."""

    notes: tuple[str, ...] = ()
    user_values: tuple[UserValues, ...] = ()
    """Summaries of the values of measures that are defined outside of foveal."""

    def worst_topics(self, row: int, demand: Demand) -> list[tuple[str, float]]:
        """The topics whose values fail a demand on the mean, worst first."""
        values = self.values[row]
        order = np.argsort(values if demand.rises else -values, kind="stable")[:WORST_TOPICS]
        return [
            (self.topics[index], float(values[index]))
            for index in order.tolist()
            if not demand.holds(float(values[index]))
        ]

    def only(self, rows: Sequence[int]) -> RunScores:
        """The values of the measures and extra columns in the given rows."""
        groups = {
            name: GroupMeans(means.topics, [means.overall[row] for row in rows])
            for name, means in self.by_group.items()
        }
        overall = [self.overall[row] for row in rows]
        return replace(self, values=self.values[list(rows)], overall=overall, by_group=groups)

    def within(self, group: str, groups: Groups) -> RunScores:
        """The values on the topics of one group."""
        group_of = groups.of_topics(self.topics)
        indices = [index for index, name in enumerate(group_of) if name == group]
        topics = [self.topics[index] for index in indices]
        values, overall = self.values[:, indices], self.by_group[group].overall
        return RunScores(self.name, topics, values, overall, origin=self.origin)
