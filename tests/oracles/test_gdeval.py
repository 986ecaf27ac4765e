"""ERR and nDCG with exponential gains against gdeval, TREC's script, which ir_measures brings along."""

from __future__ import annotations

import shutil

import ir_measures
import numpy as np
import pytest
from ir_measures import ERR, nDCG

from foveal import evaluate

pytestmark = pytest.mark.skipif(
    shutil.which("perl") is None, reason="gdeval is a Perl script, and Perl is not on this machine"
)
TOPICS, JUDGED, RETRIEVED = 40, 12, 25
# gdeval prints five decimals.
CLOSE = 0.5e-5 + 1e-12


def test_graded_lists_score_as_in_gdeval() -> None:
    rng = np.random.default_rng(11)
    qrels = {
        str(topic): {f"d{doc}": int(rng.integers(-1, 5)) for doc in range(JUDGED)}
        for topic in range(1, TOPICS)
    }
    run = {
        topic: {
            f"d{doc}": float(score)
            for doc, score in zip(
                rng.permutation(2 * RETRIEVED)[:RETRIEVED],
                rng.permutation(100)[:RETRIEVED],
                strict=True,
            )
        }
        for topic in qrels
    }
    theirs = {
        (found.query_id, found.measure): found.value
        for found in ir_measures.gdeval.iter_calc(
            [ERR @ 5, ERR @ 20, nDCG(dcg="exp-log2") @ 5, nDCG(dcg="exp-log2") @ 20], qrels, run
        )
    }
    asked = {
        "ERR(max_rel=4)@5": ERR @ 5,
        "ERR(max_rel=4)@20": ERR @ 20,
        "nDCG(dcg='exp-log2')@5": nDCG(dcg="exp-log2") @ 5,
        "nDCG(dcg='exp-log2')@20": nDCG(dcg="exp-log2") @ 20,
    }
    ours = evaluate(qrels, run, list(asked))
    compared = 0
    for ours_name, their_name in asked.items():
        for topic, value in ours.topics.select("topic", ours_name).iter_rows():
            assert value == pytest.approx(theirs[topic, their_name], abs=CLOSE)
            compared += 1
    assert compared == len(theirs) == 4 * (TOPICS - 1)
