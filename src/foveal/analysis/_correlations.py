"""Correlation coefficients of two rankings of the same systems.

Every coefficient takes scores, the higher the better, systems along the last axis; the leading
axes are broadcast against each other, so that one call compares a reference with thousands of
samples. An undefined coefficient (all systems tied, fewer than two) is NaN.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foveal.spans import Bools, Floats, Ints
from foveal.tables import EQUAL_WITHIN, columns

Coefficient = Callable[[Floats, Floats], Floats]
# The probability that a reader goes on to the next rank, in rank-biased overlap.
PERSISTENCE = 0.9
# Comparisons that fit into the processor's cache: more at a time take longer.
AT_ONCE = 400_000


def ranks_of(means: Floats) -> Ints:
    """Ranks from 1 along the last axis, tied systems sharing the best."""
    ahead = means[..., None, :] - means[..., :, None] > EQUAL_WITHIN
    ranks: Ints = 1 + ahead.sum(axis=-1)
    return ranks


def kendall_tau(first: Floats, second: Floats) -> Floats:
    """Kendall's τ-b: concordant less discordant pairs, over what ties leave possible."""
    return _in_blocks(_kendall, first, second)


def spearman(first: Floats, second: Floats) -> Floats:
    """Spearman's ρ: the correlation of ranks, tied systems sharing their mean rank."""
    return _in_blocks(_spearman, first, second)


def tau_ap(first: Floats, second: Floats) -> Floats:
    """AP correlation (Yilmaz et al., 2008): Kendall's τ with more weight on the top of the ranking.

    Neither ranking is the truth: ties are compared as ties, in both directions (variant b of Urbano
    and Marrero, 2017).
    """
    towards = _in_blocks(_tied_tau_ap, first, second)
    return (towards + _in_blocks(_tied_tau_ap, second, first)) / 2


def rbo(first: Floats, second: Floats) -> Floats:
    """Rank-biased overlap (Webber et al., 2010), extrapolated beyond the end of the lists.

    The order of tied systems is unknown: it is the mean over every way of breaking ties (variant a
    of Corsi and Urbano, 2024).
    """
    return _in_blocks(_rbo, first, second)


COEFFICIENTS: dict[str, Coefficient] = {
    columns.TAU: kendall_tau,
    columns.TAU_AP: tau_ap,
    columns.SPEARMAN: spearman,
    columns.RBO: rbo,
}


def _in_blocks(coefficient: Coefficient, first: Floats, second: Floats) -> Floats:
    """A coefficient over all leading axes, a bounded number of comparisons at a time.

    It is NaN for rankings with a score that is NaN.
    """

    def defined(first: Floats, second: Floats) -> Floats:
        has_nan = np.isnan(first).any(axis=1) | np.isnan(second).any(axis=1)
        return np.where(has_nan, np.nan, coefficient(first, second))

    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    shape = np.broadcast_shapes(first.shape, second.shape)
    systems = shape[-1]
    # A single reference is not repeated, so that its pairs are compared once.
    arrays = [
        (array if array.ndim == 1 else np.broadcast_to(array, shape)).reshape(-1, systems)
        for array in (first, second)
    ]
    count = max(map(len, arrays))
    step = max(1, AT_ONCE // max(1, systems**2))
    parts = [
        defined(*(array if len(array) == 1 else array[start : start + step] for array in arrays))
        for start in range(0, count, step)
    ]
    return np.concatenate([np.zeros(0), *parts]).reshape(shape[:-1])


def _ahead(scores: Floats) -> Bools:
    """Mask, rankings × systems × systems: the first system is better than the second."""
    return scores[:, :, None] > (scores + EQUAL_WITHIN)[:, None, :]


def _kendall(first: Floats, second: Floats) -> Floats:
    in_first, in_second = _ahead(first), _ahead(second)
    # Every untied pair is counted once: as (better, worse).
    concordant, discordant = in_first & in_second, in_first & in_second.transpose(0, 2, 1)
    untied = _total(in_first) * _total(in_second)
    return _ratio(_total(concordant) - _total(discordant), np.sqrt(untied))


def _spearman(first: Floats, second: Floats) -> Floats:
    # A system's mean rank is, up to a constant, half of those behind it less those ahead of it.
    first_ranks, second_ranks = (
        (ahead.sum(axis=2) - ahead.sum(axis=1)).astype(float)
        for ahead in (_ahead(first), _ahead(second))
    )
    spread = (first_ranks**2).sum(axis=1) * (second_ranks**2).sum(axis=1)
    return _ratio((first_ranks * second_ranks).sum(axis=1), np.sqrt(spread))


def _tied_tau_ap(pivots: Floats, reference: Floats) -> Floats:
    """AP correlation in one direction: shares of the systems above one that `pivots` has above it, too."""
    above = _ahead(reference)
    concordant, count = (above & _ahead(pivots)).sum(axis=1), above.sum(axis=1)
    shares = np.where(count > 0, concordant / np.maximum(count, 1), 0.0)
    return 2 * _ratio(shares.sum(axis=1), (count > 0).sum(axis=1)) - 1


def _total(pairs: Bools) -> Floats:
    """The number of pairs of systems in each ranking's mask."""
    return np.asarray(np.count_nonzero(pairs, axis=(1, 2)), dtype=float)


def _ratio(part: Floats, total: Floats) -> Floats:
    """The quotient; NaN if the total is 0."""
    return np.where(total > 0, part / np.where(total > 0, total, 1), np.nan)


def _rbo(first: Floats, second: Floats) -> Floats:
    depths = np.arange(1, first.shape[1] + 1)
    shares = [_shares(scores, depths) for scores in (first, second)]
    agreement = np.einsum("rsd,rsd->rd", *np.broadcast_arrays(*shares)) / depths
    p = PERSISTENCE
    # Extrapolation: beyond the end the lists agree as they do at the end.
    tail = agreement[:, -1] * p ** (len(depths) + 1) / (1 - p)
    total: Floats = (1 - p) / p * ((agreement * p ** depths.astype(float)).sum(axis=1) + tail)
    return total


def _shares(scores: Floats, depths: Ints) -> Floats:
    """The share of each system that is within the first d ranks, for every depth d."""
    ahead = _ahead(scores)
    above, below = ahead.sum(axis=1)[:, :, None], ahead.sum(axis=2)[:, :, None]
    # A system that is neither above nor below another is tied with it.
    shares: Floats = np.clip((depths - above) / (len(depths) - above - below), 0, 1)
    return shares
