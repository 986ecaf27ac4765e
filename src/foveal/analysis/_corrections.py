"""Corrections of p-values for the number of pairs tested."""

from __future__ import annotations

import numpy as np

from foveal.choices import Correction
from foveal.spans import Floats


def corrected(p: Floats, correction: Correction) -> Floats:
    """The adjusted p-values; pairs that could not be tested (not a number) are not counted."""
    tested = ~np.isnan(p)
    adjusted = p.copy()
    adjusted[tested] = _of_family(p[tested], correction)
    return adjusted


def _of_family(p: Floats, correction: Correction) -> Floats:
    count = len(p)
    if correction is Correction.NONE or not count:
        return p
    if correction is Correction.BONFERRONI:
        return np.minimum(1.0, p * count)
    order = np.argsort(p, kind="stable")
    place = np.arange(count)
    if correction is Correction.HOLM:
        raised = np.maximum.accumulate(p[order] * (count - place))
    else:
        raised = np.minimum.accumulate((p[order] * count / (place + 1))[::-1])[::-1]
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(1.0, raised)
    return adjusted
