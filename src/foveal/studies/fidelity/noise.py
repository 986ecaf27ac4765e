"""Noise: ways to spoil a perfect run step by step.

Chances are drawn once for all strengths, so that a stronger noise spoils all that a weaker one
spoils, and more.
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
    ground: LabDocuments, draft: RunDraft, strength: float, chances: NoiseSource
) -> RunDraft:
    """Every start and every end is moved by so many characters, forward or backward by chance."""
    first, last = (
        np.where(chance < 0.5, -int(strength), int(strength))
        for chance in (chances.starts, chances.ends)
    )
    return _moved(ground, draft, first, last)


@noise(
    name="pad",
    title="parts padded",
    unit="characters",
    strengths=(0, 10, 25, 50, 100, 250, 500, 1000),
    by_chance=False,
)
def parts_padded(
    ground: LabDocuments, draft: RunDraft, strength: float, chances: NoiseSource
) -> RunDraft:
    """Every part is longer by so many characters at both ends, as far as its document reaches."""
    longer = np.full(len(draft.parts.start), int(strength))
    return _moved(ground, draft, -longer, longer)


@noise(
    name="drop",
    title="parts dropped",
    unit="share of the parts",
    strengths=(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1),
)
def parts_dropped(
    ground: LabDocuments, draft: RunDraft, strength: float, chances: NoiseSource
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
    ground: LabDocuments, draft: RunDraft, strength: float, chances: NoiseSource
) -> RunDraft:
    """Every document sinks by chance, by less than so many ranks, and is overtaken by others."""
    rank = ground.places(draft.documents) + strength * chances.documents
    order = np.lexsort((rank, ground.topic[draft.documents]))
    return replace(draft, documents=draft.documents[order])


def _moved(ground: LabDocuments, draft: RunDraft, first: Ints, last: Ints) -> RunDraft:
    """The draft with moved boundaries; parts that come to share text are one."""
    parts = draft.parts
    length = ground.length[parts.document]
    start, end = moved(parts.start, parts.end, first, last, length)
    return replace(draft, parts=Parts(*united(parts.document, start, end, len(ground.topic))))
