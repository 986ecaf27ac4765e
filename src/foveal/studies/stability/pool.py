"""Pool sampling: the same topics with fewer of their passages; the plane has fewer topics as well."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foveal.choices import Draw
from foveal.errors import DataError
from foveal.late import pl
from foveal.measures import Evaluation
from foveal.spans import Bools, Ints
from foveal.studies.stability.design import StabilityDesign
from foveal.studies.stability.result import StudyFrame, frame_of
from foveal.studies.stability.sample_rankings import (
    agreement_frames,
    coefficients,
    mean_and_spread,
    reference,
)
from foveal.studies.stability.sampling import Each, SampledRuns, Save, passage_topics, sampled_runs
from foveal.tables import Qrels
from foveal.tables import columns as c
from foveal.work import tracked

ALL = 100


def pool(
    qrels: Qrels, evaluation: Evaluation, plan: StabilityDesign, each: Each, save: Save | None
) -> tuple[SampledRuns, dict[str, pl.DataFrame]]:
    """Rankings of runs by samples of every topic's passages."""
    kept = _kept(evaluation, plan, plan.levels)
    if save:
        _save(qrels, evaluation, plan, kept, save)
    done = sampled_runs(evaluation, each, kept)
    by_level = np.split(done.means[:, :, 0], len(plan.levels), axis=1)
    whole = reference(done.values)
    frames = agreement_frames(whole, by_level, done.values.measures, plan.levels, plan.draws)
    return done, frames


def plane(
    qrels: Qrels, evaluation: Evaluation, plan: StabilityDesign, each: Each, save: Save | None
) -> tuple[SampledRuns, dict[str, pl.DataFrame]]:
    """Rankings by fewer topics, fewer passages, and both: every level of one with each of the other."""
    levels = tuple(dict.fromkeys((ALL, *plan.levels)))
    kept = _kept(evaluation, plan, levels)
    weights = np.tile(_weights(evaluation, plan, levels), (len(levels), 1, 1))
    done = sampled_runs(evaluation, each, kept, weights)
    if len(set(done.values.topics)) < evaluation.judged.eligible.sum():
        raise DataError(
            "topics are drawn from all that were judged, but some are in no run: let missing topics"
            " score 0 (--topics judged)"
        )
    measures, count, weightings, runs = done.means.shape
    cells = done.means.transpose(0, 2, 1, 3).reshape(measures, weightings * count, runs)
    taus, _ = coefficients(reference(done.values), cells)
    mean, spread = mean_and_spread(taus.reshape(measures, -1, plan.samples))
    rows = [(topics, passages) for topics in levels for passages in levels]
    topics, passages = zip(*rows, strict=True)
    shares = {c.TOPICS: topics, c.PASSAGES: passages}
    frame = frame_of(done.values.measures, shares, {c.TAU: mean, c.SPREAD: spread})
    return done, {StudyFrame.CELLS: frame}


def _kept(evaluation: Evaluation, plan: StabilityDesign, levels: Sequence[int]) -> Bools:
    """Which passages each sample of each level keeps."""
    topic = passage_topics(evaluation.judged)
    return np.array(
        [
            plan.draws.passages(topic, level, sample)
            for level in levels
            for sample in range(plan.samples)
        ]
    )


def _weights(evaluation: Evaluation, plan: StabilityDesign, levels: Sequence[int]) -> Ints:
    """Which topics each sample of each level holds: samples × levels × judged topics."""
    judged = evaluation.judged
    places = np.flatnonzero(judged.eligible)
    if judged.times is not None:
        places = np.repeat(places, judged.times[places])
    owner = (places[:, None] == np.arange(len(judged.topics))).astype(np.int64)
    weights = np.zeros((plan.samples, len(levels), len(judged.topics)), dtype=np.int64)
    for nth, level in enumerate(levels):
        drawn = plan.draws.topics(len(places), level, plan.samples, Draw.INDEPENDENT)
        weights[:, nth] = drawn[:, 0] @ owner
    return weights


def _save(
    qrels: Qrels, evaluation: Evaluation, plan: StabilityDesign, kept: Bools, save: Save
) -> None:
    judged = evaluation.judged
    topics = [name for name, studied in zip(judged.topics, judged.eligible, strict=True) if studied]
    for number, own in enumerate(tracked(kept, "saving samples", len(kept))):
        # Passages that count nowhere, such as those beyond their document, stay as they are.
        marked = np.ones(qrels.passages.height, dtype=bool)
        marked[judged.passages.number] = own
        level, sample = plan.levels[number // plan.samples], number % plan.samples + 1
        save(f"pool-{level}-{sample:02d}", qrels.keeping(marked, topics))
