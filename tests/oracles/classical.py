"""The slow, obvious twins of the measures of document rankings: a topic is a list of grades.

Written from the definitions, loop by loop; it shares nothing with the package it checks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

SMOOTHING = 0.00001
SAME_GAIN = 1e-9
ENDLESS = 200_000
LEAST_WEIGHT = 1e-12


class Judged(Protocol):
    """Grades of judged documents and scores of returned ones, by topic."""

    @property
    def qrels(self) -> Mapping[str, Mapping[str, int]]: ...

    @property
    def run(self) -> Mapping[str, Mapping[str, float]]: ...


@dataclass(frozen=True)
class Ranked:
    """A topic: the grades of the documents returned (None: not judged), and of all those judged."""

    grades: Sequence[int | None]
    judged: Sequence[int]
    top: int
    """The highest grade in the judgements of all topics."""

    @classmethod
    def of(cls, world: Judged, topic: str) -> Ranked:
        """The documents by falling score, of equal ones the last by name first."""
        scores, grades = world.run.get(topic, {}), world.qrels[topic]
        order = sorted(scores, key=lambda document: (scores[document], document), reverse=True)
        top = max(
            grade for grades_of_topic in world.qrels.values() for grade in grades_of_topic.values()
        )
        return cls([grades.get(document) for document in order], list(grades.values()), top)

    @property
    def relevant(self) -> list[bool]:
        """Mask of the returned documents that are relevant."""
        return [grade is not None and grade >= 1 for grade in self.grades]

    @property
    def irrelevant(self) -> list[bool]:
        """Mask of the returned documents that are judged and not relevant."""
        return [grade is not None and 0 <= grade < 1 for grade in self.grades]

    @property
    def relevant_count(self) -> int:
        """R: the relevant documents."""
        return sum(grade >= 1 for grade in self.judged)

    @property
    def irrelevant_count(self) -> int:
        """The documents judged and found irrelevant."""
        return sum(0 <= grade < 1 for grade in self.judged)

    def hits(self, k: int | None = None) -> int:
        """The relevant documents among the first k."""
        return sum(self.relevant[:k])

    @property
    def relevant_ranks(self) -> list[int]:
        """The ranks of the relevant documents."""
        return [rank for rank, is_relevant in enumerate(self.relevant, 1) if is_relevant]

    def precision(self, k: int) -> float:
        """P@k."""
        return self.hits(k) / k

    @property
    def precisions(self) -> float:
        """The sum of the precision at each relevant document."""
        return sum(self.precision(rank) for rank in self.relevant_ranks)

    def interpolated(self, level: Fraction) -> float:
        """The best precision once a share of the relevant documents is found."""
        ranks = range(1, len(self.grades) + 1)
        ranks_reached = [rank for rank in ranks if self.hits(rank) >= level * self.relevant_count]
        return max((self.precision(rank) for rank in ranks_reached), default=0.0)

    def gains(self, k: int | None = None) -> list[float]:
        """The gain of each returned document."""
        return [float(max(grade or 0, 0)) for grade in self.grades[:k]]

    def best_gains(self, k: int | None = None) -> list[float]:
        """The gains of the best ranking."""
        return sorted((float(grade) for grade in self.judged if grade > 0), reverse=True)[:k]

    def ndcg(self, k: int | None = None) -> float:
        """DCG@k as a share of the best."""
        return ratio(dcg(self.gains(k)), dcg(self.best_gains(k)))


Twin = Callable[[Ranked], float]


def ratio(part: float, whole: float) -> float:
    """Part divided by whole; 0 if the whole is 0."""
    return part / whole if whole else 0.0


def dcg(gains: Sequence[float]) -> float:
    """Each gain divided by the logarithm of its rank."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def original_dcg(gains: Sequence[float]) -> float:
    """As it was first defined: no discount before rank 2."""
    return sum(gain / max(1.0, math.log2(rank)) for rank, gain in enumerate(gains, 1))


def steep(gains: Sequence[float]) -> list[float]:
    """Gains that grow as powers of two."""
    return [2**gain - 1 for gain in gains]


def set_f(t: Ranked) -> float:
    """The harmonic mean of set precision and recall."""
    return ratio(2 * t.hits(), len(t.grades) + t.relevant_count)


def yaap(t: Ranked) -> float:
    """A smoothed logit of average precision."""
    return math.log((1 + t.precisions) / (1 + t.relevant_count - t.precisions))


def ndcg_over_relevant(t: Ranked) -> float:
    """nDCG at each document that is worth something; those not found count at the end."""
    ranks = [rank for rank, gain in enumerate(t.gains(), 1) if gain]
    missed = len(t.best_gains()) - len(ranks)
    total = sum(t.ndcg(rank) for rank in ranks) + missed * t.ndcg()
    return ratio(total, len(t.best_gains()))


def ndcg_at_changes(t: Ranked) -> float:
    """nDCG where the best ranking goes on to a lower gain, and at the end of a longer list."""
    best = t.best_gains()
    ranks = [rank for rank, gain in enumerate(best, 1) if [*best, 0.0][rank] != gain]
    # As in trec_eval, the end of the list is overlooked where it is the very next rank.
    values = [t.ndcg(rank) for rank in ranks] + [t.ndcg()] * (len(t.grades) > len(best) + 1)
    return ratio(sum(values), len(values))


def normalised_gain(t: Ranked) -> float:
    """Gains discounted by what could have been gained before and was not."""
    best = t.best_gains()
    spent = gained = total = 0.0
    for rank, gain in enumerate(t.gains()):
        spent += max(best[rank], 1.0) if rank < len(best) else 1.0
        gained += gain
        total += gain / math.log2(2 + spent - gained)
    return ratio(total, sum(best))


def binary_gain(t: Ranked) -> float:
    """Relevant documents discounted by the others above them."""
    return ratio(
        sum(1 / math.log2(2 + rank - t.hits(rank)) for rank in t.relevant_ranks), t.relevant_count
    )


def binary_preference(t: Ranked) -> float:
    """Relevant documents, each less for every irrelevant one above it."""
    most = min(t.relevant_count, t.irrelevant_count)
    irrelevant_above = (
        min(sum(t.irrelevant[:rank]), t.relevant_count) for rank in t.relevant_ranks
    )
    return ratio(sum(1 - ratio(count, most) for count in irrelevant_above), t.relevant_count)


def inferred_average_precision(t: Ranked) -> float:
    """Average precision where only a sample of the pool was judged; grade -1: in the pool."""
    total = 0.0
    for rank in t.relevant_ranks:
        documents_above = rank - 1
        pooled = sum(grade is not None for grade in t.grades[:documents_above])
        better, worse = t.hits(documents_above), sum(t.irrelevant[:documents_above])
        share = (better + SMOOTHING) / (better + worse + 2 * SMOOTHING)
        total += 1 / rank + documents_above / rank * ratio(pooled, documents_above) * share
    return ratio(total, t.relevant_count)


def expected_reciprocal_rank(t: Ranked, k: int) -> float:
    """The reader stops at a document with a probability that grows with its grade."""
    value, going_on = 0.0, 1.0
    for rank, grade in enumerate(t.gains(k), 1):
        stops = (2**grade - 1) / 2**t.top
        value += going_on * stops / rank
        going_on *= 1 - stops
    return value


def shares(t: Ranked) -> list[float]:
    """Gains as shares of the highest grade."""
    return [gain / max(t.top, 1) for gain in t.gains()]


def rank_biased_precision(t: Ranked, p: float) -> float:
    """The reader goes on with probability p."""
    return (1 - p) * sum(
        gain * p**documents_above for documents_above, gain in enumerate(shares(t))
    )


def residual(t: Ranked, p: float) -> float:
    """The gain that RBP could still get from documents that are unjudged or not returned."""
    is_judged = [grade is not None and grade >= 0 for grade in t.grades]
    return 1 - (1 - p) * sum(
        p**documents_above for documents_above, is_counted in enumerate(is_judged) if is_counted
    )


def bejeweled(t: Ranked, target: float, k: int) -> float:
    """The reader stops once satisfied, or after k documents."""
    gained = 0.0
    for rank, gain in enumerate([*shares(t), *[0.0] * k], 1):
        gained += gain
        if gained >= target - SAME_GAIN or rank == k:
            return gained / rank
    raise AssertionError


def inst(t: Ranked, target: float) -> float:
    """The reader grows impatient with rank and with what was gained; the list has no end."""
    weight, gained, plain_gain, read = 1.0, 0.0, 0.0, 0.0
    for rank, gain in enumerate([*shares(t), *[0.0] * (ENDLESS - len(t.grades))], 1):
        gained, plain_gain, read = gained + weight * gain, plain_gain + gain, read + weight
        ahead = rank + 2 * target - plain_gain
        weight *= ((ahead - 1) / ahead) ** 2
        if weight < LEAST_WEIGHT:
            break
    return gained / read


def search_length(t: Ranked, target: int) -> float:
    """Irrelevant documents before the n-th relevant one, or all that are known."""
    n = min(target, t.relevant_count)
    if len(t.relevant_ranks) >= n:
        return t.relevant_ranks[n - 1] - n
    not_returned = t.irrelevant_count - sum(t.irrelevant)
    return len(t.grades) - t.hits() + not_returned


def classical_twins(k: int, p: float, level: Fraction) -> dict[str, Twin]:
    """The measures of document rankings and how the twin computes them."""
    tenths = [Fraction(tenth, 10) for tenth in range(11)]
    return {
        "NumQ": lambda t: 1.0,
        "NumRet": lambda t: len(t.grades),
        "NumRel": lambda t: t.relevant_count,
        "NumRelRet": lambda t: t.hits(),
        f"NumRelRet@{k}": lambda t: t.hits(k),
        "NumNonrelJudgedRet": lambda t: sum(t.irrelevant),
        "NumTP": lambda t: t.hits(),
        "NumFP": lambda t: sum(not is_relevant for is_relevant in t.relevant),
        "NumFN": lambda t: t.relevant_count - t.hits(),
        "NumTN(N=50)": lambda t: (
            50
            - t.hits()
            - sum(not is_relevant for is_relevant in t.relevant)
            - (t.relevant_count - t.hits())
        ),
        "SetP": lambda t: ratio(t.hits(), len(t.grades)),
        "SetRelP": lambda t: ratio(t.hits(), min(len(t.grades), t.relevant_count)),
        "SetR": lambda t: t.hits() / t.relevant_count,
        "SetF": set_f,
        "SetAP": lambda t: ratio(t.hits() ** 2, len(t.grades) * t.relevant_count),
        "Utility(c=-2)": lambda t: (
            t.hits() - (len(t.grades) - t.hits()) - 2 * (t.relevant_count - t.hits())
        ),
        f"P@{k}": lambda t: t.precision(k),
        f"R@{k}": lambda t: t.hits(k) / t.relevant_count,
        f"RelativeP@{k}": lambda t: t.hits(k) / min(k, t.relevant_count),
        f"Success@{k}": lambda t: float(t.hits(k) > 0),
        "RR": lambda t: 1 / t.relevant_ranks[0] if t.relevant_ranks else 0.0,
        "AP": lambda t: t.precisions / t.relevant_count,
        "GMAP": lambda t: t.precisions / t.relevant_count,
        "YAAP": yaap,
        "Rprec": lambda t: t.precision(t.relevant_count),
        f"IPrec@{float(level)}": lambda t: t.interpolated(level),
        "11ptAvg": lambda t: sum(map(t.interpolated, tenths)) / len(tenths),
        f"CG@{k}": lambda t: sum(t.gains(k)),
        f"nCG@{k}": lambda t: ratio(sum(t.gains(k)), sum(t.best_gains(k))),
        f"DCG@{k}": lambda t: dcg(t.gains(k)),
        f"DCG(log_b=2)@{k}": lambda t: original_dcg(t.gains(k)),
        f"DCG(dcg='exp-log2')@{k}": lambda t: dcg(steep(t.gains(k))),
        f"iDCG@{k}": lambda t: dcg(t.best_gains(k)),
        f"nDCG@{k}": lambda t: t.ndcg(k),
        "nDCG": lambda t: t.ndcg(),
        "nDCGrel": ndcg_over_relevant,
        "Rndcg": ndcg_at_changes,
        "G": normalised_gain,
        "binG": binary_gain,
        f"RBP(p={p})": lambda t: rank_biased_precision(t, p),
        f"RBPres(p={p})": lambda t: residual(t, p),
        f"ERR@{k}": lambda t: expected_reciprocal_rank(t, k),
        f"BPM@{k}": lambda t: bejeweled(t, 1.0, k),
        f"ESL(rels={k})": lambda t: search_length(t, k),
        "Bpref": binary_preference,
        "GMBpref": binary_preference,
        "infAP": inferred_average_precision,
        f"Judged@{k}": lambda t: ratio(
            sum(grade is not None for grade in t.grades[:k]), len(t.grades[:k])
        ),
        f"Unjudged@{k}": lambda t: sum(grade is None or grade < 0 for grade in t.grades[:k]) / k,
    }


def endless_twins(target: float) -> dict[str, Twin]:
    """Measures of readers who never stop, whose twins read for very long."""
    return {f"INST(T={target})": lambda t: inst(t, target)}
