"""Scores: one number per run, topic and measure, and one per run and measure over all topics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import chain
from math import isnan
from typing import TYPE_CHECKING, Self

import numpy as np

from foveal.errors import DemandNotMet, NotScored, UsageError, counted, listed, some
from foveal.evaluation.breakdown import RowSource, RowUnit, joined_rows, rows_of_group, rows_of_runs
from foveal.evaluation.demands import Demand
from foveal.evaluation.extra_columns import (
    known_titles,
    topic_columns,
    untitled,
    with_topic_columns,
)
from foveal.evaluation.groups import Groups, shown_group
from foveal.evaluation.measure_names import MeasureNames, distinct, safe
from foveal.evaluation.run_scores import RunScores
from foveal.frozen import frozen
from foveal.late import pl
from foveal.shown import Shown, hook
from foveal.tables import Frame, Qrels, Rows, Topics, best_places, refuse_alarming
from foveal.tables import columns as c

if TYPE_CHECKING:
    import pandas  # noqa: ICN001  # written out where it is used

if TYPE_CHECKING:
    from foveal.spans import Floats

# Names, of which the group is there only if topics are in groups, and the value.
ScoreRow = tuple[str, *tuple[str, ...], float]


@frozen
class WrittenRows:
    """How rows are written: the measures and extra columns, and the groups of topics."""

    columns: Sequence[str]
    groups: Groups | None

    def topics_of(self, run: RunScores) -> Iterator[ScoreRow]:
        """The rows of a run's topics."""
        own = [self.groups.of_topics(run.topics)] if self.groups else []
        names = zip(run.topics, *own, strict=True)
        for named, row in zip(names, run.values.T.tolist(), strict=True):
            yield from self._rows(run.name, named, row)

    def means_of(self, run: RunScores) -> Iterator[ScoreRow]:
        """The rows of a run's averages: over each group, and over all topics."""
        if not self.groups:
            yield from self._rows(run.name, (c.ALL_TOPICS,), run.overall)
        for group, means in run.by_group.items():
            yield from self._rows(run.name, (c.ALL_TOPICS, group), means.overall)

    def _rows(
        self, run: str, names: tuple[str, ...], values: Sequence[float]
    ) -> Iterator[ScoreRow]:
        for measure, value in zip(self.columns, values, strict=True):
            # A topic without results has nothing that rides along, other programs state no totals.
            if not isnan(value):
                named: tuple[str, ...] = (measure, *names)
                yield run, *named, value


# The setting that saved scores have beside those that are shown.
QRELS_SHA256 = "qrels_sha256"
# The setting that says which groups there are.
GROUPS = "groups"


@frozen(eq=False, repr=False)
class Scores(Shown):
    """What an evaluation found; `print` shows the means, the settings and the notes.

    `topics` is a frame with the columns run, topic and one per measure; `overall` has run and one
    per measure, averaged as the measure's record says. Both are made of `values` when they are
    asked for. `settings` are the choices that made the numbers what they are, `notes` what a reader
    of them should know. In task rag, `plain` has what the measures are called there. `groups` are the
    groups of topics, if any. `scores["cR@5"]` is the value of one run; `scores["mine", "cR@5"]` names the run.
    """

    measures: list[str]
    """The canonical names of the measures, in the order asked for."""

    values: Sequence[RunScores]
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    plain: Mapping[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    """Extra columns: numbers of the run beside its scores, such as latency_ms or cost:sum."""

    judgements: Qrels | str = ""
    """What the runs were scored against, or its hash."""

    measure_names: MeasureNames = field(default_factory=MeasureNames)
    row_source: RowSource | None = None
    """Gives the rows of the run at a place. It keeps the runs in memory, and only `evaluate` sets it."""

    times: Mapping[str, int] = field(default_factory=dict)
    """How often topics count that count more than once."""

    titles: Mapping[str, str] | None = None
    """What topics are about, to be shown beside them; None if nobody gave titles."""

    groups: Groups | None = None

    @classmethod
    def from_frame(cls, frame: Frame | Rows, *, lower: Iterable[str] = ()) -> Self:
        """The scores in a frame or in rows: topic, measure and value (and run), as any program has them.

        A frame may also have a column for each measure, or for each run. `lower` names measures
        unknown to foveal of which less is better.

        >>> import foveal
        >>> rows = [{"qid": "1", "metric": "map", "value": 0.5}, {"qid": "2", "metric": "map", "value": 1.0}]
        >>> foveal.Scores.from_frame(rows)["AP"]
        0.75
        """
        made: Self = hook.scores(frame, lower)
        return made

    @classmethod
    def from_dicts(cls, scores: Mapping[str, object], *, lower: Iterable[str] = ()) -> Self:
        """The scores in {run: {topic: {measure: value}}}; also in what pytrec_eval, ir_measures or ranx give.

        >>> import foveal
        >>> foveal.Scores.from_dicts({"mine": {"1": {"map": 0.5}, "2": {"map": 1.0}}})["mine", "AP"]
        0.75
        """
        made: Self = hook.scores(scores, lower)
        return made

    def __getstate__(self) -> dict[str, object]:
        """Leave the runs behind when sent to another process or saved."""
        return {**self.__dict__, "row_source": None}

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
            schema={
                c.RUN: pl.String,
                c.TOPIC: pl.String,
                **dict.fromkeys(self.columns, pl.Float64),
            },
        )
        return frame.with_columns(pl.col(self.also).fill_nan(None)) if self.also else frame

    @cached_property
    def overall(self) -> pl.DataFrame:
        """A frame of run and a column per measure."""
        schema = {c.RUN: pl.String, **dict.fromkeys(self.columns, pl.Float64)}
        rows = [(run.name, *run.overall) for run in self.values]
        return pl.DataFrame(rows, schema=schema, orient="row")

    @property
    def columns(self) -> list[str]:
        """The measures, then the extra columns."""
        return [*self.measures, *self.also]

    @property
    def runs(self) -> list[str]:
        """The names of the runs, in the order given."""
        return [run.name for run in self.values]

    @property
    def summary(self) -> str:
        """How many runs were scored, by how many measures, on how many topics."""
        runs, measures = counted(len(self.runs), "run"), counted(len(self.measures), "measure")
        return f"{runs}, {measures}, {counted(len(self._all_topics), 'topic')}"

    @cached_property
    def qrels_sha256(self) -> str:
        """A hash of what was judged; empty if the judgements are not known."""
        return self.judgements if isinstance(self.judgements, str) else self.judgements.sha256

    def canonical(self, spelling: str) -> str:
        """The name of a measure that was scored, or of an extra column, however it is spelled."""
        if spelling in self.columns:
            return spelling
        try:
            name = self.measure_names.canonical(spelling)
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
        return self.values[self._place(run)].overall[self.columns.index(self.canonical(measure))]

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
        named = {measure: self.measure_names.key(measure) for measure in self.measures}
        named |= {name: safe(name) for name in self.also}
        keys = distinct(
            (f"{safe(run.name, also=' /')}/{key}" if several else key, f"{measure} of {run.name!r}")
            for run in self.values
            for measure, key in named.items()
        )
        values = [value for run in self.values for value in run.overall]
        found = zip(keys, values, strict=True)
        return {key: value for key, value in found if not isnan(value)}

    def require(self, demands: Mapping[str, float]) -> Self:
        """The scores themselves if every run reaches the number demanded of each measure.

        Otherwise an AssertionError says by how much a run misses it, and on which topics it is
        worst. Of a measure of which less is better, the number is the most that is allowed.
        """
        refuse_alarming(self.notes)
        asked = []
        for spelling, number in demands.items():
            measure = self.canonical(spelling)
            if measure in self.also:
                raise UsageError(f"{measure} is not a measure, so nothing can be required of it")
            asked.append(
                Demand(measure, ">=" if self.measure_names.rises(measure) else "<=", number)
            )
        missed = [
            self._missed(run, demand)
            for run in self.values
            for demand in asked
            if not demand.holds(self[run.name, demand.measure])
        ]
        if missed:
            raise DemandNotMet("\n".join(missed))
        return self

    def _missed(self, run: RunScores, demand: Demand) -> str:
        topics = run.worst_topics(self.columns.index(demand.measure), demand)
        shown = ", ".join(f"{topic} ({value:.4g})" for topic, value in topics)
        missed = demand.missed(self[run.name, demand.measure])
        worst = f"; worst topics: {shown}" if topics else ""
        name = self.plain.get(demand.measure, demand.measure)
        return f"{name} of run {run.name!r} is {missed}{worst}"

    def top(self, ranks: int | str | RunRanks, measure: str | None = None) -> Self:
        """The scores of the best runs by a measure, or by the first; runs stay in their order.

        `top("20:AP")` is `top(20, "AP")`; `top("1-5,8-9")` keeps the runs of these ranks. Of runs tied
        at the cut the first by name are kept, and a note says so.

        >>> import foveal
        >>> runs = {"one": {"1": {"a": 2.0}}, "two": {"1": {"b": 2.0}}, "zero": {"1": {"c": 2.0}}}
        >>> scores = foveal.evaluate({"1": {"a": 2, "b": 1}}, runs, ["nDCG@1", "AP"])
        >>> scores.top(2).runs
        ['one', 'two']
        """
        wanted = ranks if isinstance(ranks, RunRanks) else RunRanks.parsed(ranks)
        by = wanted.measure if measure is None else measure
        name = self.measures[0] if by is None else self.canonical(by)
        if name in self.also:
            raise UsageError(f"{name} is not a measure, so no runs are the best by it")
        means, sign = self.overall[name].to_numpy(), 1 if self.measure_names.rises(name) else -1
        places, notes = wanted.among(self.runs, sign * means, name)
        told = f"{len(places)} of {counted(len(self.values), 'run')} by {name}"
        if "-" in wanted.ranks:
            told += f", ranks {wanted.ranks}"
        baselines = {self._place(run_named(self, given)) for given in wanted.baselines}
        if added := sorted(baselines.difference(places)):
            told += f", and {listed([self.runs[place] for place in added])}"
        return replace(
            self._at(sorted([*places, *added])),
            settings={**self.settings, "top": told},
            notes=(*self.notes, *notes),
        )

    def _at(self, places: Sequence[int]) -> Self:
        """The scores of the runs at some places."""
        kept = [self.values[place] for place in places]
        return replace(
            self, values=kept, row_source=self.row_source and rows_of_runs(self.row_source, places)
        )

    def only(self, measures: Sequence[str]) -> Self:
        """The scores by some of the measures."""
        rows = [*dict.fromkeys(self.measures.index(self.canonical(name)) for name in measures)]
        extra = range(len(self.measures), len(self.columns))
        names = [self.measures[row] for row in rows]
        return replace(
            self,
            measures=names,
            values=[run.among([*rows, *extra]) for run in self.values],
            plain={name: self.plain[name] for name in names if name in self.plain},
        )

    def titled(self, titles: Mapping[str, str] | Topics) -> Self:
        """The scores with titles to be shown beside the topics; a note says if none is known.

        >>> import foveal
        >>> scores = foveal.evaluate({"1": {"a": 1}}, {"1": {"a": 2.0}}, "AP")
        >>> scores.titled({"1": "green tea"}).per_topic().columns
        ['run', 'topic', 'measure', 'value', 'title']
        """
        notes = (*self.notes, *untitled(self._all_topics, titles))
        return replace(self, titles=known_titles(titles), notes=notes)

    @property
    def topic_columns(self) -> dict[str, Mapping[str, str | int | None]]:
        """What is shown beside topics, by the name of its column: how often they count, titles."""
        return topic_columns(self._all_topics, self.times, self.titles)

    @property
    def _all_topics(self) -> list[str]:
        return list(dict.fromkeys(topic for run in self.values for topic in run.topics))

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
        numbers = dict.fromkeys(self.columns, pl.Float64)
        return pl.DataFrame(rows, schema={**names, **numbers}, orient="row")

    def within(self, group: str) -> Self:
        """The scores on the topics of one group, of the runs that are scored on any of them."""
        groups = self._need_groups()
        known = groups.in_order({name for run in self.values for name in run.by_group})
        if group not in known:
            raise NotScored("group", group, known)
        kept = self._at([at for at, run in enumerate(self.values) if group in run.by_group])
        return replace(
            kept,
            values=[run.within(group, groups) for run in kept.values],
            settings={**self.settings, c.GROUP: shown_group(group)},
            row_source=kept.row_source and rows_of_group(kept.row_source, group, groups),
            groups=None,
        )

    def _need_groups(self) -> Groups:
        if self.groups is None:
            raise UsageError("these scores have no groups: give groups to foveal.evaluate")
        return self.groups

    def per_topic(self) -> pl.DataFrame:
        """A frame of run, topic, measure, value, with group before measure if topics are in groups.

        Where topics count more than once it has `times`, where titles were given `title`.
        """
        names = [c.RUN, c.TOPIC, *([c.GROUP] if self.groups else []), c.MEASURE, c.VALUE]
        written = WrittenRows(self.columns, self.groups)
        frame = self._frame(chain.from_iterable(map(written.topics_of, self.values)))
        return with_topic_columns(frame.select(names), self.topic_columns)

    def wide(self, measure: str) -> pl.DataFrame:
        """A frame of topic and a column per run: the values of a measure or extra column.

        >>> import foveal
        >>> runs = {"mine": {"1": {"a": 2.0}}, "yours": {"1": {"b": 2.0}}}
        >>> foveal.evaluate({"1": {"a": 1}}, runs, ["AP", "RR"]).wide("AP").rows()
        [('1', 1.0, 0.0)]
        """
        return self.topics.pivot(c.RUN, index=c.TOPIC, values=self.canonical(measure))

    def to_pandas(self) -> pandas.DataFrame:
        """`topics` as a frame of pandas, made without pyarrow."""
        import pandas  # noqa: ICN001, PLC0415  # the caller's; foveal does not need it

        return pandas.DataFrame(self.topics.to_dict(as_series=False))

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
        return self._looked(RowUnit.DOCUMENT, run)

    def results(self, run: str | None = None) -> pl.DataFrame:
        """A frame with a row for every result that has a rank: what it adds, and P and R so far.

        It has run, topic, rank, doc, start, end, size and rsize as the overlap policy counts them,
        their ratio relevance, and P and R after this result, which are cP and cR at its rank. The
        runs are looked at again, as for `documents`. An element of unknown place has no start.

        >>> import foveal
        >>> qrels = [{"topic": "1", "doc": "d1", "length": 100, "highlights": [[10, 40]]}]
        >>> run = [{"topic": "1", "doc": "d1", "start": 0, "end": 20}]
        >>> foveal.evaluate(qrels, run).results().select("rank", "rsize", "relevance", "P").rows()
        [(1, 10, 0.5, 0.5)]
        """
        return self._looked(RowUnit.RESULT, run)

    def _looked(self, per: RowUnit, run: str | None) -> pl.DataFrame:
        if self.row_source is None:
            raise UsageError(
                f"rows per {per} need the runs, which these scores do not have: ask the scores that"
                f" foveal.evaluate returned, or `foveal evaluate QRELS RUN --per-{per}`"
            )
        places = range(len(self.values)) if run is None else [self._place(run)]
        rows = [self.row_source(per, place) for place in places]
        return joined_rows(per, [self.runs[place] for place in places], rows)

    def rows(self, *, per_topic: bool = True) -> pl.DataFrame:
        """A frame of run, measure, topic, group (if there are any), value; means are those of `all`."""
        frame = self._frame(self.long(per_topic=per_topic))
        return with_topic_columns(frame, self.topic_columns) if per_topic else frame

    @property
    def row_columns(self) -> list[str]:
        """What the columns of these rows are called."""
        return c.GROUPED_SCORE_ROW if self.groups else c.SCORE_ROW

    def long(self, *, per_topic: bool = True) -> Iterator[ScoreRow]:
        """The same row by row, for those who need no frame."""
        written = WrittenRows(self.columns, self.groups)
        for run in self.values:
            if per_topic:
                yield from written.topics_of(run)
            yield from written.means_of(run)

    def _frame(self, rows: Iterator[ScoreRow]) -> pl.DataFrame:
        schema = {name: pl.Float64 if name == c.VALUE else pl.String for name in self.row_columns}
        return pl.DataFrame(list(rows), schema=schema, orient="row")


def run_named(scores: Scores, given: str) -> str:
    """The name of a run, which may be given as the file that only this run came from."""
    from_file = [run.name for run in scores.values if run.source == given]
    name = from_file[0] if given not in scores.runs and len(from_file) == 1 else given
    if name not in scores.runs:
        raise NotScored("run", given, scores.runs)
    return name


_RANKS = re.compile(r"[0-9]{1,9}|[0-9]{1,9}-[0-9]{1,9}(,[0-9]{1,9}-[0-9]{1,9})*")
LUCK = "runs chosen by these scores beat a baseline by luck more often than alpha says"


@frozen
class RunRanks:
    """Which ranks of runs are kept; without a measure they are ranked by the first."""

    ranks: str
    """A number, which means the ranks from 1 to it, or ranges such as 1-21,31-50."""

    measure: str | None = None
    baselines: Sequence[str] = ()
    """Runs that are kept as well, by their names or files."""

    @classmethod
    def parsed(cls, given: int | str, *, least: int = 1, what: str = "top") -> Self:
        """The ranks and the measure in words such as 20 or "1-5,8-9:AiP"; `least` runs must be kept."""
        ranks, colon, measure = map(str.strip, str(given).partition(":"))
        if isinstance(given, bool) or not _RANKS.fullmatch(ranks) or (colon and not measure):
            raise UsageError(
                f"{what} must be a number of runs or ranges of ranks, and a measure if they are not"
                f" the best by the first, as in 20, 1-21,31-50 or 20:AiP, got {str(given)!r}"
            )
        wanted = cls(ranks, measure or None)
        ends = [0, *(last for _, last in wanted._ranges)]
        rises = all(
            before < first <= last
            for before, (first, last) in zip(ends, wanted._ranges, strict=False)
        )
        if "-" in ranks and not rises:
            raise UsageError(f"{what} must have ranks that rise from 1 on, got {ranks}")
        count = sum(last - first + 1 for first, last in wanted._ranges)
        if count < least:
            raise UsageError(f"{what} must be {least} or more, got {count}")
        return wanted

    @property
    def _ranges(self) -> list[tuple[int, int]]:
        """The first and last rank of each range."""
        pairs = [ends.rpartition("-") for ends in self.ranks.split(",")]
        return [(int(first or 1), int(last)) for first, _, last in pairs]

    def among(
        self, runs: Sequence[str], goodness: Floats, measure: str
    ) -> tuple[list[int], list[str]]:
        """The places of the runs of these ranks, in their order, and notes about them."""
        kept: list[int] = []
        notes = [LUCK] * (len(self.baselines) > 0 and self._ranges[0][1] < len(runs))
        for first, last in self._ranges:
            above, tied_above = best_places(runs, goodness, first - 1)
            down_to, tied = best_places(runs, goodness, last)
            kept += np.setdiff1d(down_to, above).tolist()
            notes += [
                f"{counted(len(names), 'run')} tied by {measure} where rank {rank} ends: those that"
                f" come first by name are ranked higher ({some(names)})"
                for rank, names in ((first - 1, tied_above), (last, tied))
                if names
            ]
        if not kept:
            raise UsageError(
                f"no run has rank {self.ranks} by {measure}: there are {counted(len(runs), 'run')}"
            )
        if last > len(runs):
            notes.append(
                f"runs of ranks up to {last:,} were asked for, and there are {len(runs):,}"
            )
        return sorted(kept), notes
