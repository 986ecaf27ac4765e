"""Which retrieved characters are highlighted, and in which order they are met."""

from foveal.alignment._align import AlignedRun, Alignment, align
from foveal.alignment._graded import GradedLists
from foveal.alignment._judged import Floats, Judged
from foveal.alignment._ranking import (
    RankedDocuments,
    RankedParts,
    Ranking,
    cumulative_floats,
    ratio,
)

__all__ = [
    "AlignedRun",
    "Alignment",
    "Floats",
    "GradedLists",
    "Judged",
    "RankedDocuments",
    "RankedParts",
    "Ranking",
    "align",
    "cumulative_floats",
    "ratio",
]
