"""Do two measures rank the runs alike?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

import numpy as np
import polars as pl

from foveal.analysis._checks import between_0_and_1
from foveal.analysis._compare import ALPHA, RESAMPLES, SEED
from foveal.analysis._correlations import PERSISTENCE, kendall_tau, rbo, spearman, tau_ap
from foveal.analysis._plan import FEW_TOPICS
from foveal.analysis._resamples import Resamples, Seed, told_seed
from foveal.analysis._topic_values import EQUAL_WITHIN, TopicValues
from foveal.choices import ApTies, RboTies, chosen
from foveal.errors import UsageError
from foveal.spans import Floats, Ints
from foveal.tables import Scores, columns

Coefficient = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, eq=False)
class Agreement:
    """How alike measures rank runs.

    `pairs` has first, second, tau, tau_ap, spearman, rbo; `intervals` first, second, coefficient,
    low, high; `upsets` the runs that change places: first, second, run, first_rank, second_rank,
    those that move furthest first; `means` measure, run, mean, rank.
    """

    pairs: pl.DataFrame
    intervals: pl.DataFrame
    upsets: pl.DataFrame
    means: pl.DataFrame
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def measures(self) -> list[str]:
        """The measures, in the order asked for."""
        return self.means[columns.MEASURE].unique(maintain_order=True).to_list()


def agree(  # one per choice
    scores: Scores,
    measures: str | Sequence[str] = (),
    *,
    ap_ties: ApTies | str = ApTies.B,
    rbo_ties: RboTies | str = RboTies.A,
    persistence: float = PERSISTENCE,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    common_topics: bool = False,
    rng: Seed = SEED,
) -> Agreement:
    """Compare the rankings of the runs that two or more measures give.

    Intervals come from resampling topics; AP correlation in variant `a` takes the first measure of
    each pair for the truth; `persistence` is the p of rank-biased overlap.
    """
    values = TopicValues.of(scores, measures, common_topics=common_topics)
    if len(values.measures) < 2:
        raise UsageError("one measure agrees with itself: name two or more (-m)")
    if len(values.runs) < 2:
        raise UsageError("one run has no ranking: give two or more")
    coefficients: dict[str, Coefficient] = {
        columns.TAU: kendall_tau,
        columns.TAU_AP: partial(tau_ap, ties=chosen(ApTies, ap_ties)),
        columns.SPEARMAN: spearman,
        columns.RBO: partial(rbo, p=persistence, ties=chosen(RboTies, rbo_ties)),
    }
    means = values.signs[:, None] * values.values.mean(axis=2)
    drawn = _resampled_means(values, Resamples.drawn(resamples, rng))
    pairs = list(combinations(range(len(means)), 2))
    names = values.measures
    agreed = [
        {columns.FIRST: names[one], columns.SECOND: names[two]}
        | {key: float(work(means[one], means[two])) for key, work in coefficients.items()}
        for one, two in pairs
    ]
    spans = [
        {columns.FIRST: names[one], columns.SECOND: names[two], columns.COEFFICIENT: key}
        | _span(work(drawn[one], drawn[two]), between_0_and_1("alpha", alpha))
        for one, two in pairs
        for key, work in coefficients.items()
    ]
    ranks = _ranks(means)
    return Agreement(
        _without_nan(agreed),
        _without_nan(spans),
        _upsets(values, ranks),
        _means(values, ranks),
        {
            **scores.settings,
            "compared topics": str(len(values.topics)),
            "ties of tau_ap": chosen(ApTies, ap_ties).value,
            "ties of rbo": chosen(RboTies, rbo_ties).value,
            "p of rbo": f"{persistence:g}",
            "alpha": f"{alpha:g}",
            "resamples": str(resamples),
            "seed": told_seed(rng),
        },
        scores.notes + tuple(_notes(values)),
    )


def _resampled_means(values: TopicValues, resamples: Resamples) -> Floats:
    """Every run's mean in every resample: measures × resamples × runs."""
    topics = len(values.topics)
    blocks = [
        np.einsum("bt,mrt->mbr", weights, values.values, optimize=True)
        for weights in resamples.bootstrap(topics)
    ]
    means: Floats = values.signs[:, None, None] * np.concatenate(blocks, axis=1) / topics
    return means


def _span(drawn: Floats, alpha: float) -> dict[str, float]:
    """The middle of the resampled coefficients; resamples in which it is undefined do not count."""
    known = drawn[~np.isnan(drawn)]
    low, high = np.quantile(known, [alpha / 2, 1 - alpha / 2]) if len(known) else (np.nan, np.nan)
    return {columns.LOW: float(low), columns.HIGH: float(high)}


def _ranks(means: Floats) -> Ints:
    """Ranks from 1, tied runs sharing the best: measures × runs."""
    ahead = means[:, None, :] - means[:, :, None] > EQUAL_WITHIN
    ranks: Ints = 1 + ahead.sum(axis=2)
    return ranks


def _upsets(values: TopicValues, ranks: Ints) -> pl.DataFrame:
    rows = []
    for one, two in combinations(range(len(ranks)), 2):
        moved = np.abs(ranks[one] - ranks[two])
        named = (values.measures[one], values.measures[two])
        rows += [
            (*named, values.runs[run], int(ranks[one, run]), int(ranks[two, run]))
            for run in np.argsort(-moved, kind="stable")
            if moved[run]
        ]
    schema = {columns.FIRST: pl.String, columns.SECOND: pl.String, columns.RUN: pl.String}
    return pl.DataFrame(
        rows, schema | {columns.FIRST_RANK: pl.Int64, columns.SECOND_RANK: pl.Int64}, orient="row"
    )


def _means(values: TopicValues, ranks: Ints) -> pl.DataFrame:
    frames = [
        pl.DataFrame(
            {
                columns.MEASURE: [name] * len(values.runs),
                columns.RUN: values.runs,
                columns.MEAN: own.mean(axis=1),
                columns.RANK: rank,
            }
        )
        for name, own, rank in zip(values.measures, values.values, ranks, strict=True)
    ]
    return pl.concat(frames)


def _without_nan(rows: list[dict[str, str | float]]) -> pl.DataFrame:
    return pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None))


def _notes(values: TopicValues) -> Iterator[str]:
    if len(values.topics) == 1:
        yield "one topic says nothing of others: the intervals are empty"
    elif len(values.topics) < FEW_TOPICS:
        yield f"{len(values.topics)} topics are few: rankings of runs over fewer than {FEW_TOPICS} waver"
