"""How alike two rankings of the same systems are.

Every coefficient takes scores, the higher the better, systems along the last axis; the leading
axes are broadcast against each other, so that one call compares a reference with thousands of
samples. Where a coefficient is undefined (all systems tied, fewer than two) it is not a number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from foveal.analysis._checks import between_0_and_1
from foveal.choices import ApTies, RboTies
from foveal.errors import UsageError
from foveal.spans import Bools, Floats, Ints
from foveal.tables import EQUAL_WITHIN

Coefficient = Callable[[Floats, Floats], Floats]
PERSISTENCE = 0.9
# Comparisons that fit a processor's cache: more at a time take longer.
AT_ONCE = 400_000


def kendall_tau(first: Floats, second: Floats) -> Floats:
    """Kendall's τ-b: concordant less discordant pairs, over what ties leave possible."""
    return _in_blocks(_defined(_kendall), first, second)


def spearman(first: Floats, second: Floats) -> Floats:
    """Spearman's ρ: the correlation of ranks, tied systems sharing their mean rank."""
    return _in_blocks(_defined(_spearman), first, second)


def tau_ap(first: Floats, second: Floats, *, ties: ApTies = ApTies.B) -> Floats:
    """AP correlation (Yilmaz et al., 2008): Kendall's τ with more weight on the top of the ranking.

    Variant a asks how accurately `second` ranks if `first` is the truth; b how well the two agree.
    """
    if ties is ApTies.A:
        return _in_blocks(_defined(_expected_tau_ap), first, second)
    towards = _in_blocks(_defined(_tied_tau_ap), first, second)
    return (towards + _in_blocks(_defined(_tied_tau_ap), second, first)) / 2


def rbo(
    first: Floats, second: Floats, *, p: float = PERSISTENCE, ties: RboTies = RboTies.A
) -> Floats:
    """Rank-biased overlap, extrapolated beyond the end of the lists.

    `p` is the chance that a reader goes on to the next rank. An item whose score is not a number is
    missing from that list; the lists may have different items and lengths.
    """
    between_0_and_1("p of rank-biased overlap", p)
    if np.isnan(first).all(axis=-1).any() or np.isnan(second).all(axis=-1).any():
        raise UsageError("rank-biased overlap needs lists with at least one item, got an empty one")
    return _in_blocks(lambda one, other: _rbo(one, other, p, ties), first, second)


def _in_blocks(coefficient: Coefficient, first: Floats, second: Floats) -> Floats:
    """A coefficient over all leading axes, a bounded number of comparisons at a time."""
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    shape = np.broadcast_shapes(first.shape, second.shape)
    systems = shape[-1]
    # A single reference is not repeated, so that its pairs are compared once.
    pairs = [
        (array if array.ndim == 1 else np.broadcast_to(array, shape)).reshape(-1, systems)
        for array in (first, second)
    ]
    count = max(map(len, pairs))
    step = max(1, AT_ONCE // max(1, systems**2))
    parts = [
        coefficient(*(one if len(one) == 1 else one[start : start + step] for one in pairs))
        for start in range(0, count, step)
    ]
    return np.concatenate([np.zeros(0), *parts]).reshape(shape[:-1])


def _defined(coefficient: Coefficient) -> Coefficient:
    """The coefficient, not a number for rankings with a score that is not a number."""

    def found(first: Floats, second: Floats) -> Floats:
        unknown = np.isnan(first).any(axis=1) | np.isnan(second).any(axis=1)
        return np.where(unknown, np.nan, coefficient(first, second))

    return found


def _ahead(scores: Floats) -> Bools:
    """For each ranking, whether the row's system is better than the column's."""
    ahead: Bools = scores[:, :, None] > (scores + EQUAL_WITHIN)[:, None, :]
    return ahead


def _kendall(first: Floats, second: Floats) -> Floats:
    one, other = _ahead(first), _ahead(second)
    # Every pair that is not tied is ahead once: as (better, worse).
    alike, unlike = one & other, one & other.transpose(0, 2, 1)
    untied = _total(one) * _total(other)
    return _ratio(_total(alike) - _total(unlike), np.sqrt(untied))


def _spearman(first: Floats, second: Floats) -> Floats:
    # A system's mean rank is, up to a constant, half of those behind it less those ahead of it.
    one, other = (
        (ahead.sum(axis=2) - ahead.sum(axis=1)).astype(float)
        for ahead in (_ahead(first), _ahead(second))
    )
    spread = (one**2).sum(axis=1) * (other**2).sum(axis=1)
    return _ratio((one * other).sum(axis=1), np.sqrt(spread))


def _tied_tau_ap(pivots: Floats, judged_by: Floats) -> Floats:
    """Over systems below the top group: how many of those above are also above in `pivots`."""
    above = _ahead(judged_by)
    concordant, count = (above & _ahead(pivots)).sum(axis=1), above.sum(axis=1)
    shares = np.where(count > 0, concordant / np.maximum(count, 1), 0.0)
    return 2 * _ratio(shares.sum(axis=1), (count > 0).sum(axis=1)) - 1


def _total(pairs: Bools) -> Floats:
    """How many pairs of systems each ranking has."""
    return np.asarray(np.count_nonzero(pairs, axis=(1, 2)), dtype=float)


def _expected_tau_ap(truth: Floats, ranked: Floats) -> Floats:
    """The mean of AP correlation over every way of breaking ties.

    A system tied with t - 1 others below p systems takes each of the ranks p + 1 … p + t equally
    often, and those tied with it that come above it are in the right order half of the time.
    """
    ahead, better = _ahead(ranked), _ahead(truth)
    above = ahead.transpose(0, 2, 1)
    correct = (1.0 - better + better.transpose(0, 2, 1)) / 2
    higher, group = above.sum(axis=2), (~(ahead | above)).sum(axis=2)
    systems = ranked.shape[-1]
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, systems + 1))])
    # Σ 1/(p+k) over the places k = 0 … t-1 of the group; at the very top no system is above.
    places = harmonic[higher + group - 1] - harmonic[np.maximum(higher - 1, 0)]
    from_above = (above * correct).sum(axis=2) * places / group
    inside = (group - 1) - higher * (harmonic[higher + group - 1] - harmonic[higher])
    total = (from_above + inside / group / 2).sum(axis=1)
    return 2 * _ratio(total, np.full(len(total), systems - 1.0)) - 1


def _ratio(part: Floats, whole: Floats) -> Floats:
    """The quotient, not a number where the whole is 0."""
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1), np.nan)


def _rbo(first: Floats, second: Floats, p: float, ties: RboTies) -> Floats:
    short, long = sorted((first, second), key=_listed)
    shorter, longer = _listed(short), _listed(long)
    depths = np.arange(1, longer + 1)
    parts = [_contributions(scores, depths, ties) for scores in (short, long)]
    overlap = np.einsum("rsd,rsd->rd", *np.broadcast_arrays(*parts))
    possible = _possible(parts, depths, shorter, ties)
    agreement = overlap / possible
    at_end = agreement[:, shorter - 1]
    if shorter < longer:
        # Beyond the shorter list its unseen items are taken to agree as the seen ones did.
        only_long = np.isnan(short)[:, :, None] & (parts[1] > 0)
        weight = _ratio((parts[1] * only_long).sum(axis=1), only_long.sum(axis=1).astype(float))
        unseen = (depths - shorter) * at_end[:, None] * weight
        agreement = agreement + np.where(depths <= shorter, 0.0, unseen) / possible
    tail = (overlap[:, -1] + (longer - shorter) * at_end) / longer
    weights = p ** depths.astype(float)
    return cast(
        "Floats",
        (1 - p) / p * ((agreement * weights).sum(axis=1) + tail * p ** (longer + 1) / (1 - p)),
    )


def _listed(scores: Floats) -> int:
    """How many items the lists hold, which must be the same in all of them."""
    counts = (~np.isnan(scores)).sum(axis=1)
    if np.ptp(counts):
        raise UsageError("rank-biased overlap of many lists at once needs lists of equal length")
    return int(counts[0])


def _contributions(scores: Floats, depths: Ints, ties: RboTies) -> Floats:
    """How much of each item lies within the first d ranks, for every depth d."""
    ahead, missing = _ahead(scores), np.isnan(scores)
    above, below = ahead.sum(axis=1), ahead.sum(axis=2)
    # What is neither above nor below an item is tied with it, if it is on the list.
    group = np.maximum(_listed(scores) - above - below, 1)[:, :, None]
    depth = depths - above[:, :, None]
    whole = ties is RboTies.W or group.max() == 1
    share = (depth > 0) * 1.0 if whole else np.clip(depth / group, 0, 1)
    return np.where(missing[:, :, None], 0.0, share) if missing.any() else share


def _possible(parts: list[Floats], depths: Ints, shorter: int, ties: RboTies) -> Floats:
    """The overlap that perfect agreement would have at each depth."""
    if ties is RboTies.A:
        return depths * np.ones((1, 1))
    power = 1 if ties is RboTies.W else 2
    short, long = [(part**power).sum(axis=1) for part in parts]
    # Beyond its end the shorter list is taken to go on without ties.
    short = np.where(depths <= shorter, short, depths)
    whole = (short + long) / 2 if ties is RboTies.W else np.sqrt(short * long)
    return cast("Floats", whole)
