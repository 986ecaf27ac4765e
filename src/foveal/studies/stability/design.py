"""The design of a study of stability, and its samples of passages and of topics.

Every sample has its own generator, made from the seed, its level and its number. So a sample stays
the same when levels or samples are added, whatever the number of processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

import numpy as np

from foveal.analysis import SEED, Seed, seed_numbers, shown_seed, whole_from_1
from foveal.choices import Draw, Experiment
from foveal.errors import DataError, UsageError, and_list
from foveal.frozen import frozen
from foveal.spans import Bools, Ints

LEVELS = (80, 60, 40, 20)
SAMPLES = 10
MIN_PASSAGES = 10
FUZZINESS = 5.0
DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
PAPER_MEASURES = ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "AiP")
_OF_PASSAGES = {Experiment.POOL, Experiment.LEAVE_OUT, Experiment.DEPTH}
_OF_TOPIC_SAMPLES = {Experiment.TOPICS, Experiment.ERROR_RATE}
_WITH_SAMPLES = set(Experiment) - {Experiment.LEAVE_OUT, Experiment.DEPTH}
# The experiments that use each choice; all experiments use the choices not listed here.
USED_BY = {
    "levels": _WITH_SAMPLES,
    "samples": _WITH_SAMPLES,
    "rng": _WITH_SAMPLES,
    "draw": _OF_TOPIC_SAMPLES,
    "fuzziness": {Experiment.ERROR_RATE},
    "depths": {Experiment.DEPTH},
    "pool_depth": {Experiment.LEAVE_OUT},
    "participants": {Experiment.LEAVE_OUT},
}
PASSAGES, TOPICS, BANDS = 0, 1, 2
LARGEST_PARTITIONED = 50


@frozen
class StabilityDesign:
    """The checked choices of a study; levels are in per cent, largest first.

    `participants` names who sent each run: a participant's runs are left out together. A run finds a
    passage if one of its first `pool_depth` parts of the topic overlaps it; `None` means all parts.
    """

    experiment: Experiment
    levels: tuple[int, ...]
    samples: int
    min_passages: int
    fuzziness: float
    draw: Draw
    sampler: Sampler
    seed: str
    depths: tuple[int, ...] = DEPTHS
    pool_depth: int | None = None
    participants: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def removes_passages(self) -> bool:
        """Whether the experiment removes passages, so that judgements must have some."""
        return self.experiment in _OF_PASSAGES

    @property
    def disjoint(self) -> bool:
        """Whether samples share no topic."""
        return self.experiment is Experiment.SWAP or (
            self.experiment in _OF_TOPIC_SAMPLES and self.draw is Draw.PARTITION
        )

    def settings(self) -> dict[str, str]:
        """The settings that readers of the numbers need, by option name."""
        settings = {"experiment": self.experiment.value}
        if self.experiment in _WITH_SAMPLES:
            settings["levels"] = ",".join(map(str, self.levels))
            settings["samples"] = str(self.samples)
            settings["seed"] = self.seed
        if self.experiment in _OF_TOPIC_SAMPLES:
            settings["draw"] = self.draw.value
        if self.experiment is Experiment.ERROR_RATE:
            settings["fuzziness"] = f"{self.fuzziness:g}"
        if self.experiment is Experiment.DEPTH:
            settings["depths"] = ",".join(map(str, self.depths))
        if self.pool_depth:
            settings["pool depth"] = str(self.pool_depth)
        if self.min_passages:
            settings["min passages"] = str(self.min_passages)
        return settings


def stability_design(  # noqa: PLR0913  # one per choice
    experiment: Experiment,
    *,
    rng: Seed | None = None,
    levels: Sequence[int] | None = None,
    samples: int | None = None,
    min_passages: int | None = None,
    fuzziness: float | None = None,
    draw: Draw | None = None,
    depths: Sequence[int] | None = None,
    pool_depth: int | None = None,
    participants: Mapping[str, str] | None = None,
) -> StabilityDesign:
    """Check the choices of a study; `None` means the experiment's default, unused ones are refused."""
    refuse_unused(
        experiment,
        rng=rng, levels=levels, samples=samples, fuzziness=fuzziness, draw=draw, depths=depths,
        pool_depth=pool_depth, participants=participants,
    )  # fmt: skip
    default_passages = MIN_PASSAGES if experiment is Experiment.POOL else 0
    if fuzziness is not None and not 0 <= fuzziness <= 100:
        raise UsageError(f"fuzziness must be between 0 and 100 per cent, got {fuzziness:g}")
    draw_method = draw or Draw.INDEPENDENT
    count = SAMPLES if samples is None else whole_from_1("samples", samples)
    if experiment is Experiment.ERROR_RATE and draw_method is not Draw.PARTITION and count < 2:
        raise UsageError("an error rate compares samples: ask for two or more (--samples), got 1")
    disjoint = draw_method is Draw.PARTITION or experiment is Experiment.SWAP
    note = f"disjoint samples: levels above {LARGEST_PARTITIONED} % are left out"
    return StabilityDesign(
        experiment=experiment,
        levels=_levels(levels, disjoint=disjoint),
        samples=count,
        min_passages=default_passages if min_passages is None else _not_negative(min_passages),
        fuzziness=FUZZINESS if fuzziness is None else fuzziness,
        draw=draw_method,
        sampler=Sampler.of(SEED if rng is None else rng),
        seed=shown_seed(SEED if rng is None else rng),
        depths=_ranks(DEPTHS if depths is None else depths),
        pool_depth=None if pool_depth is None else whole_from_1("pool depth", pool_depth),
        participants=participants or {},
        notes=(note,) if disjoint and levels is None else (),
    )


def refuse_unused(experiment: Experiment, **choices: object) -> None:
    """Refuse a choice that the experiment does not use."""
    for name, value in choices.items():
        if value is not None and experiment not in USED_BY[name]:
            experiments = [other.value for other in Experiment if other in USED_BY[name]]
            raise UsageError(
                f"{name} does not apply to {experiment.value}, only to {and_list(experiments)}"
            )


def _levels(levels: Sequence[int] | None, *, disjoint: bool) -> tuple[int, ...]:
    if levels is None:
        default = (level for level in LEVELS if not disjoint or level <= LARGEST_PARTITIONED)
        return tuple(default)
    if not levels:
        raise UsageError("levels must name at least one share in per cent, such as 80,60,40,20")
    for level in levels:
        if level != int(level) or not 1 <= level <= 100:
            raise UsageError(
                f"a level must be a whole number of per cent from 1 to 100, got {level:g}"
            )
    return tuple(sorted({int(level) for level in levels}, reverse=True))


def _ranks(depths: Sequence[int]) -> tuple[int, ...]:
    if not depths:
        raise UsageError("depths must name at least one depth, such as 1,10,100")
    return tuple(sorted({whole_from_1("a depth", depth) for depth in depths}, reverse=True))


def _not_negative(passages: int) -> int:
    if passages < 0 or passages != int(passages):
        raise UsageError(f"min passages must be a whole number, 0 or more, got {passages:g}")
    return int(passages)


def sample_size(level: int, count: Ints) -> Ints:
    """Size of a sample of `count` things at a level in per cent: halves round up, at least one."""
    return np.maximum(1, (2 * level * count + 100) // 200)


@frozen
class Sampler:
    """Draws all samples of a study, from one seed."""

    seed: tuple[int, ...]

    @classmethod
    def of(cls, rng: Seed) -> Sampler:
        """A sampler whose seed comes from a generator, or from the seed of one."""
        return cls(seed_numbers(rng))

    def generator(self, *spawn_key: int) -> np.random.Generator:
        """A generator for one sample, identified by its kind, level and number."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=spawn_key))

    def passages(self, topic: Ints, level: int, sample: int) -> Bools:
        """Mask of the passages in a sample, given each one's topic: the same share of every topic."""
        random_keys = self.generator(PASSAGES, level, sample).random(len(topic))
        order = np.lexsort((random_keys, topic))
        count = np.bincount(topic)
        starts = np.cumsum(count) - count
        index = np.arange(len(topic)) - starts[topic[order]]
        keep = np.zeros(len(topic), dtype=bool)
        keep[order] = index < sample_size(level, count)[topic[order]]
        return keep

    def topics(self, count: int, level: int, samples: int, draw: Draw) -> Ints:
        """Count of each topic in each sample: samples × subsets × topics.

        Only `partition` draws more than one subset per sample.
        """
        rows = [
            list(_subsets(self.generator(TOPICS, level, sample), count, level, draw))
            for sample in range(samples)
        ]
        return np.array(rows, dtype=np.int64)


def _subsets(rng: np.random.Generator, count: int, level: int, draw: Draw) -> Iterator[Ints]:
    size = int(sample_size(level, np.array(count)))
    if draw is Draw.BOOTSTRAP:
        yield np.bincount(rng.integers(count, size=size), minlength=count)
        return
    shuffle = rng.permutation(count)
    if draw is Draw.INDEPENDENT:
        yield np.bincount(shuffle[:size], minlength=count)
        return
    subsets = partitions(count, level)
    # Halves that round up may ask for more topics than there are.
    size = min(size, count // subsets)
    for subset in range(subsets):
        yield np.bincount(shuffle[subset * size : (subset + 1) * size], minlength=count)


def partitions(count: int, level: int) -> int:
    """Number of disjoint subsets of a level into which the topics are divided."""
    if level > LARGEST_PARTITIONED:
        raise UsageError(
            f"disjoint samples can hold at most {LARGEST_PARTITIONED} % of the topics, got"
            f" {level} %: give lower --levels"
        )
    subsets = 100 // level
    if count < 2:
        raise DataError("one topic cannot be divided into disjoint samples: give more topics")
    if count < subsets:
        raise DataError(
            f"too few topics ({count}) for {subsets} disjoint samples of {level} %: give higher"
            f" --levels, up to {LARGEST_PARTITIONED}"
        )
    return subsets
