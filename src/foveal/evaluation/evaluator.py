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
from foveal.measures import MeasuresLike, names_of, parse_all
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
        names = names_of(measures)
        self._evaluation = Evaluation.of(self._judgements, names, Choices.of(choices))
        parsed = {name: parse_all([name], self._evaluation.conventions) for name in names}
        given = {expanded[0].name: name for name, expanded in parsed.items() if len(expanded) == 1}
        self._names = [
            given.get(measure.name, measure.name) for measure in self._evaluation.measures
        ]

    def __call__(
        self, runs: RunsLike, *, chunks: ChunksLike | Mapping[str, ChunksLike] | None = None
    ) -> Scores:
        """The scores of one run, a list of runs or {name: run}, which hold numbers and no runs."""
        tables = with_texts(coerced_runs(runs), self._docs, self._copies)
        run_scores = [self._evaluation.score(run) for run in with_chunk_lists(tables, chunks)]
        return self._evaluation.scores(run_scores, self._judgements)

    def values(self, run: RunLike) -> dict[str, dict[str, float]]:
        """{topic: {measure: value}} of one run, for loops that need neither notes nor frames.

        Measures are under the names that were given, those of a set under their own. A warning says
        if no document of the run is judged.
        """
        (table,) = with_texts(coerced_runs({"run": run}), self._docs, self._copies)
        alignment = self._evaluation.aligned(table)
        if not alignment.has_judged_documents:
            for note in alignment.topic_notes():
                warnings.warn(note, stacklevel=2)
        rows = alignment.topics_with_rows
        topics = [self._evaluation.qrels.topics[number] for number in alignment.topics[rows]]
        values = [defined(m, kernel_values(m, alignment))[rows] for m in self._evaluation.measures]
        by_topic = zip(topics, np.transpose(values).tolist(), strict=True)
        return {topic: dict(zip(self._names, numbers, strict=True)) for topic, numbers in by_topic}
