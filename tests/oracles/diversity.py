"""The slow, obvious twins of the measures of aspects: an answer is the set of aspects that it shows.

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
class Shown:
    """A topic: the aspects of the answers in order, and those of all answers that there are.

    Of equally good ones the last of `known` comes first in the ideal list.
    """

    answers: Sequence[Aspects]
    known: Sequence[Aspects]

    @cached_property
    def wanted(self) -> Aspects:
        """The aspects that anything relevant was found for."""
        return frozenset(aspect for own in self.known for aspect in own)

    def met(self, k: int | None = None) -> int:
        """The aspects that the first answers show."""
        return len({aspect for own in self.answers[:k] for aspect in own})

    def precision(self, k: int) -> Fraction:
        """P_IA@k."""
        return Fraction(sum(map(len, self.answers[:k])), k * len(self.wanted))

    @property
    def average_precision(self) -> Fraction:
        """AP_IA."""
        return sum(map(self._average_precision, self.wanted), Fraction(0)) / len(self.wanted)

    def _average_precision(self, aspect: str) -> Fraction:
        total = Fraction(0)
        for rank, own in enumerate(self.answers, 1):
            if aspect in own:
                found = sum(aspect in other for other in self.answers[:rank])
                total += Fraction(found, rank)
        return total / sum(aspect in own for own in self.known)

    def ideal(self, alpha: Fraction) -> list[Aspects]:
        """The greedy ideal list."""
        return [self.known[place] for place in self.ideal_places(alpha)]

    def ideal_places(self, alpha: Fraction) -> list[int]:
        """Which of the known answers come one after the other in the greedy ideal list."""
        left, chosen = list(range(len(self.known))), list[int]()
        while left:
            before = [self.known[place] for place in chosen]
            worth = {own: gain(self.known[own], before, alpha) for own in left}
            best = max(own for own, value in worth.items() if value == max(worth.values()))
            chosen.append(best)
            left.remove(best)
        return chosen


def gains(answers: Sequence[Aspects], alpha: Fraction) -> list[Fraction]:
    """What each answer is worth after those before it."""
    return [gain(own, answers[:place], alpha) for place, own in enumerate(answers)]


def gain(own: Aspects, before: Sequence[Aspects], alpha: Fraction) -> Fraction:
    """What an answer is worth after others."""
    left = ((1 - alpha) ** sum(aspect in other for other in before) for aspect in own)
    return sum(left, Fraction(0))


Weight = Callable[[int], float]


def weighted(values: Sequence[Fraction], weight: Weight, k: int | None = None) -> float:
    """The sum of what answers are worth, each weighted by its rank."""
    return math.fsum(float(value) * weight(rank) for rank, value in enumerate(values[:k], 1))


def share(t: Shown, weight: Weight, alpha: Fraction, k: int) -> float:
    """The weighted gain as a share of that of answers that all show everything."""
    most = [t.wanted] * k
    return weighted(gains(t.answers, alpha), weight, k) / weighted(gains(most, alpha), weight, k)


def normalised(t: Shown, weight: Weight, alpha: Fraction, k: int | None) -> float:
    """The weighted gain as a share of that of the ideal list."""
    best = gains(t.ideal(alpha), alpha)
    return weighted(gains(t.answers, alpha), weight, k) / weighted(best, weight, k)


def by_logarithm(rank: int) -> float:
    """The discount of DCG."""
    return 1 / math.log2(rank + 1)


def by_rank(rank: int) -> float:
    """The discount of ERR."""
    return 1 / rank


Twin = Callable[[Shown], float]


def diversity_twins(
    k: int, alpha: Fraction, beta: Fraction, inside: str = ""
) -> Mapping[str, Twin]:
    """The measures of aspects and how the twin computes them; `inside` are further parameters."""

    def patience(rank: int) -> float:
        return float(beta ** (rank - 1))

    more = f"({inside})" if inside else ""
    inside = f",{inside}" if inside else ""
    a, b = float(alpha), float(beta)
    both = f"(alpha={a},beta={b}{inside})"
    one = f"(alpha={a}{inside})"
    norm = float(1 - (1 - alpha) * beta)
    return {
        f"StRecall{more}": lambda t: t.met() / len(t.wanted),
        f"StRecall{more}@{k}": lambda t: t.met(k) / len(t.wanted),
        f"P_IA{more}@{k}": lambda t: float(t.precision(k)),
        f"AP_IA{more}": lambda t: float(t.average_precision),
        f"alpha_DCG{one}@{k}": lambda t: share(t, by_logarithm, alpha, k),
        f"alpha_nDCG{one}@{k}": lambda t: normalised(t, by_logarithm, alpha, k),
        f"ERR_IA{one}@{k}": lambda t: share(t, by_rank, alpha, k),
        f"nERR_IA{one}@{k}": lambda t: normalised(t, by_rank, alpha, k),
        f"NRBP{both}": lambda t: norm * weighted(gains(t.answers, alpha), patience) / len(t.wanted),
        f"nNRBP{both}": lambda t: normalised(t, patience, alpha, None),
    }
