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
from foveal.errors import UsageError, and_list, counted, shortened_list
from foveal.frozen import frozen
from foveal.judging._coefficients import COEFFICIENTS, Counts, pair_coefficients, weighted_means
from foveal.judging._joint_judgements import UNKNOWN, JointJudgements
from foveal.judging._run_rankings import RunRanking, no_rankings, rank_runs
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
    """Units on which assessors agree or disagree."""

    CHARACTERS = "characters"
    DOCUMENTS = "documents"


class Average(StrEnum):
    """Average over topics: pooled, or each topic with the same weight."""

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


def agreements(joint: JointJudgements, resamples: Resamples, alpha: float) -> list[LevelAgreement]:
    """The levels that can be compared: characters if assessors highlighted any, and documents."""
    text_pairs = joint.text_pairs
    levels = {}
    if joint.has_text and text_pairs.any():
        levels[Level.CHARACTERS] = (text_pairs, _characters(joint))
    levels[Level.DOCUMENTS] = (np.ones(len(text_pairs), dtype=bool), _documents(joint))
    return [
        _level_agreement(joint, level, keep, counts, resamples, alpha)
        for level, (keep, counts) in levels.items()
    ]


def _characters(joint: JointJudgements) -> Floats:
    """Characters that both of a pair highlighted, only the first, only the second, and neither."""
    both = joint.common_characters
    first, second = (joint.highlighted[rows] - both for rows in (joint.first, joint.second))
    length = joint.length[joint.first]
    neither = np.where(length == UNKNOWN, np.nan, length - both - first - second)
    return np.column_stack([both, first, second, neither]).astype(float)


def _documents(joint: JointJudgements) -> Floats:
    """Columns of 0 and 1: both of a pair call a document relevant, one of the two, or neither."""
    first, second = (joint.relevant[rows] for rows in (joint.first, joint.second))
    columns = (first & second, first & ~second, second & ~first, ~first & ~second)
    return np.column_stack(columns).astype(float)


def _level_agreement(
    joint: JointJudgements,
    level: Level,
    keep: Bools,
    counts: Floats,
    resamples: Resamples,
    alpha: float,
) -> LevelAgreement:
    topic, assessor_counts = joint.topic[joint.first[keep]], joint.assessor_count[keep]
    sums = Counts.of(topic, joint.pair[keep], assessor_counts, counts[keep], len(joint.topics))
    by_topic = sums.by_topic()
    intervals = _intervals(level, sums, by_topic, resamples, alpha)
    frames = (
        _overall(level, sums, by_topic, intervals),
        intervals,
        _topic_frame(joint, level, keep, by_topic),
        _pair_frame(joint, level, sums),
        _topic_pair_frame(joint, level, sums),
    )
    return LevelAgreement(level, sums, by_topic, frames)


def _overall(level: Level, sums: Counts, by_topic: Floats, intervals: pl.DataFrame) -> pl.DataFrame:
    """The coefficients, and the interval of α."""
    equal_weights = np.ones((1, len(by_topic)))
    values = np.vstack([sums.pooled(equal_weights), weighted_means(by_topic, equal_weights)])
    key = {c.LEVEL: [level.value] * 2, c.AVERAGE: [average.value for average in Average]}
    alpha_intervals = intervals.filter(pl.col(c.COEFFICIENT) == c.ALPHA).drop(c.COEFFICIENT)
    with_intervals = _frame(key, values.T).join(alpha_intervals, on=[*key], maintain_order="left")
    other_coefficients = [name for name in COEFFICIENTS if name != c.ALPHA]
    return with_intervals.select(*key, c.ALPHA, c.LOW, c.HIGH, *other_coefficients)


def _intervals(
    level: Level, sums: Counts, by_topic: Floats, resamples: Resamples, alpha: float
) -> pl.DataFrame:
    """Percentile intervals from resampled topics; undefined for a single topic."""
    resampled = np.full((len(Average), 1, len(COEFFICIENTS)), np.nan)
    too_few = (~np.isnan(by_topic)).sum(axis=0) < 2
    if len(by_topic) > 1:
        blocks = [
            (sums.pooled(weights), weighted_means(by_topic, weights))
            for weights in resamples.bootstrap(len(by_topic))
        ]
        resampled = np.stack([np.concatenate(values) for values in zip(*blocks, strict=True)])
        resampled[1, :, too_few] = np.nan
    rows = [
        {
            c.LEVEL: level.value,
            c.AVERAGE: average.value,
            c.COEFFICIENT: name,
            **percentiles(data, alpha),
        }
        for average, values in zip(Average, resampled, strict=True)
        for name, data in zip(COEFFICIENTS, values.T, strict=True)
    ]
    return pl.DataFrame(rows).with_columns(pl.col(c.LOW, c.HIGH).fill_nan(None))


def _topic_frame(joint: JointJudgements, level: Level, keep: Bools, values: Floats) -> pl.DataFrame:
    first_pairs = np.unique(joint.unit[joint.first[keep]], return_index=True)[1]
    topic = joint.topic[joint.first[keep]][first_pairs]
    names = {
        c.TOPIC: joint.topics,
        c.LEVEL: [level.value] * len(joint.topics),
        c.DOCUMENTS: np.bincount(topic, minlength=len(joint.topics)),
    }
    return _frame(names, values.T)


def _pair_frame(joint: JointJudgements, level: Level, sums: Counts) -> pl.DataFrame:
    documents, counts = sums.by_pair()
    names: dict[str, object] = {
        **_assessor_names(joint, sums.pairs),
        c.LEVEL: [level.value] * len(documents),
    }
    return _frame({**names, c.DOCUMENTS: documents}, pair_coefficients(counts), counts)


def _topic_pair_frame(joint: JointJudgements, level: Level, sums: Counts) -> pl.DataFrame:
    names = {
        c.TOPIC: pl.Series(joint.topics).gather(sums.topic),
        **_assessor_names(joint, sums.pairs[sums.pair]),
        c.LEVEL: [level.value] * len(sums.topic),
        c.DOCUMENTS: sums.documents,
    }
    return _frame(names, pair_coefficients(sums.counts), sums.counts)


def entry_points(joint: JointJudgements) -> pl.DataFrame:
    """Distances between the best entry points of pairs of assessors.

    Only documents that both found relevant and for which both set one count: some files state an
    entry point of irrelevant documents as well, which means nothing.
    """
    has_entry = joint.relevant & (joint.entry != UNKNOWN)
    keep = has_entry[joint.first] & has_entry[joint.second]
    distance = np.abs(joint.entry[joint.first[keep]] - joint.entry[joint.second[keep]])
    distances = (
        pl.DataFrame({c.GROUP: joint.pair[keep], c.VALUE: distance})
        .group_by(c.GROUP)
        .agg(
            pl.len().cast(pl.Int64).alias(c.DOCUMENTS),
            pl.median(c.VALUE).cast(pl.Float64).alias(c.MEDIAN),
            *((pl.col(c.VALUE) <= maximum).mean().alias(name) for name, maximum in WITHIN.items()),
        )
        .sort(c.GROUP)
    )
    names = pl.DataFrame(_assessor_names(joint, distances[c.GROUP].to_numpy()))
    return pl.concat([names, distances.drop(c.GROUP)], how="horizontal")


def _assessor_names(joint: JointJudgements, codes: Ints) -> dict[str, pl.Series]:
    """Names of the assessors of pairs, as columns."""
    names = pl.Series(joint.assessors, dtype=pl.String)
    first, second = joint.assessors_of(codes)
    return {c.FIRST: names.gather(first), c.SECOND: names.gather(second)}


def _frame(
    names: Mapping[str, object], coefficients: Floats, counts: Floats | None = None
) -> pl.DataFrame:
    """Frame with columns of names, then counts as integers, then coefficients; NaN becomes null."""
    numbers = {} if counts is None else dict(zip(COUNTS, counts.T, strict=True))
    numbers |= dict(zip(COEFFICIENTS, coefficients, strict=True))
    frame = pl.DataFrame({**names, **numbers}).with_columns(pl.col(*numbers).fill_nan(None))
    return frame if counts is None else frame.with_columns(pl.col(*COUNTS).cast(pl.Int64))


SIGNS = {c.ALPHA: "α", c.KAPPA: "κ", c.F1: "F1", c.OVERLAP: "overlap"}


def notes(joint: JointJudgements, levels: Sequence[LevelAgreement]) -> Iterator[str]:
    """Notes on documents left out, unknown lengths, and suspicious judgements."""
    yield from _left_out_notes(joint)
    yield from _text_notes(joint, levels)
    yield from _suspicious_notes(joint, levels)
    for level in levels:
        yield from _undefined_note(level)
    if len(joint.topics) == 1:
        yield "one topic says nothing about others: there are no intervals"


def _left_out_notes(joint: JointJudgements) -> Iterator[str]:
    documents, topics = joint.left_out
    if documents:
        topics_text = f" ({counted(topics, 'whole topic')})" if topics else ""
        yield f"left out {counted(documents, 'document')} that one assessor alone judged{topics_text}"
    count = len(joint.assessors)
    pairs_without_joint = count * (count - 1) // 2 - len(np.unique(joint.pair))
    if pairs_without_joint:
        yield f"{counted(pairs_without_joint, 'pair')} of assessors judged no document in common"


def _text_notes(joint: JointJudgements, levels: Sequence[LevelAgreement]) -> Iterator[str]:
    """Notes: text, or part of it, that cannot be compared."""
    if levels[0].level is not Level.CHARACTERS:
        if 0 < len(joint.documents_only) < len(joint.assessors):
            names = and_list(joint.documents_only)
            yield f"{names} judged documents without highlights, so only documents are compared"
        else:
            yield "no assessor highlighted text in the compared documents, so only documents are compared"
        return
    without_text = len(np.unique(joint.unit[joint.without_text]))
    if without_text:
        yield (
            f"{counted(without_text, 'document')} that somebody graded relevant without highlights:"
            " compared as documents only"
        )
    unknown_count = len(np.unique(joint.unit[joint.length == UNKNOWN]))
    if unknown_count:
        yield (
            f"the length of {counted(unknown_count, 'document')} is unknown, so α and κ over characters are"
            " undefined where they belong: state the length in one of the judgements, or give"
            " --elements INDEX or --docs DOCUMENTS"
        )


def _suspicious_notes(joint: JointJudgements, levels: Sequence[LevelAgreement]) -> Iterator[str]:
    """Notes: judgements that may be incomplete or copied."""
    if joint.relevant_only:
        yield (
            f"every document that {and_list(joint.relevant_only)} judged is relevant: if judgements list"
            " only what was highlighted, documents without highlights are missing, and agreement"
            " looks better than it is"
        )
    documents, counts = levels[0].counts.by_pair()
    for code, count, pair_counts in zip(levels[0].counts.pairs, documents, counts, strict=True):
        if count > 1 and pair_counts[0] and not pair_counts[1] and not pair_counts[2]:
            names = [joint.assessors[index] for index in joint.assessors_of(code)]
            yield (
                f"{and_list(names)} say the same of {counted(int(count), 'document')} that both judged:"
                " is one a copy of the other?"
            )


def _undefined_note(level: LevelAgreement) -> Iterator[str]:
    """Note: number of topics in which coefficients are undefined because all choices are the same."""
    has_lengths = ~np.isnan(level.counts.alpha_sums).any(axis=1)
    missing = np.isnan(level.topics[has_lengths]).sum(axis=0)
    topics = counted(len(level.topics), "topic")
    phrases = [
        f"{SIGNS[name]} in {count:,} of {topics}"
        for name, count in zip(COEFFICIENTS, missing, strict=True)
        if count
    ]
    if phrases:
        yield (
            f"over {level.level}, undefined where assessors chose nothing, or (α and κ) everything:"
            f" {', '.join(phrases)}; macro leaves them out"
        )


SHOWN_ASSESSORS = 10

# `Mapping[str, object]` because type checkers infer it for a dict with values of several types.
AssessorsLike: TypeAlias = Mapping[str, object] | Frame | Rows
"""{name of an assessor: judgements}, or a table whose column `assessor` names them."""


@frozen(eq=False, repr=False)
class AssessorAgreement(Shown):
    """Agreement of assessors over the characters and the documents that two or more of them judged.

    Numbers are α (Krippendorff's, of all assessors), κ (Cohen's), F1 and overlap (means over pairs
    of assessors); null where they are undefined. `overall` has level, average (micro pools all
    topics, macro is the mean of topics), alpha with its interval low, high, then kappa, f1, overlap;
    `intervals` level, average, coefficient, low, high, from resampling topics. `topics` has the
    coefficients by topic; `pairs` first, second, level, documents, both, only_first, only_second,
    neither and the coefficients over all topics; `topic_pairs` the same by topic. `entry` has first,
    second, documents, median, within_0, within_100 and within_500: distances of best entry points in
    documents that both found relevant and for which both set one. With runs, `rankings` has measure, first,
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
        """Numbers of compared assessors, documents and topics."""
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
    parsed = Choices.of(choices)
    ranking = None
    if runs is not None:
        tables = coerced_runs(runs)
        ranking = RunRanking(
            measures=names_of(measures),
            choices=parsed,
            stated_tasks={run.source: run.origin.task for run in tables},
            for_each_run=lambda task: [task(run) for run in tables],
        )
    elif names_of(measures):
        raise UsageError("measures rank runs: give runs as well")
    return assessor_agreement(
        _by_name(judgements), ranking, rel=parsed.rel, alpha=alpha, resamples=resamples, rng=rng
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
    """Agreement of the assessors of these judgements, and of the rankings of runs by them."""
    if len(tables) < 2:
        subject = f"only {next(iter(tables))} judged" if tables else "no assessors"
        raise UsageError(
            f"{subject}: agreement needs the judgements of two assessors or more, or rows that name them"
            " (column or key 'assessor')"
        )
    between_0_and_1("alpha", alpha)
    joint = JointJudgements.of(tables, rel=rel)
    levels = agreements(joint, Resamples.seeded(resamples, rng), alpha)
    rankings = rank_runs(joint, tables, ranking) if ranking else no_rankings()
    overall, intervals, topics, pairs, topic_pairs = (
        pl.concat(frames) for frames in zip(*(level.frames for level in levels), strict=True)
    )
    return AssessorAgreement(
        joint.assessors,
        overall,
        intervals,
        topics,
        pairs,
        topic_pairs,
        entry_points(joint),
        rankings.coefficients,
        rankings.means,
        {
            "assessors": shortened_list(joint.assessors, SHOWN_ASSESSORS),
            "compared documents": str(joint.unit[-1] + 1),
            "compared topics": str(len(joint.topics)),
            "rel": f"{rel:g}",
            # Not "alpha", which is the name of a coefficient here.
            "intervals": f"{100 * (1 - alpha):g} %",
            "resamples": str(resamples),
            "seed": shown_seed(rng),
            **rankings.settings,
        },
        (
            *(f"{qrels.source}: {note}" for qrels in tables.values() for note in qrels.notes),
            *notes(joint, levels),
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
    return {name: Qrels.coerced(cast("QrelsLike", table)) for name, table in judgements.items()}
