"""Do assessors highlight the same text, and call the same documents relevant?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import TypeAlias, Unpack, cast

import numpy as np

from foveal.analysis import (
    ALPHA,
    INTERVAL_RESAMPLES,
    SEED,
    Resamples,
    Seed,
    between_0_and_1,
    percentiles,
    shown_seed,
)
from foveal.conventions import Choices, ChoiceWords
from foveal.errors import UsageError, counted, listed, some
from foveal.frozen import frozen
from foveal.judging._coefficients import COEFFICIENTS, Counts, mean_of_known, pair_coefficients
from foveal.judging._joint_judgements import UNKNOWN, JointJudgements
from foveal.judging._run_rankings import RunRanking, no_rankings, ranked
from foveal.late import pl
from foveal.measures import MeasuresLike, names_of
from foveal.shown import Shown
from foveal.spans import Bools, Floats, Ints
from foveal.tables import Frame, Qrels, QrelsLike, Rows, RunsLike, coerced_runs
from foveal.tables import columns as c
from foveal.work import stage

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
class LevelAgreement:
    """Agreement at one level: counts of pairs of assessors, coefficients of topics, and frames.

    `frames` are overall, intervals, topics, pairs and topic pairs; `topics` are the coefficients of
    each topic, topics × coefficients.
    """

    level: Level
    counts: Counts
    topics: Floats
    frames: tuple[pl.DataFrame, ...]


def compared(shared: JointJudgements, resamples: Resamples, alpha: float) -> list[LevelAgreement]:
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


def _characters(shared: JointJudgements) -> Floats:
    """Characters that both of a pair highlighted, only the first, only the second, and neither."""
    both = shared.common
    one, other = (shared.highlighted[rows] - both for rows in (shared.first, shared.second))
    length = shared.length[shared.first]
    neither = np.where(length == UNKNOWN, np.nan, length - both - one - other)
    return np.column_stack([both, one, other, neither]).astype(float)


def _documents(shared: JointJudgements) -> Floats:
    """Whether both of a pair found a document relevant, only the first, only the second, neither."""
    one, other = (shared.relevant[rows] for rows in (shared.first, shared.second))
    return np.column_stack([one & other, one & ~other, other & ~one, ~one & ~other]).astype(float)


def _compared(
    shared: JointJudgements,
    level: Level,
    kept: Bools,
    counts: Floats,
    resamples: Resamples,
    alpha: float,
) -> LevelAgreement:
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
    return LevelAgreement(level, sums, by_topic, frames)


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
        {
            c.LEVEL: level.value,
            c.AVERAGE: average.value,
            c.COEFFICIENT: name,
            **percentiles(own, alpha),
        }
        for average, values in zip(Average, drawn, strict=True)
        for name, own in zip(COEFFICIENTS, values.T, strict=True)
    ]
    return pl.DataFrame(rows).with_columns(pl.col(c.LOW, c.HIGH).fill_nan(None))


def _of_topics(
    shared: JointJudgements, level: Level, kept: Bools, by_topic: Floats
) -> pl.DataFrame:
    units = np.unique(shared.unit[shared.first[kept]], return_index=True)[1]
    topic = shared.topic[shared.first[kept]][units]
    names = {
        c.TOPIC: shared.topics,
        c.LEVEL: [level.value] * len(shared.topics),
        c.DOCUMENTS: np.bincount(topic, minlength=len(shared.topics)),
    }
    return _frame(names, by_topic.T)


def _of_pairs(shared: JointJudgements, level: Level, sums: Counts) -> pl.DataFrame:
    documents, counts = sums.by_pair()
    names: dict[str, object] = {
        **_named(shared, sums.pairs),
        c.LEVEL: [level.value] * len(documents),
    }
    return _frame({**names, c.DOCUMENTS: documents}, pair_coefficients(counts), counts)


def _of_topic_pairs(shared: JointJudgements, level: Level, sums: Counts) -> pl.DataFrame:
    names = {
        c.TOPIC: pl.Series(shared.topics).gather(sums.topic),
        **_named(shared, sums.pairs[sums.pair]),
        c.LEVEL: [level.value] * len(sums.topic),
        c.DOCUMENTS: sums.documents,
    }
    return _frame(names, pair_coefficients(sums.counts), sums.counts)


def entry_points(shared: JointJudgements) -> pl.DataFrame:
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


def _named(shared: JointJudgements, codes: Ints) -> dict[str, pl.Series]:
    """The assessors of pairs."""
    names = pl.Series(shared.assessors, dtype=pl.String)
    one, other = shared.assessors_of(codes)
    return {c.FIRST: names.gather(one), c.SECOND: names.gather(other)}


def _frame(
    names: Mapping[str, object], coefficients: Floats, counts: Floats | None = None
) -> pl.DataFrame:
    """Columns of names, then counts as whole numbers, then coefficients; null what is unknown."""
    table = {} if counts is None else dict(zip(COUNTS, counts.T, strict=True))
    table |= dict(zip(COEFFICIENTS, coefficients, strict=True))
    frame = pl.DataFrame({**names, **table}).with_columns(pl.col(*table).fill_nan(None))
    return frame if counts is None else frame.with_columns(pl.col(*COUNTS).cast(pl.Int64))


SIGNS = {c.ALPHA: "α", c.KAPPA: "κ", c.F1: "F1", c.OVERLAP: "overlap"}


def notes(shared: JointJudgements, levels: Sequence[LevelAgreement]) -> Iterator[str]:
    """Notes on what was left out, on what is unknown, and on what looks odd."""
    yield from _left_out(shared)
    yield from _text(shared, levels)
    yield from _odd(shared, levels)
    for level in levels:
        yield from _undefined(level)
    if len(shared.topics) == 1:
        yield "one topic says nothing about others: there are no intervals"


def _left_out(shared: JointJudgements) -> Iterator[str]:
    documents, topics = shared.left_out
    if documents:
        beside = f" ({counted(topics, 'whole topic')})" if topics else ""
        yield f"left out {counted(documents, 'document')} that one assessor alone judged{beside}"
    count = len(shared.assessors)
    apart = count * (count - 1) // 2 - len(np.unique(shared.pair))
    if apart:
        yield f"{counted(apart, 'pair')} of assessors judged no document in common"


def _text(shared: JointJudgements, levels: Sequence[LevelAgreement]) -> Iterator[str]:
    """What keeps text from being compared, or some of it."""
    if levels[0].level is not Level.CHARACTERS:
        if 0 < len(shared.documents_only) < len(shared.assessors):
            names = listed(shared.documents_only)
            yield f"{names} judged documents without highlights, so only documents are compared"
        else:
            yield "nobody highlighted text in what is compared, so only documents are compared"
        return
    wordless = len(np.unique(shared.unit[shared.wordless]))
    if wordless:
        yield (
            f"{counted(wordless, 'document')} that somebody graded relevant without highlights:"
            " compared as documents only"
        )
    unknown = len(np.unique(shared.unit[shared.length == UNKNOWN]))
    if unknown:
        yield (
            f"the length of {counted(unknown, 'document')} is unknown, so α and κ over characters are"
            " undefined where they belong: state the length in one of the judgements, or give"
            " --elements INDEX or --docs DOCUMENTS"
        )


def _odd(shared: JointJudgements, levels: Sequence[LevelAgreement]) -> Iterator[str]:
    """What looks as if the judgements were not what they should be."""
    if shared.relevant_only:
        yield (
            f"every document that {listed(shared.relevant_only)} judged is relevant: if judgements list"
            " only what was highlighted, documents without highlights are missing, and agreement"
            " looks better than it is"
        )
    documents, counts = levels[0].counts.by_pair()
    for code, number, own in zip(levels[0].counts.pairs, documents, counts, strict=True):
        if number > 1 and own[0] and not own[1] and not own[2]:
            names = [shared.assessors[who] for who in shared.assessors_of(code)]
            yield (
                f"{listed(names)} say the same of {counted(int(number), 'document')} that both judged:"
                " is one a copy of the other?"
            )


def _undefined(level: LevelAgreement) -> Iterator[str]:
    """In how many topics coefficients are undefined because assessors make no difference."""
    told = ~np.isnan(level.counts.parts).any(axis=1)
    missing = np.isnan(level.topics[told]).sum(axis=0)
    topics = counted(len(level.topics), "topic")
    shown = [
        f"{SIGNS[name]} in {count:,} of {topics}"
        for name, count in zip(COEFFICIENTS, missing, strict=True)
        if count
    ]
    if shown:
        yield (
            f"over {level.level}, undefined where assessors chose nothing, or (α and κ) everything:"
            f" {', '.join(shown)}; macro leaves them out"
        )


SHOWN_ASSESSORS = 10

# As wide as `QrelsLike`: to a type checker, a dict of different forms is one of objects.
AssessorsLike: TypeAlias = Mapping[str, object] | Frame | Rows
"""{name of an assessor: judgements}, or a table whose column `assessor` names them."""


@frozen(eq=False, repr=False)
class AssessorAgreement(Shown):
    """How far assessors agree, over the characters and over the documents that two or more judged.

    Numbers are α (Krippendorff's, of all assessors), κ (Cohen's), F1 and overlap (means over pairs
    of assessors); null where they are undefined. `overall` has level, average (micro pools all
    topics, macro is the mean of topics), alpha with its interval low, high, then kappa, f1, overlap;
    `intervals` level, average, coefficient, low, high, from resampling topics. `topics` has the
    coefficients by topic; `pairs` first, second, level, documents, both, only_first, only_second,
    neither and the coefficients over all topics; `topic_pairs` the same by topic. `entry` has first,
    second, documents, median, within_0, within_100 and within_500: how far apart best entry points
    are where both found the document relevant and set one. With runs, `rankings` has measure, first,
    second, topics, tau, tau_ap, spearman, rbo, and `means` measure, first, second, run, first_mean,
    second_mean.
    """

    assessors: list[str]
    overall: pl.DataFrame
    intervals: pl.DataFrame
    topics: pl.DataFrame
    pairs: pl.DataFrame
    topic_pairs: pl.DataFrame
    entry: pl.DataFrame
    rankings: pl.DataFrame
    means: pl.DataFrame
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """How many assessors are compared, and on what."""
        documents = counted(int(self.settings["compared documents"]), "document")
        topics = counted(int(self.settings["compared topics"]), "topic")
        return f"{counted(len(self.assessors), 'assessor')}, {documents}, {topics}"


def agree_assessors(
    judgements: AssessorsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike = (),
    *,
    alpha: float = ALPHA,
    resamples: int = INTERVAL_RESAMPLES,
    rng: Seed = SEED,
    **choices: Unpack[ChoiceWords],
) -> AssessorAgreement:
    """Say how far assessors agree about the text and the documents that two or more of them judged.

    Judgements are {name: judgements}, or a table whose column `assessor` names who judged. With
    runs, these are also ranked by both assessors' judgements, for every pair of assessors, by the
    measures given or by the one that ranks systems at the task. Choices are those of `evaluate`;
    `rel` is the lowest grade that makes a document relevant without highlights.

    >>> import foveal
    >>> document = {"topic": "1", "doc": "a", "length": 100}
    >>> found = foveal.agree_assessors({
    ...     "ann": [{**document, "highlights": [[0, 20]]}],
    ...     "bob": [{**document, "highlights": [[10, 30]]}],
    ... })
    >>> found.pairs.select("level", "both", "only_first", "only_second", "neither").row(0)
    ('characters', 10, 10, 10, 70)
    >>> found.overall.select("average", "kappa", "f1").row(0)
    ('micro', 0.375, 0.5)
    """
    made = Choices.of(choices)
    ranking = None
    if runs is not None:
        tables = coerced_runs(runs)
        ranking = RunRanking(
            measures=names_of(measures),
            choices=made,
            stated={run.source: run.origin.task for run in tables},
            each=lambda work: [work(run) for run in tables],
        )
    elif names_of(measures):
        raise UsageError("measures rank runs: give runs as well")
    return assessor_agreement(
        _by_name(judgements), ranking, rel=made.rel, alpha=alpha, resamples=resamples, rng=rng
    )


@stage("comparing assessors")
def assessor_agreement(
    tables: Mapping[str, Qrels],
    ranking: RunRanking | None,
    *,
    rel: float,
    alpha: float,
    resamples: int,
    rng: Seed,
) -> AssessorAgreement:
    """How far the assessors of these judgements agree, and how alike runs are ranked by them."""
    if len(tables) < 2:
        alone = f"{next(iter(tables))} has nobody to agree with" if tables else "no assessors"
        raise UsageError(
            f"{alone}: give the judgements of two assessors or more, or rows that name them (column or"
            " key 'assessor')"
        )
    between_0_and_1("alpha", alpha)
    shared = JointJudgements.of(tables, rel=rel)
    drawn = Resamples.seeded(resamples, rng)
    levels = compared(shared, drawn, alpha)
    rankings = ranked(shared, tables, ranking) if ranking else no_rankings()
    overall, intervals, topics, pairs, topic_pairs = (
        pl.concat(frames) for frames in zip(*(level.frames for level in levels), strict=True)
    )
    return AssessorAgreement(
        shared.assessors,
        overall,
        intervals,
        topics,
        pairs,
        topic_pairs,
        entry_points(shared),
        rankings.coefficients,
        rankings.means,
        {
            "assessors": some(shared.assessors, SHOWN_ASSESSORS),
            "compared documents": str(shared.unit[-1] + 1),
            "compared topics": str(len(shared.topics)),
            "rel": f"{rel:g}",
            # Not "alpha", which is the name of a coefficient here.
            "intervals": f"{100 * (1 - alpha):g} %",
            "resamples": str(resamples),
            "seed": shown_seed(rng),
            **rankings.settings,
        },
        (
            *(f"{own.source}: {note}" for own in tables.values() for note in own.notes),
            *notes(shared, levels),
            *rankings.notes,
        ),
    )


def _by_name(judgements: AssessorsLike) -> dict[str, Qrels]:
    if isinstance(judgements, Qrels):
        raise UsageError(
            "these judgements are those of one assessor, or of several that were united: give {name:"
            " judgements}, or a table with the column 'assessor'"
        )
    if not isinstance(judgements, Mapping):
        return Qrels.by_assessor(judgements)
    for name in judgements:
        if not isinstance(name, str):
            raise UsageError(f"an assessor's name must be text, got {name!r}")
    return {name: Qrels.coerced(cast("QrelsLike", own)) for name, own in judgements.items()}
