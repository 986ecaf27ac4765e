"""Which retrieved characters are highlighted, and in which order they are met."""

from foveal.alignment.align import AlignedRun, Alignment, align
from foveal.alignment.graded import GradedLists
from foveal.alignment.judged import Judged
from foveal.alignment.ranking import RankedDocuments, RankedParts, Ranking, cumulative_floats, ratio
from foveal.alignment.samples import AlignedSamples, align_samples

__all__ = [
    "AlignedRun",
    "AlignedSamples",
    "Alignment",
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
