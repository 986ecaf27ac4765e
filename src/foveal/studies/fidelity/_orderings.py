"""Which of the expected orderings a measure keeps."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from foveal.analysis import EQUAL_WITHIN, TopicValues, paired_t
from foveal.late import pl
from foveal.studies.fidelity._records import PART_SETS, RANKINGS, covers
from foveal.tables import columns

Pair = tuple[str, str]


class Verdict(StrEnum):
    """Whether a measure scores two runs in their expected order."""

    KEPT = "kept"
    VIOLATED = "violated"
    NOT_DISTINGUISHED = "not distinguished"


def simulated_name(part_set: str, ranking: str) -> str:
    """What the run of a part set in a ranking is called."""
    return f"{part_set}.{ranking}"


def expected_orderings(part_sets: Sequence[str], rankings: Sequence[str]) -> list[Pair]:
    """(better run, worse run): either the part set or the ranking gets one step worse."""
    set_steps, ranking_steps = covers(PART_SETS, part_sets), covers(RANKINGS, rankings)
    return [
        (simulated_name(part_set, ranking), simulated_name(worse_set, worse_ranking))
        for part_set in part_sets
        for ranking in rankings
        for worse_set, worse_ranking in (
            *((worse, ranking) for better, worse in set_steps if better == part_set),
            *((part_set, worse) for better, worse in ranking_steps if better == ranking),
        )
    ]


def orderings(values: TopicValues, pairs: Sequence[Pair]) -> pl.DataFrame:
    """How every measure scores every pair.

    Columns: measure, first, second, difference (of the means, in percentage points), the topics
    on which the first is better, equal and worse, p (null without a spread), verdict.
    """
    first, second = (np.array([values.runs.index(pair[side]) for pair in pairs]) for side in (0, 1))
    differences = values.values[:, first] - values.values[:, second]
    gains = values.signs[:, None, None] * differences
    tested = paired_t(differences)
    better, worse = ((sign * gains > EQUAL_WITHIN).sum(axis=2, dtype=np.int64) for sign in (1, -1))
    mean = gains.mean(axis=2)
    verdict = np.select(
        [better + worse == 0, mean > EQUAL_WITHIN, mean < -EQUAL_WITHIN],
        [Verdict.NOT_DISTINGUISHED.value, Verdict.KEPT.value, Verdict.VIOLATED.value],
        Verdict.NOT_DISTINGUISHED.value,
    )
    equal = len(values.topics) - better - worse
    p = np.where(better + worse == 0, np.nan, tested.p)
    return pl.DataFrame(
        {
            columns.MEASURE: np.repeat(values.measures, len(pairs)),
            columns.FIRST: [pair[0] for pair in pairs] * len(values.measures),
            columns.SECOND: [pair[1] for pair in pairs] * len(values.measures),
            columns.DIFFERENCE: (100 * differences.mean(axis=2)).ravel(),
            columns.BETTER: better.ravel(),
            columns.EQUAL: equal.ravel(),
            columns.WORSE: worse.ravel(),
            columns.P: p.ravel(),
            columns.VERDICT: verdict.ravel(),
        }
    ).with_columns(pl.col(columns.P).fill_nan(None))


def verdicts(found: pl.DataFrame) -> pl.DataFrame:
    """How many of the orderings each measure keeps, violates and does not distinguish."""
    return found.group_by(columns.MEASURE, maintain_order=True).agg(
        *(
            (pl.col(columns.VERDICT) == word).sum().alias(word.replace(" ", "_"))
            for word in Verdict
        ),
        pl.len().alias(columns.PAIRS),
    )
