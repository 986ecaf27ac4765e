"""Topic sampling: fewer topics, each with all its judgements; no run is scored twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foveal.analysis import TopicValues
from foveal.choices import Draw
from foveal.late import pl
from foveal.spans import Bools, Floats, Ints
from foveal.studies.stability.design import StabilityDesign
from foveal.studies.stability.result import StudyFrame, frame_of
from foveal.studies.stability.sample_rankings import agreement_frames, mean_and_spread, reference
from foveal.studies.stability.sampling import Save
from foveal.tables import EQUAL_WITHIN
from foveal.tables import columns as c
from foveal.work import tracked

# Voorhees and Buckley's: differences of means by hundredths, all beyond the last together.
BIN, BINS = 0.01, 20
ONE_IN = 20


def topics(
    values: TopicValues, plan: StabilityDesign, save: Save | None
) -> dict[str, pl.DataFrame]:
    """Rankings of runs by samples of the topics."""
    drawn = [own.reshape(-1, own.shape[-1]) for own in _drawn(values, plan, save)]
    sampled = [_means(values, own) for own in drawn]
    return agreement_frames(reference(values), sampled, values.measures, plan.levels, plan.draws)


def error_rates(
    values: TopicValues, plan: StabilityDesign, save: Save | None
) -> dict[str, pl.DataFrame]:
    """How often two runs change places between samples of the topics."""
    rates, spreads, ties = [], [], []
    for drawn in _drawn(values, plan, save):
        # Disjoint subsets are compared within their shuffle; other samples all with each other.
        groups = drawn if plan.draw is Draw.PARTITION else drawn.reshape(1, -1, drawn.shape[-1])
        counted = [
            [outcomes(own, plan.fuzziness / 100) for own in _means(values, group)]
            for group in groups
        ]
        found = np.array([[_rate_of(*own) for own in group] for group in counted])
        rate, spread = mean_and_spread(found[..., 0].T)
        if plan.draw is not Draw.PARTITION:
            spread = np.array([_jackknife(*own) for own in counted[0]])
        rates.append(rate)
        spreads.append(spread)
        ties.append(found[..., 1].mean(axis=0))
    levels = {c.LEVEL: plan.levels}
    curves = {c.RATE: np.transpose(rates), c.SPREAD: np.transpose(spreads)}
    return {
        StudyFrame.CURVES: frame_of(values.measures, levels, curves),
        StudyFrame.TIES: frame_of(values.measures, levels, {c.SHARE: np.transpose(ties)}),
    }


def error_rate(better: Ints, worse: Ints, equal: Ints) -> float:
    """Buckley and Voorhees' error rate, given for each pair how many samples favour which run."""
    return float(np.minimum(better, worse).sum() / max(int((better + worse + equal).sum()), 1))


def swaps(values: TopicValues, plan: StabilityDesign, save: Save | None) -> dict[str, pl.DataFrame]:
    """How often two disjoint sets of topics disagree on two runs, by their difference in the first."""
    edges = BIN * np.arange(BINS + 1)
    rows: dict[str, list[float | None]] = {c.LEVEL: [], c.LOW: [], c.HIGH: []}
    pairs, swapped = [], []
    for level, drawn in zip(plan.levels, _drawn(values, plan, None, Draw.PARTITION), strict=True):
        one, other = (_differences(_means(values, drawn[:, side])) for side in (0, 1))
        place = np.minimum((np.abs(one) / BIN + EQUAL_WITHIN).astype(np.int64), BINS)
        opposite = one * other < 0
        for measure in range(len(one)):
            counted = np.bincount(place[measure].ravel(), minlength=BINS + 1)
            pairs.append(counted)
            swapped.append(np.bincount(place[measure][opposite[measure]], minlength=BINS + 1))
        rows[c.LEVEL] += [level] * (BINS + 1)
        rows[c.LOW] += edges.tolist()
        rows[c.HIGH] += [*edges[1:].tolist(), None]
    shape = (len(plan.levels), len(values.measures), BINS + 1)
    count, changed = (np.array(own).reshape(shape).transpose(1, 0, 2) for own in (pairs, swapped))
    rate = np.where(count > 0, changed / np.maximum(count, 1), np.nan)
    bins = frame_of(values.measures, rows, {c.PAIRS: count, c.SWAPS: changed, c.RATE: rate})
    needed = np.array(
        [
            [_needed(*own) for own in zip(c, s, strict=True)]
            for c, s in zip(count, changed, strict=True)
        ]
    )
    return {
        StudyFrame.NEEDED: frame_of(
            values.measures, {c.LEVEL: plan.levels}, {c.DIFFERENCE: needed}
        ),
        StudyFrame.BINS: bins,
    }


def _needed(pairs: Ints, swapped: Ints) -> float:
    """The least difference from which on fewer than one pair in twenty changes places."""
    high = ((pairs > 0) & (ONE_IN * swapped >= pairs)).nonzero()[0]
    first = int(high[-1]) + 1 if len(high) else 0
    return first * BIN if first <= BINS and pairs[first:].any() else np.nan


def _drawn(
    values: TopicValues, plan: StabilityDesign, save: Save | None, draw: Draw | None = None
) -> Iterator[Ints]:
    """Each level's samples × subsets × topics."""
    for level in tracked(plan.levels, "sampling topics", len(plan.levels)):
        drawn = plan.draws.topics(len(values.topics), level, plan.samples, draw or plan.draw)
        if save:
            for number, own in enumerate(drawn.reshape(-1, drawn.shape[-1]), start=1):
                save(f"topics-{level}-{number:02d}", np.repeat(values.topics, own).tolist())
        yield drawn


def _means(values: TopicValues, drawn: Ints) -> Floats:
    """Every run's mean in every sample, the higher the better: measures × samples × runs."""
    weights = drawn / drawn.sum(axis=1, keepdims=True)
    means = np.einsum("nt,mrt->mnr", weights, values.values, optimize=True)
    signed: Floats = values.signs[:, None, None] * means
    return signed


def _differences(means: Floats) -> Floats:
    """How much better the first of each pair of runs is: measures × samples × pairs."""
    left, right = np.triu_indices(means.shape[-1], k=1)
    differences: Floats = means[..., left] - means[..., right]
    return np.where(np.abs(differences) <= EQUAL_WITHIN, 0.0, differences)


def outcomes(means: Floats, fuzziness: float) -> tuple[Bools, Bools, Bools]:
    """For every sample and pair of runs: is the first better, the second, or neither?"""
    left, right = np.triu_indices(means.shape[-1], k=1)
    size = np.maximum(np.abs(means[:, left]), np.abs(means[:, right]))
    difference = _differences(means)
    equal = (np.abs(difference) < fuzziness * size) | (difference == 0)
    return ~equal & (difference > 0), ~equal & (difference < 0), equal


def _rate_of(better: Bools, worse: Bools, equal: Bools) -> tuple[float, float]:
    """The error rate over samples, and the share of pairs that are equal."""
    counts = (own.sum(axis=0) for own in (better, worse, equal))
    return error_rate(*counts), float(equal.mean())


def _jackknife(better: Bools, worse: Bools, equal: Bools) -> float:
    """The standard error of the rate, by leaving out one sample at a time."""
    count = len(better)
    if count < 2:
        return float("nan")
    totals = [own.sum(axis=0) for own in (better, worse, equal)]
    rates = [
        error_rate(*(total - own for total, own in zip(totals, sample, strict=True)))
        for sample in zip(better, worse, equal, strict=True)
    ]
    return float(np.sqrt((count - 1) * np.var(rates)))
