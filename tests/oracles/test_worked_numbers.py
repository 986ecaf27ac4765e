"""Exact p and the smallest differences of published scores, and the power that they have by quadrature."""

from __future__ import annotations

from math import sqrt

import numpy as np
import polars as pl
import pytest
from scipy import stats
from scipy.integrate import quad
from statsmodels.stats.power import TTestPower

import foveal
from foveal.analysis import compare
from foveal.analysis._few_topics import smallest_difference, smallest_effect
from tests.scored import Rows, scores_of
from tests.shared import needs, shared

SAKAI, STATS = shared("data", "sakai"), shared("data", "stats")


def _xyz() -> Rows:
    return {name: pl.read_csv(SAKAI / f"{name}.csv")["ndcg@5"].to_numpy() for name in "XYZ"}


@needs(SAKAI)
def test_the_exact_p_of_xyz() -> None:
    """STATS.md §1.2; a permutation test of scipy gives 0.065926 for X and Y (10⁶ resamples)."""
    found = compare(scores_of(_xyz(), "nDCG@5"), resamples="all")
    # On one of the 20 topics the three score the same.
    assert found.settings["resamples"] == "all 524,288"
    assert found.pairs.select("better", "worse").rows() == [("X", "Y"), ("X", "Z"), ("Y", "Z")]
    assert found.pairs["p"].to_list() == pytest.approx([0.065918, 0.144608, 0.623535], abs=5e-7)
    assert (found.pairs["p"] * 2**19).to_list() == [34_560, 75_816, 326_912]
    adjusted = found.pairs["adjusted_p"].to_list()
    assert adjusted == pytest.approx([0.197754, 0.289215, 0.623535], abs=5e-7)
    assert found.pairs["p_error"].to_list() == [0.0] * 3


@needs(SAKAI)
def test_scores_in_files_of_xyz_against_a_baseline_and_their_variance() -> None:
    """STATS.md §3 and §5."""
    scores = foveal.read_scores(*(SAKAI / f"{name}.csv" for name in "XYZ"))
    found = compare(scores, resamples="all", baseline="Z")
    assert found.pairs.select("baseline_run", "run").rows() == [("Z", "X"), ("Z", "Y")]
    assert found.pairs["adjusted_p"].to_list() == pytest.approx([0.289215, 0.623535], abs=5e-7)
    shares = found.anova.select("omega_squared", "partial_eta_squared").rows()[:2]
    assert shares[0] == pytest.approx((0.046861, 0.115248), abs=5e-7)
    assert shares[1] == pytest.approx((0.318427, 0.553108), abs=5e-7)


@needs(SAKAI)
def test_the_smallest_difference_that_20_topics_of_xyz_show() -> None:
    runs = _xyz()
    two = np.array([runs["X"], runs["Y"]])
    assert smallest_difference(two, 0.05) == pytest.approx(0.104699, abs=5e-7)
    assert smallest_difference(np.array([*runs.values()]), 0.05) == pytest.approx(
        0.138176, abs=5e-7
    )
    assert compare(scores_of(runs, "nDCG@5"), resamples=9).smallest_difference(
        "nDCG@5"
    ) == pytest.approx(0.138176, abs=5e-7)


@needs(STATS)
def test_the_smallest_difference_that_trec_3_shows_by_its_topics() -> None:
    table = pl.read_csv(STATS / "adhoc3.csv")
    values = table.select(pl.exclude(table.columns[0])).to_numpy().T
    assert values.shape == (40, 50)
    residual = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    variance = (residual**2).sum() / (39 * 49)
    expected = {10: 0.147190, 25: 0.086308, 50: 0.059731, 100: 0.041809, 200: 0.029418}
    for topics, difference in expected.items():
        found = sqrt(2 * variance) * smallest_effect(topics, 0.05)
        assert found == pytest.approx(difference, abs=1e-6)
    assert smallest_difference(values, 0.05) == pytest.approx(0.059731, abs=1e-6)


@pytest.mark.parametrize(("effect", "topics"), [(1.94, 5), (0.66, 21), (0.31, 84), (0.20, 199)])
def test_effects_need_the_topics_that_the_exact_power_says(effect: float, topics: int) -> None:
    assert smallest_effect(topics, 0.05) <= effect < smallest_effect(topics - 1, 0.05)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("topics", [2, 3, 10, 50, 1000])
def test_the_smallest_effect_is_found_four_times_in_five(topics: int, alpha: float) -> None:
    effect, freedom = smallest_effect(topics, alpha), topics - 1
    reach = stats.t.ppf(1 - alpha / 2, freedom)

    def found(spread: float) -> float:
        """The chance of |t| beyond reach, where the spread was estimated as this share of the true."""
        away = effect * sqrt(topics)
        chance = stats.norm.sf(reach * spread - away) + stats.norm.cdf(-reach * spread - away)
        # The estimate is that of so many squares of normal numbers.
        density = stats.chi.pdf(spread * sqrt(freedom), freedom) * sqrt(freedom)
        return float(chance * density)

    middle, width = 1.0, 10 / sqrt(2 * freedom)
    power = quad(found, max(0.0, middle - width), middle + width, limit=500, epsabs=1e-12)[0]
    assert power == pytest.approx(0.8, abs=1e-8)
    if topics > 2:  # where statsmodels has a number
        assert TTestPower().power(effect, topics, alpha) == pytest.approx(0.8, abs=1e-9)


def test_without_a_spread_no_difference_is_the_smallest() -> None:
    values = np.array([[0.5, 0.25, 0.125], [0.25, 0.0, -0.125]])
    assert np.isnan(smallest_difference(values[:, :1], 0.05))
    assert np.isnan(smallest_difference(values[:1], 0.05))
    found = compare(scores_of({"a": values[0], "b": values[1]}, "Utility"))
    assert found.smallest_difference("Utility") is None
