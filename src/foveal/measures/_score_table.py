"""The scores of several runs as one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from foveal.choices import Task
from foveal.errors import counted
from foveal.frozen import frozen
from foveal.measures._group_means import group_notes, group_setting, refuse_strangers
from foveal.measures._own_values import OwnValues, own_notes
from foveal.measures._run_notes import told_once
from foveal.measures._wording import MeasureWording
from foveal.spans import Floats
from foveal.tables import (
    GROUPS,
    GroupMeans,
    Qrels,
    RunFacts,
    RunValues,
    Scores,
    columns_setting,
    in_order,
)

if TYPE_CHECKING:
    from foveal.measures._driver import Evaluation

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
        """The run's name; within some of the folders around its file, that file's stem.

        Below 0 it is the file's whole name, which tells k.run and k.trec in one folder apart.
        """
        if not folders or not self.stem:
            return self.name
        if folders < 0:
            return self.source.rsplit("/", 1)[-1]
        return "/".join([*self.source.split("/")[-1 - folders : -1], self.stem])


def distinct_names(runs: Sequence[RunFile]) -> list[str]:
    """Each run's name; equal ones get the folders they need, their ending, or else a number."""
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
    tried: list[int] = [*range(most + 1), -1]
    return max(tried, key=lambda folders: len({run.within(folders) for run in alike}))
