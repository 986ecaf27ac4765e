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
from foveal.alignment._samples import AlignedSamples, align_samples

__all__ = [
    "AlignedRun",
    "AlignedSamples",
    "Alignment",
    "Floats",
    "GradedLists",
    "Judged",
    "RankedDocuments",
    "RankedParts",
    "Ranking",
    "align",
    "align_samples",
    "cumulative_floats",
    "ratio",
]
