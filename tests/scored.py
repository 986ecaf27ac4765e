"""Scores made of numbers, without judgements or runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from foveal.tables import Scores

Rows = Mapping[str, Sequence[float] | np.ndarray]


def scores_of(runs: Rows, measure: str = "AP", **others: Rows) -> Scores:
    """The scores of runs, given as one value per topic, by one measure or several."""
    by_measure = {measure: runs, **others}
    frames = [
        pl.DataFrame(
            {"run": [name] * len(values), "topic": [f"t{n:04d}" for n in range(len(values))]}
            | {own: np.asarray(table[name], dtype=float) for own, table in by_measure.items()}
        )
        for name, values in runs.items()
    ]
    topics = pl.concat(frames)
    means = topics.group_by("run", maintain_order=True).agg(pl.col(*by_measure).mean())
    return Scores.of_frames(topics, means, {"task": "document"})


def simulated(runs: int, topics: int, seed: int = 7, *, spread: float = 0.1) -> Rows:
    """Runs of different quality on topics of different difficulty."""
    rng = np.random.default_rng(seed)
    difficulty, quality = rng.random(topics) * 0.5, rng.random(runs) * 0.2
    return {
        f"run{n}": np.clip(difficulty + quality[n] + rng.normal(0, spread, topics), 0, 1)
        for n in range(runs)
    }
