"""Half-open character spans: the only arithmetic on offsets.

Documents are laid end to end on one axis (`Axis`), so that a span is two integers and the spans
of all documents of all topics are handled in one pass.
"""

from foveal.spans._axis import Axis
from foveal.spans._budget import affordable
from foveal.spans._highlights import Highlights
from foveal.spans._moved import moved
from foveal.spans._nesting import Nesting
from foveal.spans._overlap import (
    clipped,
    fresh_segments,
    gaps,
    greedily_disjoint,
    merged,
    overlaps_earlier,
    united,
)
from foveal.spans._types import LARGEST_OFFSET, Bools, Ints

__all__ = [
    "LARGEST_OFFSET",
    "Axis",
    "Bools",
    "Highlights",
    "Ints",
    "Nesting",
    "affordable",
    "clipped",
    "fresh_segments",
    "gaps",
    "greedily_disjoint",
    "merged",
    "moved",
    "overlaps_earlier",
    "united",
]
