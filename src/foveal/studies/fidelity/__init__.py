"""The fidelity lab: does a measure measure what it should?"""

from foveal.studies.fidelity import noises, part_sets, rankings
from foveal.studies.fidelity._ground import Ground, Parts
from foveal.studies.fidelity._lab import Fidelity, fidelity
from foveal.studies.fidelity._orderings import Verdict, expected_orderings
from foveal.studies.fidelity._records import (
    NOISES,
    PART_SETS,
    RANKINGS,
    Chances,
    DocumentRanking,
    Draft,
    Expected,
    Noise,
    PartSet,
    covers,
    noise,
    part_set,
    ranking,
)

FAMILIES = (part_sets, rankings, noises)

__all__ = [
    "FAMILIES",
    "NOISES",
    "PART_SETS",
    "RANKINGS",
    "Chances",
    "DocumentRanking",
    "Draft",
    "Expected",
    "Fidelity",
    "Ground",
    "Noise",
    "PartSet",
    "Parts",
    "Verdict",
    "covers",
    "expected_orderings",
    "fidelity",
    "noise",
    "part_set",
    "ranking",
]
