"""One study: an experiment on judgements and runs, or on the best runs alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, Unpack

from foveal.analysis import Seed
from foveal.choices import Draw, Experiment, Like, Task, chosen
from foveal.conventions import Choices, ChoiceWords
from foveal.errors import counted
from foveal.evaluation import Evaluation, RunRanks, choosing_measure
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import MeasuresLike, names_of, task_measures
from foveal.studies.stability import leave_out as uniques
from foveal.studies.stability import pool_sampling as pool
from foveal.studies.stability import topic_sampling as topics
from foveal.studies.stability.design import PAPER_MEASURES, StabilityDesign, stability_design
from foveal.studies.stability.result import Stability, StudyFrame
from foveal.studies.stability.sampling import Result, Save, TaskRunner, studied, values_of
from foveal.tables import Qrels, QrelsLike, Run, RunsLike, coerced_runs, columns

_OF_PASSAGES = {
    Experiment.POOL: pool.pool,
    Experiment.LEAVE_OUT: uniques.leave_out,
    Experiment.DEPTH: uniques.depth,
}
_OF_TOPICS = {
    Experiment.TOPICS: topics.topics,
    Experiment.ERROR_RATE: topics.error_rates,
    Experiment.SWAP: topics.swap,
}

# Fewer runs than this make fewer than ten pairs.
FEW_RUNS = 5
RunLike = TypeVar("RunLike")
# At least two runs can be ranked.
MIN_RANKED_RUNS = 2


def stability_measures(task: Task) -> list[str]:
    """The default measures: for ranked parts the five of Pal, Mitra et al."""
    if task in {Task.FOCUSED, Task.THOROUGH}:
        return list(PAPER_MEASURES)
    return task_measures(task, Like.PAPER)


def stability_study(
    qrels: Qrels,
    evaluation: Evaluation,
    design: StabilityDesign,
    each_run: TaskRunner,
    *,
    save: Save = None,
) -> Stability:
    """Do an experiment; `each_run` calls a task on every run, `save` receives the samples."""
    evaluation = studied(evaluation, design)
    if design.experiment in _OF_PASSAGES:
        sampled, frames = _OF_PASSAGES[design.experiment](qrels, evaluation, design, each_run, save)
        scores, values = sampled.scores, sampled.values
    else:
        scores = evaluation.scores(each_run(evaluation.score, "scoring"))
        values = values_of(scores)
        frames = _OF_TOPICS[design.experiment](values, design, save)
    return Stability(
        experiment=design.experiment,
        frames=frames,
        runs=len(values.runs),
        topics=len(values.topics),
        settings={
            **scores.settings,
            "studied topics": str(len(values.topics)),
            **design.settings(),
            **_participants(design, frames),
        },
        notes=(*scores.notes, *design.notes, *_few_runs(len(values.runs), design.experiment)),
    )


def stability(  # noqa: PLR0913  # one per choice
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = (),
    *,
    experiment: Experiment | str = Experiment.POOL,
    levels: Sequence[int] | None = None,
    samples: int | None = None,
    min_passages: int | None = None,
    fuzziness: float | None = None,
    draw: Draw | str | None = None,
    depths: Sequence[int] | None = None,
    pool_depth: int | None = None,
    participants: Mapping[str, str] | None = None,
    rng: Seed | None = None,
    only: Iterable[str] | None = None,
    top: int | str | None = None,
    **choices: Unpack[ChoiceWords],
) -> Stability:
    """Say how far the ranking of the runs holds when judgements or topics are fewer.

    Judgements, runs, measures and the other `choices` are those of `evaluate`; without measures the
    five of the paper are used. `levels` are in per cent. `participants` gives, for `leave-out`, the
    participant of each run by the run's name, and `pool_depth` how many of its parts count as found;
    `depths` are those of `depth`. `only` are the topics that count, as if no others were judged. `top`
    keeps the best runs by their scores on all these topics: 20 by the first measure, "20:AiP" by
    another, "1-5,8-9" those of these ranks. What is omitted gets
    the experiment's default; a choice that the experiment does not use is refused.

    >>> import foveal
    >>> qrels = {topic: {"a": 1} for topic in "1234"}
    >>> best, good = ({topic: {"b": 1.0, "a": score} for topic in "1234"} for score in (2.0, 0.5))
    >>> runs = {"best": best, "good": good}
    >>> study = foveal.stability(qrels, runs, "AP", experiment="topics", levels=[50])
    >>> study.curves.rows()
    [('AP', 50, 1.0, 0.0)]
    """
    design = stability_design(
        chosen(Experiment, experiment),
        levels=levels,
        samples=samples,
        min_passages=min_passages,
        fuzziness=fuzziness,
        draw=chosen(Draw, draw) if draw else None,
        rng=rng,
        depths=depths,
        pool_depth=pool_depth,
        participants=participants,
    )
    best_of = None if top is None else RunRanks.parsed(top, minimum=MIN_RANKED_RUNS)
    tables, judgements = coerced_runs(runs), Qrels.coerced(qrels).only(only)
    evaluation = Evaluation.of(
        judgements,
        names_of(measures),
        Choices.of(choices),
        stability_measures,
        stated_tasks={run.source: run.origin.task for run in tables},
    )

    def each_run(task: Callable[[Run], Result], label: str) -> list[Result]:
        return [task(run) for run in tables]

    if best_of is None:
        return stability_study(judgements, evaluation, design, each_run)
    best = BestRuns.of(evaluation, best_of, each_run)
    tables = best.among(tables)
    return best.annotated(stability_study(judgements, evaluation, design, each_run))


def _few_runs(runs: int, experiment: Experiment) -> Iterator[str]:
    """Note: too few pairs of runs to conclude much."""
    if runs >= FEW_RUNS:
        return
    pairs = runs * (runs - 1) // 2
    if experiment in {Experiment.ERROR_RATE, Experiment.SWAP}:
        reason = "rates over so few pairs say little about other runs"
    elif pairs == 1:
        reason = "τ can only be 1 or -1"
    else:
        reason = f"τ falls by {2 / pairs:.2f} if one pair changes places"
    advice = "; to plan topics for one pair use the effect that `foveal compare` shows"
    comment = "which is few" if pairs == 1 else "which are few"
    yield (
        f"{counted(runs, 'run')} make {counted(pairs, 'pair')}, {comment}: {reason}"
        f"{advice if experiment in _OF_TOPICS else ''}"
    )


def _participants(design: StabilityDesign, frames: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """The participants that were left out, each with its number of runs."""
    if not design.participants:
        return {}
    finders = frames[StudyFrame.FINDERS].select(columns.LEFT_OUT, columns.RUNS)
    finders = finders.unique(maintain_order=True)
    names = set(design.participants.values())
    entries = [
        f"{name} ({counted(runs, 'run')})" for name, runs in finders.iter_rows() if name in names
    ]
    if other_count := finders.height - len(entries):
        entries.append(f"none given for {counted(other_count, 'run')}")
    return {"participants": ", ".join(entries)}


@frozen
class BestRuns:
    """Indices of the best of many runs, with the setting and notes for a study of them."""

    indices: tuple[int, ...]
    setting: str
    notes: tuple[str, ...]

    @classmethod
    def of(cls, evaluation: Evaluation, top: RunRanks, each_run: TaskRunner) -> BestRuns:
        """The best runs by their scores on all judgements; `each_run` calls a task on every run."""
        choosing = replace(evaluation, measures=[choosing_measure(evaluation, top)])
        scores = choosing.scores(each_run(choosing.score, "choosing"))
        best = scores.top(top.ranks)
        indices = tuple(scores.runs.index(name) for name in best.runs)
        return cls(indices, best.settings["top"], best.notes[len(scores.notes) :])

    def among(self, runs: Sequence[RunLike]) -> list[RunLike]:
        """The best of the runs."""
        return [runs[index] for index in self.indices]

    def annotated(self, study: Stability) -> Stability:
        """The study with the setting and notes that say on which runs it was done."""
        settings = {**study.settings, "top": self.setting}
        return replace(study, settings=settings, notes=(*study.notes, *self.notes))
