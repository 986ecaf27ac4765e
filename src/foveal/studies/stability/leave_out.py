"""Passages by the runs that found them: taken away with their finder, or if found too late."""

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
    """A run's name and file, the first rank that shows some of each passage, its most parts for a topic."""
    run = run.whole()
    laid = evaluation.aligned(run).placed_parts
    part, passage, _ = laid.overlaps
    first = np.full(len(evaluation.judged.passages), NEVER)
    nth = laid.part_segments.nth
    np.minimum.at(first, passage, nth[part])
    file = RunFile(run.name, run.origin.stem, run.source)
    return file, first, int(nth.max(initial=0))


def leave_out(
    qrels: Qrels, evaluation: Evaluation, plan: StabilityDesign, each: TaskRunner, save: Save | None
) -> tuple[SampledRuns, dict[str, pl.DataFrame]]:
    """Rankings without the passages that one run alone, or one participant's runs, have found."""
    files, ranks, _ = zip(*each(partial(first_ranks, evaluation), "searching"), strict=True)
    names = distinct_names(files)
    if plan.participants and not plan.participants.keys() & set(names):
        raise DataError(
            f"the participants name none of the runs (first run: {names[0]!r}): list each run by its"
            " name with its participant"
        )
    found = np.array(ranks) <= (plan.pool_depth or NEVER - 1)
    # A participant may be called like a run, so one without is identified by its place.
    groups = [plan.participants.get(name, place) for place, name in enumerate(names)]
    finders = list(dict.fromkeys(groups))
    group = np.array([finders.index(own) for own in groups])
    by_group = np.array([found[group == number].any(axis=0) for number in range(len(finders))])
    unique = by_group & (by_group.sum(axis=0) == 1)
    done = sampled_runs(evaluation, each, ~unique, label="leaving out")
    whole, without = reference(done.values), done.means
    tau, top_tau = coefficients(whole, without)
    change, places = _fate(whole, without, group[done.order])
    of_topics_studied = _studied(evaluation)
    rows = {
        c.LEFT_OUT: [done.scores.runs[own] if isinstance(own, int) else own for own in finders],
        c.RUNS: np.bincount(group).tolist(),
        c.PASSAGES: (unique & of_topics_studied).sum(axis=1).tolist(),
    }
    fates = {c.TAU: tau, c.TAU_AP: top_tau, c.CHANGE: change, c.PLACES: places}
    frame = frame_of(done.values.measures, rows, fates)
    return done, {StudyFrame.FINDERS: frame.cast({c.PLACES: pl.Int64})}


def depth(
    qrels: Qrels, evaluation: Evaluation, plan: StabilityDesign, each: TaskRunner, save: Save | None
) -> tuple[SampledRuns, dict[str, pl.DataFrame]]:
    """Rankings by the passages that any run shows in its first k parts of a topic."""
    _, ranks, longest = zip(*each(partial(first_ranks, evaluation), "searching"), strict=True)
    first = np.min(ranks, axis=0)
    depths = _different(plan.depths, max(longest))
    kept = first <= np.array(depths)[:, None]
    of_topics_studied = _studied(evaluation)
    topics = [_topics_left(evaluation, own & of_topics_studied) for own in kept]
    used = [number for number, left in enumerate(topics) if left]
    if not used:
        raise DataError(
            f"no run shows any passage in its first {counted(plan.depths[0], 'part')}, so there is no"
            " pool: give larger --depths, or runs that return text"
        )
    kept = kept[used]
    done = sampled_runs(evaluation, each, kept)
    settings = {**done.scores.settings, LONGEST_RUN: str(max(longest))}
    notes = (*done.scores.notes, *_never_shown(first[of_topics_studied]))
    done = replace(done, scores=replace(done.scores, settings=settings, notes=notes))
    tau, top_tau = coefficients(reference(done.values), done.means)
    rows = {
        c.DEPTH: [depths[number] for number in used],
        c.PASSAGES: (kept & of_topics_studied).sum(axis=1).tolist(),
        c.TOPICS: [topics[number] for number in used],
    }
    frame = frame_of(done.values.measures, rows, {c.TAU: tau, c.TAU_AP: top_tau})
    return done, {StudyFrame.DEPTHS: frame}


def _different(depths: Sequence[int], longest: int) -> list[int]:
    """The depths that can differ: of those that hold the longest run completely only the smallest."""
    beyond = [depth for depth in depths if depth >= longest]
    return [depth for depth in depths if depth < longest or depth == min(beyond)]


def _never_shown(first: Ints) -> list[str]:
    """That no depth keeps some of the passages."""
    shown = int((first < NEVER).sum())
    if shown == len(first):
        return []
    return [
        f"{shown:,} of {counted(len(first), 'passage')} are shown by some run; the others count as"
        " not relevant at every depth"
    ]


def _studied(evaluation: Evaluation) -> Bools:
    """Which passages belong to topics that count."""
    judged = evaluation.judged
    return judged.eligible[passage_topics(judged)]


def _topics_left(evaluation: Evaluation, kept: Bools) -> int:
    return len(np.unique(passage_topics(evaluation.judged)[kept]))


def _fate(whole: Floats, without: Floats, group: Ints) -> tuple[Floats, Floats]:
    """What taking away its own passages does to a group's runs: measures × groups.

    The mean relative change of their scores, and the most places that one of them loses; not a
    number where no passage is left.
    """
    own = group[None, :] == np.arange(without.shape[1])[:, None]
    score = np.where(np.abs(whole) > EQUAL_WITHIN, whole, np.nan)[:, None, :]
    difference = without - whole[:, None, :]
    difference = np.where(np.abs(difference) <= EQUAL_WITHIN, 0.0, difference)
    relative = np.where(own, difference / np.abs(score), np.nan)
    change, _ = mean_and_spread(relative)
    fallen = ranks_of(without) - ranks_of(whole[:, None, :])
    most = np.where(own, fallen, -np.inf).max(axis=2)
    return change, np.where(np.isnan(without).any(axis=2), np.nan, most)
