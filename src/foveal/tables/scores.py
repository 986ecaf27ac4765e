"""Scores: one number per run, topic and measure, and one per run and measure over all topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan
from typing import Self

import numpy as np

from foveal.errors import DemandNotMet, NotScored, UsageError, counted, shortened
from foveal.late import pl
from foveal.shown import Shown
from foveal.spans import Floats
from foveal.tables import _columns as c
from foveal.tables._demands import Demand
from foveal.tables._wording import AsWritten, Wording, distinct, safe
from foveal.tables.groups import Groups
from foveal.tables.qrels import Qrels

# Names, of which the group is there only if topics are in groups, and the value.
ScoreRow = tuple[str, *tuple[str, ...], float]
WORST_TOPICS = 5
SHOWN_GROUP = 40
# The setting that saved scores have beside those that are shown.
QRELS_SHA256 = "qrels_sha256"
# The setting that says which groups there are.
GROUPS = "groups"


@dataclass(frozen=True, eq=False)
class GroupMeans:
    """One run's averages over a group of topics, one per measure, and how many topics these are."""

    topics: int
    overall: Sequence[float]


@dataclass(frozen=True, eq=False)
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


@dataclass(frozen=True)
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


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Shown):
    """What an evaluation found; `print` shows the means, the settings and the notes.

    `topics` is a frame with the columns run, topic and one per measure; `overall` has run and one
    per measure, averaged as the measure's record says. Both are made of `values` when they are
    asked for. `settings` are the choices that made the numbers what they are, `notes` what a reader
    of them should know, `sources` the files that the runs came from. In task rag, `plain` has what
    the measures are called there, and `facts` how much each run returns. `groups` are the groups of
    topics, if there are any. `scores["cR@5"]` is the value of one run; `scores["mine", "cR@5"]` says
    which run's.
    """

    measures: list[str]
    """The canonical names of the measures, in the order asked for."""

    values: Sequence[RunValues]
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    plain: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, RunFacts] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    """Riding columns: numbers of the run beside its scores, such as latency_ms or cost:sum."""

    judgements: Qrels | str = ""
    """What the runs were scored against, or its hash."""

    wording: Wording = field(default_factory=AsWritten)
    groups: Groups | None = None

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
        frame = pl.DataFrame(
            {
                c.RUN: [run.name for run in self.values for _ in run.topics],
                c.TOPIC: [topic for run in self.values for topic in run.topics],
                **{
                    measure: np.concatenate([run.values[place] for run in self.values])
                    for place, measure in enumerate(self.columns)
                },
            },
            schema={c.RUN: pl.String, c.TOPIC: pl.String, **self._numbers},
        )
        return frame.with_columns(pl.col(self.also).fill_nan(None)) if self.also else frame

    @cached_property
    def overall(self) -> pl.DataFrame:
        """A frame of run and a column per measure."""
        rows = [(run.name, *run.overall) for run in self.values]
        return pl.DataFrame(rows, schema={c.RUN: pl.String, **self._numbers}, orient="row")

    @property
    def _numbers(self) -> dict[str, type[pl.DataType]]:
        return dict.fromkeys(self.columns, pl.Float64)

    @property
    def columns(self) -> list[str]:
        """The measures, then the riding columns."""
        return [*self.measures, *self.also]

    @property
    def runs(self) -> list[str]:
        """The names of the runs, in the order given."""
        return [run.name for run in self.values]

    @property
    def summary(self) -> str:
        """How many runs were scored, by how many measures, on how many topics."""
        runs, measures = counted(len(self.runs), "run"), counted(len(self.measures), "measure")
        return f"{runs}, {measures}, {counted(self.topics[c.TOPIC].n_unique(), 'topic')}"

    @cached_property
    def qrels_sha256(self) -> str:
        """A hash of what was judged; empty if the judgements are not known."""
        return self.judgements if isinstance(self.judgements, str) else self.judgements.sha256

    def canonical(self, spelling: str) -> str:
        """The name of a measure that was scored, or of a riding column, however it is spelled."""
        if spelling in self.columns:
            return spelling
        try:
            name = self.wording.canonical(spelling)
        except UsageError as error:
            raise NotScored("measure", spelling, self.columns) from error
        if name not in self.columns:
            raise NotScored("measure", spelling, self.columns)
        return name

    def __getitem__(self, name: str | tuple[str, str]) -> float:
        """The overall value of a measure, of the only run or of the run named before it."""
        if isinstance(name, str):
            if len(self.values) != 1:
                raise UsageError(
                    f"there are {counted(len(self.values), 'run')}: say whose, as in"
                    f" scores[{self.runs[0]!r}, {name!r}]"
                )
            run, measure = self.runs[0], name
        else:
            run, measure = name
        if run not in self.runs:
            raise NotScored("run", run, self.runs)
        value: float = self.values[self.runs.index(run)].overall[
            self.columns.index(self.canonical(measure))
        ]
        return value

    def __float__(self) -> float:
        """The only number there is."""
        if (len(self.values), len(self.measures)) != (1, 1):
            raise UsageError(
                f"these scores are not one number but {self.summary}: say which, as in"
                f" scores[{self.runs[0]!r}, {self.measures[0]!r}]"
            )
        return self[self.runs[0], self.measures[0]]

    def to_dict(self) -> dict[str, float]:
        """The overall values by names that MLflow and W&B take: {"recall_at_5": 0.77}.

        With several runs, the name of the run and a / come first.
        """
        several = len(self.values) > 1
        keys = distinct(
            (f"{safe(run.name, also=' /')}/{key}" if several else key, f"{measure} of {run.name!r}")
            for run in self.values
            for measure, key in self._keys.items()
        )
        values = [value for run in self.values for value in run.overall]
        found = zip(keys, values, strict=True)
        return {key: value for key, value in found if not isnan(value)}

    @property
    def _keys(self) -> dict[str, str]:
        own = {measure: self.wording.key(measure) for measure in self.measures}
        return own | {name: safe(name) for name in self.also}

    def require(self, demands: Mapping[str, float]) -> Self:
        """The scores themselves if every run reaches the number demanded of each measure.

        Otherwise an AssertionError says by how much a run misses it, and on which topics it is
        worst. Of a measure of which less is better, the number is the most that is allowed.
        """
        asked = []
        for spelling, number in demands.items():
            measure = self.canonical(spelling)
            if measure in self.also:
                raise UsageError(f"{measure} is not a measure, so nothing can be required of it")
            asked.append(Demand(measure, ">=" if self.wording.rises(measure) else "<=", number))
        missed = [
            self._missed(run, demand)
            for run in self.values
            for demand in asked
            if not demand.holds(self[run.name, demand.measure])
        ]
        if missed:
            raise DemandNotMet("\n".join(missed))
        return self

    def _missed(self, run: RunValues, demand: Demand) -> str:
        topics = [f"{topic} ({value:.4g})" for topic, value in self.worst_topics(run, demand)]
        missed = demand.missed(self[run.name, demand.measure])
        worst = f"; worst topics: {', '.join(topics)}" if topics else ""
        return f"{demand.measure} of run {run.name!r} is {missed}{worst}"

    def worst_topics(
        self, run: RunValues, demand: Demand, count: int = WORST_TOPICS
    ) -> list[tuple[str, float]]:
        """The topics of a run that do not reach what is demanded of the mean, worst first."""
        values = run.values[self.columns.index(demand.measure)]
        order = np.argsort(values if demand.rises else -values, kind="stable")[:count]
        return [
            (run.topics[place], float(values[place]))
            for place in order.tolist()
            if not demand.holds(float(values[place]))
        ]

    def mean(self) -> pl.DataFrame:
        """A frame run × measure: the mean over topics, or the total of what is counted."""
        return self.overall

    def by_group(self) -> pl.DataFrame:
        """A frame of run, group, topics (how many) and a column per measure; the last is `all`."""
        self._need_groups()
        rows = [
            (run.name, group, means.topics, *means.overall)
            for run in self.values
            for group, means in run.by_group.items()
        ]
        names: c.Schema = {c.RUN: pl.String, c.GROUP: pl.String, c.TOPICS: pl.Int64}
        schema = names | self._numbers
        return pl.DataFrame(rows, schema=schema, orient="row")

    def within(self, group: str) -> Self:
        """The scores on the topics of one group, of the runs that are scored on any of them."""
        known = self._need_groups().in_order({name for run in self.values for name in run.by_group})
        if group not in known:
            raise NotScored("group", group, known)
        kept = [place for place, run in enumerate(self.values) if group in run.by_group]
        return replace(
            self,
            values=[self._run_within(self.values[place], group) for place in kept],
            sources=tuple(self.sources[place] for place in kept) if self.sources else (),
            settings={**self.settings, c.GROUP: shortened(group, SHOWN_GROUP)},
            # They are known of whole runs alone.
            facts={},
            groups=None,
        )

    def _run_within(self, run: RunValues, group: str) -> RunValues:
        own = [
            place
            for place, name in enumerate(self._need_groups().of_topics(run.topics))
            if name == group
        ]
        topics = [run.topics[place] for place in own]
        return RunValues(run.name, topics, run.values[:, own], run.by_group[group].overall)

    def _need_groups(self) -> Groups:
        if self.groups is None:
            raise UsageError("these scores have no groups: give groups to foveal.evaluate")
        return self.groups

    def per_topic(self) -> pl.DataFrame:
        """A frame of run, topic, measure, value, with group before measure if topics are in groups."""
        group = [c.GROUP] if self.groups else []
        return self._frame(self._topic_rows()).select(c.RUN, c.TOPIC, *group, c.MEASURE, c.VALUE)

    def rows(self, *, per_topic: bool = True) -> pl.DataFrame:
        """A frame of run, measure, topic, value ; the means are under the topic `all`.

        If topics are in groups, there is a group before the value: each topic's own, and for means
        the group that they are of, or `all`.
        """
        return self._frame(self.long(per_topic=per_topic))

    @property
    def row_columns(self) -> list[str]:
        """What the columns of these rows are called."""
        return c.GROUPED_SCORE_ROW if self.groups else c.SCORE_ROW

    def long(self, *, per_topic: bool = True) -> Iterator[ScoreRow]:
        """The same row by row, for those who need no frame."""
        for run in self.values:
            if per_topic:
                yield from self._topic_rows([run])
            if not self.groups:
                yield from self._rows_of(run.name, (c.ALL_TOPICS,), run.overall)
            for group, means in run.by_group.items():
                yield from self._rows_of(run.name, (c.ALL_TOPICS, group), means.overall)

    def _topic_rows(self, runs: Sequence[RunValues] | None = None) -> Iterator[ScoreRow]:
        for run in self.values if runs is None else runs:
            own = [self.groups.of_topics(run.topics)] if self.groups else []
            names = zip(run.topics, *own, strict=True)
            for named, row in zip(names, run.values.T.tolist(), strict=True):
                yield from self._rows_of(run.name, named, row)

    def _rows_of(
        self, run: str, names: tuple[str, ...], values: Sequence[float]
    ) -> Iterator[ScoreRow]:
        for measure, value in zip(self.columns, values, strict=True):
            # A topic without results has nothing that rides along.
            if not isnan(value) or measure not in self.also:
                named: tuple[str, ...] = (measure, *names)
                yield run, *named, value

    def _frame(self, rows: Iterator[ScoreRow]) -> pl.DataFrame:
        schema = {name: pl.Float64 if name == c.VALUE else pl.String for name in self.row_columns}
        return pl.DataFrame(list(rows), schema=schema, orient="row")
