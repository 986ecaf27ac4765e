"""Do assessors highlight the same text, and call the same documents relevant?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TypeAlias, Unpack, cast

import numpy as np

from foveal.analysis import (
    ALPHA,
    INTERVAL_RESAMPLES,
    SEED,
    Resamples,
    Seed,
    between_0_and_1,
    shown_seed,
)
from foveal.conventions import Choices, ChoiceWords
from foveal.errors import UsageError, counted, listed, some
from foveal.frozen import frozen
from foveal.judging._coefficients import COEFFICIENTS
from foveal.judging._rankings import RunRanking, no_rankings, ranked
from foveal.judging._shared import UNKNOWN, Shared
from foveal.judging._tables import Compared, Level, compared, entry_points
from foveal.late import pl
from foveal.measures import MeasuresLike, named
from foveal.shown import Shown
from foveal.tables import Frame, Qrels, QrelsLike, Rows, RunsLike, coerced_runs
from foveal.tables import columns as c
from foveal.work import stage

SIGNS = {c.ALPHA: "α", c.KAPPA: "κ", c.F1: "F1", c.OVERLAP: "overlap"}


def notes(shared: Shared, levels: Sequence[Compared]) -> Iterator[str]:
    """Notes on what was left out, on what is unknown, and on what looks odd."""
    yield from _left_out(shared)
    yield from _text(shared, levels)
    yield from _odd(shared, levels)
    for level in levels:
        yield from _undefined(level)
    if len(shared.topics) == 1:
        yield "one topic says nothing about others: there are no intervals"


def _left_out(shared: Shared) -> Iterator[str]:
    documents, topics = shared.left_out
    if documents:
        beside = f" ({counted(topics, 'whole topic')})" if topics else ""
        yield f"left out {counted(documents, 'document')} that one assessor alone judged{beside}"
    count = len(shared.assessors)
    apart = count * (count - 1) // 2 - len(np.unique(shared.pair))
    if apart:
        yield f"{counted(apart, 'pair')} of assessors judged no document in common"


def _text(shared: Shared, levels: Sequence[Compared]) -> Iterator[str]:
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


def _odd(shared: Shared, levels: Sequence[Compared]) -> Iterator[str]:
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


def _undefined(level: Compared) -> Iterator[str]:
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
            measures=named(measures),
            choices=made,
            stated={run.source: run.task for run in tables},
            each=lambda work: [work(run) for run in tables],
        )
    elif named(measures):
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
    shared = Shared.of(tables, rel=rel)
    drawn = Resamples.drawn(resamples, rng)
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
