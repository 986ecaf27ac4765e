"""The scores of several runs as one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import count
from typing import TYPE_CHECKING, NamedTuple
from foveal.choices import Task
from foveal.errors import counted
from foveal.frozen import frozen
from foveal.evaluation.groups import group_notes, group_setting, refuse_strangers
from foveal.evaluation._run_notes import told_once
from foveal.evaluation.measure_names import MeasureWording
from foveal.spans import Floats
from foveal.evaluation.scores import GROUPS, Scores
from foveal.tables import Qrels, columns_setting, in_order
from foveal.alignment import RunFacts
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
import numpy as np
from foveal.evaluation.demands import Demand
from foveal.evaluation.groups import Groups
import math
from collections.abc import Iterator, Sequence
from foveal.alignment import Alignment
from foveal.errors import FovealError, counted
from foveal.measures import Measure
from foveal.measures import Record
from foveal.registry import is_own, own_mistake, own_mistakes


if TYPE_CHECKING:
    from foveal.evaluation.evaluate import Evaluation

# Choices that only measures of graded documents look at, by the names that settings give them.
_ABOUT_GRADES = ("depth", "judged only")


@frozen(eq=False)
class RunScores:
    """One run's values: a row per measure, a column per evaluated topic."""

    name: str
    stem: str
    tag: str
    source: str
    format: str
    order: str
    ties: str
    taken: Mapping[str, str]
    """Columns under the names of other tools, by those names."""

    topics: list[str]
    values: Floats
    """A row per measure, then one per riding column, in the columns of the topics."""

    overall: list[float]
    tied_topics: int
    nearly_tied_topics: int
    ranks_by_grade: bool
    """Whether a measure looked at the ranking of documents by grade, which `depth` cuts."""

    notes: tuple[str, ...]
    facts: RunFacts | None = None
    by_group: Mapping[str, GroupMeans] = field(default_factory=dict)
    own_values: tuple[OwnValues, ...] = ()
    """What the measures that are defined outside of foveal gave."""


def score_table(
    evaluation: Evaluation, runs: Sequence[RunScores], judgements: Qrels | str
) -> Scores:
    """The scores of runs that were evaluated against the same judgements."""
    names = distinct_names([RunFile(run.name, run.stem, run.source) for run in runs])
    values = [
        RunValues(name, run.topics, run.values, run.overall, run.by_group, run.tag)
        for name, run in zip(names, runs, strict=True)
    ]
    settings = _settings(evaluation, runs)
    notes = evaluation.notes + tuple(told_once([(run.source, run.notes) for run in runs]))
    notes += tuple(own_notes([run.own_values for run in runs]))
    groups = evaluation.groups.given if evaluation.groups else None
    if groups:
        scored = list(dict.fromkeys(topic for run in runs for topic in run.topics))
        refuse_strangers(groups, scored)
        settings[GROUPS] = group_setting(groups, [run.by_group for run in runs])
        notes += tuple(group_notes(groups, scored))
    sizes = sorted({len(run.topics) for run in runs})
    if any(run.topics != runs[0].topics for run in runs):
        notes += (f"the runs are scored on different topics, {sizes[0]} to {sizes[-1]} each",)
    return Scores(
        measures=[measure.name for measure in evaluation.measures],
        values=values,
        settings=settings,
        notes=in_order(notes),
        sources=tuple(run.source for run in runs),
        also=tuple(column.name for column in evaluation.also),
        judgements=judgements,
        times=evaluation.chosen.repeated if evaluation.chosen else {},
        wording=MeasureWording(evaluation.conventions),
        plain={measure.name: measure.plain for measure in evaluation.measures}
        if evaluation.task.task is Task.RAG
        else {},
        groups=groups,
        facts={name: run.facts for name, run in zip(names, runs, strict=True) if run.facts},
    )


def _settings(evaluation: Evaluation, runs: Sequence[RunScores]) -> dict[str, str]:
    """The choices that made the numbers what they are."""
    chosen = evaluation.conventions.settings()
    if not any(run.ranks_by_grade for run in runs):
        chosen = {name: word for name, word in chosen.items() if name not in _ABOUT_GRADES}
    tied = sum(run.tied_topics for run in runs)
    settings = {
        **chosen,
        "task": str(evaluation.task),
        "ties": _each(run.ties for run in runs),
        "order": _each(run.order for run in runs),
        "ties found": counted(tied, "topic") if tied else "none",
        "formats": f"{evaluation.qrels_format}, {_each(run.format for run in runs)}",
        **columns_setting(evaluation.taken, *(run.taken for run in runs)),
    }
    if evaluation.assessors:
        settings["assessors"] = evaluation.assessors
    if evaluation.chosen:
        settings["only"] = str(evaluation.chosen)
    nearly_tied = sum(run.nearly_tied_topics for run in runs)
    if nearly_tied:
        settings["ties in single precision only"] = counted(nearly_tied, "topic")
    return settings


def _each(words: Iterable[str]) -> str:
    """Each word once, in order."""
    return "/".join(dict.fromkeys(words))


class RunFile(NamedTuple):
    """What a run is called, its file's stem (empty without a file), and its source."""

    name: str
    stem: str
    source: str

    def within(self, folders: int) -> str:
        """The run's name; within some of the folders around its file, that file's stem."""
        if not folders or not self.stem:
            return self.name
        return "/".join([*self.source.split("/")[-1 - folders : -1], self.stem])


def distinct_names(runs: Sequence[RunFile]) -> list[str]:
    """Each run's name; equal ones get as many folders as they need, or a number if these are equal."""
    alike: dict[str, list[RunFile]] = {}
    for run in runs:
        alike.setdefault(run.name, []).append(run)
    folders = {name: _folders(own) for name, own in alike.items()}
    names = [run.within(folders[run.name]) for run in runs]
    given, distinct = {*names}, dict[str, None]()
    for name in names:
        own = name
        for number in count(2):
            if own not in distinct and (own == name or own not in given):
                break
            own = f"{name}#{number}"
        distinct[own] = None
    return list(distinct)


def _folders(alike: Sequence[RunFile]) -> int:
    """The fewest folders that tell as many as possible of some runs of the same name apart."""
    most = max(run.source.count("/") for run in alike)
    return max(range(most + 1), key=lambda folders: len({run.within(folders) for run in alike}))


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
    tag: str = ""
    """What trec_eval calls the run."""

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
        return replace(self, values=self.values[list(rows)], overall=overall, by_group=groups)

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


# By how much a value may exceed its bounds, as sums of shares do.
ROUNDING = 1e-9


@frozen
class OwnValues:
    """How many values of a measure are undefined, and the least and the greatest of the others."""

    name: str
    record: Record
    topics: int
    undefined: int
    least: float
    greatest: float


def kernel_values(measure: Measure, alignment: Alignment) -> Floats:
    """A value per evaluated topic; NaN where the measure is undefined."""
    kernel = measure.record.kernel
    try:
        with own_mistakes(kernel):
            values = kernel(alignment, **dict(measure.arguments))
    except FovealError as error:
        error.add_note(f"needed by {measure.name} for run {alignment.run.name!r}")
        raise
    return _checked(measure, values, len(alignment.topics)) if is_own(kernel) else values


def _checked(measure: Measure, values: object, topics: int) -> Floats:
    """What a measure of a user's own gives, if it is a number for every topic."""
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        found = None
    if found is not None and found.shape == (topics,):
        return found
    if found is None or not found.ndim:
        word = type(values).__name__
        got = "None" if values is None else f"a{'n' * (word[0] in 'aeiou')} {word}"
    else:
        got = counted(len(found), "number") if found.ndim == 1 else f"an array of {found.shape}"
    reason = (
        f"measure {measure.record.name!r} must give one number per topic ({topics:,}), got {got}"
    )
    raise own_mistake(measure.record.kernel, reason)


def defined(measure: Measure, values: Floats) -> Floats:
    """The values, with what the measure's record says where it is undefined."""
    return np.where(np.isnan(values), measure.record.undefined, values)


def own_values(measures: Sequence[Measure], values: Sequence[Floats]) -> tuple[OwnValues, ...]:
    """What the measures gave that are defined outside of foveal."""
    return tuple(
        _seen(measure, given)
        for measure, given in zip(measures, values, strict=True)
        if is_own(measure.record.kernel)
    )


def _seen(measure: Measure, values: Floats) -> OwnValues:
    known = values[~np.isnan(values)]
    return OwnValues(
        measure.name,
        measure.record,
        topics=len(values),
        undefined=len(values) - len(known),
        least=float(known.min(initial=math.inf)),
        greatest=float(known.max(initial=-math.inf)),
    )


def own_notes(runs: Sequence[tuple[OwnValues, ...]]) -> Iterator[str]:
    """What the record of a measure does not lead one to expect of its values, over all runs."""
    for seen in zip(*runs, strict=True):
        record, name = seen[0].record, seen[0].name
        undefined = sum(own.undefined for own in seen)
        if undefined:
            of = "topics" if len(seen) == 1 else f"scores of {len(seen):,} runs"
            yield (
                f"{name} is undefined (NaN) in {undefined:,} of {sum(own.topics for own in seen):,}"
                f" {of}, where it counts as {record.undefined:g}"
            )
        low, high = record.bounds
        least, greatest = min(own.least for own in seen), max(own.greatest for own in seen)
        beyond = [f"down to {least:g}"] if least < low - ROUNDING else []
        beyond += [f"up to {greatest:g}"] if greatest > high + ROUNDING else []
        if beyond:
            yield (
                f"{name} gives values {' and '.join(beyond)}, but its record says {low:g} to"
                f" {high:g}: correct the measure or its bounds"
            )
