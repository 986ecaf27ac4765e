"""Spans whose boundaries are moved."""

from __future__ import annotations

import numpy as np

from foveal.spans.types import Ints


def moved(start: Ints, end: Ints, first: Ints, last: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Spans with starts moved by `first` and ends by `last`, kept inside their documents.

    A negative length is unknown. Boundaries that would pass each other leave an empty span where
    the new start is.
    """
    begins, ends = (np.maximum(place, 0) for place in (start + first, end + last))
    begins, ends = (np.where(length < 0, at, np.minimum(at, length)) for at in (begins, ends))
    return begins, np.maximum(begins, ends)
