"""INST, BPM and RBP against cwl_eval, the program of INST's authors."""

from __future__ import annotations

import numpy as np
import pytest
from cwl.ruler.measures.cwl_bpm import BPMCWLMetric
from cwl.ruler.measures.cwl_inst import INSTCWLMetric
from cwl.ruler.measures.cwl_rbp import RBPCWLMetric
from cwl.ruler.ranking import Ranking

from foveal import evaluate

TOPICS, LONGEST, DEPTH = 10, 40, 20_000


@pytest.mark.parametrize("top", [1, 2, 4])
@pytest.mark.parametrize("wanted", [0.75, 1.0, 3.5])
def test_readers_gain_as_much_as_in_cwl_eval(top: int, wanted: float) -> None:
    rng = np.random.default_rng(top)
    qrels, run, rankings = {}, {}, {}
    for topic in map(str, range(TOPICS)):
        length = int(rng.integers(1, LONGEST))
        grades = rng.integers(0, top + 1, length)
        is_judged = rng.random(length) < 0.8
        judged = {f"d{at}": int(grades[at]) for at in np.flatnonzero(is_judged)}
        qrels[topic] = judged | {"not returned": top}
        run[topic] = {f"d{at}": float(-at) for at in range(length)}
        gains = np.where(is_judged, grades / top, np.nan)
        rankings[topic] = Ranking(topic, gains, np.full(length, np.nan), max_n=DEPTH)
    asked = [
        # Their reader stops at DEPTH; ours goes beyond with this probability at most.
        (f"INST(T={wanted},max_rel={top})", INSTCWLMetric(wanted), 4 * wanted**2 / DEPTH),
        (f"BPM(T={wanted},max_rel={top})@7", BPMCWLMetric(wanted, 7), 1e-12),
        (f"RBP(p=0.9,max_rel={top})", RBPCWLMetric(0.9), 1e-12),
    ]
    ours = evaluate(qrels, run, [name for name, _, _ in asked]).topics
    theirs = [
        [metric.measure(rankings[topic]) for topic in ours["topic"]] for _, metric, _ in asked
    ]
    assert ours.height == TOPICS
    for place, (_, _, close) in enumerate(asked):
        np.testing.assert_allclose(ours[:, 2 + place], theirs[place], rtol=0, atol=close)
