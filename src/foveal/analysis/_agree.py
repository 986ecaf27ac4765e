"""Do two measures rank the runs alike?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import Protocol

import numpy as np

from foveal.analysis._comparison_design import ALPHA, INTERVAL_RESAMPLES, SEED, GroupResults
from foveal.analysis._correlations import COEFFICIENTS, PERSISTENCE, ranks_of
from foveal.analysis._few_topics import few_topics_notes, small_groups
from foveal.analysis._resamples import Resamples, Seed, between_0_and_1, middle, shown_seed
from foveal.analysis._topic_values import TopicValues, means_in_turn, repetition, scored
from foveal.errors import UsageError, counted
from foveal.evaluation import Scores, ScoresLike
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import MeasuresLike
from foveal.shown import Shown
from foveal.spans import Floats, Ints
from foveal.tables import columns

# Pairs of runs that are compared in one portion of the work.
PORTION = 20_000_000
OF_ONE_TOPIC = "the intervals have no width"
OF_FEW_TOPICS = "another choice of topics may rank the runs quite differently"


@frozen(eq=False, repr=False)
class Agreement(GroupResults, Shown):
    """How alike measures rank runs.

    `pairs` has first, second, tau, tau_ap, spearman, rbo; `intervals` first, second, coefficient,
    low, high; `upsets` the runs that change places: first, second, run, first_rank, second_rank,
    those that move furthest first; `means` measure, run, mean, rank. If topics are in groups,
    `groups` has the agreement on each group's topics, by the group's name.
    """

    pairs: pl.DataFrame
    intervals: pl.DataFrame
    upsets: pl.DataFrame
    means: pl.DataFrame
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    groups: Mapping[str, Agreement] = field(default_factory=dict)

    @property
    def measures(self) -> list[str]:
        """The measures, in the order asked for."""
        return self.means[columns.MEASURE].unique(maintain_order=True).to_list()

    @property
    def summary(self) -> str:
        """How many runs are ranked, and by which measures."""
        runs = counted(self.means[columns.RUN].n_unique(), "run")
        return f"{runs} ranked by {', '.join(self.measures)}"


class MapFunction(Protocol):
    """Calls a function on every item, anywhere, and gives the results in order, as `map` does."""

    def __call__(
        self, work: Callable[[Floats], Floats], items: Sequence[Floats], /
    ) -> Iterable[Floats]:
        """The results."""


def agree(
    scores: ScoresLike,
    measures: MeasuresLike = (),
    *,
    alpha: float = ALPHA,
    resamples: int = INTERVAL_RESAMPLES,
    common_topics: bool = False,
    rng: Seed = SEED,
    each: MapFunction = map,
) -> Agreement:
    """Compare the rankings of the runs that two or more measures give.

    Intervals come from resampling topics. `each` may share the work on the resamples among
    processes, or show how far it is. If topics are in groups, the rankings on each group are
    compared as well.

    >>> import foveal
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}}
    >>> runs = {"one": {"1": {"a": 2.0}, "2": {"b": 2.0}}, "two": {"1": {"a": 2.0}}}
    >>> agreement = foveal.agree(foveal.evaluate(qrels, runs, ["AP", "RR"]), resamples=10)
    >>> agreement.pairs.select("first", "second", "tau").rows()
    [('AP', 'RR', 1.0)]
    """
    scores = scored(scores)
    values = TopicValues.of(scores, measures, common_topics=common_topics)
    if len(values.measures) < 2:
        raise UsageError("one measure has nothing to agree with: name two or more (-m)")
    if len(values.runs) < 2:
        raise UsageError("a single run cannot be ranked: give two or more")
    between_0_and_1("alpha", alpha)
    drawn = Resamples.drawn(resamples, rng)
    settings = {
        # The variants, by the letters of those who defined them.
        "ties of tau_ap": "b",
        "ties of rbo": "a",
        "p of rbo": f"{PERSISTENCE:g}",
        "alpha": f"{alpha:g}",
        "resamples": str(resamples),
        "seed": shown_seed(rng),
    }

    def agreement(own: TopicValues, of: Scores) -> Agreement:
        topics = {"compared topics": str(len(own.topics))}
        frames = _agreed(own, drawn, alpha, each)
        notes = (
            *of.notes,
            *own.notes,
            *repetition(of),
            *few_topics_notes(len(own.topics), OF_ONE_TOPIC, OF_FEW_TOPICS),
        )
        return Agreement(*frames, settings={**of.settings, **topics, **settings}, notes=notes)

    whole, by_group = agreement(values, scores), values.by_group(scores.topic_facts.groups)
    sizes = {name: len(own.topics) for name, own in by_group.items()}
    return replace(
        whole,
        notes=(*whole.notes, *small_groups(sizes, OF_ONE_TOPIC, OF_FEW_TOPICS)),
        groups={name: agreement(own, scores.within(name)) for name, own in by_group.items()},
    )


def _agreed(
    values: TopicValues, resamples: Resamples, alpha: float, each: MapFunction
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The frames of an agreement on some topics: pairs, intervals, upsets, means."""
    means = values.signs[:, None] * values.values.mean(axis=2)
    portions = _portions(_resampled_means(values, resamples))
    drawn = np.concatenate(list(each(_coefficients, portions)), axis=2)
    agreed, spans = _frames(values.measures, _coefficients(means[:, None]), drawn, alpha)
    ranks = ranks_of(means)
    return agreed, spans, _upsets(values, ranks), _means(values, ranks)


def _coefficients(means: Floats) -> Floats:
    """Pairs of measures × coefficients × rankings, given measures × rankings × runs."""
    pairs = combinations(means, 2)
    return np.array([[found(one, two) for found in COEFFICIENTS.values()] for one, two in pairs])


def _frames(
    measures: Sequence[str], agreed: Floats, drawn: Floats, alpha: float
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The coefficients of all pairs of measures, and their intervals."""
    pairs = [{columns.FIRST: one, columns.SECOND: two} for one, two in combinations(measures, 2)]
    found = [
        {**pair, **dict(zip(COEFFICIENTS, own[:, 0].tolist(), strict=True))}
        for pair, own in zip(pairs, agreed, strict=True)
    ]
    spans: list[dict[str, str | float]] = [
        {**pair, columns.COEFFICIENT: name, **middle(values, alpha)}
        for pair, own in zip(pairs, drawn, strict=True)
        for name, values in zip(COEFFICIENTS, own, strict=True)
    ]
    return _without_nan(found), _without_nan(spans)


def _portions(means: Floats) -> list[Floats]:
    """Resampled means in portions that take a second or less."""
    _, resamples, runs = means.shape
    count = -(-resamples * runs**2 // PORTION)
    return np.array_split(means, min(count, resamples), axis=1)


def _resampled_means(values: TopicValues, resamples: Resamples) -> Floats:
    """Every run's mean in every resample: measures × resamples × runs."""
    topics = len(values.topics)
    blocks = [
        np.einsum("bt,mrt->mbr", weights, values.values, optimize=True)
        for weights in resamples.bootstrap(topics)
    ]
    means: Floats = values.signs[:, None, None] * np.concatenate(blocks, axis=1) / topics
    return means


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
    return pl.DataFrame(
        {
            columns.MEASURE: [name for name in values.measures for _ in values.runs],
            columns.RUN: values.runs * len(values.measures),
            columns.MEAN: means_in_turn(values.values).ravel(),
            columns.RANK: ranks.ravel(),
        }
    )


def _without_nan(rows: Sequence[Mapping[str, str | float]]) -> pl.DataFrame:
    return pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None))
