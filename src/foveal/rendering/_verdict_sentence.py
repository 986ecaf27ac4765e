"""First sentences about a comparison: the best run, or that no difference is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foveal.analysis import Comparison, Status
from foveal.choices import Correction, Tail
from foveal.errors import and_list, counted
from foveal.late import pl
from foveal.rendering._numbers import thousandths
from foveal.tables import EQUAL_WITHIN
from foveal.tables import columns as c

NAMED_RUNS = 4


def first_sentences(comparison: Comparison, measure: str) -> list[str]:
    """The verdict by a measure, and the test behind it if there was one."""
    several = len(comparison.values.topics) > 1
    return [first_sentence(comparison, measure), *[_tested(comparison, measure)] * several]


def first_sentence(comparison: Comparison, measure: str) -> str:
    """The verdict by a measure: a winner is significantly better than all other runs."""
    name = comparison.plain.get(measure, measure)
    ranking, topics = comparison.ranking(measure), len(comparison.values.topics)
    is_measure = pl.col(c.MEASURE) == measure
    means = dict(comparison.means.filter(is_measure).select(c.RUN, c.MEAN).iter_rows())
    pairs = comparison.pairs.join(comparison.effects, on=[c.MEASURE, c.BETTER, c.WORSE])
    pairs = pairs.filter(is_measure)
    best_pairs = list(pairs.filter(pl.col(c.BETTER) == ranking[0]).iter_rows(named=True))
    # A test of ranks or signs may find a difference where means are equal: that is no winner.
    worse_runs = {
        row[c.WORSE]
        for row in best_pairs
        if row[c.SIGNIFICANT] and abs(row[c.DIFFERENCE]) > EQUAL_WITHIN
    }
    top = [run for run in ranking if run not in worse_runs]
    top_means = dict.fromkeys(thousandths(means[run]) for run in (top[-1], top[0]))
    top_range = f"{name} {' to '.join(top_means)}"
    if topics == 1:
        return f"One topic shows nothing about others: {top_range}, not tested."
    smallest = comparison.smallest_difference(measure)
    power = "" if smallest is None else f"; {topics:,} topics could show {thousandths(smallest)}"
    # A one-tailed test cannot show that the baseline is better.
    is_one_way = comparison.settings["tail"] == Tail.ONE and ranking[0] in comparison.baselines
    if is_one_way or (comparison.baselines and len(ranking) > 2):
        return _against(comparison, pairs, name, power)
    if all(row[c.STATUS] == Status.NO_DIFFERENCE for row in best_pairs):
        all_runs = and_list(ranking) if len(ranking) == 2 else f"All {len(ranking):,} runs"
        return f"{all_runs} are identical on all {topics:,} topics by {name}: {thousandths(means[top[0]])}."
    if len(top) == 1:
        second = next(row for row in best_pairs if row[c.WORSE] == ranking[1])
        return (
            f"{top[0]} is best: {name} {thousandths(means[top[0]])}, {_ahead(comparison, second)}."
        )
    if len(ranking) == 2:
        both_means = f"{name} {thousandths(means[ranking[0]])} and {thousandths(means[ranking[1]])}"
        return (
            f"No difference shown between {ranking[0]} and {ranking[1]}: {both_means}"
            f" ({_difference(comparison, best_pairs[0])}){power}."
        )
    any_significant = pairs[c.SIGNIFICANT].any()
    no_difference = f"No difference shown among {len(top):,} runs: {top_range}"
    return f"{_shared_top(top, top_range) if any_significant else no_difference}{power}."


def _shared_top(top: Sequence[str], top_range: str) -> str:
    """Clause: the runs that share the top, others being worse."""
    hidden_count = len(top) - NAMED_RUNS
    first_names = f"{', '.join(top[:NAMED_RUNS])} and {counted(hidden_count, 'other')}"
    return f"No single winner: {first_names if hidden_count > 0 else and_list(top)} share the top ({top_range})"


def _against(comparison: Comparison, pairs: pl.DataFrame, name: str, power: str) -> str:
    """Number of runs better than each baseline, and the lead of the best of them."""
    differ = pl.col(c.SIGNIFICANT) & (pl.col(c.DIFFERENCE).abs() > EQUAL_WITHIN)
    sentences = []
    for baseline in comparison.baselines:
        rows = pairs.filter(pl.col(c.BASELINE_RUN) == baseline)
        better, worse = (
            list(rows.filter(differ & (pl.col(c.RUN) == pl.col(side))).iter_rows(named=True))
            for side in (c.BETTER, c.WORSE)
        )
        than_baseline = f"than {baseline} by {name}" + f", {len(worse)} worse" * bool(worse)
        if better:
            verb = "are" if len(better) > 1 else "is"
            best_run = f"{better[0][c.RUN]}, is {_ahead(comparison, better[0])}"
            sentences.append(
                f"{len(better)} of {counted(rows.height, 'run')} {verb} better {than_baseline}; the best, {best_run}."
            )
        else:
            sentences.append(
                f"None of {counted(rows.height, 'run')} is shown to be better {than_baseline}{power}."
            )
    return " ".join(sentences)


def _tested(comparison: Comparison, measure: str) -> str:
    settings = comparison.settings
    run_count = len(comparison.values.runs)
    is_subset = comparison.family < run_count * (run_count - 1) // 2
    family = f"{comparison.family:,} comparisons" if is_subset else "all pairs"
    is_corrected = comparison.family > 1 and settings["correct"] != Correction.NONE
    correction = f", corrected for {family} ({settings['correct']})" if is_corrected else ""
    # The setting has a count per measure if they differ.
    counts = settings.get("resamples", "").removeprefix("by measure ").split("; ")
    count = counts[comparison.measures.index(measure) % len(counts)]
    resamples = ", exact" if count.startswith("all") else f", {count} resamples" if count else ""
    topics = counted(len(comparison.values.topics), "topic")
    return (
        f"Test over {topics}: {settings['test']}, {settings['tail']}-tailed, alpha"
        f" {settings[c.ALPHA]}{correction}{resamples}."
    )


def _ahead(comparison: Comparison, pair: dict[str, Any]) -> str:
    """The lead of the best run over the second; and its topics, if it won fewer than it lost."""
    side = "above" if pair[c.DIFFERENCE] >= 0 else "below"
    topic_counts = f" on {pair[c.WINS]} topics won and {pair[c.LOSSES]} lost"
    topics = topic_counts if pair[c.WINS] < pair[c.LOSSES] else ""
    difference, interval = _size_and_interval(comparison, pair)
    return f"{difference} {side} {pair[c.WORSE]}{topics}{f' ({interval})' if interval else ''}"


def _difference(comparison: Comparison, pair: dict[str, Any]) -> str:
    """A difference that was not shown, with its interval."""
    return "difference " + ", ".join(filter(None, _size_and_interval(comparison, pair)))


def _size_and_interval(comparison: Comparison, pair: dict[str, Any]) -> tuple[str, str]:
    """Absolute size of a difference, and its interval if that is known."""
    sign = -1 if pair[c.DIFFERENCE] < 0 else 1
    size = thousandths(sign * pair[c.DIFFERENCE])
    if pair[c.LOW] is None:
        return size, ""
    level = " ".join(comparison.settings["interval of differences"].split()[:2]).rstrip(",")
    low, high = sorted((sign * pair[c.LOW], sign * pair[c.HIGH]))
    return size, f"{level} {thousandths(low)} to {thousandths(high)}"
