"""The rankings: in which order simulated runs return documents, from best to worst."""

from __future__ import annotations

import numpy as np

from foveal.spans import Ints
from foveal.studies.fidelity._lab_documents import LabDocuments
from foveal.studies.fidelity._registries import ranking


@ranking(name="R", title="most highlighted first")
def most_highlighted_first(ground: LabDocuments) -> Ints:
    """Documents by falling amount of highlighted text; among equals the judgement file decides."""
    return ground.relevant


@ranking(name="RS", title="first two swapped", below=("R",))
def first_two_swapped(ground: LabDocuments) -> Ints:
    """The first two documents of R swapped; a single relevant document stays where it is."""
    documents = ground.relevant.copy()
    second = np.flatnonzero(ground.places(documents) == 1)
    documents[second], documents[second - 1] = ground.relevant[second - 1], ground.relevant[second]
    return documents


@ranking(name="RI2", title="an intruder second", below=("R",), by_default=False)
def intruder_second(ground: LabDocuments) -> Ints:
    """A document without highlights, whole, after the first document of R."""
    return _with_intruders(ground, ground.relevant, 1)


@ranking(name="RI", title="an intruder first", below=("R", "RI2"))
def intruder_first(ground: LabDocuments) -> Ints:
    """A document without highlights, whole, before R."""
    return _with_intruders(ground, ground.relevant, 0)


@ranking(
    name="RSI2",
    title="an intruder second, its neighbours swapped",
    below=("RS", "RI2"),
    by_default=False,
)
def intruder_second_neighbours_swapped(ground: LabDocuments) -> Ints:
    """A document without highlights, whole, after the first document of RS."""
    return _with_intruders(ground, first_two_swapped(ground), 1)


@ranking(name="RSI", title="an intruder first, next two swapped", below=("RS", "RI", "RSI2"))
def intruder_first_next_two_swapped(ground: LabDocuments) -> Ints:
    """A document without highlights, whole, before RS."""
    return _with_intruders(ground, first_two_swapped(ground), 0)


def _with_intruders(ground: LabDocuments, documents: Ints, after: int) -> Ints:
    """The documents with an intruder in each topic, after so many of its documents (0 or 1)."""
    return np.insert(documents, ground.openings(documents) + after, ground.intruders)
