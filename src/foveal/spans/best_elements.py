"""Which elements together fit a document's highlights best."""

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
    nesting: Nesting, found: Ints, total: Ints, weight: Fraction
) -> tuple[Ints, Floats]:
    """The rows of the elements that fit each document best, and how well they fit it.

    `found` is how many highlighted characters each element has, `total` how many each document is
    said to have. Of all sets of a document's elements the one given has the largest
    (1 + w)·found / (size + w·total) of its text, which with w = β² is the F-score. Its elements are
    disjoint; of sets that fit equally well it has the fewest elements, and of nested elements that
    fit equally well the outermost.
    """
    # Dinkelbach: if no set gains anything over the ratio of the last one, that ratio is the largest.
    # With a ratio given, a set's gain is a sum over its elements, so that a walk up the tree finds
    # the best set. All numbers are whole, so that nothing is rounded.
    document, share, whole = nesting.document, weight.numerator, weight.denominator
    kind = _integers(nesting, total, weight)
    found, size = found.astype(kind), (nesting.end - nesting.start).astype(kind)
    constant = share * total.astype(kind)
    top, bottom = np.zeros_like(constant), np.ones_like(constant)
    while True:
        taken = np.flatnonzero(
            _best_disjoint(nesting, bottom[document] * found - top[document] * size)
        )
        tops, sizes = (
            whole * totals(document[taken], values[taken], len(total)) for values in (found, size)
        )
        bottoms = sizes + constant
        better = (tops * bottom > top * bottoms).astype(bool)
        if not better.any():
            return taken, ((1 + float(weight)) * (top / bottom)).astype(np.float64)
        top, bottom = np.where(better, tops, top), np.where(better, bottoms, bottom)


def _integers(nesting: Nesting, total: Ints, weight: Fraction) -> Any:
    """The type of whole numbers in which no product is too large."""
    longest = max(int(nesting.end.max(initial=0)), int(total.max(initial=0)), 1)
    bottom = (weight.numerator + weight.denominator) * longest
    return np.int64 if bottom * weight.denominator * longest < SAFE else object


def _best_disjoint(nesting: Nesting, gain: Ints) -> Bools:
    """Which elements, none inside another, together gain most; of equal choices the fewest."""
    inside = np.zeros_like(gain)
    taken = np.zeros(len(gain), dtype=bool)
    for rows in reversed(nesting.levels):
        own, below, around = gain[rows], inside[rows], nesting.parent[rows]
        taken[rows] = (own > 0) & (own >= below)
        held = around >= 0
        np.add.at(inside, around[held], np.where(taken[rows], own, below)[held])
    covered = np.zeros(len(gain), dtype=bool)
    for rows in nesting.levels[1:]:
        around = nesting.parent[rows]
        covered[rows] = covered[around] | taken[around]
    return taken & ~covered
