"""One run's values, and what is known of how they were made."""

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

    Extra columns follow the measures; they are not a number where a topic has no results. If topics
    are in groups, `by_group` has the averages of each group that the run is scored on, then of `all`.
    What follows `facts` is known of runs that were evaluated, not of scores that were made before.
    """

    name: str
    topics: Sequence[str]
    values: Floats
    overall: Sequence[float]
    by_group: Mapping[str, GroupMeans] = field(default_factory=dict)
    origin: Origin = UNKNOWN_ORIGIN
    """Where the run came from; its last tag is what trec_eval calls the run."""

    facts: RunFacts | None = None
    """How much text it returns, in task rag."""

    order: str = ""
    ties: str = ""
    tied_topics: int = 0
    nearly_tied_topics: int = 0
    ranks_by_grade: bool = False
    """Whether a measure looked at the ranking of documents by grade, which `depth` cuts."""

    notes: tuple[str, ...] = ()
    user_values: tuple[UserValues, ...] = ()
    """What the measures that are defined outside of foveal gave."""

    def worst_topics(self, row: int, demand: Demand) -> list[tuple[str, float]]:
        """The topics that do not reach what is demanded of a measure's mean, worst first."""
        values = self.values[row]
        order = np.argsort(values if demand.rises else -values, kind="stable")[:WORST_TOPICS]
        return [
            (self.topics[place], float(values[place]))
            for place in order.tolist()
            if not demand.holds(float(values[place]))
        ]

    def among(self, rows: Sequence[int]) -> RunScores:
        """The values by some of the measures and extra columns, given by their rows."""
        groups = {
            name: GroupMeans(means.topics, [means.overall[row] for row in rows])
            for name, means in self.by_group.items()
        }
        overall = [self.overall[row] for row in rows]
        return replace(self, values=self.values[list(rows)], overall=overall, by_group=groups)

    def within(self, group: str, groups: Groups) -> RunScores:
        """The values on the topics of one group."""
        named = enumerate(groups.of_topics(self.topics))
        own = [place for place, name in named if name == group]
        topics = [self.topics[place] for place in own]
        values, overall = self.values[:, own], self.by_group[group].overall
        return RunScores(self.name, topics, values, overall, origin=self.origin)
