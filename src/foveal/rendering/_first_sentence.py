"""What a comparison says first: who is best, or that no difference is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foveal.analysis import Comparison, Status
from foveal.choices import Correction, Tail
from foveal.errors import counted, listed
from foveal.late import pl
from foveal.rendering._numbers import thousandths
from foveal.tables import EQUAL_WITHIN
from foveal.tables import columns as c

NAMED_RUNS = 4


def first_sentences(comparison: Comparison, measure: str) -> list[str]:
    """The finding by a measure, and how runs were tested, if they were."""
    several = len(comparison.values.topics) > 1
    return [first_sentence(comparison, measure), *[_tested(comparison, measure)] * several]


def first_sentence(comparison: Comparison, measure: str) -> str:
    """The finding by a measure: a winner is a run that is significantly better than all others."""
    called = comparison.plain.get(measure, measure)
    ranking, topics = comparison.ranking(measure), len(comparison.values.topics)
    means = dict(
        comparison.means.filter(pl.col(c.MEASURE) == measure).select(c.RUN, c.MEAN).iter_rows()
    )
    known = comparison.pairs.join(comparison.effects, on=[c.MEASURE, c.BETTER, c.WORSE])
    known = known.filter(pl.col(c.MEASURE) == measure)
    pairs = list(known.filter(pl.col(c.BETTER) == ranking[0]).iter_rows(named=True))
    # A test of ranks or signs may find a difference where means are equal: that is no winner.
    beaten = {
        row[c.WORSE]
        for row in pairs
        if row[c.SIGNIFICANT] and abs(row[c.DIFFERENCE]) > EQUAL_WITHIN
    }
    top = [run for run in ranking if run not in beaten]
    reached = dict.fromkeys(thousandths(means[run]) for run in (top[-1], top[0]))
    ends = f"{called} {' to '.join(reached)}"
    if topics == 1:
        return f"One topic shows nothing about others: {ends}, not tested."
    smallest = comparison.smallest_difference(measure)
    could = "" if smallest is None else f"; {topics:,} topics could show {thousandths(smallest)}"
    # One tail did not ask whether the baseline is better.
    is_one_way = comparison.settings["tail"] == Tail.ONE and ranking[0] in comparison.baselines
    if is_one_way or (comparison.baselines and len(ranking) > 2):
        return _against(comparison, known, called, could)
    if all(row[c.STATUS] == Status.NO_DIFFERENCE for row in pairs):
        every = listed(ranking) if len(ranking) == 2 else f"All {len(ranking):,} runs"
        return f"{every} are identical on all {topics:,} topics by {called}: {thousandths(means[top[0]])}."
    if len(top) == 1:
        second = next(row for row in pairs if row[c.WORSE] == ranking[1])
        return f"{top[0]} is best: {called} {thousandths(means[top[0]])}, {_ahead(comparison, second)}."
    if len(ranking) == 2:
        both = f"{called} {thousandths(means[ranking[0]])} and {thousandths(means[ranking[1]])}"
        return (
            f"No difference shown between {ranking[0]} and {ranking[1]}: {both}"
            f" ({_difference(comparison, pairs[0])}){could}."
        )
    is_apart = known[c.SIGNIFICANT].any()
    among = f"No difference shown among {len(top):,} runs: {ends}"
    return f"{_shared_top(top, ends) if is_apart else among}{could}."


def _shared_top(top: Sequence[str], ends: str) -> str:
    """Which runs share the top, where others are worse."""
    more = len(top) - NAMED_RUNS
    named = f"{', '.join(top[:NAMED_RUNS])} and {counted(more, 'other')}"
    return f"No single winner: {named if more > 0 else listed(top)} share the top ({ends})"


def _against(comparison: Comparison, pairs: pl.DataFrame, called: str, could: str) -> str:
    """How many runs are better than each baseline, and by how much the best of them is."""
    differ = pl.col(c.SIGNIFICANT) & (pl.col(c.DIFFERENCE).abs() > EQUAL_WITHIN)
    sentences = []
    for baseline in comparison.baselines:
        own = pairs.filter(pl.col(c.BASELINE_RUN) == baseline)
        better, worse = (
            list(own.filter(differ & (pl.col(c.RUN) == pl.col(side))).iter_rows(named=True))
            for side in (c.BETTER, c.WORSE)
        )
        than = f"than {baseline} by {called}" + f", {len(worse)} worse" * bool(worse)
        if better:
            are = "are" if len(better) > 1 else "is"
            best = f"{better[0][c.RUN]}, is {_ahead(comparison, better[0])}"
            sentences.append(
                f"{len(better)} of {counted(own.height, 'run')} {are} better {than}; the best, {best}."
            )
        else:
            sentences.append(
                f"None of {counted(own.height, 'run')} is shown to be better {than}{could}."
            )
    return " ".join(sentences)


def _tested(comparison: Comparison, measure: str) -> str:
    chosen = comparison.settings
    few = comparison.family < len(comparison.values.runs) * (len(comparison.values.runs) - 1) // 2
    family = f"{comparison.family:,} comparisons" if few else "all pairs"
    corrected = comparison.family > 1 and chosen["correct"] != Correction.NONE
    correction = f", corrected for {family} ({chosen['correct']})" if corrected else ""
    # By measure if they differ.
    counts = chosen.get("resamples", "").removeprefix("by measure ").split("; ")
    count = counts[comparison.measures.index(measure) % len(counts)]
    resamples = ", exact" if count.startswith("all") else f", {count} resamples" if count else ""
    topics = counted(len(comparison.values.topics), "topic")
    return (
        f"Test over {topics}: {chosen['test']}, {chosen['tail']}-tailed, alpha"
        f" {chosen[c.ALPHA]}{correction}{resamples}."
    )


def _ahead(comparison: Comparison, pair: dict[str, Any]) -> str:
    """By how much the best run is ahead of the second; and its topics, if it won fewer than it lost."""
    side = "above" if pair[c.DIFFERENCE] >= 0 else "below"
    fewer = f" on {pair[c.WINS]} topics won and {pair[c.LOSSES]} lost"
    won = fewer if pair[c.WINS] < pair[c.LOSSES] else ""
    difference, interval = _sized(comparison, pair)
    return f"{difference} {side} {pair[c.WORSE]}{won}{f' ({interval})' if interval else ''}"


def _difference(comparison: Comparison, pair: dict[str, Any]) -> str:
    """A difference that was not shown, with its interval."""
    return "difference " + ", ".join(filter(None, _sized(comparison, pair)))


def _sized(comparison: Comparison, pair: dict[str, Any]) -> tuple[str, str]:
    """How large a difference is, whichever value is higher, and its interval if that is known."""
    sign = -1 if pair[c.DIFFERENCE] < 0 else 1
    size = thousandths(sign * pair[c.DIFFERENCE])
    if pair[c.LOW] is None:
        return size, ""
    level = " ".join(comparison.settings["interval of differences"].split()[:2]).rstrip(",")
    low, high = sorted((sign * pair[c.LOW], sign * pair[c.HIGH]))
    return size, f"{level} {thousandths(low)} to {thousandths(high)}"
