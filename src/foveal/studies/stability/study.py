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
    Experiment.SWAP: topics.swaps,
}

# Fewer runs make fewer than ten pairs.
FEW_RUNS = 5
Kept = TypeVar("Kept")
# At least two runs can be ranked.
FEWEST_RUNS = 2


def stability_measures(task: Task) -> list[str]:
    """The measures studied unless some are named: for ranked parts the five of Pal, Mitra et al."""
    if task in {Task.FOCUSED, Task.THOROUGH}:
        return list(PAPER_MEASURES)
    return task_measures(task, Like.PAPER)


def stability_study(
    qrels: Qrels,
    evaluation: Evaluation,
    plan: StabilityDesign,
    each: TaskRunner,
    *,
    save: Save | None = None,
) -> Stability:
    """Do an experiment; `each` does the work on every run, `save` receives the samples drawn."""
    evaluation = studied(evaluation, plan)
    if plan.experiment in _OF_PASSAGES:
        done, frames = _OF_PASSAGES[plan.experiment](qrels, evaluation, plan, each, save)
        scores, values = done.scores, done.values
    else:
        scores = evaluation.scores(each(evaluation.score, "scoring"))
        values = values_of(scores)
        frames = _OF_TOPICS[plan.experiment](values, plan, save)
    return Stability(
        experiment=plan.experiment,
        frames=frames,
        runs=len(values.runs),
        topics=len(values.topics),
        settings={
            **scores.settings,
            "studied topics": str(len(values.topics)),
            **plan.settings(),
            **_participants(plan, frames),
        },
        notes=(*scores.notes, *plan.notes, *_few_runs(len(values.runs), plan.experiment)),
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
    five of the paper are taken. `levels` are in per cent. `participants` gives, for `leave-out`, the
    participant of each run by the run's name, and `pool_depth` how many of its parts count as found;
    `depths` are those of `depth`. `only` are the topics that count, as if no others were judged. `top`
    keeps the best runs by their scores on all these topics: 20 by the first measure, "20:AiP" by
    another, "1-5,8-9" those of these ranks. What is not given is the experiment's default; what is given and not used by the
    experiment is refused.

    >>> import foveal
    >>> qrels = {topic: {"a": 1} for topic in "1234"}
    >>> best, good = ({topic: {"b": 1.0, "a": score} for topic in "1234"} for score in (2.0, 0.5))
    >>> runs = {"best": best, "good": good}
    >>> study = foveal.stability(qrels, runs, "AP", experiment="topics", levels=[50])
    >>> study.curves.rows()
    [('AP', 50, 1.0, 0.0)]
    """
    plan = stability_design(
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
    best_of = None if top is None else RunRanks.parsed(top, minimum=FEWEST_RUNS)
    tables, judgements = coerced_runs(runs), Qrels.coerced(qrels).only(only)
    evaluation = Evaluation.of(
        judgements,
        names_of(measures),
        Choices.of(choices),
        stability_measures,
        stated={run.source: run.origin.task for run in tables},
    )

    def each(work: Callable[[Run], Result], label: str) -> list[Result]:
        return [work(run) for run in tables]

    if best_of is None:
        return stability_study(judgements, evaluation, plan, each)
    best = BestRuns.of(evaluation, best_of, each)
    tables = best.among(tables)
    return best.told(stability_study(judgements, evaluation, plan, each))


def _few_runs(runs: int, experiment: Experiment) -> Iterator[str]:
    """That there are too few pairs of runs to conclude much."""
    if runs >= FEW_RUNS:
        return
    pairs = runs * (runs - 1) // 2
    if experiment in {Experiment.ERROR_RATE, Experiment.SWAP}:
        why = "rates over so few pairs say little about other runs"
    elif pairs == 1:
        why = "τ can only be 1 or -1"
    else:
        why = f"τ falls by {2 / pairs:.2f} if one pair changes places"
    advice = "; to plan topics for one pair use the effect that `foveal compare` shows"
    few = "which is few" if pairs == 1 else "which are few"
    yield (
        f"{counted(runs, 'run')} make {counted(pairs, 'pair')}, {few}: {why}"
        f"{advice if experiment in _OF_TOPICS else ''}"
    )


def _participants(plan: StabilityDesign, frames: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """The participants that were left out, each with its number of runs."""
    if not plan.participants:
        return {}
    finders = (
        frames[StudyFrame.FINDERS]
        .select(columns.LEFT_OUT, columns.RUNS)
        .unique(maintain_order=True)
    )
    known = set(plan.participants.values())
    named = [
        f"{name} ({counted(runs, 'run')})" for name, runs in finders.iter_rows() if name in known
    ]
    if alone := finders.height - len(named):
        named.append(f"none given for {counted(alone, 'run')}")
    return {"participants": ", ".join(named)}


@frozen
class BestRuns:
    """The places of the best of many runs, and what a reader of a study on them must know."""

    places: tuple[int, ...]
    setting: str
    notes: tuple[str, ...]

    @classmethod
    def of(cls, evaluation: Evaluation, top: RunRanks, each: TaskRunner) -> BestRuns:
        """The best runs by their scores on all judgements; `each` does the work on every run."""
        by = replace(evaluation, measures=[choosing_measure(evaluation, top)])
        every = by.scores(each(by.score, "choosing"))
        best = every.top(top.ranks)
        places = tuple(every.runs.index(name) for name in best.runs)
        return cls(places, best.settings["top"], best.notes[len(every.notes) :])

    def among(self, runs: Sequence[Kept]) -> list[Kept]:
        """Those of all runs that are the best."""
        return [runs[place] for place in self.places]

    def told(self, found: Stability) -> Stability:
        """A study that tells on which runs it was done."""
        settings = {**found.settings, "top": self.setting}
        return replace(found, settings=settings, notes=(*found.notes, *self.notes))
