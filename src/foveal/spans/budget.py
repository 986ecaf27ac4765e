"""Reading that stops after so many characters."""

from __future__ import annotations

import numpy as np

from foveal.spans.types import Ints


def affordable(group: Ints, size: Ints, budget: int) -> Ints:
    """How much of each size a budget still pays for, those of a group being paid in order."""
    order = np.argsort(group, kind="stable")
    spent = np.cumsum(size[order]) - size[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = group[order][1:] != group[order][:-1]
    # What the groups before have spent is forgotten where a group begins.
    before = spent - spent[np.flatnonzero(first)][np.cumsum(first) - 1] if len(order) else spent
    paid = np.empty(len(order), dtype=np.int64)
    paid[order] = np.clip(budget - before, 0, size[order])
    return paid
