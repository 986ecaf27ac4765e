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

# As Voorhees and Buckley: differences of means in bins of 0.01; the last bin has all larger ones.
BIN, BINS = 0.01, 20
ONE_IN = 20


def topics(values: TopicValues, design: StabilityDesign, save: Save) -> dict[str, pl.DataFrame]:
    """Rankings of runs by samples of the topics."""
    by_level = [sets.reshape(-1, sets.shape[-1]) for sets in _sets(values, design, save)]
    sampled = [_means(values, sets) for sets in by_level]
    return agreement_frames(reference(values), sampled, values.measures, design)


def error_rates(
    values: TopicValues, design: StabilityDesign, save: Save
) -> dict[str, pl.DataFrame]:
    """Rate at which two runs change places between samples of the topics."""
    rates, spreads, ties = [], [], []
    for sets in _sets(values, design, save):
        # Disjoint subsets are compared within their shuffle; other samples all with each other.
        groups = sets if design.draw is Draw.PARTITION else sets.reshape(1, -1, sets.shape[-1])
        outcome_groups = [
            [outcomes(means, design.fuzziness / 100) for means in _means(values, group)]
            for group in groups
        ]
        shares = np.array([[_rate_of(*outcome) for outcome in group] for group in outcome_groups])
        rate, spread = mean_and_spread(shares[..., 0].T)
        if design.draw is not Draw.PARTITION:
            spread = np.array([_jackknife(*outcome) for outcome in outcome_groups[0]])
        rates.append(rate)
        spreads.append(spread)
        ties.append(shares[..., 1].mean(axis=0))
    levels = {c.LEVEL: design.levels}
    curves = {c.RATE: np.transpose(rates), c.SPREAD: np.transpose(spreads)}
    return {
        StudyFrame.CURVES: frame_of(values.measures, levels, curves),
        StudyFrame.TIES: frame_of(values.measures, levels, {c.SHARE: np.transpose(ties)}),
    }


def error_rate(better: Ints, worse: Ints, equal: Ints) -> float:
    """Error rate by Buckley and Voorhees, from the numbers of samples that favour each run of a pair."""
    return float(np.minimum(better, worse).sum() / max(int((better + worse + equal).sum()), 1))


def swap(values: TopicValues, design: StabilityDesign, save: Save) -> dict[str, pl.DataFrame]:
    """Rate of disagreement of disjoint topic sets on two runs, by their difference on the first set."""
    edges = BIN * np.arange(BINS + 1)
    rows: dict[str, list[float | None]] = {c.LEVEL: [], c.LOW: [], c.HIGH: []}
    pairs, swapped = [], []
    for level, sets in zip(design.levels, _sets(values, design, None, Draw.PARTITION), strict=True):
        first, second = (_differences(_means(values, sets[:, side])) for side in (0, 1))
        bin_index = np.minimum((np.abs(first) / BIN + EQUAL_WITHIN).astype(np.int64), BINS)
        opposite = first * second < 0
        for measure in range(len(first)):
            pairs.append(np.bincount(bin_index[measure].ravel(), minlength=BINS + 1))
            swapped.append(np.bincount(bin_index[measure][opposite[measure]], minlength=BINS + 1))
        rows[c.LEVEL] += [level] * (BINS + 1)
        rows[c.LOW] += edges.tolist()
        rows[c.HIGH] += [*edges[1:].tolist(), None]
    shape = (len(design.levels), len(values.measures), BINS + 1)
    count, changed = (np.array(item).reshape(shape).transpose(1, 0, 2) for item in (pairs, swapped))
    rate = np.where(count > 0, changed / np.maximum(count, 1), np.nan)
    bins = frame_of(values.measures, rows, {c.PAIRS: count, c.SWAPS: changed, c.RATE: rate})
    needed = np.array(
        [
            [_needed(*level_counts) for level_counts in zip(*measure_counts, strict=True)]
            for measure_counts in zip(count, changed, strict=True)
        ]
    )
    differences = frame_of(values.measures, {c.LEVEL: design.levels}, {c.DIFFERENCE: needed})
    return {StudyFrame.NEEDED: differences, StudyFrame.BINS: bins}


def _needed(pairs: Ints, swapped: Ints) -> float:
    """Smallest difference from which on fewer than one pair in twenty changes places."""
    high = ((pairs > 0) & (ONE_IN * swapped >= pairs)).nonzero()[0]
    first = int(high[-1]) + 1 if len(high) else 0
    return first * BIN if first <= BINS and pairs[first:].any() else np.nan


def _sets(
    values: TopicValues, design: StabilityDesign, save: Save, draw: Draw | None = None
) -> Iterator[Ints]:
    """Sets of topics, level by level: samples × subsets × topics."""
    for level in tracked(design.levels, "sampling topics", len(design.levels)):
        sets = design.sampler.topics(len(values.topics), level, design.samples, draw or design.draw)
        if save:
            for number, counts in enumerate(sets.reshape(-1, sets.shape[-1]), start=1):
                save(f"topics-{level}-{number:02d}", np.repeat(values.topics, counts).tolist())
        yield sets


def _means(values: TopicValues, samples: Ints) -> Floats:
    """Mean of every run in every sample, the higher the better: measures × samples × runs."""
    weights = samples / samples.sum(axis=1, keepdims=True)
    means = np.einsum("nt,mrt->mnr", weights, values.values, optimize=True)
    signed: Floats = values.signs[:, None, None] * means
    return signed


def _differences(means: Floats) -> Floats:
    """Advantage of the first of each pair of runs: measures × samples × pairs."""
    first, second = np.triu_indices(means.shape[-1], k=1)
    differences: Floats = means[..., first] - means[..., second]
    return np.where(np.abs(differences) <= EQUAL_WITHIN, 0.0, differences)


def outcomes(means: Floats, fuzziness: float) -> tuple[Bools, Bools, Bools]:
    """Masks for every sample and pair of runs: the first is better, the second, or neither."""
    first, second = np.triu_indices(means.shape[-1], k=1)
    size = np.maximum(np.abs(means[:, first]), np.abs(means[:, second]))
    difference = _differences(means)
    equal = (np.abs(difference) < fuzziness * size) | (difference == 0)
    return ~equal & (difference > 0), ~equal & (difference < 0), equal


def _rate_of(better: Bools, worse: Bools, equal: Bools) -> tuple[float, float]:
    """The error rate over samples, and the share of pairs that are equal."""
    counts = (mask.sum(axis=0) for mask in (better, worse, equal))
    return error_rate(*counts), float(equal.mean())


def _jackknife(better: Bools, worse: Bools, equal: Bools) -> float:
    """The standard error of the rate, by leaving out one sample at a time."""
    count = len(better)
    if count < 2:
        return float("nan")
    totals = [mask.sum(axis=0) for mask in (better, worse, equal)]
    rates = [
        error_rate(*(total - left_out for total, left_out in zip(totals, outcome, strict=True)))
        for outcome in zip(better, worse, equal, strict=True)
    ]
    return float(np.sqrt((count - 1) * np.var(rates)))
