"""Rows of scores: those of a table have all values, those of a file have one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from math import isnan
from typing import Any

from foveal.evaluation.run_scores import RunScores
from foveal.evaluation.topic_facts import TopicFacts
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import columns as c


@frozen(eq=False)
class ScoreRows:
    """The rows of several runs; the means of a run follow its topics, under the topic `all`.

    `values` are the names of the values in a row: of measures, and of extra columns.
    """

    runs: Sequence[RunScores]
    values: Sequence[str]
    facts: TopicFacts = field(default_factory=TopicFacts)
    per_topic: bool = True
    means: bool = True

    @cached_property
    def topic_columns(self) -> dict[str, Mapping[str, str | int | None]]:
        """Further values of each topic, by the name of their column."""
        topics = dict.fromkeys(topic for run in self.runs for topic in run.topics)
        return self.facts.columns([*topics]) if self.per_topic else {}

    @property
    def columns(self) -> list[str]:
        """The columns of a row of one value."""
        names = c.GROUPED_SCORE_ROW if self.facts.groups else c.SCORE_ROW
        return [*names, *self.topic_columns]

    def with_all_values(self) -> Iterator[tuple[RunScores, tuple[str, ...], Sequence[float]]]:
        """Rows of a run, a topic, the topic's group if there are any, and all values."""
        groups = self.facts.groups
        for run in self.runs:
            if self.per_topic:
                group_of = [groups.of_topics(run.topics)] if groups else []
                names = zip(run.topics, *group_of, strict=True)
                yield from ((run, *row) for row in zip(names, run.values.T.tolist(), strict=True))
            if self.means and not groups:
                yield run, (c.ALL_TOPICS,), run.overall
            for group, means in run.by_group.items() if self.means and groups else ():
                yield run, (c.ALL_TOPICS, group), means.overall

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Rows of one value, with the further values of the topic at the end."""
        topic_columns = self.topic_columns.values()
        for run, names, values in self.with_all_values():
            topic_values = [by_topic.get(names[0]) for by_topic in topic_columns]
            for measure, value in zip(self.values, values, strict=True):
                # NaN: an extra column of a topic without results, or a total that is not stated.
                if not isnan(value):
                    yield run.name, measure, *names, value, *topic_values

    def frame(self) -> pl.DataFrame:
        """The rows of one value as a frame."""
        types: dict[str, type[pl.DataType]] = {c.VALUE: pl.Float64, c.TIMES: pl.Int64}
        schema = {name: types.get(name, pl.String) for name in self.columns}
        return pl.DataFrame(list(self), schema=schema, orient="row")
