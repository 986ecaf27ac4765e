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
    SampleWriter,
    Save,
    TaskRunner,
    passage_topics,
    sampled_runs,
)
from foveal.tables import Qrels
from foveal.work import tracked


def pool(
    qrels: Qrels, evaluation: Evaluation, design: StabilityDesign, each_run: TaskRunner, save: Save
) -> tuple[SampledRuns, dict[str, pl.DataFrame]]:
    """Rankings of runs by samples of every topic's passages."""
    keep = _sample_masks(evaluation, design)
    if save:
        _save(qrels, evaluation, design, keep, save)
    sampled = sampled_runs(evaluation, each_run, keep)
    by_level = np.split(sampled.means, len(design.levels), axis=1)
    all_values = reference(sampled.values)
    frames = agreement_frames(all_values, by_level, sampled.values.measures, design)
    return sampled, frames


def _sample_masks(evaluation: Evaluation, design: StabilityDesign) -> Bools:
    """Masks of the passages, one for each sample of each level."""
    topic = passage_topics(evaluation.qrels)
    return np.array(
        [
            design.sampler.passages(topic, level, sample)
            for level in design.levels
            for sample in range(design.samples)
        ]
    )


def _save(
    qrels: Qrels, evaluation: Evaluation, design: StabilityDesign, keep: Bools, save: SampleWriter
) -> None:
    prepared = evaluation.qrels
    topics = [name for name, used in zip(prepared.topics, prepared.eligible, strict=True) if used]
    for number, mask in enumerate(tracked(keep, "saving samples", len(keep))):
        # Passages that are never counted, such as those beyond their document, stay in every sample.
        passages_kept = np.ones(qrels.passages.height, dtype=bool)
        passages_kept[prepared.passages.table_row] = mask
        level, sample = design.levels[number // design.samples], number % design.samples + 1
        save(f"pool-{level}-{sample:02d}", qrels.keeping(passages_kept, topics))
