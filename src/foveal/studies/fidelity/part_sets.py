"""The part sets: parts of each relevant document that simulated runs return, best to worst."""

from __future__ import annotations

from foveal.elements import ElementLookup
from foveal.late import pl
from foveal.spans import united
from foveal.studies.fidelity._lab_documents import LabDocuments, Parts
from foveal.studies.fidelity._registries import part_set
from foveal.tables import columns


@part_set(name="S", title="the highlights")
def highlights(lab: LabDocuments) -> Parts:
    """The judged passages themselves: perfect text."""
    return lab.passages


@part_set(name="SL", title="elements around", below=("S",), needs_elements=True)
def elements_around(lab: LabDocuments) -> Parts:
    """For each passage the smallest element that contains it; of nested ones the outermost."""
    smallest = _elements(lab).smallest_containing(lab.passage_frame)
    has_element = smallest[columns.START].is_not_null().to_numpy()
    elements = smallest.filter(has_element)
    # Elements are nested or disjoint, so the union of those that share text is the outermost.
    return Parts(
        *united(
            lab.passages.document[has_element],
            elements[columns.START].to_numpy(),
            elements[columns.END].to_numpy(),
            len(lab.topic),
        )
    )


@part_set(name="SLD", title="whole documents", below=("SL",))
def whole_documents(lab: LabDocuments) -> Parts:
    """The whole document: all that is relevant and all that is not."""
    return lab.whole(lab.relevant)


@part_set(name="SS", title="largest elements inside", below=("S",), needs_elements=True)
def largest_elements_inside(lab: LabDocuments) -> Parts:
    """For each passage the largest elements inside it that do not overlap."""
    return _of_passages(lab, _elements(lab).largest_inside(lab.passage_frame))


@part_set(name="SST", title="smallest elements inside", below=("SS",), needs_elements=True)
def smallest_elements_inside(lab: LabDocuments) -> Parts:
    """For each passage the elements inside it that have no elements inside themselves."""
    return _of_passages(lab, _elements(lab).leaves_inside(lab.passage_frame))


def _of_passages(lab: LabDocuments, elements: pl.DataFrame) -> Parts:
    """Elements inside passages as parts; column `row` has the index of the passage."""
    return Parts(
        lab.passages.document[elements[columns.ROW].to_numpy()],
        elements[columns.START].to_numpy(),
        elements[columns.END].to_numpy(),
    )


def _elements(lab: LabDocuments) -> ElementLookup:
    """The elements; the lab uses these part sets only if it has them."""
    assert lab.elements is not None  # noqa: S101  # the lab checks needs_elements
    return lab.elements
