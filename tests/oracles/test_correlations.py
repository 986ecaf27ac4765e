"""Rank agreement against scipy, loops, and every way of breaking ties."""

from __future__ import annotations

from itertools import groupby, permutations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from foveal.analysis import kendall_tau, rbo, spearman, tau_ap
from foveal.choices import ApTies, RboTies
from foveal.errors import UsageError

# Few values, so that ties are frequent; quarters are exact in binary.
rankings = st.integers(2, 5).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
)
persistence = st.sampled_from([0.5, 0.9])


def _orders(scores: list[float]) -> list[tuple[int, ...]]:
    """Every ranking, best first, that breaking the ties of the scores can give."""
    items = sorted(
        (i for i in range(len(scores)) if not np.isnan(scores[i])), key=lambda i: -scores[i]
    )
    groups = [list(group) for _, group in groupby(items, key=lambda i: scores[i])]
    return [
        tuple(item for part in parts for item in part)
        for parts in product(*(list(permutations(group)) for group in groups))
    ]


def _tau_ap_without_ties(truth: tuple[int, ...], ranked: tuple[int, ...]) -> float:
    shares = []
    for place in range(1, len(ranked)):
        above = ranked[:place]
        right = sum(truth.index(other) < truth.index(ranked[place]) for other in above)
        shares.append(right / place)
    return 2 * sum(shares) / len(shares) - 1


def _rbo_without_ties(one: tuple[int, ...], other: tuple[int, ...], p: float) -> float:
    """Equation 32 of Webber, Moffat and Zobel (2010)."""
    short, long = sorted((one, other), key=len)
    s, l = len(short), len(long)  # noqa: E741 (the paper's letters)
    shared = [0] + [len(set(short[:d]) & set(long[:d])) for d in range(1, l + 1)]
    total = sum(shared[d] / d * p**d for d in range(1, l + 1))
    total += sum(shared[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * total + ((shared[l] - shared[s]) / l + shared[s] / s) * p**l


def _rbo_in_loops(  # noqa: C901 (the definitions in one place)
    one: list[float], other: list[float], p: float, ties: str
) -> float:
    """The definitions of Corsi and Urbano (2024), item by item."""
    listed = [[item for item, score in enumerate(x) if score == score] for x in (one, other)]  # noqa: PLR0124 (not a number)
    if len(listed[0]) > len(listed[1]):
        return _rbo_in_loops(other, one, p, ties)
    s, l = map(len, listed)  # noqa: E741 (the paper's letters)

    def share(scores: list[float], item: int, depth: int) -> float:
        if np.isnan(scores[item]):
            return 0.0
        above = sum(score > scores[item] for score in scores)
        group = sum(score == scores[item] for score in scores)
        if ties == "w":
            return float(depth > above)
        return min(1.0, max(0.0, (depth - above) / group))

    def whole(left: list[float], right: list[float], depth: int) -> float:
        if ties == "a":
            return depth
        if ties == "w":
            return ((sum(left) if depth <= s else depth) + sum(right)) / 2
        squares = sum(a * a for a in left) if depth <= s else depth
        return float((squares * sum(b * b for b in right)) ** 0.5)

    total, overlap, at_s = 0.0, 0.0, 0.0
    for depth in range(1, l + 1):
        left = [share(one, item, depth) for item in range(len(one))]
        right = [share(other, item, depth) for item in range(len(one))]
        overlap = sum(a * b for a, b in zip(left, right, strict=True))
        supposed = 0.0
        if depth > s:
            only = [b for item, b in enumerate(right) if item not in listed[0] and b > 0]
            supposed = (depth - s) * at_s * sum(only) / len(only)
        agreement = (overlap + supposed) / whole(left, right, depth)
        at_s = agreement if depth == s else at_s
        total += (1 - p) * p ** (depth - 1) * agreement
    return total + p**l * (overlap + (l - s) * at_s) / l


@given(rankings)
def test_tau_and_rho_are_scipys(pair: tuple[list[int], list[int]]) -> None:
    assume(all(len(set(scores)) > 1 for scores in pair))
    one, other = np.array(pair, dtype=float) / 4
    assert float(kendall_tau(one, other)) == pytest.approx(stats.kendalltau(one, other).statistic)
    assert float(spearman(one, other)) == pytest.approx(stats.spearmanr(one, other).statistic)


@given(rankings)
def test_ap_correlation_a_is_the_mean_over_all_ways_to_break_ties(
    pair: tuple[list[int], list[int]],
) -> None:
    one, other = (list(map(float, scores)) for scores in pair)
    expected = np.mean([_tau_ap_without_ties(a, b) for a in _orders(one) for b in _orders(other)])
    found = tau_ap(np.array(one), np.array(other), ties=ApTies.A)
    assert float(found) == pytest.approx(expected)


@given(rankings)
def test_ap_correlation_b_compares_tie_groups_in_both_directions(
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
    found = tau_ap(np.array(one) / 4, np.array(other) / 4, ties=ApTies.B)
    assert float(found) == pytest.approx((directed(one, other) + directed(other, one)) / 2)


@st.composite
def uneven_rankings(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    """Two lists over the same items, each missing some but neither empty."""
    pair = draw(rankings)
    lists = []
    for scores in pair:
        missing = draw(st.sets(st.integers(0, len(scores) - 1), max_size=len(scores) - 1))
        lists.append([np.nan if i in missing else float(x) for i, x in enumerate(scores)])
    return lists[0], lists[1]


@given(uneven_rankings(), persistence)
def test_overlap_is_its_definition_for_uneven_lists(
    pair: tuple[list[float], list[float]], p: float
) -> None:
    one, other = pair
    for ties in RboTies:
        expected = pytest.approx(_rbo_in_loops(one, other, p, ties))
        assert float(rbo(np.array(one), np.array(other), p=p, ties=ties)) == expected
        assert float(rbo(np.array(other), np.array(one), p=p, ties=ties)) == expected


@given(rankings, persistence)
def test_overlap_a_is_the_mean_over_all_ways_to_break_ties(
    pair: tuple[list[int], list[int]], p: float
) -> None:
    one, other = (list(map(float, scores)) for scores in pair)
    expected = np.mean([_rbo_without_ties(a, b, p) for a in _orders(one) for b in _orders(other)])
    found = rbo(np.array(one), np.array(other), p=p, ties=RboTies.A)
    assert float(found) == pytest.approx(expected)


@pytest.mark.parametrize("ties", RboTies)
def test_without_ties_all_variants_of_overlap_are_the_classical_one(ties: RboTies) -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        one, other = rng.random((2, 8))
        one[rng.choice(8, 3, replace=False)] = np.nan
        other[rng.choice(8, 1)] = np.nan
        expected = _rbo_without_ties(_orders(list(one))[0], _orders(list(other))[0], 0.8)
        assert float(rbo(one, other, p=0.8, ties=ties)) == pytest.approx(expected)


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
    # Every way of breaking ties is as often right as wrong.
    assert float(tau_ap(ordered, tied, ties=ApTies.A)) == pytest.approx(0)


def test_scores_that_differ_by_rounding_are_tied() -> None:
    assert np.isnan(kendall_tau(np.array([0.3, 0.1 + 0.2]), np.array([1.0, 2.0])))


def test_overlap_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="got an empty one"):
        rbo(np.full(3, np.nan), np.arange(3.0))
    with pytest.raises(UsageError, match="between 0 and 1"):
        rbo(np.arange(3.0), np.arange(3.0), p=1.0)
