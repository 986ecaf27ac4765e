"""Drops of a run below a baseline, and tests of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from foveal.analysis._compare import Comparison, compare
from foveal.analysis._comparison_design import ROUNDING
from foveal.analysis._few_topics import FEW_TOPICS, few_topics_notes
from foveal.analysis._resamples import Resamples, Seed, between_0_and_1
from foveal.choices import Correction, Interval
from foveal.errors import DataError, UsageError, and_list, counted
from foveal.evaluation import DECISIVE, UNKNOWN_JUDGEMENTS, RunScores, Scores, TopicFacts
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import mean, record_of
from foveal.tables import EQUAL_WITHIN, columns, refuse_alarming


@frozen
class GateDesign:
    """Checked parameters of a gate: the drop it allows, and how drops are tested."""

    max_drop: float
    significant: bool
    alpha: float
    resamples: Resamples

    @classmethod
    def of(
        cls, max_drop: float, alpha: float, resamples: int | str, rng: Seed, *, significant: bool
    ) -> GateDesign:
        """The parameters, checked."""
        if not 0 <= max_drop < math.inf:
            raise UsageError(f"max_drop must be 0 or more, got {max_drop:g}")
        between_0_and_1("alpha", alpha)
        return cls(float(max_drop), significant, alpha, Resamples.seeded(resamples, rng))

    @property
    def settings(self) -> dict[str, str]:
        """Settings that the reader of a gate needs."""
        return {"interval of means": f"{Interval.T.value}, {100 * (1 - self.alpha):g} %"}


WORST_LOSSES = 5
# An explanation for a gold file that is the same, with other judgements.
MOVED = "; the offsets of quoted passages move when a document is edited"
_NUMBERS = (columns.VALUE, columns.BASELINE, columns.DROP, columns.LOW, columns.HIGH, columns.P)
MEASURES: Mapping[str, type[object]] = {
    columns.MEASURE: str,
    columns.RUN: str,
    **dict.fromkeys(_NUMBERS, float),
    columns.HOLDS: bool,
}
LOSSES: Mapping[str, type[object]] = {
    columns.TOPIC: str,
    columns.MEASURE: str,
    **dict.fromkeys((columns.VALUE, columns.BASELINE, columns.DIFFERENCE), float),
}


@frozen(eq=False)
class BaselineDrops:
    """The drop of every measure, and the topics with the largest losses where one fails."""

    measures: pl.DataFrame
    losses: pl.DataFrame
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    comparison: Comparison | None = None

    @property
    def tested(self) -> list[str]:
        """The measures whose drop was computed."""
        return self.measures[columns.MEASURE].to_list()

    @classmethod
    def of(
        cls, scores: Scores, baseline: Scores | None, design: GateDesign, rng: Seed
    ) -> BaselineDrops:
        """The drops of one run from another; empty without a baseline."""
        if baseline is None:
            return cls(pl.DataFrame(schema=dict(MEASURES)), pl.DataFrame(schema=dict(LOSSES)))
        measures = _shared_measures(scores, baseline)
        topics = sum(scores.topic_facts.count(name) for name in scores.values[0].topics)
        if design.significant:
            _refuse_untestable(topics, design)
        comparison = compare(
            _paired(scores, baseline, measures), alpha=design.alpha, correct=Correction.NONE,
            resamples="all" if design.resamples.exhaustive else design.resamples.count,
            rng=rng,
        )  # fmt: skip
        _refuse_endless(comparison, design)
        rows = [_row(comparison, measure, design, scores.runs[0]) for measure in measures]
        failed = [row[columns.MEASURE] for row in rows if not row[columns.HOLDS]]
        losses = [loss for measure in failed for loss in _losses(comparison, measure)]
        return cls(
            pl.DataFrame(rows, schema=dict(MEASURES)),
            pl.DataFrame(losses, schema=dict(LOSSES)),
            {
                columns.BASELINE: baseline.values[0].origin.source or baseline.runs[0],
                "max drop": f"{design.max_drop:g}",
                "test": f"{comparison.settings['test']}, two-tailed, alpha {design.alpha:g},"
                f" {comparison.settings['resamples']} resamples",
                **{name: text for name, text in comparison.settings.items() if name == "seed"},
                "interval of drops": f"{comparison.settings['interval']},"
                f" {comparison.settings['interval of differences']}",
                "a drop fails": "if significant" if design.significant else "if larger",
            },
            (
                *(note for note in baseline.notes if note == UNKNOWN_JUDGEMENTS),
                *_untested_notes(scores, measures),
                *_drop_notes(rows, comparison, topics, design),
            ),
            comparison,
        )


def _shared_measures(scores: Scores, baseline: Scores) -> list[str]:
    """Measures whose drop can be tested; raises if the baseline cannot be compared."""
    refuse_alarming(baseline.notes)
    if len(baseline.values) != 1:
        raise UsageError(
            f"a baseline is one run, but these are scores of {counted(len(baseline.values), 'run')}"
            f" ({and_list(baseline.runs[:3])}): score the one that counts alone"
        )
    # Scores of another program do not say how they were made.
    if UNKNOWN_JUDGEMENTS not in {*scores.notes, *baseline.notes}:
        _refuse_other_judgements(scores, baseline)
        _refuse_other_choices(scores, baseline)
    means = [name for name in scores.measures if record_of(name).average is mean]
    absent = [name for name in means if name not in baseline.measures]
    if absent:
        raise DataError(
            f"the baseline has no {and_list(absent)}, only {and_list(baseline.measures)}: score it again"
            " with the same measures"
        )
    if not means:
        raise UsageError(f"{and_list(scores.measures)} cannot drop: name a measure that is a mean")
    if sorted(scores.values[0].topics) != sorted(baseline.values[0].topics):
        raise DataError(
            "the baseline is scored on other topics than the run: let topics without results score 0"
            " (--topics judged)"
        )
    return means


def _refuse_other_judgements(scores: Scores, baseline: Scores) -> None:
    """Raise if the baseline's topics or judgements are not those of the run."""
    now, then = scores.inputs, baseline.inputs
    if now.qrels_sha256 != then.qrels_sha256:
        raise DataError(
            "the baseline was scored against other judgements"
            f" (qrels_sha256 {_short(then.qrels_sha256)}, now {_short(now.qrels_sha256)}"
            f"{_other_topics_text(scores, baseline) or MOVED}): score it again on these, or give the"
            " baseline's run instead of its scores"
        )


def _short(digest: str) -> str:
    return f"{digest[:12]}…" if digest else "unknown"


def _other_topics_text(scores: Scores, baseline: Scores) -> str:
    """Text if other topics were chosen: then the judgements differ, too."""
    previous, current = (side.settings.get("only", "all topics") for side in (baseline, scores))
    return "" if previous == current else f"; on {previous}, now on {current}"


def _refuse_other_choices(scores: Scores, baseline: Scores) -> None:
    """Raise if the baseline was scored with other settings that change its numbers."""
    ties = any(side.settings.get("ties found") not in {None, "none"} for side in (scores, baseline))
    for name in (*DECISIVE, *(("ties",) if ties else ())):
        previous, current = (side.settings.get(name, "") for side in (baseline, scores))
        # A task may say behind it who chose it.
        if previous.partition(" (")[0] != current.partition(" (")[0]:
            raise DataError(
                f"the baseline was scored with {name}: {previous or 'its default'}, the run with {name}:"
                f" {current or 'its default'}: score both in the same way"
            )


def _refuse_endless(comparison: Comparison, design: GateDesign) -> None:
    """Raise if no drop can exceed max_drop, as with 2 for 2 %."""
    values, plain = comparison.values, comparison.plain
    for name, (minimum, maximum) in zip(values.measures, values.bounds.tolist(), strict=True):
        if design.max_drop >= maximum - minimum:
            raise UsageError(
                f"{plain.get(name, name)} is between {minimum:g} and {maximum:g}, so no drop can be more"
                f" than {design.max_drop:g} (--max-drop, in Python max_drop)"
                + (f": write {design.max_drop / 100:g}?" if 1 <= design.max_drop <= 100 else "")
            )


def _refuse_untestable(topics: int, design: GateDesign) -> None:
    """Raise if no p can be small enough: the gate would let every drop pass."""
    alpha, resamples = design.alpha, design.resamples.count
    needed = _fewest_topics(alpha)
    if topics < needed:
        raise DataError(
            f"{counted(topics, 'topic')} cannot show a significant drop (p is at least"
            f" {min(1.0, 2.0 ** (1 - topics)):.2g}): judge {needed} topics or more, or leave out"
            " --significant (in Python significant=True)"
        )
    if 1 / (resamples + 1) > alpha and not design.resamples.takes_all_flips(topics):
        raise UsageError(
            f"{counted(resamples, 'resample')} cannot make p {alpha:g} or less: ask for"
            f" {math.ceil(1 / alpha) - 1} or more"
        )


def _fewest_topics(alpha: float) -> int:
    """The fewest topics on which p can be alpha or less.

    Swapping the two runs on all topics is as extreme as on none, so p is at least 2 / 2ⁿ.
    """
    return math.ceil(math.log2(2 / alpha) - ROUNDING)


def _paired(scores: Scores, baseline: Scores, measures: Sequence[str]) -> Scores:
    """Scores of both runs, named run and baseline: their own names may be the same."""
    values = []
    for name, run_scores in ((columns.RUN, scores), (columns.BASELINE, baseline)):
        (run,) = run_scores.values
        rows = [run_scores.columns.index(measure) for measure in measures]
        overall = [run.overall[row] for row in rows]
        values.append(RunScores(name, run.topics, run.values[rows], overall))
    return Scores(
        list(measures),
        values,
        scores.settings,
        measure_names=scores.measure_names,
        topic_facts=TopicFacts(scores.topic_facts.times),
    )


def _row(comparison: Comparison, measure: str, design: GateDesign, run: str) -> dict[str, Any]:
    """The row of a measure: its drop below the baseline, negative if it rose."""
    row = comparison.values.measure_index(measure)
    sign = float(comparison.values.signs[row])
    value, baseline_value = (
        float(comparison.values.values[row, comparison.values.run_index(run)].mean())
        for run in (columns.RUN, columns.BASELINE)
    )
    is_measure = pl.col(columns.MEASURE) == measure
    pair = comparison.pairs.filter(is_measure).row(0, named=True)
    ends = comparison.effects.filter(is_measure).select(columns.LOW, columns.HIGH).row(0)
    # The interval is that of the better run less the worse, in the measure's own direction.
    factor = sign if pair[columns.BETTER] == columns.BASELINE else -sign
    low, high = sorted(factor * end for end in ends) if None not in ends else (None, None)
    drop, p = sign * (baseline_value - value) + 0.0, pair[columns.P]
    holds = not _is_too_large(drop, design) or (design.significant and not _is_sure(p, design))
    cells = (measure, run, value, baseline_value, drop, low, high, p, holds)
    return dict(zip(MEASURES, cells, strict=True))


def _is_too_large(drop: float, design: GateDesign) -> bool:
    return drop > design.max_drop + EQUAL_WITHIN


def _is_sure(p: float | None, design: GateDesign) -> bool:
    return p is not None and p <= design.alpha


def _untested_notes(scores: Scores, tested: Sequence[str]) -> Iterator[str]:
    """Note: measures whose drop is not tested."""
    untested = [scores.measure_names.label(name) for name in scores.measures if name not in tested]
    if untested:
        yield f"{and_list(untested)}: not a mean over topics, so a drop is not tested"


def _drop_notes(
    rows: Sequence[Mapping[str, Any]], comparison: Comparison, topics: int, design: GateDesign
) -> Iterator[str]:
    """Notes: drops that may be chance, and topics too few for the test."""
    plain = comparison.plain
    for row in rows:
        drop, p = row[columns.DROP], row[columns.P]
        if _is_too_large(drop, design) and not _is_sure(p, design):
            chance = "unknown" if p is None else f"{p:.3g}"
            verdict = "so it passes" if design.significant else "but it fails"
            if not design.significant and topics >= _fewest_topics(design.alpha):
                verdict += " (--significant lets such drops pass)"
            yield (
                f"{plain.get(row[columns.MEASURE], row[columns.MEASURE])} is {drop:.4g} below the"
                f" baseline, more than {design.max_drop:g}, which may be chance (p = {chance},"
                f" {counted(topics, 'topic')}), {verdict}"
            )
    if design.significant and topics < FEW_TOPICS:
        measure = comparison.main_measure
        smallest = comparison.smallest_difference(measure)
        drop = f"show a drop of {smallest or 0:.2g} by {plain.get(measure, measure)} four times in five"
        drop_text = "" if smallest is None else drop
        yield from few_topics_notes(
            topics, "no drop can be tested", "the test misses real drops", drop_text
        )


def _losses(comparison: Comparison, measure: str) -> Iterator[dict[str, Any]]:
    """The topics with the largest losses, largest first; repeated topics are listed once."""
    values = comparison.values
    sign = values.signs[values.measure_index(measure)]
    # As the pair in which the baseline is better.
    differences = comparison.topic_differences(measure, columns.BASELINE, columns.RUN)
    losses = differences.filter(sign * pl.col(columns.DIFFERENCE) > EQUAL_WITHIN).head(WORST_LOSSES)
    for topic, baseline_value, value, difference in losses.iter_rows():
        yield dict(zip(LOSSES, (topic, measure, value, baseline_value, -difference), strict=True))
