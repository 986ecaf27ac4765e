"""One evaluation for many runs: in a loop, judgements and measures are prepared once."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Unpack

import numpy as np

from foveal.choices import Copies
from foveal.conventions import Choices, ChoiceWords
from foveal.evaluation.evaluate import Evaluation
from foveal.evaluation.kernel_values import defined, kernel_values
from foveal.evaluation.run_inputs import with_chunk_lists, with_texts
from foveal.evaluation.scores import Scores
from foveal.measures import MeasuresLike, names_of
from foveal.tables import ChunksLike, Qrels, QrelsLike, RunLike, RunsLike, TextLookup, coerced_runs


class Evaluator:
    """Scores any number of runs against the same judgements, which are prepared once.

    Its arguments are those of `foveal.evaluate`, and it gives the same values. The task is that of
    the judgements, unless one is given. Threads may share it, and it can be sent to other processes.

    >>> import foveal
    >>> evaluator = foveal.Evaluator({"q1": {"d1": 1}}, ["AP", "RR"])
    >>> evaluator({"q1": {"d2": 9.0, "d1": 8.0}})["AP"]
    0.5
    >>> evaluator.values({"q1": {"d1": 9.0}})
    {'q1': {'AP': 1.0, 'RR': 1.0}}
    """

    def __init__(
        self,
        qrels: QrelsLike,
        measures: MeasuresLike = (),
        *,
        docs: TextLookup | None = None,
        copies: Copies | str = Copies.REFUSE,
        only: Iterable[str] | None = None,
        **choices: Unpack[ChoiceWords],
    ) -> None:
        self._docs, self._copies = docs, copies
        self._judgements = Qrels.coerced(qrels, docs, copies).only(only)
        self._evaluation = Evaluation.of(self._judgements, names_of(measures), Choices.of(choices))

    def __call__(
        self, runs: RunsLike, *, chunks: ChunksLike | Mapping[str, ChunksLike] | None = None
    ) -> Scores:
        """The scores of one run, a list of runs or {name: run}, which hold numbers and no runs."""
        tables = with_texts(coerced_runs(runs), self._docs, self._copies)
        run_scores = [self._evaluation.score(run) for run in with_chunk_lists(tables, chunks)]
        return self._evaluation.scores(run_scores, self._judgements)

    def values(self, run: RunLike) -> dict[str, dict[str, float]]:
        """{topic: {measure: value}} of one run, for loops that need neither notes nor frames.

        Measures are under their canonical names. A warning says if no document of the run is judged.
        """
        (table,) = with_texts(coerced_runs({"run": run}), self._docs, self._copies)
        alignment = self._evaluation.aligned(table)
        if not alignment.has_judged_documents:
            for note in alignment.topic_notes():
                warnings.warn(note, stacklevel=2)
        measures, rows = self._evaluation.measures, alignment.topics_with_rows
        topics = [self._evaluation.qrels.topics[number] for number in alignment.topics[rows]]
        values = np.vstack([defined(m, kernel_values(m, alignment))[rows] for m in measures])
        names = [measure.name for measure in measures]
        by_topic = zip(topics, values.T.tolist(), strict=True)
        return {topic: dict(zip(names, numbers, strict=True)) for topic, numbers in by_topic}
