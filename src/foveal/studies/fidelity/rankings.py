"""The rankings: orders of documents in simulated runs, from best to worst."""

from __future__ import annotations

import numpy as np

from foveal.spans import Ints
from foveal.studies.fidelity._lab_documents import LabDocuments
from foveal.studies.fidelity._registries import ranking


@ranking(name="R", title="most highlighted first")
def most_highlighted_first(lab: LabDocuments) -> Ints:
    """Documents by falling amount of highlighted text; among equals the judgement file decides."""
    return lab.relevant


@ranking(name="RS", title="first two swapped", below=("R",))
def first_two_swapped(lab: LabDocuments) -> Ints:
    """The first two documents of R swapped; a single relevant document stays where it is."""
    documents = lab.relevant.copy()
    second = np.flatnonzero(lab.places(documents) == 1)
    documents[second], documents[second - 1] = lab.relevant[second - 1], lab.relevant[second]
    return documents


@ranking(name="RI2", title="an intruder second", below=("R",), by_default=False)
def intruder_second(lab: LabDocuments) -> Ints:
    """A document without highlights, whole, after the first document of R."""
    return _with_intruders(lab, lab.relevant, 1)


@ranking(name="RI", title="an intruder first", below=("R", "RI2"))
def intruder_first(lab: LabDocuments) -> Ints:
    """A document without highlights, whole, before R."""
    return _with_intruders(lab, lab.relevant, 0)


@ranking(
    name="RSI2",
    title="an intruder second, its neighbours swapped",
    below=("RS", "RI2"),
    by_default=False,
)
def intruder_second_neighbours_swapped(lab: LabDocuments) -> Ints:
    """A document without highlights, whole, after the first document of RS."""
    return _with_intruders(lab, first_two_swapped(lab), 1)


@ranking(name="RSI", title="an intruder first, next two swapped", below=("RS", "RI", "RSI2"))
def intruder_first_next_two_swapped(lab: LabDocuments) -> Ints:
    """A document without highlights, whole, before RS."""
    return _with_intruders(lab, first_two_swapped(lab), 0)


def _with_intruders(lab: LabDocuments, documents: Ints, index: int) -> Ints:
    """The documents with an intruder in each topic, at an index in its list (0 or 1)."""
    return np.insert(documents, lab.topic_starts(documents) + index, lab.intruders)
