"""The slow, obvious twins of the measures of aspects: a result is the set of aspects that it has.

Written from the definitions, loop by loop, in fractions, so that what is tied is exactly tied; it
shares nothing with the package it checks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

Aspects = frozenset[str]


@dataclass(frozen=True)
class AspectTopic:
    """A topic: the aspects of its results in order, and those of all possible results.

    Of equally good candidates the last comes first in the ideal list.
    """

    results: Sequence[Aspects]
    candidates: Sequence[Aspects]

    @cached_property
    def relevant_aspects(self) -> Aspects:
        """The aspects that any candidate has."""
        return frozenset(aspect for aspects in self.candidates for aspect in aspects)

    def aspect_count(self, k: int | None = None) -> int:
        """The number of aspects that the first results have."""
        return len({aspect for aspects in self.results[:k] for aspect in aspects})

    def precision(self, k: int) -> Fraction:
        """P_IA@k."""
        return Fraction(sum(map(len, self.results[:k])), k * len(self.relevant_aspects))

    @property
    def average_precision(self) -> Fraction:
        """AP_IA."""
        return sum(map(self._average_precision, self.relevant_aspects), Fraction(0)) / len(
            self.relevant_aspects
        )

    def _average_precision(self, aspect: str) -> Fraction:
        total = Fraction(0)
        for rank, aspects in enumerate(self.results, 1):
            if aspect in aspects:
                found_count = sum(aspect in earlier for earlier in self.results[:rank])
                total += Fraction(found_count, rank)
        return total / sum(aspect in aspects for aspects in self.candidates)

    def ideal(self, alpha: Fraction) -> list[Aspects]:
        """The greedy ideal list."""
        return [self.candidates[index] for index in self.ideal_indices(alpha)]

    def ideal_indices(self, alpha: Fraction) -> list[int]:
        """Indices of the candidates in the order of the greedy ideal list."""
        remaining, chosen = list(range(len(self.candidates))), list[int]()
        while remaining:
            chosen_aspects = [self.candidates[index] for index in chosen]
            gains = {
                index: gain(self.candidates[index], chosen_aspects, alpha) for index in remaining
            }
            best = max(index for index, value in gains.items() if value == max(gains.values()))
            chosen.append(best)
            remaining.remove(best)
        return chosen


def gains(results: Sequence[Aspects], alpha: Fraction) -> list[Fraction]:
    """The gain of each result after the earlier ones."""
    return [gain(aspects, results[:index], alpha) for index, aspects in enumerate(results)]


def gain(aspects: Aspects, earlier_results: Sequence[Aspects], alpha: Fraction) -> Fraction:
    """The gain of a result after earlier ones."""
    remaining_gains = (
        (1 - alpha) ** sum(aspect in earlier for earlier in earlier_results) for aspect in aspects
    )
    return sum(remaining_gains, Fraction(0))


Weight = Callable[[int], float]


def weighted(values: Sequence[Fraction], weight: Weight, k: int | None = None) -> float:
    """The sum of what answers are worth, each weighted by its rank."""
    return math.fsum(float(value) * weight(rank) for rank, value in enumerate(values[:k], 1))


def share(t: AspectTopic, weight: Weight, alpha: Fraction, k: int) -> float:
    """The weighted gain as a share of that of results that have all aspects."""
    perfect = [t.relevant_aspects] * k
    return weighted(gains(t.results, alpha), weight, k) / weighted(gains(perfect, alpha), weight, k)


def normalised(t: AspectTopic, weight: Weight, alpha: Fraction, k: int | None) -> float:
    """The weighted gain as a share of that of the ideal list."""
    best = gains(t.ideal(alpha), alpha)
    return weighted(gains(t.results, alpha), weight, k) / weighted(best, weight, k)


def by_logarithm(rank: int) -> float:
    """The discount of DCG."""
    return 1 / math.log2(rank + 1)


def by_rank(rank: int) -> float:
    """The discount of ERR."""
    return 1 / rank


Twin = Callable[[AspectTopic], float]


def diversity_twins(
    k: int, alpha: Fraction, beta: Fraction, inside: str = ""
) -> Mapping[str, Twin]:
    """The measures of aspects and how the twin computes them; `inside` are further parameters."""

    def patience(rank: int) -> float:
        return float(beta ** (rank - 1))

    plain_arguments = f"({inside})" if inside else ""
    inside = f",{inside}" if inside else ""
    a, b = float(alpha), float(beta)
    with_both = f"(alpha={a},beta={b}{inside})"
    with_alpha = f"(alpha={a}{inside})"
    norm = float(1 - (1 - alpha) * beta)
    return {
        f"StRecall{plain_arguments}": lambda t: t.aspect_count() / len(t.relevant_aspects),
        f"StRecall{plain_arguments}@{k}": lambda t: t.aspect_count(k) / len(t.relevant_aspects),
        f"P_IA{plain_arguments}@{k}": lambda t: float(t.precision(k)),
        f"AP_IA{plain_arguments}": lambda t: float(t.average_precision),
        f"alpha_DCG{with_alpha}@{k}": lambda t: share(t, by_logarithm, alpha, k),
        f"alpha_nDCG{with_alpha}@{k}": lambda t: normalised(t, by_logarithm, alpha, k),
        f"ERR_IA{with_alpha}@{k}": lambda t: share(t, by_rank, alpha, k),
        f"nERR_IA{with_alpha}@{k}": lambda t: normalised(t, by_rank, alpha, k),
        f"NRBP{with_both}": lambda t: (
            norm * weighted(gains(t.results, alpha), patience) / len(t.relevant_aspects)
        ),
        f"nNRBP{with_both}": lambda t: normalised(t, patience, alpha, None),
    }
