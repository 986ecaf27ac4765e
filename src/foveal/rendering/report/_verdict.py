"""The verdict of a report, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from foveal.choices import Correction
from foveal.errors import listed
from foveal.late import pl
from foveal.measures import mean, record_of
from foveal.rendering._numbers import rounded
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.analysis import Comparison
    from foveal.rendering.report._report import Report

SHOWN_RUNS = 5


def verdict(report: Report) -> list[str]:
    """Which run is best, from which others it cannot be told apart, and how that was tested."""
    measure, order = report.measure, report.ranking
    best, called = order[0], report.called(measure)
    value, over = rounded(report.means[best]), report.over
    if report.comparison is None:
        if len(order) == 1:
            return [f"{best} scores {value} by {called} {over}."]
        return [f"No measure tells which run is best: {called} is not a mean over topics."]
    tied = [run for run, rank in report.ranks.items() if rank == 1]
    if len(tied) == len(order):
        every = "Both runs" if len(order) == 2 else f"All {len(order):,} runs"
        return [f"{every} score the same by {called}: {value} {over}.", *_otherwise(report)]
    within = _interval(report.comparison, measure, best)
    first = (
        f"{best} is best by {called}: {value} {over}{within}."
        if len(tied) == 1
        else f"{_some(tied)} share the best {called}: {value} {over}{within}."
    )
    return [
        first,
        _apart(report.comparison, measure, order, tied),
        _tested(report.comparison),
        *_otherwise(report),
    ]


def _interval(comparison: Comparison, measure: str, run: str) -> str:
    own = comparison.means.filter((pl.col(c.MEASURE) == measure) & (pl.col(c.RUN) == run))
    low, high = own.select(c.LOW, c.HIGH).row(0)
    if low is None:
        return ""
    level = comparison.settings["interval of means"].split(",")[0]
    return f", {level} interval {rounded(low)} to {rounded(high)}"


def _apart(comparison: Comparison, measure: str, order: Sequence[str], tied: Sequence[str]) -> str:
    """From which runs the best cannot be told apart; those with the same score are known already."""
    best, others = order[0], [run for run in order if run not in tied]
    told = pl.col(c.SIGNIFICANT).fill_null(value=False)
    own = comparison.pairs.filter(
        (pl.col(c.MEASURE) == measure) & (pl.col(c.BETTER) == best) & told
    )
    beaten = set(own[c.WORSE])
    alike = [run for run in others if run not in beaten]
    subject = "It" if len(tied) == 1 else best
    every = none = "the other run" if len(tied) == 1 else _some(others)
    if len(tied) == 1 < len(others):
        every, none = (f"{word} the other {len(others):,} runs" for word in ("all", "any of"))
    if not alike:
        return f"{subject} is significantly better than {every}."
    if len(alike) == len(others):
        return f"{subject} cannot be told apart from {none}."
    rest = len(others) - len(alike)
    return (
        f"{subject} cannot be told apart from {_some(alike)}; it is significantly better than the"
        f" other{f' {rest:,}' if rest > 1 else ''}."
    )


def _some(runs: Sequence[str]) -> str:
    more = len(runs) - SHOWN_RUNS
    return listed(runs) if more <= 0 else f"{', '.join(runs[:SHOWN_RUNS])} and {more:,} more"


def _tested(comparison: Comparison) -> str:
    chosen = comparison.settings
    corrected = chosen["correct"] != Correction.NONE
    correction = f", corrected for all pairs ({chosen['correct']})" if corrected else ""
    return f"Test: {chosen['test']}, {chosen['tail']}-tailed, alpha {chosen[c.ALPHA]}{correction}."


def _otherwise(report: Report) -> Iterator[str]:
    """Measures by which another run is best."""
    scores, order = report.scores, report.ranking
    other: dict[str, list[str]] = {}
    for name in scores.measures:
        record = record_of(name)
        if record.average is not mean:
            continue
        sign = 1 if record.higher_is_better else -1
        values = [sign * scores[run, name] for run in order]
        first = order[values.index(max(values))]
        if first != order[0]:
            other.setdefault(first, []).append(report.called(name))
    if other:
        told = listed([f"{run} by {listed(names)}" for run, names in other.items()])
        yield f"Other measures put another run first: {told}."
