"""Agreement between the ranking of runs by all data and by samples of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foveal.analysis import TopicValues, kendall_tau, tau_ap
from foveal.late import pl
from foveal.spans import Floats
from foveal.studies.stability.design import BANDS, StabilityDesign
from foveal.studies.stability.result import StudyFrame, frame_of
from foveal.tables import columns as c
from foveal.work import tracked

RESAMPLES = 1000
CONFIDENCE = 0.95


def reference(values: TopicValues) -> Floats:
    """The means of all runs on all topics, the higher the better: measures × runs."""
    means: Floats = values.signs[:, None] * values.values.mean(axis=2)
    return means


def coefficients(all_values: Floats, sample_values: Floats) -> tuple[Floats, Floats]:
    """τ and τ_AP between the ranking of all data and each sample's: measures × samples.

    `sample_values` is measures × samples × runs. τ_AP treats ties as ties, so that a ranking always
    agrees with itself.
    """
    pairs = list(zip(all_values, sample_values, strict=True))
    taus = np.array([kendall_tau(reference_means, means) for reference_means, means in pairs])
    return taus, np.array([tau_ap(reference_means, means) for reference_means, means in pairs])


def agreement_frames(
    all_values: Floats, sampled: Sequence[Floats], measures: list[str], design: StabilityDesign
) -> dict[str, pl.DataFrame]:
    """The frames of an experiment on levels, given the means of every level's samples."""
    pairs = [
        coefficients(all_values, values)
        for values in tracked(sampled, "comparing rankings", len(sampled))
    ]
    taus, top_taus = ([pair[side] for pair in pairs] for side in (0, 1))
    low, high = np.transpose(
        [
            _bands(level_taus, design.sampler.generator(BANDS, level))
            for level_taus, level in zip(taus, design.levels, strict=True)
        ],
        (1, 2, 0),
    )
    return {
        StudyFrame.CURVES: _curves(taus, measures, design.levels),
        StudyFrame.SAMPLES: _values_by_sample(taus, measures, design.levels, c.TAU),
        StudyFrame.BANDS: frame_of(measures, {c.LEVEL: design.levels}, {c.LOW: low, c.HIGH: high}),
        StudyFrame.TAU_AP_CURVES: _curves(top_taus, measures, design.levels),
        StudyFrame.TAU_AP_SAMPLES: _values_by_sample(top_taus, measures, design.levels, c.TAU_AP),
    }


def mean_and_spread(values: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation (ddof 1) along the last axis, without NaN."""
    has_value = ~np.isnan(values)
    count = has_value.sum(axis=-1)
    numbers = np.where(has_value, values, 0.0)
    mean = np.where(count > 0, numbers.sum(axis=-1) / np.maximum(count, 1), np.nan)
    squares = np.where(has_value, (numbers - mean[..., None]) ** 2, 0.0).sum(axis=-1)
    spread = np.where(count > 1, np.sqrt(squares / np.maximum(count - 1, 1)), np.nan)
    return mean, spread


def _curves(values: list[Floats], measures: list[str], levels: Sequence[int]) -> pl.DataFrame:
    mean, spread = np.transpose([mean_and_spread(array) for array in values], (1, 2, 0))
    return frame_of(measures, {c.LEVEL: levels}, {c.MEAN: mean, c.SPREAD: spread})


def _values_by_sample(
    values: list[Floats], measures: list[str], levels: Sequence[int], name: str
) -> pl.DataFrame:
    """A row per measure, level and sample, with the value in the column `name`."""
    pairs = [
        (level, sample)
        for level, array in zip(levels, values, strict=True)
        for sample in range(1, array.shape[1] + 1)
    ]
    levels_column, samples_column = zip(*pairs, strict=True)
    labels = {c.LEVEL: levels_column, c.SAMPLE: samples_column}
    return frame_of(measures, labels, {name: np.concatenate(values, axis=1)})


def _bands(values: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Percentiles of the mean over samples, by drawing the samples again with replacement."""
    count = values.shape[1]
    resamples = values[:, rng.integers(count, size=(RESAMPLES, count))]
    means, _ = mean_and_spread(resamples)
    tail = (1 - CONFIDENCE) / 2
    bounds = np.full((2, len(values)), np.nan)
    for row, measure_means in enumerate(means):
        numbers = measure_means[~np.isnan(measure_means)]
        if len(numbers):
            bounds[:, row] = np.quantile(numbers, [tail, 1 - tail])
    return bounds[0], bounds[1]
