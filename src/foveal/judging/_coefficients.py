"""Coefficients of agreement from counts: closed forms, for many sets of counts at once.

A coefficient is NaN if it is undefined, as when all assessors make the same choice everywhere.
Counts are floating-point numbers, which are exact up to nine million billion characters; products
of them would exceed 64-bit integers.
"""

from __future__ import annotations

import numpy as np

from foveal.frozen import frozen
from foveal.spans import Floats, Ints, totals
from foveal.tables import columns as c

COEFFICIENTS = (c.ALPHA, c.KAPPA, c.F1, c.OVERLAP)


def krippendorff_alpha(disagreeing: Floats, chosen: Floats, not_chosen: Floats) -> Floats:
    """Krippendorff's α for two values, from sums over units.

    A unit judged by m assessors, of whom k chose it, adds k(m - k)/(m - 1), k and m - k.
    """
    return 1 - _ratio((chosen + not_chosen - 1) * disagreeing, chosen * not_chosen)


def pair_coefficients(counts: Floats) -> Floats:
    """α, Cohen's κ, F1 and overlap of two assessors: coefficients × rows.

    `counts` are the units that both chose, only the first, only the second, and neither: rows × 4.
    """
    both, first, second, neither = counts.T
    disagreeing = first + second
    chance = (both + first) * (first + neither) + (both + second) * (second + neither)
    return np.stack(
        [
            krippendorff_alpha(disagreeing, 2 * both + disagreeing, 2 * neither + disagreeing),
            _ratio(2 * (both * neither - first * second), chance),
            _ratio(2 * both, 2 * both + disagreeing),
            _ratio(both, both + disagreeing),
        ]
    )


def weighted_means(values: Floats, weights: Floats) -> Floats:
    """Weighted means along the first axis, without NaN; NaN if there is no other value."""
    has_value = ~np.isnan(values)
    return _ratio(weights @ np.where(has_value, values, 0.0), weights @ has_value.astype(float))


def _ratio(part: Floats, total: Floats) -> Floats:
    """The quotient; NaN where the total is 0 or NaN."""
    return np.where(total > 0, part / np.where(total > 0, total, 1), np.nan)


@frozen(eq=False)
class Counts:
    """Counts of the choices of pairs of assessors: a row per topic and pair that judged units of it.

    `counts` are the units that both chose, only the first, only the second, and neither (NaN if
    lengths are unknown), rows × 4. `alpha_sums` are the sums for α of all assessors, topics × 3.
    `pairs` are codes of the pairs; `pair` is an index into them.
    """

    topic: Ints
    pair: Ints
    documents: Ints
    counts: Floats
    alpha_sums: Floats
    pairs: Ints

    @classmethod
    def of(cls, topic: Ints, code: Ints, assessors: Ints, counts: Floats, topics: int) -> Counts:
        """Sums over documents, each of which has a row for every pair of its assessors."""
        pairs, pair = np.unique(code, return_inverse=True)
        cell, row = np.unique(topic * len(pairs) + pair, return_inverse=True)
        both, first, second, neither = counts.T
        disagreeing = first + second
        # Each of the n assessors of a document is in n - 1 of its pairs.
        sums = np.column_stack([disagreeing, 2 * both + disagreeing, 2 * neither + disagreeing])
        return cls(
            topic=cell // len(pairs),
            pair=cell % len(pairs),
            documents=np.bincount(row, minlength=len(cell)),
            counts=_sums(row, counts, len(cell)),
            alpha_sums=_sums(topic, sums / (assessors - 1)[:, None], topics),
            pairs=pairs,
        )

    def pooled(self, weights: Floats) -> Floats:
        """The coefficients over all topics, for each weighting of them: weightings × coefficients."""
        alpha = krippendorff_alpha(*(weights @ self.alpha_sums).T)
        by_pair = np.argsort(self.pair, kind="stable")
        boundaries = np.searchsorted(self.pair[by_pair], np.arange(1, len(self.pairs)))
        total, value_count = np.zeros((2, len(COEFFICIENTS), len(weights)))
        # One pair at a time, to save memory: an array for all would have pairs × weightings × 4 numbers.
        for rows in np.split(by_pair, boundaries):
            coefficients = pair_coefficients(weights[:, self.topic[rows]] @ self.counts[rows])
            total += np.nan_to_num(coefficients)
            value_count += ~np.isnan(coefficients)
        return np.column_stack([alpha, *_ratio(total, value_count)[1:]])

    def by_topic(self) -> Floats:
        """The coefficients of each topic: topics × coefficients."""
        coefficients = pair_coefficients(self.counts).T
        has_value = (~np.isnan(coefficients)).astype(float)
        sums = _sums(self.topic, np.nan_to_num(coefficients), len(self.alpha_sums))
        means = _ratio(sums, _sums(self.topic, has_value, len(self.alpha_sums)))
        return np.column_stack([krippendorff_alpha(*self.alpha_sums.T), means[:, 1:]])

    def by_pair(self) -> tuple[Ints, Floats]:
        """Number of documents and counts of each pair over all topics."""
        size = len(self.pairs)
        return totals(self.pair, self.documents, size), _sums(self.pair, self.counts, size)


def _sums(segment: Ints, values: Floats, segments: int) -> Floats:
    """Sums of the rows of each segment."""
    return np.column_stack([totals(segment, column, segments) for column in values.T])
