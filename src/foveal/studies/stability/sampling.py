"""Runs scored under many samples of the judgements, one run in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import Protocol, TypeVar

import numpy as np

from foveal.alignment import PreparedQrels
from foveal.analysis import TopicValues
from foveal.choices import Experiment, Overlap
from foveal.errors import DataError, UsageError, counted
from foveal.evaluation import Evaluation, RunScores, Scores
from foveal.frozen import frozen
from foveal.spans import Bools, Floats, Ints
from foveal.studies.stability.design import StabilityDesign
from foveal.tables import Qrels, Run, columns

# Judged documents, counted once for every sample, that are kept from run to run: some 200 MB.
HELD_ROWS = 4_000_000
Result = TypeVar("Result")
Save = Callable[[str, Qrels | Sequence[str]], None]


class TaskRunner(Protocol):
    """Calls a function on every run, in any process, and gives the results in order."""

    def __call__(self, work: Callable[[Run], Result], label: str) -> list[Result]:
        """The results; `label` says what is being done."""


@frozen(eq=False)
class SampledRun:
    """One run's scores, and its means under samples: measures × samples."""

    scores: RunScores
    means: Floats


@frozen(eq=False)
class SampleScoring:
    """Scores a run under samples of the passages; a value, so that it can be sent elsewhere.

    `kept` has a row per sample and a column per passage. Every topic with something relevant counts
    once, or as often as it was chosen. Where no topic counts, the mean is not a number.
    """

    evaluation: Evaluation
    kept: Bools
    held: list[PreparedQrels] = field(default_factory=list, repr=False)

    def __call__(self, run: Run) -> SampledRun:
        """The run's scores and its means under every sample."""
        aligned = self.evaluation.aligned(run)
        values, eligible = self.evaluation.sample_scores(aligned, self.kept, self._samples())
        weights: Ints = eligible.astype(np.int64)
        if (times := self.evaluation.judged.times) is not None:
            weights = weights * times[aligned.topics]
        count = weights.sum(axis=1, keepdims=True)
        means = np.einsum("mst,st->ms", values, weights / np.where(count > 0, count, np.nan))
        return SampledRun(self.evaluation.scored(aligned), means)

    def _samples(self) -> Iterable[PreparedQrels]:
        """The samples made ready; held for the next run unless they are too many."""
        if len(self.kept) * len(self.evaluation.judged.topic) > HELD_ROWS:
            return self.evaluation.samples(self.kept)
        if not self.held:
            self.held.extend(self.evaluation.samples(self.kept))
        return self.held

    def __getstate__(self) -> dict[str, object]:
        """Travel between processes without what can be made again."""
        return {**self.__dict__, "held": []}


@frozen(eq=False)
class SampledRuns:
    """All runs: their scores, the values on each topic, and the means under samples.

    `means` is measures × samples × runs, the higher the better; its runs are in the
    order of `values`, and `order` has the place of each among the runs that were scored.
    """

    scores: Scores
    values: TopicValues
    means: Floats
    order: Ints


def sampled_runs(
    evaluation: Evaluation, each: TaskRunner, kept: Bools, *, label: str = "sampling"
) -> SampledRuns:
    """All runs scored under samples of the passages; see `SampleScoring`."""
    done = each(SampleScoring(evaluation, kept), label)
    scores = evaluation.scores([run.scores for run in done])
    values = values_of(scores)
    order = np.array([scores.runs.index(name) for name in values.runs])
    means = np.stack([done[place].means for place in order], axis=-1)
    return SampledRuns(scores, values, values.signs[:, None, None] * means, order)


def values_of(scores: Scores) -> TopicValues:
    """What every run scores on every topic, which must be the same topics for all."""
    if len(scores.runs) < 2:
        raise UsageError("a single run cannot be ranked: give two or more")
    values = TopicValues.of(scores, scores.measures, common_topics=True)
    every = scores.topics[columns.TOPIC].n_unique()
    common = len(set(values.topics))
    if common < every:
        raise DataError(
            f"the runs are scored on different topics, and only {common} of"
            f" {counted(every, 'topic')} are common to all: let missing topics score 0 (--topics"
            " judged)"
        )
    return values


def studied(evaluation: Evaluation, plan: StabilityDesign) -> Evaluation:
    """The evaluation on the topics that have enough passages."""
    judged, conventions = evaluation.judged, evaluation.conventions
    if plan.disjoint and evaluation.chosen and evaluation.chosen.repeated:
        topic, times = next(iter(evaluation.chosen.repeated.items()))
        otherwise = (
            "" if plan.experiment is Experiment.SWAP else ", or --draw independent or bootstrap"
        )
        raise UsageError(
            "disjoint samples cannot be drawn of topics that count more than once, such as"
            f" {topic} ({times:,} times): list every topic once{otherwise}"
        )
    if plan.of_passages and not len(judged.passages):
        raise DataError(
            f"{plan.experiment.value} takes passages away, but these judgements have no highlights:"
            " give judgements with highlights (formats inex, jsonl), or try topics or error-rate"
        )
    if plan.of_passages and conventions.repeats_count_without_highlights:
        raise UsageError(
            "with --like inex_eval the thorough task counts repeated text by what is highlighted, so"
            " that sizes would change with every sample: give --overlap once"
        )
    if plan.of_passages and conventions.overlap is Overlap.WASTE:
        raise UsageError(
            "with --overlap waste the text read depends on what is highlighted, so that sizes would"
            " change with every sample: give --overlap once or paid"
        )
    if not plan.min_passages:
        return evaluation
    passages = np.bincount(passage_topics(judged), minlength=len(judged.topics))
    enough = judged.only(passages >= plan.min_passages)
    left_out = int(judged.eligible.sum() - enough.eligible.sum())
    if not enough.eligible.any():
        raise DataError(
            f"no topic has {counted(plan.min_passages, 'passage')}; the most that any has is"
            f" {passages.max(initial=0)}: give a smaller --min-passages"
        )
    notes = evaluation.notes
    if left_out:
        notes += (
            f"topics with fewer than {counted(plan.min_passages, 'passage')} are left out: {left_out}",
        )
    return replace(evaluation, judged=enough, notes=notes)


def passage_topics(judged: PreparedQrels) -> Ints:
    """The number of each passage's topic."""
    return judged.topic[judged.passages.row]
