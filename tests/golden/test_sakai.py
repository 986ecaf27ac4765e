"""Values published by T. Sakai (2015) for the nDCG@5 of three systems over twenty topics."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.scored import scores_of
from tests.shared import needs, shared

from foveal.analysis import Comparison, compare, paired_t
from foveal.evaluation import Scores

DATA = shared("data", "sakai")
pytestmark = needs(DATA)


def _system(name: str) -> np.ndarray:
    return pl.read_csv(DATA / f"{name}.csv")["ndcg@5"].to_numpy()


@pytest.fixture(scope="module")
def scores() -> Scores:
    return scores_of({name: _system(name) for name in "XYZ"}, "nDCG@5")


def _pair(comparison: Comparison, better: str, worse: str) -> dict[str, float]:
    both = comparison.pairs.hstack(comparison.effects.drop("measure", "better", "worse"))
    return both.filter((pl.col("better") == better) & (pl.col("worse") == worse)).row(0, named=True)


def test_paired_t(scores: Scores) -> None:
    found = paired_t(_system("X") - _system("Y"))
    assert float(found.mean) == pytest.approx(0.0750, abs=5e-5)
    assert float(found.deviation) ** 2 == pytest.approx(0.0251, abs=5e-5)
    assert float(found.t) == pytest.approx(2.116, abs=5e-4)
    pair = _pair(compare(scores, test="t"), "X", "Y")
    assert pair["p"] == pytest.approx(0.048, abs=5e-4)
    assert pair["effect"] == pytest.approx(0.473, abs=5e-4)
    assert (pair["high"] - pair["low"]) / 2 == pytest.approx(0.0742, abs=5e-5)


def test_two_way_anova(scores: Scores) -> None:
    found = compare(scores, test="anova")
    runs, topics, residual = found.anova.iter_rows(named=True)
    assert runs["squares"] == pytest.approx(0.1083, abs=5e-5)
    assert topics["squares"] == pytest.approx(1.0293, abs=5e-5)
    assert residual["squares"] == pytest.approx(0.8317, abs=5e-5)
    assert (runs["f"], topics["f"]) == pytest.approx((2.475, 2.475), abs=5e-4)
    assert runs["p"] == pytest.approx(0.098, abs=5e-4)
    assert topics["p"] == pytest.approx(0.009, abs=5e-4)
    # The margin is that of a mean in the book; a difference has twice its variance.
    margins = ((found.effects["high"] - found.effects["low"]) / 2 / np.sqrt(2)).to_list()
    assert margins == pytest.approx([0.0670] * 3, abs=5e-5)


@pytest.mark.parametrize(
    ("better", "worse", "effect"), [("X", "Y", 0.5070), ("X", "Z", 0.6760), ("Y", "Z", 0.1690)]
)
def test_effects_of_tukeys_test(scores: Scores, better: str, worse: str, effect: float) -> None:
    found = compare(scores, test="tukey")
    assert _pair(found, better, worse)["effect"] == pytest.approx(effect, abs=5e-5)
