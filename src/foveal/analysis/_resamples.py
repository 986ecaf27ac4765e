"""Resamples of topics, signs and runs, in blocks that are the same on any machine.

The generator of a block is made from the seed and the block's number, and its size depends on the
data alone. So blocks can be made again when they are needed: all pairs and measures have the same
resamples, and only one block at a time is in memory.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foveal.errors import UsageError
from foveal.frozen import frozen
from foveal.spans import Floats
from foveal.tables import columns
from foveal.work import stage


def between_0_and_1(name: str, number: float) -> float:
    """The number, which must be strictly between 0 and 1."""
    if not 0 < number < 1:
        raise UsageError(f"{name} must be between 0 and 1, got {number:g}")
    return number


def whole_from_1(name: str, number: float) -> int:
    """The number, which must be whole, 1 or more."""
    if number < 1 or number != int(number):
        raise UsageError(f"{name} must be a whole number, 1 or more, got {number:g}")
    return int(number)


Seed = int | np.random.Generator
ALL = "all"
# Half of the sign vectors will do, one of each pair of opposites. Up to HALVES_ALWAYS, all of them are
# used; "all" can be requested for at most MOST_TOPICS topics.
HALVES_ALWAYS = 2**16
MOST_TOPICS = 24
# Numbers in the largest array: 32 MB.
BLOCK = 4_000_000


def generator_of(rng: Seed) -> np.random.Generator:
    """The generator, or one made from the seed."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"rng must be a whole number, 0 or more, or a generator of NumPy, got {rng!r}"
        ) from error


def seed_numbers(rng: Seed) -> tuple[int, ...]:
    """Numbers that seed many generators, from one generator or its seed."""
    return tuple(generator_of(rng).integers(2**63, size=4).tolist())


def shown_seed(rng: Seed) -> str:
    """The seed for settings."""
    return "a generator's" if isinstance(rng, np.random.Generator) else str(rng)


def percentiles(samples: Floats, alpha: float) -> dict[str, float]:
    """The percentile interval of a resampled coefficient, over resamples in which it is defined."""
    valid = samples[~np.isnan(samples)]
    low, high = np.quantile(valid, [alpha / 2, 1 - alpha / 2]) if len(valid) else (np.nan, np.nan)
    return {columns.LOW: float(low), columns.HIGH: float(high)}


@frozen
class Resamples:
    """A number of resamples, and their seed."""

    count: int
    seed: tuple[int, ...]
    exhaustive: bool = False
    """Use all sign vectors, or raise if there are too many."""

    @classmethod
    def seeded(cls, count: int | str, rng: Seed) -> Resamples:
        """Resamples with a seed from a generator, or from the number that makes one."""
        if count == ALL:
            return cls(2 ** (MOST_TOPICS - 1), seed_numbers(rng), exhaustive=True)
        if isinstance(count, str):
            raise UsageError(f"resamples must be a whole number or {ALL}, got {count!r}")
        return cls(whole_from_1("resamples", count), seed_numbers(rng))

    def takes_all_flips(self, topics: int) -> bool:
        """True if all sign vectors of so many topics are used, not a random sample.

        Of a vector and its opposite, one is enough.
        """
        takes_all = 1 << max(0, topics - 1) <= max(HALVES_ALWAYS, self.count)
        if self.exhaustive and not takes_all:
            raise UsageError(
                f"runs differ on {topics} topics, and all resamples can be taken of {MOST_TOPICS} at"
                " most: ask for a number (--resamples, in Python resamples=)"
            )
        return takes_all

    def bootstrap(self, topics: int) -> Iterator[Floats]:
        """Blocks of weights: the number of times each topic was drawn, resamples × topics."""
        for rng, size in self._blocks(topics):
            topic = rng.integers(topics, size=(size, topics))
            cells = topic + topics * np.arange(size)[:, None]
            counts = np.bincount(cells.ravel(), minlength=size * topics)
            yield np.asarray(counts.reshape(size, topics), dtype=np.float64)

    def flips(self, topics: int) -> Iterator[Floats]:
        """Blocks of signs: -1 where a topic's two scores are swapped, resamples × topics."""
        for rng, size in self._blocks(topics):
            octets = np.frombuffer(rng.bytes(size * -(-topics // 8)), dtype=np.uint8)
            bits = np.unpackbits(octets.reshape(size, -1), axis=1, count=topics)
            yield np.where(bits, -1.0, 1.0)

    def all_flips(self, topics: int) -> Iterator[Floats]:
        """Blocks of all sign vectors, one of each pair of opposites: vectors × topics."""
        total, size = 1 << max(0, topics - 1), max(1, BLOCK // max(1, topics))
        with stage("resampling", total) as advance:
            for start in range(0, total, size):
                numbers = np.arange(start, min(start + size, total))
                yield np.where(numbers[:, None] >> np.arange(topics) & 1, -1.0, 1.0)
                advance(len(numbers))

    def shuffles(self, values: Floats) -> Iterator[Floats]:
        """Blocks of scores shuffled among the runs within each topic, resamples × topics × runs."""
        by_topic = np.ascontiguousarray(values.T)
        for rng, size in self._blocks(values.size):
            yield rng.permuted(np.broadcast_to(by_topic, (size, *by_topic.shape)), axis=2)

    def _blocks(self, numbers: int) -> Iterator[tuple[np.random.Generator, int]]:
        """The generator and the number of resamples of each block; a resample has `numbers` numbers."""
        size = max(1, BLOCK // numbers)
        with stage("resampling", self.count) as advance:
            for block, start in enumerate(range(0, self.count, size)):
                seed = np.random.SeedSequence(self.seed, spawn_key=(block,))
                count = min(size, self.count - start)
                yield np.random.default_rng(seed), count
                advance(count)
