"""What is known of a level, characters or documents, as frames."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import numpy as np

from foveal.analysis import Resamples, middle
from foveal.frozen import frozen
from foveal.judging._coefficients import COEFFICIENTS, Counts, mean_of_known, pair_coefficients
from foveal.judging._shared import UNKNOWN, Shared
from foveal.late import pl
from foveal.spans import Bools, Floats, Ints
from foveal.tables import columns as c

COUNTS = (c.BOTH, c.ONLY_FIRST, c.ONLY_SECOND, c.NEITHER)
WITHIN = {c.WITHIN_0: 0, c.WITHIN_100: 100, c.WITHIN_500: 500}


class Level(StrEnum):
    """What assessors agree about, unit by unit."""

    CHARACTERS = "characters"
    DOCUMENTS = "documents"


class Average(StrEnum):
    """How topics become one number: pooled, or each with the same weight."""

    MICRO = "micro"
    MACRO = "macro"


@frozen(eq=False)
class Compared:
    """A level: the counts of pairs of assessors, what follows for topics, and all of it as frames.

    `frames` are overall, intervals, topics, pairs and topic pairs; `topics` are the coefficients of
    each topic, topics × coefficients.
    """

    level: Level
    counts: Counts
    topics: Floats
    frames: tuple[pl.DataFrame, ...]


def compared(shared: Shared, resamples: Resamples, alpha: float) -> list[Compared]:
    """The levels that can be compared: characters if assessors highlighted any, and documents."""
    with_text = shared.with_text
    levels = {}
    if shared.has_text and with_text.any():
        levels[Level.CHARACTERS] = (with_text, _characters(shared))
    levels[Level.DOCUMENTS] = (np.ones(len(with_text), dtype=bool), _documents(shared))
    return [
        _compared(shared, level, kept, counts, resamples, alpha)
        for level, (kept, counts) in levels.items()
    ]


def _characters(shared: Shared) -> Floats:
    """Characters that both of a pair highlighted, only the first, only the second, and neither."""
    both = shared.common
    one, other = (shared.highlighted[rows] - both for rows in (shared.first, shared.second))
    length = shared.length[shared.first]
    neither = np.where(length == UNKNOWN, np.nan, length - both - one - other)
    return np.column_stack([both, one, other, neither]).astype(float)


def _documents(shared: Shared) -> Floats:
    """Whether both of a pair found a document relevant, only the first, only the second, neither."""
    one, other = (shared.relevant[rows] for rows in (shared.first, shared.second))
    return np.column_stack([one & other, one & ~other, other & ~one, ~one & ~other]).astype(float)


def _compared(
    shared: Shared, level: Level, kept: Bools, counts: Floats, resamples: Resamples, alpha: float
) -> Compared:
    topic, judges = shared.topic[shared.first[kept]], shared.judges[kept]
    sums = Counts.of(topic, shared.pair[kept], judges, counts[kept], len(shared.topics))
    by_topic = sums.by_topic()
    intervals = _intervals(level, sums, by_topic, resamples, alpha)
    frames = (
        _overall(level, sums, by_topic, intervals),
        intervals,
        _of_topics(shared, level, kept, by_topic),
        _of_pairs(shared, level, sums),
        _of_topic_pairs(shared, level, sums),
    )
    return Compared(level, sums, by_topic, frames)


def _overall(level: Level, sums: Counts, by_topic: Floats, intervals: pl.DataFrame) -> pl.DataFrame:
    """The coefficients, and beside α its interval."""
    once = np.ones((1, len(by_topic)))
    values = np.vstack([sums.pooled(once), mean_of_known(by_topic, once)])
    key = {c.LEVEL: [level.value] * 2, c.AVERAGE: [average.value for average in Average]}
    of_alpha = intervals.filter(pl.col(c.COEFFICIENT) == c.ALPHA).drop(c.COEFFICIENT)
    joined = _frame(key, values.T).join(of_alpha, on=[*key], maintain_order="left")
    others = [name for name in COEFFICIENTS if name != c.ALPHA]
    return joined.select(*key, c.ALPHA, c.LOW, c.HIGH, *others)


def _intervals(
    level: Level, sums: Counts, by_topic: Floats, resamples: Resamples, alpha: float
) -> pl.DataFrame:
    """The middle of what resampled topics give; one topic alone says nothing about others."""
    drawn = np.full((len(Average), 1, len(COEFFICIENTS)), np.nan)
    lone = (~np.isnan(by_topic)).sum(axis=0) < 2
    if len(by_topic) > 1:
        blocks = [
            (sums.pooled(weights), mean_of_known(by_topic, weights))
            for weights in resamples.bootstrap(len(by_topic))
        ]
        drawn = np.stack([np.concatenate(own) for own in zip(*blocks, strict=True)])
        drawn[1, :, lone] = np.nan
    rows = [
        {c.LEVEL: level.value, c.AVERAGE: average.value, c.COEFFICIENT: name, **middle(own, alpha)}
        for average, values in zip(Average, drawn, strict=True)
        for name, own in zip(COEFFICIENTS, values.T, strict=True)
    ]
    return pl.DataFrame(rows).with_columns(pl.col(c.LOW, c.HIGH).fill_nan(None))


def _of_topics(shared: Shared, level: Level, kept: Bools, by_topic: Floats) -> pl.DataFrame:
    units = np.unique(shared.unit[shared.first[kept]], return_index=True)[1]
    topic = shared.topic[shared.first[kept]][units]
    names = {
        c.TOPIC: shared.topics,
        c.LEVEL: [level.value] * len(shared.topics),
        c.DOCUMENTS: np.bincount(topic, minlength=len(shared.topics)),
    }
    return _frame(names, by_topic.T)


def _of_pairs(shared: Shared, level: Level, sums: Counts) -> pl.DataFrame:
    documents, counts = sums.by_pair()
    names: dict[str, object] = {
        **_named(shared, sums.pairs),
        c.LEVEL: [level.value] * len(documents),
    }
    return _frame({**names, c.DOCUMENTS: documents}, pair_coefficients(counts), counts)


def _of_topic_pairs(shared: Shared, level: Level, sums: Counts) -> pl.DataFrame:
    names = {
        c.TOPIC: pl.Series(shared.topics).gather(sums.topic),
        **_named(shared, sums.pairs[sums.pair]),
        c.LEVEL: [level.value] * len(sums.topic),
        c.DOCUMENTS: sums.documents,
    }
    return _frame(names, pair_coefficients(sums.counts), sums.counts)


def entry_points(shared: Shared) -> pl.DataFrame:
    """How far apart the best entry points of pairs of assessors are.

    Counted are documents that both found relevant and for which both set one: some files state an
    entry point of irrelevant documents as well, which says nothing.
    """
    known = shared.relevant & (shared.entry != UNKNOWN)
    kept = known[shared.first] & known[shared.second]
    distance = np.abs(shared.entry[shared.first[kept]] - shared.entry[shared.second[kept]])
    found = (
        pl.DataFrame({c.GROUP: shared.pair[kept], c.VALUE: distance})
        .group_by(c.GROUP)
        .agg(
            pl.len().cast(pl.Int64).alias(c.DOCUMENTS),
            pl.median(c.VALUE).cast(pl.Float64).alias(c.MEDIAN),
            *((pl.col(c.VALUE) <= most).mean().alias(name) for name, most in WITHIN.items()),
        )
        .sort(c.GROUP)
    )
    names = pl.DataFrame(_named(shared, found[c.GROUP].to_numpy()))
    return pl.concat([names, found.drop(c.GROUP)], how="horizontal")


def _named(shared: Shared, codes: Ints) -> dict[str, pl.Series]:
    """The assessors of pairs."""
    names = pl.Series(shared.assessors, dtype=pl.String)
    one, other = shared.assessors_of(codes)
    return {c.FIRST: names.gather(one), c.SECOND: names.gather(other)}


def _frame(
    names: Mapping[str, object],
    coefficients: Floats,
    counts: Floats | None = None,
) -> pl.DataFrame:
    """Columns of names, then counts as whole numbers, then coefficients; null what is unknown."""
    table = {} if counts is None else dict(zip(COUNTS, counts.T, strict=True))
    table |= dict(zip(COEFFICIENTS, coefficients, strict=True))
    frame = pl.DataFrame({**names, **table}).with_columns(pl.col(*table).fill_nan(None))
    return frame if counts is None else frame.with_columns(pl.col(*COUNTS).cast(pl.Int64))
