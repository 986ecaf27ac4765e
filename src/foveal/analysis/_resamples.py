"""Topics drawn again, signs flipped, runs shuffled, in blocks that are the same on any machine.

Every block has a generator of its own, made from the seed and the block's number, and its size
depends on the data alone. The blocks can be made again whenever they are needed: one set of
resamples serves every pair and every measure, and only one block at a time is in memory.
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
    """A number strictly between 0 and 1."""
    if not 0 < number < 1:
        raise UsageError(f"{name} must be between 0 and 1, got {number:g}")
    return number


def whole_from_1(name: str, number: float) -> int:
    """A whole number, 1 or more."""
    if number < 1 or number != int(number):
        raise UsageError(f"{name} must be a whole number, 1 or more, got {number:g}")
    return int(number)


Seed = int | np.random.Generator
ALL = "all"
# Halves of all sign vectors: so many are taken whatever is drawn, and so many at most.
HALVES_ALWAYS = 2**16
MOST_TOPICS = 24
# Numbers in the largest array that is held at a time: 32 MB.
BLOCK = 4_000_000


def generator_of(rng: Seed) -> np.random.Generator:
    """The generator itself, or the one that a seed makes."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"rng must be a whole number, 0 or more, or a generator of NumPy, got {rng!r}"
        ) from error


def seed_numbers(rng: Seed) -> tuple[int, ...]:
    """Numbers that seed many generators, from one generator or the number that makes it."""
    return tuple(generator_of(rng).integers(2**63, size=4).tolist())


def shown_seed(rng: Seed) -> str:
    """The seed as settings show it."""
    return "a generator's" if isinstance(rng, np.random.Generator) else str(rng)


def middle(drawn: Floats, alpha: float) -> dict[str, float]:
    """The middle of a resampled coefficient, leaving out resamples in which it is undefined."""
    known = drawn[~np.isnan(drawn)]
    low, high = np.quantile(known, [alpha / 2, 1 - alpha / 2]) if len(known) else (np.nan, np.nan)
    return {columns.LOW: float(low), columns.HIGH: float(high)}


@frozen
class Resamples:
    """How many resamples, and the seed that they are drawn from."""

    count: int
    seed: tuple[int, ...]
    never_drawn: bool = False
    """All of them were asked for."""

    @classmethod
    def drawn(cls, count: int | str, rng: Seed) -> Resamples:
        """Resamples whose seed comes from a generator, or from the number that makes one."""
        if count == ALL:
            return cls(2 ** (MOST_TOPICS - 1), seed_numbers(rng), never_drawn=True)
        if isinstance(count, str):
            raise UsageError(f"resamples must be a whole number or {ALL}, got {count!r}")
        return cls(whole_from_1("resamples", count), seed_numbers(rng))

    def takes_all_flips(self, topics: int) -> bool:
        """Whether all vectors of signs of so many topics are taken, rather than some drawn.

        Of a vector and its opposite one is enough.
        """
        takes_all = 1 << max(0, topics - 1) <= max(HALVES_ALWAYS, self.count)
        if self.never_drawn and not takes_all:
            raise UsageError(
                f"runs differ on {topics} topics, and all resamples can be taken of {MOST_TOPICS} at"
                " most: ask for a number (--resamples, in Python resamples=)"
            )
        return takes_all

    def bootstrap(self, topics: int) -> Iterator[Floats]:
        """Blocks of weights: how often each topic was drawn, resamples × topics."""
        for rng, size in self._blocks(topics):
            drawn = rng.integers(topics, size=(size, topics))
            places = drawn + topics * np.arange(size)[:, None]
            counts = np.bincount(places.ravel(), minlength=size * topics)
            yield np.asarray(counts.reshape(size, topics), dtype=np.float64)

    def flips(self, topics: int) -> Iterator[Floats]:
        """Blocks of signs: -1 where a topic's two scores are swapped, resamples × topics."""
        for rng, size in self._blocks(topics):
            octets = np.frombuffer(rng.bytes(size * -(-topics // 8)), dtype=np.uint8)
            bits = np.unpackbits(octets.reshape(size, -1), axis=1, count=topics)
            yield np.where(bits, -1.0, 1.0)

    def all_flips(self, topics: int) -> Iterator[Floats]:
        """Blocks of all vectors of signs, of each and its opposite one: vectors × topics."""
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
        """A generator and a number of resamples for each block; one resample takes `numbers`."""
        size = max(1, BLOCK // numbers)
        with stage("resampling", self.count) as advance:
            for block, start in enumerate(range(0, self.count, size)):
                seed = np.random.SeedSequence(self.seed, spawn_key=(block,))
                drawn = min(size, self.count - start)
                yield np.random.default_rng(seed), drawn
                advance(drawn)
