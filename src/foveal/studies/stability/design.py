"""What a study of stability is asked to do, and its samples of passages and of topics.

Every sample has a generator of its own, made from the seed, its level and its number. So a sample
stays the same when levels or samples are added, whatever the number of processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

import numpy as np

from foveal.analysis import SEED, Seed, seed_numbers, shown_seed, whole_from_1
from foveal.choices import Draw, Experiment
from foveal.errors import DataError, UsageError, listed
from foveal.frozen import frozen
from foveal.spans import Bools, Ints

LEVELS = (80, 60, 40, 20)
SAMPLES = 10
MIN_PASSAGES = 10
FUZZINESS = 5.0
DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
PAPER_MEASURES = ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "AiP")
_OF_PASSAGES = {Experiment.POOL, Experiment.LEAVE_OUT, Experiment.DEPTH}
_OF_DRAWN_TOPICS = {Experiment.TOPICS, Experiment.ERROR_RATE}
_SAMPLED = set(Experiment) - {Experiment.LEAVE_OUT, Experiment.DEPTH}
# The experiments that use each choice; one that is not here is used by all.
USED_BY = {
    "levels": _SAMPLED,
    "samples": _SAMPLED,
    "rng": _SAMPLED,
    "draw": _OF_DRAWN_TOPICS,
    "fuzziness": {Experiment.ERROR_RATE},
    "depths": {Experiment.DEPTH},
    "pool_depth": {Experiment.LEAVE_OUT},
    "participants": {Experiment.LEAVE_OUT},
}
PASSAGES, TOPICS, BANDS = 0, 1, 2
LARGEST_PARTITIONED = 50


@frozen
class StabilityDesign:
    """The choices of a study, checked; levels are in per cent, largest first.

    `participants` names who sent each run: a participant's runs are left out together. A run has found
    a passage if one of its first `pool_depth` parts of the topic shows some of it; None is all parts.
    """

    experiment: Experiment
    levels: tuple[int, ...]
    samples: int
    min_passages: int
    fuzziness: float
    draw: Draw
    draws: Draws
    seed: str
    depths: tuple[int, ...] = DEPTHS
    pool_depth: int | None = None
    participants: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def of_passages(self) -> bool:
        """Whether passages are taken away, so that judgements must have some."""
        return self.experiment in _OF_PASSAGES

    @property
    def disjoint(self) -> bool:
        """Whether samples of topics share none."""
        return self.experiment is Experiment.SWAP or (
            self.experiment in _OF_DRAWN_TOPICS and self.draw is Draw.PARTITION
        )

    def settings(self) -> dict[str, str]:
        """What a reader of the numbers must know, by option names."""
        shown = {"experiment": self.experiment.value}
        if self.experiment in _SAMPLED:
            shown["levels"] = ",".join(map(str, self.levels))
            shown["samples"] = str(self.samples)
            shown["seed"] = self.seed
        if self.experiment in _OF_DRAWN_TOPICS:
            shown["draw"] = self.draw.value
        if self.experiment is Experiment.ERROR_RATE:
            shown["fuzziness"] = f"{self.fuzziness:g}"
        if self.experiment is Experiment.DEPTH:
            shown["depths"] = ",".join(map(str, self.depths))
        if self.pool_depth:
            shown["pool depth"] = str(self.pool_depth)
        if self.min_passages:
            shown["min passages"] = str(self.min_passages)
        return shown


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
    """The choices of a study; None is the experiment's own default, all else must be of use to it."""
    refuse_unused(
        experiment,
        rng=rng, levels=levels, samples=samples, fuzziness=fuzziness, draw=draw, depths=depths,
        pool_depth=pool_depth, participants=participants,
    )  # fmt: skip
    fewest = MIN_PASSAGES if experiment is Experiment.POOL else 0
    if fuzziness is not None and not 0 <= fuzziness <= 100:
        raise UsageError(f"fuzziness must be between 0 and 100 per cent, got {fuzziness:g}")
    drawn = draw or Draw.INDEPENDENT
    count = SAMPLES if samples is None else whole_from_1("samples", samples)
    if experiment is Experiment.ERROR_RATE and drawn is not Draw.PARTITION and count < 2:
        raise UsageError("an error rate compares samples: ask for two or more (--samples), got 1")
    disjoint = drawn is Draw.PARTITION or experiment is Experiment.SWAP
    left_out = f"disjoint samples: levels above {LARGEST_PARTITIONED} % are left out"
    return StabilityDesign(
        experiment=experiment,
        levels=_levels(levels, disjoint=disjoint),
        samples=count,
        min_passages=fewest if min_passages is None else _not_negative(min_passages),
        fuzziness=FUZZINESS if fuzziness is None else fuzziness,
        draw=drawn,
        draws=Draws.of(SEED if rng is None else rng),
        seed=shown_seed(SEED if rng is None else rng),
        depths=_ranks(DEPTHS if depths is None else depths),
        pool_depth=None if pool_depth is None else whole_from_1("pool depth", pool_depth),
        participants=participants or {},
        notes=(left_out,) if disjoint and levels is None else (),
    )


def refuse_unused(experiment: Experiment, **choices: object) -> None:
    """Refuse a choice that is made although the experiment does not use it."""
    for name, made in choices.items():
        if made is not None and experiment not in USED_BY[name]:
            others = [one.value for one in Experiment if one in USED_BY[name]]
            raise UsageError(
                f"{name} does not apply to {experiment.value}, only to {listed(others)}"
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
    """How many of `count` things a level in per cent keeps: halves round up, at least one stays."""
    return np.maximum(1, (2 * level * count + 100) // 200)


@frozen
class Draws:
    """The seed of all samples of a study."""

    seed: tuple[int, ...]

    @classmethod
    def of(cls, rng: Seed) -> Draws:
        """Draws whose seed comes from a generator, or from the number that makes one."""
        return cls(seed_numbers(rng))

    def generator(self, *purpose: int) -> np.random.Generator:
        """The generator of one purpose: what is drawn, the level, the sample."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=purpose))

    def passages(self, topic: Ints, level: int, sample: int) -> Bools:
        """Which passages a sample keeps, given each one's topic: a share of every topic's own."""
        lots = self.generator(PASSAGES, level, sample).random(len(topic))
        order = np.lexsort((lots, topic))
        count = np.bincount(topic)
        starts = np.cumsum(count) - count
        nth = np.arange(len(topic)) - starts[topic[order]]
        kept = np.zeros(len(topic), dtype=bool)
        kept[order] = nth < sample_size(level, count)[topic[order]]
        return kept

    def topics(self, count: int, level: int, samples: int, draw: Draw) -> Ints:
        """How often each sample holds each topic: samples × subsets × topics.

        Only `partition` draws more than one subset a sample.
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
    """Into how many disjoint subsets of a level the topics are divided."""
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
