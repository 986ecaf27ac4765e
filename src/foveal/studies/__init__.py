"""Experiments on measures and judgements, and a made-up world to make them on."""

from foveal.studies._demo_articles import Article, Element
from foveal.studies._demo_assessor import DemoTopic
from foveal.studies._demo_world import DemoWorld, demo_world
from foveal.studies.stability import (
    Stability,
    StabilityDesign,
    stability,
    stability_design,
    stability_measures,
    stability_study,
)

__all__ = [
    "Article",
    "DemoTopic",
    "DemoWorld",
    "Element",
    "Stability",
    "StabilityDesign",
    "demo_world",
    "stability",
    "stability_design",
    "stability_measures",
    "stability_study",
]
