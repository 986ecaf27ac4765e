"""A run aligned with many samples of the judgements' passages at once."""

from __future__ import annotations

import numpy as np

from foveal.alignment.align import AlignedRun, Alignment
from foveal.alignment.judged import Judged
from foveal.alignment.placed_parts import LaidParts
from foveal.alignment.ranked_lists import FoundText
from foveal.frozen import frozen
from foveal.spans import Bools


@frozen(eq=False)
class AlignedSamples(Alignment):
    """One run aligned with samples of the judgements; to a measure, each sample has its own topics.

    The text read is the same for every sample; only how much of it is highlighted differs.
    """

    aligned: AlignedRun
    found: FoundText

    @property
    def named(self) -> Judged:
        """The judgements that the samples are drawn from."""
        return self.aligned.judged

    @property
    def laid(self) -> LaidParts:
        """The parts as spans of the judged documents."""
        return self.aligned.laid

    @property
    def text(self) -> FoundText:
        """The highlighted text that the parts contain."""
        return self.found


def align_samples(alignment: AlignedRun, samples: Judged, kept: Bools) -> AlignedSamples:
    """Align a run with samples of the judgements; `kept`: a row per sample, a column per passage.

    What a part shares with several passages adds up, so that one sparse matrix, parts × passages,
    gives the highlighted text of every part under every sample.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415  # slow to load, and scoring does not need it

    part, passage, common = alignment.laid.overlaps
    showing, place = np.unique(part, return_inverse=True)
    overlap = csr_array((common, (place, passage)), shape=(len(showing), kept.shape[1]))
    size = np.ascontiguousarray((overlap @ kept.T.astype(np.int64)).T)
    sample, which = np.nonzero(size)
    numbers = len(alignment.judged.topics) * np.arange(len(kept))[:, None] + alignment.topics
    return AlignedSamples(
        alignment.run,
        samples,
        alignment.conventions,
        numbers.ravel(),
        alignment,
        FoundText(len(kept), sample, showing[which], size[sample, which]),
    )
