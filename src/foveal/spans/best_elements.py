"""The set of elements that fits a document's highlights best."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from foveal.spans.axis import Bools, Floats, Ints
from foveal.spans.nesting import Nesting
from foveal.spans.segments import totals

# Products below this are computed with machine integers, larger ones with Python's.
SAFE = 2**62


def best_fitting(
    nesting: Nesting, highlighted: Ints, stated_size: Ints, weight: Fraction
) -> tuple[Ints, Floats]:
    """Rows of the elements that fit each document best, and the F-score of their union.

    `highlighted` has the highlighted characters of each element, `stated` those that each document
    is said to have. Of all sets of a document's elements the chosen one has the largest
    (1 + w)·highlighted / (size + w·stated), which with w = β² is the F-score. Its elements are
    disjoint; of sets that fit equally well it has the fewest elements, and of nested elements that
    fit equally well the outermost.
    """
    # Dinkelbach: if no set gains anything over the ratio of the last one, that ratio is the largest.
    # With a ratio given, a set's gain is a sum over its elements, so that a walk up the tree finds
    # the best set. All numbers are whole, so that nothing is rounded.
    document, numerator, denominator = nesting.document, weight.numerator, weight.denominator
    dtype = _integers(nesting, stated_size, weight)
    highlighted, size = highlighted.astype(dtype), (nesting.end - nesting.start).astype(dtype)
    constant = numerator * stated_size.astype(dtype)
    top, bottom = np.zeros_like(constant), np.ones_like(constant)
    while True:
        chosen = np.flatnonzero(
            _best_disjoint(nesting, bottom[document] * highlighted - top[document] * size)
        )
        tops, sizes = (
            denominator * totals(document[chosen], values[chosen], len(stated_size))
            for values in (highlighted, size)
        )
        bottoms = sizes + constant
        better = (tops * bottom > top * bottoms).astype(bool)
        if not better.any():
            return chosen, ((1 + float(weight)) * (top / bottom)).astype(np.float64)
        top, bottom = np.where(better, tops, top), np.where(better, bottoms, bottom)


def _integers(nesting: Nesting, stated_size: Ints, weight: Fraction) -> Any:
    """Integer type in which no product overflows."""
    longest = max(int(nesting.end.max(initial=0)), int(stated_size.max(initial=0)), 1)
    bottom = (weight.numerator + weight.denominator) * longest
    return np.int64 if bottom * weight.denominator * longest < SAFE else object


def _best_disjoint(nesting: Nesting, gain: Ints) -> Bools:
    """Mask of the disjoint elements that gain most together; of equal choices the fewest."""
    inner = np.zeros_like(gain)
    is_chosen = np.zeros(len(gain), dtype=bool)
    for rows in reversed(nesting.levels):
        alone, inside, parent = gain[rows], inner[rows], nesting.parent[rows]
        is_chosen[rows] = (alone > 0) & (alone >= inside)
        has_parent = parent >= 0
        np.add.at(inner, parent[has_parent], np.where(is_chosen[rows], alone, inside)[has_parent])
    is_covered = np.zeros(len(gain), dtype=bool)
    for rows in nesting.levels[1:]:
        parent = nesting.parent[rows]
        is_covered[rows] = is_covered[parent] | is_chosen[parent]
    return is_chosen & ~is_covered
