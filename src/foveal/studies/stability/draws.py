"""Samples of passages and of topics.

Every sample has a generator of its own, made from the seed, its level and its number. So a sample
stays the same when levels or samples are added, whatever the number of processes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foveal.analysis import Seed, seed_numbers
from foveal.choices import Draw
from foveal.errors import DataError, UsageError
from foveal.frozen import frozen
from foveal.spans import Bools, Ints

PASSAGES, TOPICS, BANDS = 0, 1, 2
LARGEST_PARTITIONED = 50


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
