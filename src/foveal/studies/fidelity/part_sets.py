"""The part sets: what simulated runs return of each relevant document, from best to worst."""

from __future__ import annotations

from foveal.elements import ElementLookup
from foveal.late import pl
from foveal.spans import united
from foveal.studies.fidelity._lab_documents import LabDocuments, Parts
from foveal.studies.fidelity._registries import part_set
from foveal.tables import columns


@part_set(name="S", title="the highlights")
def highlights(ground: LabDocuments) -> Parts:
    """The judged passages themselves: perfect text."""
    return ground.passages


@part_set(name="SL", title="elements around", below=("S",), needs_elements=True)
def elements_around(ground: LabDocuments) -> Parts:
    """For each passage the smallest element that contains it; of nested ones the outermost."""
    found = _elements(ground).smallest_containing(ground.passage_frame)
    inside = found[columns.START].is_not_null().to_numpy()
    around = found.filter(inside)
    # Elements are nested or disjoint, so the union of those that share text is the outermost.
    return Parts(
        *united(
            ground.passages.document[inside],
            around[columns.START].to_numpy(),
            around[columns.END].to_numpy(),
            len(ground.topic),
        )
    )


@part_set(name="SLD", title="whole documents", below=("SL",))
def whole_documents(ground: LabDocuments) -> Parts:
    """The whole document: all that is relevant and all that is not."""
    return ground.whole(ground.relevant)


@part_set(name="SS", title="largest elements inside", below=("S",), needs_elements=True)
def largest_elements_inside(ground: LabDocuments) -> Parts:
    """For each passage the largest elements inside it that do not overlap."""
    return _of_passages(ground, _elements(ground).largest_inside(ground.passage_frame))


@part_set(name="SST", title="smallest elements inside", below=("SS",), needs_elements=True)
def smallest_elements_inside(ground: LabDocuments) -> Parts:
    """For each passage the elements inside it that have no elements inside themselves."""
    return _of_passages(ground, _elements(ground).leaves_inside(ground.passage_frame))


def _of_passages(ground: LabDocuments, found: pl.DataFrame) -> Parts:
    """The elements found inside passages, which are numbered by row."""
    return Parts(
        ground.passages.document[found[columns.ROW].to_numpy()],
        found[columns.START].to_numpy(),
        found[columns.END].to_numpy(),
    )


def _elements(ground: LabDocuments) -> ElementLookup:
    """The elements, without which the lab does not try these sets."""
    assert ground.elements is not None  # noqa: S101  # the lab checks needs_elements
    return ground.elements
