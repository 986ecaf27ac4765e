"""Rankings of runs by the judgements of two assessors: does it matter who judged?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace

import numpy as np

from foveal.analysis import COEFFICIENTS, TopicValues
from foveal.choices import Task
from foveal.conventions import Choices
from foveal.errors import DataError, UsageError
from foveal.evaluation import Evaluation, RunScores, Scores
from foveal.frozen import frozen
from foveal.judging._joint_judgements import JointJudgements
from foveal.late import pl
from foveal.measures import overall_measure
from foveal.spans import Bools, Floats
from foveal.tables import Qrels, Run
from foveal.tables import columns as c


@frozen(eq=False)
class MultiScoring:
    """Scores a run by each of several judgements; it can be sent to other processes."""

    evaluations: Sequence[Evaluation]

    def __call__(self, run: Run) -> list[RunScores]:
        """Score the run by each of the judgements."""
        whole_run = run.whole()
        return [evaluation.score(whole_run) for evaluation in self.evaluations]


@frozen(eq=False)
class RunRanking:
    """The runs to rank, with measures and choices.

    `for_each_run` calls a task on every run; `stated_tasks` has the task that each run states, by source.
    """

    measures: Sequence[str]
    choices: Choices
    stated_tasks: Mapping[str, Task | None]
    for_each_run: Callable[[MultiScoring], Sequence[list[RunScores]]]


@frozen(eq=False)
class Rankings:
    """Agreement of the rankings of runs by pairs of assessors, and the runs' means."""

    coefficients: pl.DataFrame
    means: pl.DataFrame
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def no_rankings() -> Rankings:
    """Empty frames with the usual columns, if there are no runs."""
    return Rankings(_coefficients([]), _means([]))


def rank_runs(joint: JointJudgements, tables: Mapping[str, Qrels], ranking: RunRanking) -> Rankings:
    """Rank runs by both assessors' judgements of the documents that both judged, pair by pair.

    Topics in which one of them found nothing relevant are left out, because runs cannot be scored.
    """
    sides = []
    for pair in np.unique(joint.pair):
        names = [joint.assessors[number] for number in joint.assessors_of(pair)]
        rows = _relevant_to_both(joint, joint.pair == pair)
        sides += [(name, _restricted(tables[name], rows)) for name in names if rows.height]
    if not sides:
        raise DataError(
            "there is no topic in which two assessors found something relevant among the documents"
            " that both judged, so runs cannot be ranked by their judgements"
        )
    evaluations = _evaluations([qrels for _, qrels in sides], joint, ranking)
    runs = ranking.for_each_run(MultiScoring(evaluations))
    if len(runs) < 2:
        raise UsageError("a single run cannot be ranked: give two or more")
    scores = [
        evaluation.scores(run_scores, qrels)
        for evaluation, run_scores, (_, qrels) in zip(
            evaluations, zip(*runs, strict=True), sides, strict=True
        )
    ]
    assessors = [name for name, _ in sides]
    pairs = [
        _PairValues(assessors[i], assessors[i + 1], *map(_values, scores[i : i + 2]))
        for i in range(0, len(sides), 2)
    ]
    notes = dict.fromkeys(note for side_scores in scores for note in side_scores.notes)
    return Rankings(_coefficients(pairs), _means(pairs), scores[0].settings, tuple(notes))


@frozen(eq=False)
class _PairValues:
    """Values of runs by the judgements of two assessors."""

    first: str
    second: str
    values: TopicValues
    other_values: TopicValues

    @property
    def means(self) -> Iterator[tuple[str, Floats, Floats]]:
        """Each measure with the means of the runs by the first and by the second assessor."""
        means = (values.values.mean(axis=2) for values in (self.values, self.other_values))
        return zip(self.values.measures, *means, strict=True)

    @property
    def merits(self) -> Iterator[tuple[str, Floats, Floats]]:
        """The means with signs so that more is better: two of the coefficients weigh the best runs."""
        return (
            (measure, sign * first, sign * second)
            for sign, (measure, first, second) in zip(self.values.signs, self.means, strict=True)
        )


def _relevant_to_both(joint: JointJudgements, is_of_pair: Bools) -> pl.DataFrame:
    """Documents that a pair of assessors judged, in topics where both found something relevant."""
    first, second = joint.first[is_of_pair], joint.second[is_of_pair]
    topic = joint.topic[first]
    has_relevant = [
        np.bincount(topic, joint.relevant[rows], len(joint.topics)) > 0 for rows in (first, second)
    ]
    return joint.documents[first[(has_relevant[0] & has_relevant[1])[topic]]]


def _restricted(qrels: Qrels, documents: pl.DataFrame) -> Qrels:
    """The judgements on the given topics and documents."""
    key = [c.TOPIC, c.DOC]
    numbered = qrels.documents.select(key).with_row_index(c.ROW)
    keep = np.zeros(numbered.height, dtype=bool)
    keep[numbered.join(documents, on=key, how="semi")[c.ROW].to_numpy()] = True
    return qrels.of_rows(keep)


def _evaluations(
    judgements: Sequence[Qrels], joint: JointJudgements, ranking: RunRanking
) -> list[Evaluation]:
    """An evaluation for each of the judgements, all with the same measures and task."""
    choices, without_text = ranking.choices, joint.documents_only
    if choices.task is None and 0 < len(without_text) < len(joint.assessors):
        choices = replace(choices, task=Task.DOCUMENT)
    first = Evaluation.of(
        judgements[0],
        ranking.measures,
        choices,
        lambda task: [overall_measure(task)],
        ranking.stated_tasks,
    )
    names = [measure.name for measure in first.measures]
    same_task = replace(choices, task=first.task.task)
    return [first, *(Evaluation.of(qrels, names, same_task) for qrels in judgements[1:])]


def _values(scores: Scores) -> TopicValues:
    return TopicValues.of(scores, scores.measures, common_topics=True)


def _coefficients(pairs: Sequence[_PairValues]) -> pl.DataFrame:
    names = {c.MEASURE: pl.String, c.FIRST: pl.String, c.SECOND: pl.String, c.TOPICS: pl.Int64}
    rows = [
        (
            measure,
            pair.first,
            pair.second,
            len(pair.values.topics),
            *(float(coefficient(first, second)) for coefficient in COEFFICIENTS.values()),
        )
        for pair in pairs
        for measure, first, second in pair.merits
    ]
    schema = names | dict.fromkeys(COEFFICIENTS, pl.Float64)
    frame = pl.DataFrame(rows, schema, orient="row")
    return frame.with_columns(pl.col(*COEFFICIENTS).fill_nan(None))


def _means(pairs: Sequence[_PairValues]) -> pl.DataFrame:
    rows = [
        (measure, pair.first, pair.second, run, first, second)
        for pair in pairs
        for measure, *means in pair.means
        for run, first, second in zip(pair.values.runs, *map(np.ndarray.tolist, means), strict=True)
    ]
    schema: dict[str, type[pl.DataType]] = {
        **dict.fromkeys((c.MEASURE, c.FIRST, c.SECOND, c.RUN), pl.String),
        **dict.fromkeys((c.FIRST_MEAN, c.SECOND_MEAN), pl.Float64),
    }
    return pl.DataFrame(rows, schema, orient="row")
