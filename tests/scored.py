"""Scores made of numbers, without judgements or runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from foveal.evaluation import RunScores, Scores

Rows = Mapping[str, Sequence[float] | np.ndarray]


def scores_of(runs: Rows, measure: str = "AP", **others: Rows) -> Scores:
    """The scores of runs, given as one value per topic, by one measure or several."""
    by_measure = {measure: runs, **others}
    values = []
    for name, first in runs.items():
        own = np.array([np.asarray(table[name], dtype=float) for table in by_measure.values()])
        topics = [f"t{n:04d}" for n in range(len(first))]
        values.append(RunScores(name, topics, own, own.mean(axis=1).tolist()))
    return Scores([*by_measure], values, {"task": "document"})


def at_topics(scores: Scores, places: Mapping[str, Sequence[int]]) -> Scores:
    """The scores with each run's topics in another order, repeated, or only some of them."""
    values = [
        replace(
            run,
            topics=[run.topics[place] for place in places[run.name]],
            values=run.values[:, list(places[run.name])],
        )
        for run in scores.values
    ]
    return replace(scores, values=values)


def simulated(runs: int, topics: int, seed: int = 7, *, spread: float = 0.1) -> Rows:
    """Runs of different quality on topics of different difficulty."""
    rng = np.random.default_rng(seed)
    difficulty, quality = rng.random(topics) * 0.5, rng.random(runs) * 0.2
    return {
        f"run{n}": np.clip(difficulty + quality[n] + rng.normal(0, spread, topics), 0, 1)
        for n in range(runs)
    }
