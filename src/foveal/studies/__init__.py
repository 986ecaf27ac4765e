"""Experiments on measures and judgements, and a made-up world to make them on."""

from foveal.studies._demo_articles import Article, Element
from foveal.studies._demo_assessor import DemoTopic
from foveal.studies._demo_world import DemoWorld, demo_world
from foveal.studies.fidelity import (
    NOISES,
    PART_SETS,
    RANKINGS,
    Chances,
    Draft,
    Expected,
    Fidelity,
    Ground,
    Parts,
    Verdict,
    covers,
    fidelity,
    noise,
    part_set,
    ranking,
)
from foveal.studies.stability import (
    Stability,
    StabilityDesign,
    stability,
    stability_design,
    stability_measures,
    stability_study,
)

__all__ = [
    "NOISES",
    "PART_SETS",
    "RANKINGS",
    "Article",
    "Chances",
    "DemoTopic",
    "DemoWorld",
    "Draft",
    "Element",
    "Expected",
    "Fidelity",
    "Ground",
    "Parts",
    "Stability",
    "StabilityDesign",
    "Verdict",
    "covers",
    "demo_world",
    "fidelity",
    "noise",
    "part_set",
    "ranking",
    "stability",
    "stability_design",
    "stability_measures",
    "stability_study",
]
