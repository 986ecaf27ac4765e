"""Scores: one number per run, topic and measure, and one per run and measure over all topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Self

import numpy as np

from foveal.errors import DemandNotMet, NotScored, UsageError, and_list, counted
from foveal.evaluation.breakdown import RowSource, RowUnit, joined_rows, rows_of_group, rows_of_runs
from foveal.evaluation.demands import Demand
from foveal.evaluation.groups import Groups, group_label
from foveal.evaluation.measure_names import MeasureNames, distinct, safe
from foveal.evaluation.run_ranks import RunRanks
from foveal.evaluation.run_scores import RunScores
from foveal.evaluation.score_rows import ScoreRows
from foveal.evaluation.topic_facts import TopicFacts, title_notes, titles_by_topic
from foveal.frozen import frozen
from foveal.late import pl
from foveal.shown import Shown, hook
from foveal.tables import Frame, Qrels, Rows, Topics, refuse_alarming
from foveal.tables import columns as c

if TYPE_CHECKING:
    import pandas  # noqa: ICN001  # written out where it is used


# A setting of saved scores that is not shown.
QRELS_SHA256 = "qrels_sha256"
# The setting that lists the groups.
GROUPS = "groups"


@frozen(eq=False)
class ScoreInputs:
    """The inputs of scores, as far as they are known."""

    judgements: Qrels | str = ""
    """The judgements, or their hash."""

    row_source: RowSource | None = None
    """Gives the rows of a run by its index. It keeps the runs in memory, and only `evaluate` sets it."""

    def __getstate__(self) -> dict[str, object]:
        """Leave the runs behind when sent to another process or saved."""
        return {**self.__dict__, "row_source": None}

    @cached_property
    def qrels_sha256(self) -> str:
        """A hash of the judgements; empty if these are unknown."""
        return self.judgements if isinstance(self.judgements, str) else self.judgements.sha256

    def of_runs(self, indices: Sequence[int]) -> ScoreInputs:
        """The inputs of the runs with these indices."""
        source = self.row_source
        return replace(self, row_source=source and rows_of_runs(source, indices))

    def of_group(self, group: str, groups: Groups) -> ScoreInputs:
        """The inputs with rows of the topics of one group only."""
        source = self.row_source
        return replace(self, row_source=source and rows_of_group(source, group, groups))


@frozen(eq=False, repr=False)
class Scores(Shown):
    """Values of runs by measure and topic; `print` shows the means, the settings and the notes.

    `topics` is a frame with the columns run, topic and one per measure; `overall` has run and one
    per measure, averaged as the measure's record says. Both are made from `values` at their
    first use. `settings` are the choices that determined the numbers, `notes` are for their reader.
    `scores["cR@5"]` is the value of one run; `scores["mine", "cR@5"]` names the run.
    """

    measures: list[str]
    """The canonical names of the measures, in the order requested."""

    values: Sequence[RunScores]
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    extra_columns: tuple[str, ...] = ()
    """Numbers of the runs besides their scores, such as latency_ms or cost:sum."""

    measure_names: MeasureNames = field(default_factory=MeasureNames)
    topic_facts: TopicFacts = field(default_factory=TopicFacts)
    inputs: ScoreInputs = field(default_factory=ScoreInputs)

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
        result: Self = hook.scores(frame, lower)
        return result

    @classmethod
    def from_dicts(cls, scores: Mapping[str, object], *, lower: Iterable[str] = ()) -> Self:
        """The scores in {run: {topic: {measure: value}}}; also in what pytrec_eval, ir_measures or ranx give.

        >>> import foveal
        >>> foveal.Scores.from_dicts({"mine": {"1": {"map": 0.5}, "2": {"map": 1.0}}})["mine", "AP"]
        0.75
        """
        result: Self = hook.scores(scores, lower)
        return result

    @cached_property
    def topics(self) -> pl.DataFrame:
        """A frame of run, topic and a column per measure."""
        frame = pl.DataFrame(
            {
                c.RUN: [run.name for run in self.values for _ in run.topics],
                c.TOPIC: [topic for run in self.values for topic in run.topics],
                **{
                    name: np.concatenate([run.values[row] for run in self.values])
                    for row, name in enumerate(self.columns)
                },
            },
            schema={
                c.RUN: pl.String,
                c.TOPIC: pl.String,
                **dict.fromkeys(self.columns, pl.Float64),
            },
        )
        extra = self.extra_columns
        return frame.with_columns(pl.col(extra).fill_nan(None)) if extra else frame

    @cached_property
    def overall(self) -> pl.DataFrame:
        """A frame of run and a column per measure."""
        schema = {c.RUN: pl.String, **dict.fromkeys(self.columns, pl.Float64)}
        rows = [(run.name, *run.overall) for run in self.values]
        return pl.DataFrame(rows, schema=schema, orient="row")

    @property
    def columns(self) -> list[str]:
        """The measures, then the extra columns."""
        return [*self.measures, *self.extra_columns]

    @property
    def runs(self) -> list[str]:
        """The names of the runs, in the order given."""
        return [run.name for run in self.values]

    @property
    def summary(self) -> str:
        """The numbers of runs, measures and topics."""
        runs, measures = counted(len(self.runs), "run"), counted(len(self.measures), "measure")
        return f"{runs}, {measures}, {counted(len(self._all_topics), 'topic')}"

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
        row = self.columns.index(column_named(self, measure))
        return self.values[self._index(run)].overall[row]

    def _index(self, run: str) -> int:
        if run not in self.runs:
            raise NotScored("run", run, self.runs)
        return self.runs.index(run)

    def __float__(self) -> float:
        """The only number."""
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
        words = {measure: self.measure_names.key(measure) for measure in self.measures}
        words |= {name: safe(name) for name in self.extra_columns}
        keys = distinct(
            (f"{safe(run.name, keep=' /')}/{key}" if several else key, f"{measure} of {run.name!r}")
            for run in self.values
            for measure, key in words.items()
        )
        values = [value for run in self.values for value in run.overall]
        return {key: v for key, v in zip(keys, values, strict=True) if not isnan(v)}

    def require(self, demands: Mapping[str, float]) -> Self:
        """The scores themselves if every run reaches the number demanded of each measure.

        Otherwise an AssertionError says by how much a run misses it, and its worst topics. If less
        of a measure is better, the number is the maximum.
        """
        refuse_alarming(self.notes)
        required = []
        for spelling, number in demands.items():
            measure = column_named(self, spelling)
            if measure in self.extra_columns:
                raise UsageError(f"{measure} is not a measure, so nothing can be required of it")
            sign = ">=" if self.measure_names.rises(measure) else "<="
            required.append(Demand(measure, sign, number))
        missed = [
            self._missed(run, demand)
            for run in self.values
            for demand in required
            if not demand.holds(self[run.name, demand.measure])
        ]
        if missed:
            raise DemandNotMet("\n".join(missed))
        return self

    def _missed(self, run: RunScores, demand: Demand) -> str:
        topics = run.worst_topics(self.columns.index(demand.measure), demand)
        missed = demand.missed(self[run.name, demand.measure])
        topic_values = ", ".join(f"{topic} ({value:.4g})" for topic, value in topics)
        worst = f"; worst topics: {topic_values}" if topics else ""
        return f"{self.measure_names.label(demand.measure)} of run {run.name!r} is {missed}{worst}"

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
        run_ranks = ranks if isinstance(ranks, RunRanks) else RunRanks.parsed(ranks)
        ranking_measure = run_ranks.measure if measure is None else measure
        name = self.measures[0] if ranking_measure is None else column_named(self, ranking_measure)
        if name in self.extra_columns:
            raise UsageError(f"{name} is not a measure, so no runs are the best by it")
        means, sign = self.overall[name].to_numpy(), 1 if self.measure_names.rises(name) else -1
        best, notes = run_ranks.indices_of(self.runs, sign * means, name)
        setting = f"{len(best)} of {counted(len(self.values), 'run')} by {name}"
        if "-" in run_ranks.ranks:
            setting += f", ranks {run_ranks.ranks}"
        baselines = {self._index(run_named(self, run)) for run in run_ranks.baselines}
        if added := sorted(baselines.difference(best)):
            setting += f", and {and_list([self.runs[index] for index in added])}"
        return replace(
            self._of_runs(sorted([*best, *added])),
            settings={**self.settings, "top": setting},
            notes=(*self.notes, *notes),
        )

    def _of_runs(self, indices: Sequence[int]) -> Self:
        """The scores of the runs with these indices."""
        values = [self.values[index] for index in indices]
        return replace(self, values=values, inputs=self.inputs.of_runs(indices))

    def only(self, measures: Sequence[str]) -> Self:
        """The scores by some of the measures."""
        names = [*dict.fromkeys(column_named(self, name) for name in measures)]
        if others := [name for name in names if name in self.extra_columns]:
            known = and_list(self.measures)
            raise UsageError(f"{others[0]} is not a measure (scored are {known})")
        rows = [self.columns.index(name) for name in [*names, *self.extra_columns]]
        return replace(
            self,
            measures=names,
            values=[run.only(rows) for run in self.values],
            measure_names=self.measure_names.only(names),
        )

    def titled(self, titles: Mapping[str, str] | Topics) -> Self:
        """The scores with titles to show with the topics; a note says if no topic has one.

        >>> import foveal
        >>> scores = foveal.evaluate({"1": {"a": 1}}, {"1": {"a": 2.0}}, "AP")
        >>> scores.titled({"1": "green tea"}).per_topic().columns
        ['run', 'topic', 'measure', 'value', 'title']
        """
        notes = (*self.notes, *title_notes(self._all_topics, titles))
        facts = replace(self.topic_facts, titles=titles_by_topic(titles))
        return replace(self, topic_facts=facts, notes=notes)

    @property
    def _all_topics(self) -> list[str]:
        return list(dict.fromkeys(topic for run in self.values for topic in run.topics))

    def mean(self) -> pl.DataFrame:
        """A frame run × measure: the mean over topics, or the total for measures that count."""
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
        names = groups.in_order({name for run in self.values for name in run.by_group})
        if group not in names:
            raise NotScored("group", group, names)
        scores = self._of_runs([i for i, run in enumerate(self.values) if group in run.by_group])
        return replace(
            scores,
            values=[run.within(group, groups) for run in scores.values],
            settings={**self.settings, c.GROUP: group_label(group)},
            inputs=scores.inputs.of_group(group, groups),
            topic_facts=replace(self.topic_facts, groups=None),
        )

    def _need_groups(self) -> Groups:
        if self.topic_facts.groups is None:
            raise UsageError("these scores have no groups: give groups to foveal.evaluate")
        return self.topic_facts.groups

    def per_topic(self) -> pl.DataFrame:
        """A frame of run, topic, measure, value, with group before measure if topics are in groups.

        Where topics count more than once it has `times`, where titles were given `title`.
        """
        frame = ScoreRows(self.values, self.columns, self.topic_facts, means=False).frame()
        leading = [name for name in (c.RUN, c.TOPIC, c.GROUP) if name in frame.columns]
        return frame.select(*leading, pl.exclude(leading))

    def wide(self, measure: str) -> pl.DataFrame:
        """A frame of topic and a column per run: the values of a measure or extra column.

        >>> import foveal
        >>> runs = {"mine": {"1": {"a": 2.0}}, "yours": {"1": {"b": 2.0}}}
        >>> foveal.evaluate({"1": {"a": 1}}, runs, ["AP", "RR"]).wide("AP").rows()
        [('1', 1.0, 0.0)]
        """
        return self.topics.pivot(c.RUN, index=c.TOPIC, values=column_named(self, measure))

    def to_pandas(self) -> pandas.DataFrame:
        """`topics` as a frame of pandas, made without pyarrow."""
        import pandas  # noqa: ICN001, PLC0415  # the caller's; foveal does not need it

        return pandas.DataFrame(self.topics.to_dict(as_series=False))

    def documents(self, run: str | None = None) -> pl.DataFrame:
        """A frame with a row for every document that was returned for an evaluated topic.

        It has run, topic, doc, rank (by first appearance), relevant, size, rsize, and the document
        scores P, R, F, bep and t2i with the defaults of the conventions: gP@r is the mean of the
        first r. The runs are aligned again, all of them or the one named; scores from `evaluate` keep
        them for that. Where a length is unknown, numbers that need it are null.

        >>> import foveal
        >>> qrels = [{"topic": "1", "doc": "d1", "length": 100, "highlights": [[10, 40]]}]
        >>> run = [{"topic": "1", "doc": "d1", "start": 0, "end": 40}]
        >>> found = foveal.evaluate(qrels, run).documents()
        >>> found.select("doc", "rank", "size", "rsize", "P", "R").rows()
        [('d1', 1, 40, 30, 0.75, 1.0)]
        """
        return self._rows_per(RowUnit.DOCUMENT, run)

    def results(self, run: str | None = None) -> pl.DataFrame:
        """A frame with a row for every result that has a rank: its sizes, and P and R up to it.

        It has run, topic, rank, doc, start, end, size and rsize as the overlap policy counts them,
        their ratio relevance, and P and R after this result, which are cP and cR at its rank. The
        runs are aligned again, as for `documents`. An element of unknown offsets has no start.

        >>> import foveal
        >>> qrels = [{"topic": "1", "doc": "d1", "length": 100, "highlights": [[10, 40]]}]
        >>> run = [{"topic": "1", "doc": "d1", "start": 0, "end": 20}]
        >>> foveal.evaluate(qrels, run).results().select("rank", "rsize", "relevance", "P").rows()
        [(1, 10, 0.5, 0.5)]
        """
        return self._rows_per(RowUnit.RESULT, run)

    def _rows_per(self, per: RowUnit, run: str | None) -> pl.DataFrame:
        source = self.inputs.row_source
        if source is None:
            raise UsageError(
                f"rows per {per} need the runs, which these scores do not have: ask the scores that"
                f" foveal.evaluate returned, or `foveal evaluate QRELS RUN --per-{per}`"
            )
        indices = range(len(self.values)) if run is None else [self._index(run)]
        rows = [source(per, index) for index in indices]
        return joined_rows(per, [self.runs[index] for index in indices], rows)

    def rows(self, *, per_topic: bool = True) -> pl.DataFrame:
        """A frame of run, measure, topic, group (if there are any), value; means are those of `all`."""
        return ScoreRows(self.values, self.columns, self.topic_facts, per_topic).frame()


def column_named(scores: Scores, spelling: str) -> str:
    """The canonical name of a scored measure or extra column from any spelling."""
    if spelling in scores.columns:
        return spelling
    try:
        name = scores.measure_names.canonical(spelling)
    except UsageError as error:
        raise NotScored("measure", spelling, scores.columns) from error
    if name not in scores.columns:
        raise NotScored("measure", spelling, scores.columns)
    return name


def run_named(scores: Scores, name_or_file: str) -> str:
    """The name of a run from its name, or from the file that only this run came from."""
    if name_or_file in scores.runs:
        return name_or_file
    names = [run.name for run in scores.values if run.origin.source == name_or_file]
    if len(names) != 1:
        raise NotScored("run", name_or_file, scores.runs)
    return names[0]
