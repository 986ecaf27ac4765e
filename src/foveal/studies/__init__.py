"""Experiments on measures and judgements, and a made-up world to make them on."""

from foveal.studies.demo import Article, ChunkCorner, DemoTopic, DemoWorld, Element, demo_world
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
    best_runs,
    covers,
    fidelity,
    noise,
    part_set,
    plugged_in,
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
