"""Samples without the passages that one run alone found, or that runs found too late."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from foveal.analysis import ranks_of
from foveal.errors import DataError, counted
from foveal.evaluation import Evaluation, RunFile, distinct_names
from foveal.late import pl
from foveal.spans import Bools, Floats, Ints
from foveal.studies.stability.design import StabilityDesign
from foveal.studies.stability.result import LONGEST_RUN, StudyFrame, frame_of
from foveal.studies.stability.sample_rankings import coefficients, mean_and_spread, reference
from foveal.studies.stability.sampling import (
    SampledRuns,
    Save,
    TaskRunner,
    passage_topics,
    sampled_runs,
)
from foveal.tables import EQUAL_WITHIN, Qrels, Run
from foveal.tables import columns as c

NEVER = np.iinfo(np.int64).max


def first_ranks(evaluation: Evaluation, run: Run) -> tuple[RunFile, Ints, int]:
    """A run's file, the first rank that overlaps each passage, its largest number of parts per topic."""
    run = run.whole()
    placed_parts = evaluation.aligned(run).placed_parts
    part, passage, _ = placed_parts.overlaps
    ranks = np.full(len(evaluation.qrels.passages), NEVER)
    part_ranks = placed_parts.part_segments.nth
    np.minimum.at(ranks, passage, part_ranks[part])
    file = RunFile(run.name, run.origin.stem, run.source)
    return file, ranks, int(part_ranks.max(initial=0))


def leave_out(
    qrels: Qrels, evaluation: Evaluation, design: StabilityDesign, each_run: TaskRunner, save: Save
) -> tuple[SampledRuns, dict[str, pl.DataFrame]]:
    """Rankings without the passages that only one run, or one participant's runs, found."""
    files, ranks, _ = zip(*each_run(partial(first_ranks, evaluation), "searching"), strict=True)
    names = distinct_names(files)
    if design.participants and not design.participants.keys() & set(names):
        raise DataError(
            f"the participants name none of the runs (first run: {names[0]!r}): list each run by its"
            " name with its participant"
        )
    is_found = np.array(ranks) <= (design.pool_depth or NEVER - 1)
    # A participant may have the name of a run, so a run without participant is identified by index.
    groups = [design.participants.get(name, index) for index, name in enumerate(names)]
    finders = list(dict.fromkeys(groups))
    group = np.array([finders.index(key) for key in groups])
    by_group = np.array([is_found[group == number].any(axis=0) for number in range(len(finders))])
    unique = by_group & (by_group.sum(axis=0) == 1)
    sampled = sampled_runs(evaluation, each_run, ~unique, label="leaving out")
    all_values, sample_values = reference(sampled.values), sampled.means
    tau, top_tau = coefficients(all_values, sample_values)
    change, places_lost = _effects(all_values, sample_values, group[sampled.order])
    is_studied = _is_studied(evaluation)
    rows = {
        c.LEFT_OUT: [sampled.scores.runs[key] if isinstance(key, int) else key for key in finders],
        c.RUNS: np.bincount(group).tolist(),
        c.PASSAGES: (unique & is_studied).sum(axis=1).tolist(),
    }
    values = {c.TAU: tau, c.TAU_AP: top_tau, c.CHANGE: change, c.PLACES: places_lost}
    frame = frame_of(sampled.values.measures, rows, values)
    return sampled, {StudyFrame.FINDERS: frame.cast({c.PLACES: pl.Int64})}


def depth(
    qrels: Qrels, evaluation: Evaluation, design: StabilityDesign, each_run: TaskRunner, save: Save
) -> tuple[SampledRuns, dict[str, pl.DataFrame]]:
    """Rankings by the passages that any run returns in its first k parts of a topic."""
    _, ranks, longest = zip(*each_run(partial(first_ranks, evaluation), "searching"), strict=True)
    first_rank = np.min(ranks, axis=0)
    depths = _distinct_depths(design.depths, max(longest))
    keep = first_rank <= np.array(depths)[:, None]
    is_studied = _is_studied(evaluation)
    topic_counts = [_topic_count(evaluation, row & is_studied) for row in keep]
    used = [number for number, count in enumerate(topic_counts) if count]
    if not used:
        raise DataError(
            f"no run shows any passage in its first {counted(design.depths[0], 'part')}, so there is no"
            " pool: give larger --depths, or runs that return text"
        )
    keep = keep[used]
    sampled = sampled_runs(evaluation, each_run, keep)
    settings = {**sampled.scores.settings, LONGEST_RUN: str(max(longest))}
    notes = (*sampled.scores.notes, *_never_found_note(first_rank[is_studied]))
    sampled = replace(sampled, scores=replace(sampled.scores, settings=settings, notes=notes))
    tau, top_tau = coefficients(reference(sampled.values), sampled.means)
    rows = {
        c.DEPTH: [depths[number] for number in used],
        c.PASSAGES: (keep & is_studied).sum(axis=1).tolist(),
        c.TOPICS: [topic_counts[number] for number in used],
    }
    frame = frame_of(sampled.values.measures, rows, {c.TAU: tau, c.TAU_AP: top_tau})
    return sampled, {StudyFrame.DEPTHS: frame}


def _distinct_depths(depths: Sequence[int], longest: int) -> list[int]:
    """The depths that can differ: of those that cover the longest run only the smallest."""
    beyond = [depth for depth in depths if depth >= longest]
    return [depth for depth in depths if depth < longest or depth == min(beyond)]


def _never_found_note(first_rank: Ints) -> list[str]:
    """Note: passages that no run returns."""
    found_count = int((first_rank < NEVER).sum())
    if found_count == len(first_rank):
        return []
    return [
        f"{found_count:,} of {counted(len(first_rank), 'passage')} are shown by some run; the others count as"
        " not relevant at every depth"
    ]


def _is_studied(evaluation: Evaluation) -> Bools:
    """Mask: passages of topics that count."""
    qrels = evaluation.qrels
    return qrels.eligible[passage_topics(qrels)]


def _topic_count(evaluation: Evaluation, keep: Bools) -> int:
    return len(np.unique(passage_topics(evaluation.qrels)[keep]))


def _effects(all_values: Floats, sample_values: Floats, group: Ints) -> tuple[Floats, Floats]:
    """Effect on each group's runs of removing the passages only it found: measures × groups.

    The mean relative change of their scores, and the most places that one of them loses; NaN if no
    passage remains.
    """
    is_member = group[None, :] == np.arange(sample_values.shape[1])[:, None]
    reference_score = np.where(np.abs(all_values) > EQUAL_WITHIN, all_values, np.nan)[:, None, :]
    difference = sample_values - all_values[:, None, :]
    difference = np.where(np.abs(difference) <= EQUAL_WITHIN, 0.0, difference)
    relative = np.where(is_member, difference / np.abs(reference_score), np.nan)
    change, _ = mean_and_spread(relative)
    places_lost = ranks_of(sample_values) - ranks_of(all_values[:, None, :])
    most_places_lost = np.where(is_member, places_lost, -np.inf).max(axis=2)
    return change, np.where(np.isnan(sample_values).any(axis=2), np.nan, most_places_lost)
