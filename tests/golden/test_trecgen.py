"""The figures of trecgen2007_score.py, the script of TREC Genomics 2007, for a run of that track.

It prints eight decimals. The figures are the means over topics that `shared/data/genomics` states.
"""

from __future__ import annotations

import pytest
from tests.shared import needs, shared

from foveal import Qrels, Run, evaluate, read_qrels, read_run

GENOMICS = shared("data", "genomics")
ROUNDING = 5e-9
FIGURES = {
    "AP": 0.20132516,
    "passageAP": 0.06482101,
    "aspectAP": 0.12082958,
    "charAP": 0.05783347,
}

pytestmark = needs(GENOMICS)


@pytest.fixture(scope="module")
def gold() -> Qrels:
    return read_qrels(GENOMICS / "gold-standard-07.txt.gz", "trecgen")


@pytest.fixture(scope="module")
def run() -> Run:
    return read_run(GENOMICS / "york07-ga-04.txt.gz", "trecgen")


def test_every_figure_of_the_script(gold: Qrels, run: Run) -> None:
    scores = evaluate(gold, run, list(FIGURES), like="trecgen2007")
    found = scores.overall.row(0, named=True)
    assert {name: found[name] for name in FIGURES} == pytest.approx(FIGURES, abs=ROUNDING, rel=0)
    assert scores.topics.height == 36


def test_the_whole_gold_standard_is_read(gold: Qrels) -> None:
    assert (gold.documents.height, gold.passages.height) == (2490, 4492)
    aspects = gold.judgements.aspects
    assert aspects is not None
    assert "KR\xfcPPEL" in aspects.names
    assert not aspects.is_whole.any()
