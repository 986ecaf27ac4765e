"""Noise: ways to spoil a perfect run step by step.

Random numbers are drawn once for all strengths, so that a stronger noise spoils everything that a
weaker one spoils, and more.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from foveal.spans import Ints, moved, united
from foveal.studies.fidelity._lab_documents import LabDocuments, Parts
from foveal.studies.fidelity._registries import NoiseSource, RunDraft, noise


@noise(
    name="shift",
    title="boundaries shifted",
    unit="characters",
    strengths=(0, 10, 25, 50, 100, 250, 500, 1000),
)
def boundaries_shifted(
    lab: LabDocuments, draft: RunDraft, strength: float, chances: NoiseSource
) -> RunDraft:
    """Every start and every end is moved by so many characters, forward or backward by chance."""
    start_shift, end_shift = (
        np.where(chance < 0.5, -int(strength), int(strength))
        for chance in (chances.starts, chances.ends)
    )
    return _moved(lab, draft, start_shift, end_shift)


@noise(
    name="pad",
    title="parts padded",
    unit="characters",
    strengths=(0, 10, 25, 50, 100, 250, 500, 1000),
    by_chance=False,
)
def parts_padded(
    lab: LabDocuments, draft: RunDraft, strength: float, chances: NoiseSource
) -> RunDraft:
    """Every part is longer by so many characters at both ends, as far as its document reaches."""
    padding = np.full(len(draft.parts.start), int(strength))
    return _moved(lab, draft, -padding, padding)


@noise(
    name="drop",
    title="parts dropped",
    unit="share of the parts",
    strengths=(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1),
)
def parts_dropped(
    lab: LabDocuments, draft: RunDraft, strength: float, chances: NoiseSource
) -> RunDraft:
    """Every part is left out with that chance; its document keeps its rank."""
    return replace(draft, parts=draft.parts.only(chances.starts >= strength))


@noise(
    name="shuffle",
    title="documents shuffled",
    unit="ranks",
    strengths=(0, 2, 5, 10, 20, 50, 100),
    mixes=True,
)
def documents_shuffled(
    lab: LabDocuments, draft: RunDraft, strength: float, chances: NoiseSource
) -> RunDraft:
    """Every document sinks by chance, by less than so many ranks, and is overtaken by others."""
    rank = lab.places(draft.documents) + strength * chances.documents
    order = np.lexsort((rank, lab.topic[draft.documents]))
    return replace(draft, documents=draft.documents[order])


def _moved(lab: LabDocuments, draft: RunDraft, start_shift: Ints, end_shift: Ints) -> RunDraft:
    """The draft with moved boundaries; parts that then overlap are merged."""
    parts = draft.parts
    length = lab.length[parts.document]
    start, end = moved(parts.start, parts.end, start_shift, end_shift, length)
    return replace(draft, parts=Parts(*united(parts.document, start, end, len(lab.topic))))
