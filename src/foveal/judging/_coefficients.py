"""Coefficients of agreement from counts: closed forms, for many sets of counts at once.

Where a coefficient is undefined, because everybody says the same of everything, it is not a number.
Counts are floating-point numbers, which are exact up to nine million billion characters; products of
them would exceed whole numbers of 64 bits.
"""

from __future__ import annotations

import numpy as np

from foveal.frozen import frozen
from foveal.spans import Floats, Ints, totals
from foveal.tables import columns as c

COEFFICIENTS = (c.ALPHA, c.KAPPA, c.F1, c.OVERLAP)


def krippendorff_alpha(disagreeing: Floats, chosen: Floats, other: Floats) -> Floats:
    """Krippendorff's α for two values, from sums over units.

    A unit judged by m assessors, of whom k chose it, adds k(m - k)/(m - 1), k and m - k.
    """
    return 1 - _ratio((chosen + other - 1) * disagreeing, chosen * other)


def pair_coefficients(counts: Floats) -> Floats:
    """α, Cohen's κ, F1 and overlap of two assessors: coefficients × rows.

    Given are the units that both chose, only the first, only the second, and neither: rows × 4.
    """
    both, first, second, neither = counts.T
    odd = first + second
    chance = (both + first) * (first + neither) + (both + second) * (second + neither)
    return np.stack(
        [
            krippendorff_alpha(odd, 2 * both + odd, 2 * neither + odd),
            _ratio(2 * (both * neither - first * second), chance),
            _ratio(2 * both, 2 * both + odd),
            _ratio(both, both + odd),
        ]
    )


def mean_of_known(values: Floats, weights: Floats) -> Floats:
    """Weighted means along the first axis over what is known; not a number if nothing is."""
    known = ~np.isnan(values)
    return _ratio(weights @ np.where(known, values, 0.0), weights @ known.astype(float))


def _ratio(part: Floats, whole: Floats) -> Floats:
    """The quotient, not a number where the whole is 0 or unknown."""
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1), np.nan)


@frozen(eq=False)
class Counts:
    """What pairs of assessors chose: a row per topic and pair that judged units of it.

    `counts` are the units that both chose, only the first, only the second, and neither (not a
    number where lengths are unknown), rows × 4. `parts` are the sums that α of all assessors needs,
    topics × 3. `pairs` are codes of the pairs; `pair` is a place among them.
    """

    topic: Ints
    pair: Ints
    documents: Ints
    counts: Floats
    parts: Floats
    pairs: Ints

    @classmethod
    def of(cls, topic: Ints, code: Ints, judges: Ints, counts: Floats, topics: int) -> Counts:
        """Sums over documents, each of which has a row for every pair of its judges."""
        pairs, pair = np.unique(code, return_inverse=True)
        cell, row = np.unique(topic * len(pairs) + pair, return_inverse=True)
        both, first, second, neither = counts.T
        odd = first + second
        # Every judge of a document is in one pair fewer than there are judges.
        parts = np.column_stack([odd, 2 * both + odd, 2 * neither + odd]) / (judges - 1)[:, None]
        return cls(
            topic=cell // len(pairs),
            pair=cell % len(pairs),
            documents=np.bincount(row, minlength=len(cell)),
            counts=_sums(row, counts, len(cell)),
            parts=_sums(topic, parts, topics),
            pairs=pairs,
        )

    def pooled(self, weights: Floats) -> Floats:
        """The coefficients over all topics, each as often as it weighs: weightings × coefficients."""
        alpha = krippendorff_alpha(*(weights @ self.parts).T)
        by_pair = np.argsort(self.pair, kind="stable")
        cuts = np.searchsorted(self.pair[by_pair], np.arange(1, len(self.pairs)))
        total, known = np.zeros((2, len(COEFFICIENTS), len(weights)))
        # One pair at a time: together they need as much memory as there are pairs and weightings.
        for rows in np.split(by_pair, cuts):
            found = pair_coefficients(weights[:, self.topic[rows]] @ self.counts[rows])
            total += np.nan_to_num(found)
            known += ~np.isnan(found)
        return np.column_stack([alpha, *_ratio(total, known)[1:]])

    def by_topic(self) -> Floats:
        """The coefficients of each topic: topics × coefficients."""
        found = pair_coefficients(self.counts).T
        known = (~np.isnan(found)).astype(float)
        total = _sums(self.topic, np.nan_to_num(found), len(self.parts))
        means = _ratio(total, _sums(self.topic, known, len(self.parts)))
        return np.column_stack([krippendorff_alpha(*self.parts.T), means[:, 1:]])

    def by_pair(self) -> tuple[Ints, Floats]:
        """The documents and the counts of each pair over all topics."""
        size = len(self.pairs)
        return totals(self.pair, self.documents, size), _sums(self.pair, self.counts, size)


def _sums(segment: Ints, values: Floats, count: int) -> Floats:
    """The sums of each segment's rows."""
    return np.column_stack([totals(segment, column, count) for column in values.T])
