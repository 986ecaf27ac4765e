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

# Samples with more rows of judged documents in total are made again for every run: some 200 MB.
MAX_STORED_ROWS = 4_000_000
Result = TypeVar("Result")
SampleWriter = Callable[[str, Qrels | Sequence[str]], None]
Save = SampleWriter | None


class TaskRunner(Protocol):
    """Calls a function on every run, in any process, and gives the results in order."""

    def __call__(self, task: Callable[[Run], Result], label: str, /) -> list[Result]:
        """Run the task on every run; `label` names it for the progress bar."""


@frozen(eq=False)
class SampledRun:
    """One run's scores, and its means under samples: measures × samples."""

    scores: RunScores
    means: Floats


@frozen(eq=False)
class SampleScoring:
    """Scores a run under samples of the passages; it can be pickled and sent to other processes.

    `keep` has a row per sample and a column per passage. Every topic with something relevant counts
    once, or as often as it was chosen. If no topic counts, the mean is NaN.
    """

    evaluation: Evaluation
    keep: Bools
    stored_samples: list[PreparedQrels] = field(default_factory=list, repr=False)

    def __call__(self, run: Run) -> SampledRun:
        """The run's scores and its means under every sample."""
        aligned = self.evaluation.aligned(run)
        values, eligible = self.evaluation.sample_scores(aligned, self.keep, self._samples())
        weights: Ints = eligible.astype(np.int64)
        if (repetitions := self.evaluation.qrels.times) is not None:
            weights = weights * repetitions[aligned.topics]
        count = weights.sum(axis=1, keepdims=True)
        means = np.einsum("mst,st->ms", values, weights / np.where(count > 0, count, np.nan))
        return SampledRun(self.evaluation.scored(aligned), means)

    def _samples(self) -> Iterable[PreparedQrels]:
        """The prepared samples; stored for the next run unless they are too many."""
        if len(self.keep) * len(self.evaluation.qrels.topic) > MAX_STORED_ROWS:
            return self.evaluation.samples(self.keep)
        if not self.stored_samples:
            self.stored_samples.extend(self.evaluation.samples(self.keep))
        return self.stored_samples

    def __getstate__(self) -> dict[str, object]:
        """Pickle without the stored samples, which can be made again."""
        return {**self.__dict__, "stored_samples": []}


@frozen(eq=False)
class SampledRuns:
    """All runs: their scores, the values on each topic, and the means under samples.

    `means` is measures × samples × runs, the higher the better; its runs are in the
    order of `values`, and `order` has the index of each among the runs that were scored.
    """

    scores: Scores
    values: TopicValues
    means: Floats
    order: Ints


def sampled_runs(
    evaluation: Evaluation, each_run: TaskRunner, keep: Bools, *, label: str = "sampling"
) -> SampledRuns:
    """Score all runs under samples of the passages; see `SampleScoring`."""
    sampled = each_run(SampleScoring(evaluation, keep), label)
    scores = evaluation.scores([run.scores for run in sampled])
    values = values_of(scores)
    order = np.array([scores.runs.index(name) for name in values.runs])
    means = np.stack([sampled[index].means for index in order], axis=-1)
    return SampledRuns(scores, values, values.signs[:, None, None] * means, order)


def values_of(scores: Scores) -> TopicValues:
    """Values of every run on every topic; the topics must be the same for all runs."""
    if len(scores.runs) < 2:
        raise UsageError("a single run cannot be ranked: give two or more")
    values = TopicValues.of(scores, scores.measures, common_topics=True)
    topic_count = scores.topics[columns.TOPIC].n_unique()
    common_count = len(set(values.topics))
    if common_count < topic_count:
        raise DataError(
            f"the runs are scored on different topics, and only {common_count} of"
            f" {counted(topic_count, 'topic')} are common to all: let missing topics score 0 (--topics"
            " judged)"
        )
    return values


def studied(evaluation: Evaluation, design: StabilityDesign) -> Evaluation:
    """The evaluation restricted to topics with enough passages; checks that the design suits it."""
    qrels, conventions = evaluation.qrels, evaluation.conventions
    if design.disjoint and evaluation.chosen and evaluation.chosen.repeated:
        topic, repetitions = next(iter(evaluation.chosen.repeated.items()))
        alternatives = (
            "" if design.experiment is Experiment.SWAP else ", or --draw independent or bootstrap"
        )
        raise UsageError(
            "disjoint samples cannot be drawn of topics that count more than once, such as"
            f" {topic} ({repetitions:,} times): list every topic once{alternatives}"
        )
    if design.removes_passages and not len(qrels.passages):
        raise DataError(
            f"{design.experiment.value} takes passages away, but these judgements have no highlights:"
            " give judgements with highlights (formats inex, jsonl), or try topics or error-rate"
        )
    if design.removes_passages and conventions.repeats_count_without_highlights:
        raise UsageError(
            "with --like inex_eval the thorough task counts repeated text by what is highlighted, so"
            " that sizes would change with every sample: give --overlap once"
        )
    if design.removes_passages and conventions.overlap is Overlap.WASTE:
        raise UsageError(
            "with --overlap waste the text read depends on what is highlighted, so that sizes would"
            " change with every sample: give --overlap once or paid"
        )
    if not design.min_passages:
        return evaluation
    passages = np.bincount(passage_topics(qrels), minlength=len(qrels.topics))
    studied_qrels = qrels.only(passages >= design.min_passages)
    left_out = int(qrels.eligible.sum() - studied_qrels.eligible.sum())
    if not studied_qrels.eligible.any():
        raise DataError(
            f"no topic has {counted(design.min_passages, 'passage')}; the most that any has is"
            f" {passages.max(initial=0)}: give a smaller --min-passages"
        )
    notes = evaluation.notes
    if left_out:
        notes += (
            f"topics with fewer than {counted(design.min_passages, 'passage')} are left out: {left_out}",
        )
    return replace(evaluation, qrels=studied_qrels, notes=notes)


def passage_topics(qrels: PreparedQrels) -> Ints:
    """Index of each passage's topic."""
    return qrels.topic[qrels.passages.row]
