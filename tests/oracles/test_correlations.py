"""Rank agreement against scipy, loops, and every way of breaking ties."""

from __future__ import annotations

from itertools import groupby, permutations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from foveal.analysis import kendall_tau, rbo, spearman, tau_ap

# Few values, so that ties are frequent; quarters are exact in binary.
rankings = st.integers(2, 5).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
)


def _orders(scores: list[float]) -> list[tuple[int, ...]]:
    """Every ranking, best first, that breaking the ties of the scores can give."""
    items = sorted(range(len(scores)), key=lambda i: -scores[i])
    groups = [list(group) for _, group in groupby(items, key=lambda i: scores[i])]
    return [
        tuple(item for part in parts for item in part)
        for parts in product(*(list(permutations(group)) for group in groups))
    ]


def _rbo_without_ties(one: tuple[int, ...], other: tuple[int, ...], p: float) -> float:
    """Extrapolated overlap of lists of one length (Webber, Moffat and Zobel, 2010)."""
    depths = range(1, len(one) + 1)
    shared = [len(set(one[:d]) & set(other[:d])) / d for d in depths]
    total = sum(share * p**d for share, d in zip(shared, depths, strict=True))
    return (1 - p) / p * total + shared[-1] * p ** len(one)


@given(rankings)
def test_tau_and_rho_are_scipys(pair: tuple[list[int], list[int]]) -> None:
    assume(all(len(set(scores)) > 1 for scores in pair))
    one, other = np.array(pair, dtype=float) / 4
    assert float(kendall_tau(one, other)) == pytest.approx(stats.kendalltau(one, other).statistic)
    assert float(spearman(one, other)) == pytest.approx(stats.spearmanr(one, other).statistic)


@given(rankings)
def test_ap_correlation_compares_tie_groups_in_both_directions(
    pair: tuple[list[int], list[int]],
) -> None:
    assume(all(len(set(scores)) > 1 for scores in pair))

    def directed(x: list[int], y: list[int]) -> float:
        shares = []
        for i in range(len(y)):
            above = [j for j in range(len(y)) if y[j] > y[i]]
            if above:
                shares.append(sum(x[j] > x[i] for j in above) / len(above))
        return 2 * sum(shares) / len(shares) - 1

    one, other = pair
    found = tau_ap(np.array(one) / 4, np.array(other) / 4)
    assert float(found) == pytest.approx((directed(one, other) + directed(other, one)) / 2)


@given(rankings)
def test_overlap_is_the_mean_over_all_ways_to_break_ties(
    pair: tuple[list[int], list[int]],
) -> None:
    one, other = (list(map(float, scores)) for scores in pair)
    orders = [(a, b) for a in _orders(one) for b in _orders(other)]
    expected = np.mean([_rbo_without_ties(a, b, 0.9) for a, b in orders])
    assert float(rbo(np.array(one), np.array(other))) == pytest.approx(expected)


def test_one_reference_meets_many_samples_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    reference, samples = rng.integers(0, 9, 12) / 4, rng.integers(0, 9, (3, 50, 12)) / 4
    for coefficient in (kendall_tau, spearman, tau_ap, rbo):
        whole = coefficient(reference, samples)
        assert whole.shape == (3, 50)
        assert whole[2, 7] == pytest.approx(float(coefficient(reference, samples[2, 7])))
        with monkeypatch.context() as patch:
            patch.setattr("foveal.analysis._correlations.AT_ONCE", 500)
            assert coefficient(reference, samples) == pytest.approx(whole, abs=0)


def test_agreement_of_rankings_without_order_is_undefined() -> None:
    tied, ordered = np.ones(4), np.arange(4.0)
    for coefficient in (kendall_tau, spearman, tau_ap):
        assert np.isnan(coefficient(tied, ordered))
    assert np.isnan(kendall_tau(np.ones(1), np.ones(1)))


def test_scores_that_differ_by_rounding_are_tied() -> None:
    assert np.isnan(kendall_tau(np.array([0.3, 0.1 + 0.2]), np.array([1.0, 2.0])))
