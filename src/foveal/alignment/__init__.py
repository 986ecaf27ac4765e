"""Which retrieved characters are highlighted, and in which order they are met."""

from foveal.alignment._align import Alignment, align
from foveal.alignment._judged import Judged
from foveal.alignment._ranking import Floats, RankedDocuments, RankedParts, Ranking, ratio

__all__ = [
    "Alignment",
    "Floats",
    "Judged",
    "RankedDocuments",
    "RankedParts",
    "Ranking",
    "align",
    "ratio",
]
