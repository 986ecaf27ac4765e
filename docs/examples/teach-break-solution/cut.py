"""A part set of one's own: the text of whole documents, cut into pieces."""

import numpy as np

from foveal.studies import LabDocuments, Parts, part_set


@part_set(name="CUT", title="documents in pieces", below=("SLD",))
def pieces(lab: LabDocuments) -> Parts:
    """The whole document in pieces of 200 characters."""
    spans = [
        (document, start, min(start + 200, length))
        for document, length in zip(lab.relevant, lab.length[lab.relevant], strict=True)
        for start in range(0, length, 200)
    ]
    return Parts(*np.array(spans).T)
