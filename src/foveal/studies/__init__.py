"""Experiments on measures and judgements, and an invented world to try them on."""

from foveal.studies.demo import Article, ChunkCorner, DemoTopic, DemoWorld, Element, demo_world
from foveal.studies.fidelity._best_runs import best_runs
from foveal.studies.fidelity._lab import Fidelity, OrderingVerdict, fidelity
from foveal.studies.fidelity._lab_documents import LabDocuments, Parts
from foveal.studies.fidelity._plugins import plugged_in
from foveal.studies.fidelity._registries import (
    NOISES,
    PART_SETS,
    RANKINGS,
    ExpectedOrder,
    NoiseSource,
    RunDraft,
    covers,
    noise,
    part_set,
    ranking,
)
from foveal.studies.stability import (
    USED_BY,
    BestRuns,
    Stability,
    StabilityDesign,
    StudyFrame,
    stability,
    stability_design,
    stability_measures,
    stability_study,
)
