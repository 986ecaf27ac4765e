"""Do two measures rank the runs alike?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import Protocol

import numpy as np

from foveal.analysis._comparison_design import ALPHA, INTERVAL_RESAMPLES, SEED, GroupResults
from foveal.analysis._correlations import COEFFICIENTS, PERSISTENCE, ranks_of
from foveal.analysis._few_topics import few_topics_notes, small_group_notes
from foveal.analysis._resamples import Resamples, Seed, between_0_and_1, percentiles, shown_seed
from foveal.analysis._topic_values import TopicValues, as_scores, repeat_note, sequential_means
from foveal.errors import UsageError, counted
from foveal.evaluation import Scores, ScoresLike
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import MeasuresLike
from foveal.shown import Shown
from foveal.spans import Floats, Ints
from foveal.tables import columns

# Pairs of runs in one portion of the work.
PORTION = 20_000_000
OF_ONE_TOPIC = "the intervals have no width"
OF_FEW_TOPICS = "another choice of topics may rank the runs quite differently"


@frozen(eq=False, repr=False)
class Agreement(GroupResults, Shown):
    """Agreement of measures on the ranking of runs.

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
        """The number of runs and the measures that rank them."""
        runs = counted(self.means[columns.RUN].n_unique(), "run")
        return f"{runs} ranked by {', '.join(self.measures)}"


class MapFunction(Protocol):
    """Like `map`: results of a function in order of the items, computed anywhere."""

    def __call__(
        self, function: Callable[[Floats], Floats], items: Sequence[Floats], /
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
    scores = as_scores(scores)
    values = TopicValues.of(scores, measures, common_topics=common_topics)
    if len(values.measures) < 2:
        raise UsageError("one measure has nothing to agree with: name two or more (-m)")
    if len(values.runs) < 2:
        raise UsageError("a single run cannot be ranked: give two or more")
    between_0_and_1("alpha", alpha)
    topic_resamples = Resamples.seeded(resamples, rng)
    settings = {
        # The variants, by the letters of those who defined them.
        "ties of tau_ap": "b",
        "ties of rbo": "a",
        "p of rbo": f"{PERSISTENCE:g}",
        "alpha": f"{alpha:g}",
        "resamples": str(resamples),
        "seed": shown_seed(rng),
    }

    def agreement(subset: TopicValues, source: Scores) -> Agreement:
        size = {"compared topics": str(len(subset.topics))}
        frames = _agreement_frames(subset, topic_resamples, alpha, each)
        notes = (
            *source.notes,
            *subset.notes,
            *repeat_note(source),
            *few_topics_notes(len(subset.topics), OF_ONE_TOPIC, OF_FEW_TOPICS),
        )
        return Agreement(*frames, settings={**source.settings, **size, **settings}, notes=notes)

    overall, by_group = agreement(values, scores), values.by_group(scores.topic_facts.groups)
    sizes = {name: len(group.topics) for name, group in by_group.items()}
    return replace(
        overall,
        notes=(*overall.notes, *small_group_notes(sizes, OF_ONE_TOPIC, OF_FEW_TOPICS)),
        groups={name: agreement(group, scores.within(name)) for name, group in by_group.items()},
    )


def _agreement_frames(
    values: TopicValues, resamples: Resamples, alpha: float, each: MapFunction
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The frames of an agreement: pairs, intervals, upsets, means."""
    means = values.signs[:, None] * values.values.mean(axis=2)
    portions = _portions(_resampled_means(values, resamples))
    resampled = np.concatenate(list(each(_coefficients, portions)), axis=2)
    pairs, intervals = _frames(values.measures, _coefficients(means[:, None]), resampled, alpha)
    ranks = ranks_of(means)
    return pairs, intervals, _upsets(values, ranks), _means(values, ranks)


def _coefficients(means: Floats) -> Floats:
    """Pairs of measures × coefficients × rankings, of means measures × rankings × runs."""
    pairs = combinations(means, 2)
    return np.array([[f(*pair) for f in COEFFICIENTS.values()] for pair in pairs])


def _frames(
    measures: Sequence[str], coefficients: Floats, resampled: Floats, alpha: float
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The coefficients of all pairs of measures, and their intervals."""
    pairs = [{columns.FIRST: a, columns.SECOND: b} for a, b in combinations(measures, 2)]
    rows = [
        {**pair, **dict(zip(COEFFICIENTS, by_coefficient[:, 0].tolist(), strict=True))}
        for pair, by_coefficient in zip(pairs, coefficients, strict=True)
    ]
    intervals: list[dict[str, str | float]] = [
        {**pair, columns.COEFFICIENT: name, **percentiles(values, alpha)}
        for pair, by_coefficient in zip(pairs, resampled, strict=True)
        for name, values in zip(COEFFICIENTS, by_coefficient, strict=True)
    ]
    return _without_nan(rows), _without_nan(intervals)


def _portions(means: Floats) -> list[Floats]:
    """Portions of the resampled means that take a second or less."""
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
    for first, second in combinations(range(len(ranks)), 2):
        moves = np.abs(ranks[first] - ranks[second])
        names = (values.measures[first], values.measures[second])
        rows += [
            (*names, values.runs[run], int(ranks[first, run]), int(ranks[second, run]))
            for run in np.argsort(-moves, kind="stable")
            if moves[run]
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
            columns.MEAN: sequential_means(values.values).ravel(),
            columns.RANK: ranks.ravel(),
        }
    )


def _without_nan(rows: Sequence[Mapping[str, str | float]]) -> pl.DataFrame:
    return pl.DataFrame(rows).with_columns(pl.col(pl.Float64).fill_nan(None))
