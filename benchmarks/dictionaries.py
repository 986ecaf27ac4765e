"""Dictionaries in memory, as most programs call an evaluator, beside pytrec_eval: in turns, processor time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytrec_eval

import foveal

SEED, SECONDS = 2021, 1.5
MEASURES = ["AP", "nDCG@10", "P@10"]
NAMES_OF_TREC_EVAL = {"map", "ndcg_cut_10", "P_10"}
# Topics, documents of each in the run and in the judgements, targets of a new call and a prepared one.
WORLDS = (
    (1, 10, 10, "", "≤ 0.25 ms"),
    (50, 100, 50, "≥ 1×", "≥ 1.5×"),
    (200, 1000, 100, "≥ 4×", "≥ 4×"),
    (2000, 100, 20, "", ""),
)
Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def figures(folder: Path) -> Iterator[tuple[str, str, str]]:  # as the others
    """Rows: the subject measured, its figure and the target."""
    rng = np.random.default_rng(SEED)
    for topics, depth, judged, target, target_prepared in WORLDS:
        qrels, run = _world(rng, topics, depth, judged)
        evaluator = foveal.Evaluator(qrels, MEASURES)
        peer = pytrec_eval.RelevanceEvaluator(qrels, NAMES_OF_TREC_EVAL)
        works: list[Callable[[], object]] = [
            lambda: foveal.evaluate(qrels, run, MEASURES),  # noqa: B023  # called in this turn
            lambda: pytrec_eval.RelevanceEvaluator(qrels, NAMES_OF_TREC_EVAL).evaluate(run),  # noqa: B023
            lambda: evaluator.values(run),  # noqa: B023
            lambda: peer.evaluate(run),  # noqa: B023
        ]
        new, peer_new, prepared, peer_prepared = _in_turns(works)
        yield f"dicts {topics:,} × {depth:,}, new call", f"{1000 * new:.2f} ms", ""
        yield "… pytrec_eval takes longer by", f"{peer_new / new:.2f}×", target
        yield "… prepared, values in dicts", f"{1000 * prepared:.2f} ms", ""
        yield "… pytrec_eval takes longer by", f"{peer_prepared / prepared:.2f}×", target_prepared


def _world(rng: np.random.Generator, topics: int, depth: int, judged: int) -> tuple[Qrels, Run]:
    """Judgements, and a run in no order whose documents are judged one time in five."""
    qrels, run = {}, {}
    for topic in range(topics):
        names = [
            f"D{number:07d}" for number in rng.choice(8_800_000, judged + depth, replace=False)
        ]
        pool = names[:judged]
        known = rng.permutation(pool)[: min(depth // 5, judged)].tolist()
        returned = rng.permutation([*known, *names[judged : judged + depth - len(known)]]).tolist()
        qrels[str(topic)] = dict(zip(pool, rng.integers(0, 3, judged).tolist(), strict=True))
        run[str(topic)] = dict(zip(returned, (rng.random(depth) * 30).tolist(), strict=True))
    return qrels, run


def _in_turns(works: list[Callable[[], object]]) -> list[float]:
    """The least processor time of each."""
    best = [float("inf")] * len(works)
    end = time.process_time() + SECONDS * len(works)
    while time.process_time() < end:
        for number, work in enumerate(works):
            start = time.process_time()
            work()
            best[number] = min(best[number], time.process_time() - start)
    return best
