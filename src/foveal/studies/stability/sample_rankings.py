"""How alike runs are ranked by all of the data and by samples of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foveal.analysis import TopicValues, kendall_tau, tau_ap
from foveal.late import pl
from foveal.spans import Floats
from foveal.studies.stability.design import BANDS, Draws
from foveal.studies.stability.result import StudyFrame, frame_of
from foveal.tables import columns as c
from foveal.work import tracked

RESAMPLES = 1000
CONFIDENCE = 0.95


def reference(values: TopicValues) -> Floats:
    """The means of all runs on all topics, the higher the better: measures × runs."""
    means: Floats = values.signs[:, None] * values.values.mean(axis=2)
    return means


def coefficients(whole: Floats, sampled: Floats) -> tuple[Floats, Floats]:
    """τ and τ_AP between the ranking of all data and each sample's: measures × samples.

    `sampled` is measures × samples × runs. τ_AP treats ties as ties, so that a ranking always
    agrees with itself.
    """
    pairs = list(zip(whole, sampled, strict=True))
    taus = np.array([kendall_tau(full, own) for full, own in pairs])
    return taus, np.array([tau_ap(full, own) for full, own in pairs])


def agreement_frames(
    whole: Floats,
    sampled: Sequence[Floats],
    measures: list[str],
    levels: Sequence[int],
    draws: Draws,
) -> dict[str, pl.DataFrame]:
    """The frames of an experiment on levels, given the means of every level's samples."""
    found = [
        coefficients(whole, own) for own in tracked(sampled, "comparing rankings", len(sampled))
    ]
    taus, top_taus = ([pair[place] for pair in found] for place in (0, 1))
    low, high = np.transpose(
        [
            _bands(own, draws.generator(BANDS, level))
            for own, level in zip(taus, levels, strict=True)
        ],
        (1, 2, 0),
    )
    return {
        StudyFrame.CURVES: _curves(taus, measures, levels),
        StudyFrame.SAMPLES: _samples(taus, measures, levels, c.TAU),
        StudyFrame.BANDS: frame_of(measures, {c.LEVEL: levels}, {c.LOW: low, c.HIGH: high}),
        StudyFrame.TAU_AP_CURVES: _curves(top_taus, measures, levels),
        StudyFrame.TAU_AP_SAMPLES: _samples(top_taus, measures, levels, c.TAU_AP),
    }


def mean_and_spread(values: Floats) -> tuple[Floats, Floats]:
    """The mean and the standard deviation (ddof 1) along the last axis, of what is a number."""
    known = ~np.isnan(values)
    count = known.sum(axis=-1)
    filled = np.where(known, values, 0.0)
    mean = np.where(count > 0, filled.sum(axis=-1) / np.maximum(count, 1), np.nan)
    squares = np.where(known, (filled - mean[..., None]) ** 2, 0.0).sum(axis=-1)
    spread = np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan)
    return mean, spread


def _curves(values: list[Floats], measures: list[str], levels: Sequence[int]) -> pl.DataFrame:
    mean, spread = np.transpose([mean_and_spread(own) for own in values], (1, 2, 0))
    return frame_of(measures, {c.LEVEL: levels}, {c.MEAN: mean, c.SPREAD: spread})


def _samples(
    values: list[Floats], measures: list[str], levels: Sequence[int], name: str
) -> pl.DataFrame:
    numbers = [
        (level, sample)
        for level, own in zip(levels, values, strict=True)
        for sample in range(1, own.shape[1] + 1)
    ]
    level, sample = zip(*numbers, strict=True)
    rows = {c.LEVEL: level, c.SAMPLE: sample}
    return frame_of(measures, rows, {name: np.concatenate(values, axis=1)})


def _bands(values: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Percentiles of the mean over samples, by drawing the samples again with replacement."""
    count = values.shape[1]
    drawn = values[:, rng.integers(count, size=(RESAMPLES, count))]
    means, _ = mean_and_spread(drawn)
    outside = (1 - CONFIDENCE) / 2
    bounds = np.full((2, len(values)), np.nan)
    for place, own in enumerate(means):
        known = own[~np.isnan(own)]
        if len(known):
            bounds[:, place] = np.quantile(known, [outside, 1 - outside])
    return bounds[0], bounds[1]
