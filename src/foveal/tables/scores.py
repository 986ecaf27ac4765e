"""Scores: one number per run, topic and measure, and one per run and measure over all topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np

from foveal.errors import counted
from foveal.late import pl
from foveal.shown import Shown
from foveal.spans import Floats
from foveal.tables import _columns as c

ScoreRow = tuple[str, str, str, float]


@dataclass(frozen=True, eq=False)
class RunValues:
    """One run's values: a row per measure and a column per topic; `overall` has one per measure."""

    name: str
    topics: Sequence[str]
    values: Floats
    overall: Sequence[float]


@dataclass(frozen=True)
class RunFacts:
    """How much a run returns, over topics with results: to see by what its scores were bought."""

    chunks: float
    """Parts a topic."""

    median_characters: float
    """The median size of its parts."""

    characters_at_5: float
    """Characters of the first five parts of a topic, repeated ones included."""

    repeated: float
    """The share of the text that an earlier part of the topic contains."""


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Shown):
    """What an evaluation found; `print` shows the means, the settings and the notes.

    `topics` is a frame with the columns run, topic and one per measure; `overall` has run and one
    per measure, averaged as the measure's record says. Both are made of `values` when they are
    asked for. `settings` are the choices that made the numbers what they are, `notes` what a reader
    of them should know, `sources` the files that the runs came from. In task rag, `plain` has what
    the measures are called there, and `facts` how much each run returns.
    """

    measures: list[str]
    """The canonical names of the measures, in the order asked for."""

    values: Sequence[RunValues]
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    plain: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, RunFacts] = field(default_factory=dict)

    @classmethod
    def of_frames(
        cls, topics: pl.DataFrame, overall: pl.DataFrame, settings: Mapping[str, str] | None = None
    ) -> Self:
        """The scores in a frame of run, topic and measures and one of run and measures."""
        measures = [name for name in overall.columns if name != c.RUN]
        values = []
        for name, *means in overall.select(c.RUN, *measures).iter_rows():
            own = topics.filter(topics[c.RUN] == name)
            by_topic = own.select(measures).to_numpy().astype(np.float64).T
            values.append(RunValues(name, own[c.TOPIC].to_list(), by_topic, means))
        return cls(measures, values, settings or {})

    @cached_property
    def topics(self) -> pl.DataFrame:
        """A frame of run, topic and a column per measure."""
        return pl.DataFrame(
            {
                c.RUN: [run.name for run in self.values for _ in run.topics],
                c.TOPIC: [topic for run in self.values for topic in run.topics],
                **{
                    measure: np.concatenate([run.values[place] for run in self.values])
                    for place, measure in enumerate(self.measures)
                },
            },
            schema={c.RUN: pl.String, c.TOPIC: pl.String, **self._numbers},
        )

    @cached_property
    def overall(self) -> pl.DataFrame:
        """A frame of run and a column per measure."""
        rows = [(run.name, *run.overall) for run in self.values]
        return pl.DataFrame(rows, schema={c.RUN: pl.String, **self._numbers}, orient="row")

    @property
    def _numbers(self) -> dict[str, type[pl.DataType]]:
        return dict.fromkeys(self.measures, pl.Float64)

    @property
    def runs(self) -> list[str]:
        """The names of the runs, in the order given."""
        return [run.name for run in self.values]

    @property
    def summary(self) -> str:
        """How many runs were scored, by how many measures, on how many topics."""
        runs, measures = counted(len(self.runs), "run"), counted(len(self.measures), "measure")
        return f"{runs}, {measures}, {counted(self.topics[c.TOPIC].n_unique(), 'topic')}"

    def mean(self) -> pl.DataFrame:
        """A frame run × measure: the mean over topics, or the total of what is counted."""
        return self.overall

    def per_topic(self) -> pl.DataFrame:
        """A frame of run, topic, measure, value."""
        return self._frame(self._topic_rows()).select(c.RUN, c.TOPIC, c.MEASURE, c.VALUE)

    def rows(self, *, per_topic: bool = True) -> pl.DataFrame:
        """A frame of run, measure, topic, value ; the means are under the topic `all`."""
        return self._frame(self.long(per_topic=per_topic))

    def long(self, *, per_topic: bool = True) -> Iterator[ScoreRow]:
        """The same row by row, for those who need no frame."""
        for run in self.values:
            if per_topic:
                yield from self._topic_rows([run])
            for measure, value in zip(self.measures, run.overall, strict=True):
                yield run.name, measure, c.ALL_TOPICS, value

    def _topic_rows(self, runs: Sequence[RunValues] | None = None) -> Iterator[ScoreRow]:
        for run in self.values if runs is None else runs:
            for topic, row in zip(run.topics, run.values.T.tolist(), strict=True):
                for measure, value in zip(self.measures, row, strict=True):
                    yield run.name, measure, topic, value

    @staticmethod
    def _frame(rows: Iterator[ScoreRow]) -> pl.DataFrame:
        types = (pl.String, pl.String, pl.String, pl.Float64)
        schema = dict(zip(c.SCORE_ROW, types, strict=True))
        return pl.DataFrame(list(rows), schema=schema, orient="row")
