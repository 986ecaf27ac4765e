"""Which retrieved characters are highlighted, and in which order they are read."""

from foveal.alignment.align import AlignedRun, Alignment, align
from foveal.alignment.found import RankedDocuments, RankedParts
from foveal.alignment.graded import GradedLists
from foveal.alignment.judged import Judged
from foveal.alignment.lists import RankedLists, ratio
from foveal.alignment.samples import AlignedSamples, align_samples

__all__ = [
    "AlignedRun",
    "AlignedSamples",
    "Alignment",
    "GradedLists",
    "Judged",
    "RankedDocuments",
    "RankedLists",
    "RankedParts",
    "align",
    "align_samples",
    "ratio",
]
