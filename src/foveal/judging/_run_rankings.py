"""Runs ranked by the judgements of one assessor and of another: does it matter who judged?"""

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
class ScoredByAll:
    """Scores a run by each of several judgements; it can be sent to other processes."""

    evaluations: Sequence[Evaluation]

    def __call__(self, run: Run) -> list[RunScores]:
        """The run's scores by each of the judgements."""
        whole = run.whole()
        return [evaluation.score(whole) for evaluation in self.evaluations]


@frozen(eq=False)
class RunRanking:
    """The runs to rank, and how.

    `each` does some work on each run; `stated` has the task that each run states, by its source.
    """

    measures: Sequence[str]
    choices: Choices
    stated: Mapping[str, Task | None]
    each: Callable[[ScoredByAll], Sequence[list[RunScores]]]


@frozen(eq=False)
class Rankings:
    """How alike runs are ranked by pairs of assessors, and the runs' means."""

    coefficients: pl.DataFrame
    means: pl.DataFrame
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def no_rankings() -> Rankings:
    """What is known of rankings without runs: nothing, in the same columns."""
    return Rankings(_coefficients([]), _means([]))


def ranked(shared: JointJudgements, tables: Mapping[str, Qrels], ranking: RunRanking) -> Rankings:
    """Rank runs by both assessors' judgements of the documents that both judged, pair by pair.

    Topics in which one of them found nothing relevant are left out: no run can be scored there.
    """
    sides = []
    for pair in np.unique(shared.pair):
        names = [shared.assessors[number] for number in shared.assessors_of(pair)]
        wanted = _relevant_to_both(shared, shared.pair == pair)
        sides += [(name, _restricted(tables[name], wanted)) for name in names if wanted.height]
    if not sides:
        raise DataError(
            "there is no topic in which two assessors found something relevant among the documents"
            " that both judged, so runs cannot be ranked by their judgements"
        )
    evaluations = _evaluations([qrels for _, qrels in sides], shared, ranking)
    runs = ranking.each(ScoredByAll(evaluations))
    if len(runs) < 2:
        raise UsageError("a single run cannot be ranked: give two or more")
    scores = [
        evaluation.scores(own, qrels)
        for evaluation, own, (_, qrels) in zip(
            evaluations, zip(*runs, strict=True), sides, strict=True
        )
    ]
    named = [name for name, _ in sides]
    pairs = [
        _Pair(named[at], named[at + 1], *map(_values, scores[at : at + 2]))
        for at in range(0, len(sides), 2)
    ]
    notes = dict.fromkeys(note for own in scores for note in own.notes)
    return Rankings(_coefficients(pairs), _means(pairs), scores[0].settings, tuple(notes))


@frozen(eq=False)
class _Pair:
    """What runs score by the judgements of two assessors."""

    first: str
    second: str
    one: TopicValues
    other: TopicValues

    @property
    def means(self) -> Iterator[tuple[str, Floats, Floats]]:
        """Every measure with the means of the runs by either assessor."""
        means = (values.values.mean(axis=2) for values in (self.one, self.other))
        return zip(self.one.measures, *means, strict=True)

    @property
    def merits(self) -> Iterator[tuple[str, Floats, Floats]]:
        """The same with signs by which more is better: two of the coefficients weigh the best runs."""
        return (
            (measure, sign * one, sign * other)
            for sign, (measure, one, other) in zip(self.one.signs, self.means, strict=True)
        )


def _relevant_to_both(shared: JointJudgements, own: Bools) -> pl.DataFrame:
    """The documents of a pair of assessors in topics where both found something relevant."""
    first, second = shared.first[own], shared.second[own]
    topic = shared.topic[first]
    found = [
        np.bincount(topic, shared.relevant[rows], len(shared.topics)) > 0
        for rows in (first, second)
    ]
    return shared.documents[first[(found[0] & found[1])[topic]]]


def _restricted(qrels: Qrels, wanted: pl.DataFrame) -> Qrels:
    """The judgements of some documents of topics."""
    key = [c.TOPIC, c.DOC]
    numbered = qrels.documents.select(key).with_row_index(c.ROW)
    kept = np.zeros(numbered.height, dtype=bool)
    kept[numbered.join(wanted, on=key, how="semi")[c.ROW].to_numpy()] = True
    return qrels.of_rows(kept)


def _evaluations(
    judgements: Sequence[Qrels], shared: JointJudgements, ranking: RunRanking
) -> list[Evaluation]:
    """An evaluation for each of the judgements, all by the same measures at the same task."""
    choices, without_text = ranking.choices, shared.documents_only
    if choices.task is None and 0 < len(without_text) < len(shared.assessors):
        choices = replace(choices, task=Task.DOCUMENT)
    first = Evaluation.of(
        judgements[0],
        ranking.measures,
        choices,
        lambda task: [overall_measure(task)],
        ranking.stated,
    )
    names = [measure.name for measure in first.measures]
    alike = replace(choices, task=first.task.task)
    return [first, *(Evaluation.of(qrels, names, alike) for qrels in judgements[1:])]


def _values(scores: Scores) -> TopicValues:
    return TopicValues.of(scores, scores.measures, common_topics=True)


def _coefficients(pairs: Sequence[_Pair]) -> pl.DataFrame:
    names = {c.MEASURE: pl.String, c.FIRST: pl.String, c.SECOND: pl.String, c.TOPICS: pl.Int64}
    rows = [
        (
            measure,
            pair.first,
            pair.second,
            len(pair.one.topics),
            *(float(found(one, other)) for found in COEFFICIENTS.values()),
        )
        for pair in pairs
        for measure, one, other in pair.merits
    ]
    schema = names | dict.fromkeys(COEFFICIENTS, pl.Float64)
    frame = pl.DataFrame(rows, schema, orient="row")
    return frame.with_columns(pl.col(*COEFFICIENTS).fill_nan(None))


def _means(pairs: Sequence[_Pair]) -> pl.DataFrame:
    rows = [
        (measure, pair.first, pair.second, run, mean, other)
        for pair in pairs
        for measure, *means in pair.means
        for run, mean, other in zip(pair.one.runs, *map(np.ndarray.tolist, means), strict=True)
    ]
    schema: dict[str, type[pl.DataType]] = {
        **dict.fromkeys((c.MEASURE, c.FIRST, c.SECOND, c.RUN), pl.String),
        **dict.fromkeys((c.FIRST_MEAN, c.SECOND_MEAN), pl.Float64),
    }
    return pl.DataFrame(rows, schema, orient="row")
