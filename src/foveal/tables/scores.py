"""Scores: one number per run, topic and measure, and one per run and measure over all topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan
from typing import Self

import numpy as np

from foveal.errors import DemandNotMet, NotScored, UsageError, counted
from foveal.late import pl
from foveal.shown import Shown
from foveal.spans import Floats
from foveal.tables import _columns as c
from foveal.tables._demands import Demand
from foveal.tables._wording import AsWritten, Wording, distinct, safe
from foveal.tables.breakdown import Per, joined_rows
from foveal.tables.qrels import Qrels

ScoreRow = tuple[str, str, str, float]
WORST_TOPICS = 5
# The setting that saved scores have beside those that are shown.
QRELS_SHA256 = "qrels_sha256"


@dataclass(frozen=True, eq=False)
class RunValues:
    """One run's values: a row per measure and a column per topic; `overall` has one per measure.

    Riding columns follow the measures; they are not a number where a topic has no results.
    """

    name: str
    topics: Sequence[str]
    values: Floats
    overall: Sequence[float]


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
    the measures are called there, and `facts` how much each run returns. `scores["cR@5"]` is the
    value of one run; `scores["mine", "cR@5"]` says which run's.
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
    look: Callable[[Per, int], pl.DataFrame] | None = None
    """Gives the rows of the run at a place. It keeps the runs in memory, and only `evaluate` sets it."""

    def __getstate__(self) -> dict[str, object]:
        """Leave the runs behind when sent to another process or saved."""
        return {**self.__dict__, "look": None}

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
        value: float = self.values[self._place(run)].overall[
            self.columns.index(self.canonical(measure))
        ]
        return value

    def _place(self, run: str) -> int:
        if run not in self.runs:
            raise NotScored("run", run, self.runs)
        return self.runs.index(run)

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

    def per_topic(self) -> pl.DataFrame:
        """A frame of run, topic, measure, value."""
        return self._frame(self._topic_rows()).select(c.RUN, c.TOPIC, c.MEASURE, c.VALUE)

    def documents(self, run: str | None = None) -> pl.DataFrame:
        """A frame with a row for every document that was returned for an evaluated topic.

        It has run, topic, doc, rank (by first appearance), relevant, size, rsize, and the document
        scores P, R, F, bep and t2i with the defaults of the conventions: gP@r is the mean of the
        first r. The runs are looked at again, all of them or the one named; scores that `evaluate`
        returned keep them for that. Where a length is unknown, numbers that need it are null.

        >>> import foveal
        >>> qrels = [{"topic": "1", "doc": "d1", "length": 100, "highlights": [[10, 40]]}]
        >>> run = [{"topic": "1", "doc": "d1", "start": 0, "end": 40}]
        >>> found = foveal.evaluate(qrels, run).documents()
        >>> found.select("doc", "rank", "size", "rsize", "P", "R").rows()
        [('d1', 1, 40, 30, 0.75, 1.0)]
        """
        return self._looked(Per.DOCUMENT, run)

    def results(self, run: str | None = None) -> pl.DataFrame:
        """A frame with a row for every result that has a rank: what it adds, and P and R so far.

        It has run, topic, rank, doc, start, end, size and rsize as the overlap policy counts them,
        their ratio relevance, and P and R after this result, which are cP and cR at its rank. The
        runs are looked at again, as for `documents`. An element of unknown place has no start.

        >>> import foveal
        >>> qrels = [{"topic": "1", "doc": "d1", "length": 100, "highlights": [[10, 40]]}]
        >>> run = [
        ...     {"topic": "1", "doc": "d1", "start": 0, "end": 20},
        ...     {"topic": "1", "doc": "d1", "start": 20, "end": 40},
        ... ]
        >>> foveal.evaluate(qrels, run).results().select("rank", "rsize", "relevance", "P").rows()
        [(1, 10, 0.5, 0.5), (2, 20, 1.0, 0.75)]
        """
        return self._looked(Per.RESULT, run)

    def _looked(self, per: Per, run: str | None) -> pl.DataFrame:
        if self.look is None:
            raise UsageError(
                f"rows per {per} need the runs, which these scores do not have: ask the scores that"
                f" foveal.evaluate returned, or `foveal evaluate QRELS RUN --per-{per}`"
            )
        places = range(len(self.values)) if run is None else [self._place(run)]
        rows = [self.look(per, place) for place in places]
        return joined_rows(per, [self.runs[place] for place in places], rows)

    def rows(self, *, per_topic: bool = True) -> pl.DataFrame:
        """A frame of run, measure, topic, value ; the means are under the topic `all`."""
        return self._frame(self.long(per_topic=per_topic))

    def long(self, *, per_topic: bool = True) -> Iterator[ScoreRow]:
        """The same row by row, for those who need no frame."""
        for run in self.values:
            if per_topic:
                yield from self._topic_rows([run])
            for measure, value in zip(self.columns, run.overall, strict=True):
                if not isnan(value) or measure not in self.also:
                    yield run.name, measure, c.ALL_TOPICS, value

    def _topic_rows(self, runs: Sequence[RunValues] | None = None) -> Iterator[ScoreRow]:
        for run in self.values if runs is None else runs:
            for topic, row in zip(run.topics, run.values.T.tolist(), strict=True):
                for measure, value in zip(self.columns, row, strict=True):
                    # A topic without results has nothing that rides along.
                    if not isnan(value) or measure not in self.also:
                        yield run.name, measure, topic, value

    @staticmethod
    def _frame(rows: Iterator[ScoreRow]) -> pl.DataFrame:
        types = (pl.String, pl.String, pl.String, pl.Float64)
        schema = dict(zip(c.SCORE_ROW, types, strict=True))
        return pl.DataFrame(list(rows), schema=schema, orient="row")
