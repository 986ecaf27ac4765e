"""Pool sampling: the same topics with fewer of their passages."""

from __future__ import annotations

import numpy as np

from foveal.evaluation import Evaluation
from foveal.late import pl
from foveal.spans import Bools
from foveal.studies.stability.design import StabilityDesign
from foveal.studies.stability.sample_rankings import agreement_frames, reference
from foveal.studies.stability.sampling import (
    SampledRuns,
    Save,
    TaskRunner,
    passage_topics,
    sampled_runs,
)
from foveal.tables import Qrels
from foveal.work import tracked


def pool(
    qrels: Qrels, evaluation: Evaluation, plan: StabilityDesign, each: TaskRunner, save: Save | None
) -> tuple[SampledRuns, dict[str, pl.DataFrame]]:
    """Rankings of runs by samples of every topic's passages."""
    kept = _kept(evaluation, plan)
    if save:
        _save(qrels, evaluation, plan, kept, save)
    done = sampled_runs(evaluation, each, kept)
    by_level = np.split(done.means, len(plan.levels), axis=1)
    whole = reference(done.values)
    frames = agreement_frames(whole, by_level, done.values.measures, plan.levels, plan.draws)
    return done, frames


def _kept(evaluation: Evaluation, plan: StabilityDesign) -> Bools:
    """Which passages each sample of each level keeps."""
    topic = passage_topics(evaluation.judged)
    return np.array(
        [
            plan.draws.passages(topic, level, sample)
            for level in plan.levels
            for sample in range(plan.samples)
        ]
    )


def _save(
    qrels: Qrels, evaluation: Evaluation, plan: StabilityDesign, kept: Bools, save: Save
) -> None:
    judged = evaluation.judged
    topics = [name for name, studied in zip(judged.topics, judged.eligible, strict=True) if studied]
    for number, own in enumerate(tracked(kept, "saving samples", len(kept))):
        # Passages that count nowhere, such as those beyond their document, stay as they are.
        marked = np.ones(qrels.passages.height, dtype=bool)
        marked[judged.passages.table_row] = own
        level, sample = plan.levels[number // plan.samples], number % plan.samples + 1
        save(f"pool-{level}-{sample:02d}", qrels.keeping(marked, topics))
