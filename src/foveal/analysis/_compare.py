"""Comparison of all pairs of runs, with significance tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations

import numpy as np

from foveal.analysis._comparison_design import (
    OF_FEW_TOPICS,
    OF_ONE_TOPIC,
    ComparisonDesign,
    GroupResults,
)
from foveal.analysis._correlations import kendall_tau
from foveal.analysis._few_topics import quoted_group, small_group_notes, smallest_difference
from foveal.analysis._intervals import bounded, difference_intervals, mean_intervals
from foveal.analysis._resamples import Seed
from foveal.analysis._significance_test import TESTS, ScoreMatrix
from foveal.analysis._topic_values import TopicValues, as_scores, repeat_note, sequential_means
from foveal.analysis.joint_tests import Anova
from foveal.analysis.paired_tests import DECIMALS, paired_t
from foveal.choices import Correction, Interval, Tail, Task
from foveal.conventions import USUAL_TESTING, TestName
from foveal.errors import UsageError, counted
from foveal.evaluation import Scores, ScoresLike, group_label, run_named
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import MeasuresLike, overall_measure, parse
from foveal.shown import Shown
from foveal.spans import Bools, Floats, Ints
from foveal.tables import EQUAL_WITHIN, columns
from foveal.work import tracked


@frozen(eq=False, repr=False)
class Comparison(GroupResults, Shown):
    """Runs compared pair by pair, measure by measure; runs are in the order of their means.

    `means` has measure, run, mean, low, high; `pairs` measure, better, worse, difference, p,
    adjusted_p, p_error (by how much resampling may have missed adjusted_p), significant, and with
    baselines baseline_run, run, change and change_percent; `counts` measure, significant, pairs; `effects` what else is known about
    each pair: the difference's interval and size, topics won, tied and lost, the topics that decide;
    `anova` the table of variance of each measure; `agreement` Kendall's τ of the rankings that two
    measures give: first, second, tau. `settings` say at which levels the intervals hold. If topics
    are in groups, `groups` has the comparison on each group's topics, by the group's name.
    """

    means: pl.DataFrame
    pairs: pl.DataFrame
    counts: pl.DataFrame
    effects: pl.DataFrame
    anova: pl.DataFrame
    agreement: pl.DataFrame
    values: TopicValues
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    groups: Mapping[str, Comparison] = field(default_factory=dict)
    baselines: tuple[str, ...] = ()
    """The runs that the others are compared with; if none, all pairs are compared."""

    decimals: int | None = None
    """Decimals in tables; None: three in LaTeX and Markdown, four elsewhere."""

    main_index: int = 0
    plain: Mapping[str, str] = field(default_factory=dict)
    """In task rag, the measures' names there."""

    @property
    def measures(self) -> list[str]:
        """The measures compared, in the order asked for."""
        return self.values.measures

    @property
    def summary(self) -> str:
        """The number of significant differences, by measure."""
        by_measure = [
            f"{significant} of {pairs} pairs significant by {self.plain.get(measure, measure)}"
            for measure, significant, pairs in self.counts.iter_rows()
        ]
        return f"{counted(len(self.values.runs), 'run')}; {', '.join(by_measure)}"

    def ranking(self, measure: str) -> list[str]:
        """The runs, best mean first."""
        name = self.measures[self.values.measure_index(measure)]
        return self.means.filter(pl.col(columns.MEASURE) == name)[columns.RUN].to_list()

    @property
    def main_measure(self) -> str:
        """The task's overall measure if it was compared, else the first."""
        return self.measures[self.main_index]

    @property
    def family(self) -> int:
        """The number of pairs that p is corrected for, within a measure."""
        runs = len(self.values.runs)
        joint = TESTS[self.settings["test"]].joint
        return runs * (runs - 1) // 2 if joint else len(self.pairs) // len(self.measures)

    def smallest_difference(self, measure: str) -> float | None:
        """The difference that so many topics show four times in five; None if there is none."""
        row = self.values.measure_index(measure)
        corrected = self.settings["correct"] in {Correction.HOLM, Correction.BONFERRONI}
        pairs = self.family if corrected else 1
        alpha = float(self.settings[columns.ALPHA])
        difference = smallest_difference(self.values.values[row], alpha, pairs)
        return difference if difference < np.ptp(self.values.bounds[row]) else None

    def curves(self) -> pl.DataFrame:
        """Each measure's p-values, largest first: measure, place, p (Sakai's curve)."""
        position = pl.int_range(1, pl.len() + 1).over(columns.MEASURE).alias(columns.PLACE)
        p = pl.col(columns.P).sort(descending=True).over(columns.MEASURE)
        return self.pairs.drop_nulls(columns.P).select(columns.MEASURE, position, p)

    def topic_differences(self, measure: str, better: str, worse: str) -> pl.DataFrame:
        """Every topic of a pair: topic, better_value, worse_value, difference.

        The topic most favourable to the better run comes first; repeated topics are listed once.
        """
        values = self.values
        row = values.measure_index(measure)
        first, second = (values.values[row, values.run_index(run)] for run in (better, worse))
        frame = pl.DataFrame(
            {
                columns.TOPIC: values.topics,
                columns.BETTER_VALUE: first,
                columns.WORSE_VALUE: second,
                columns.DIFFERENCE: first - second,
            }
        )
        return frame.unique(columns.TOPIC, maintain_order=True).sort(
            columns.DIFFERENCE, descending=bool(values.signs[row] > 0), maintain_order=True
        )


def compare(  # noqa: PLR0913  # one per choice
    scores: ScoresLike,
    measures: MeasuresLike = (),
    *,
    test: TestName = USUAL_TESTING.test,
    tail: Tail | str | None = USUAL_TESTING.tail,
    alpha: float = USUAL_TESTING.alpha,
    resamples: int | str = USUAL_TESTING.resamples,
    correct: Correction | str | None = USUAL_TESTING.correct,
    interval: Interval | str | None = None,
    common_topics: bool = False,
    baseline: str | Sequence[str] = (),
    rng: Seed = USUAL_TESTING.rng,
) -> Comparison:
    """Compare all pairs of runs by the measures named, or by all that were scored.

    By default tests are two-tailed, and p is corrected by Holm's method unless the test holds for all
    pairs together. The default interval is the one that agrees with the test. The same resamples serve
    every pair and every measure; "all" takes every one of a randomization test. Runs
    scored on different topics are refused unless `common_topics` restricts them to those all share.
    If topics are in groups, the runs are compared on each group as well, p corrected within it. With
    a `baseline` (a run's name, or several) only the pairs with it are compared and counted; a
    one-tailed test then asks whether a run is better than the baseline.

    >>> import foveal
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}}
    >>> runs = {"one": {"1": {"a": 2.0}, "2": {"b": 2.0}}, "two": {"1": {"a": 2.0}}}
    >>> comparison = foveal.compare(foveal.evaluate(qrels, runs, "AP"), "AP", test="t", rng=7)
    >>> comparison.ranking("AP")
    ['one', 'two']
    """
    scores = as_scores(scores)
    design = ComparisonDesign.of(test, tail, alpha, correct, interval, resamples, rng)
    if len(scores.runs) < 2:
        raise UsageError("one run cannot be compared: give two or more")
    values = TopicValues.of(scores, measures, common_topics=common_topics)
    design = replace(design, baselines=_baselines(scores, baseline))
    overall = _comparison(values, design, scores)
    groups = {
        name: _comparison(group, design, scores.within(name))
        for name, group in values.by_group(scores.topic_facts.groups).items()
    }
    sizes = {name: len(group.values.topics) for name, group in groups.items()}
    group_notes = [
        f"group {quoted_group(name)}: {note}"
        for name, group in groups.items()
        for note in design.group_notes(group.values, group.pairs, group.effects)
    ]
    size_notes = small_group_notes(sizes, OF_ONE_TOPIC, OF_FEW_TOPICS)
    texts = [
        f"{group_label(name)} {group.settings['resamples']}"
        for name, group in groups.items()
        if group.settings.get("resamples") != overall.settings.get("resamples")
    ]
    settings = {**overall.settings, **({"resamples of groups": "; ".join(texts)} if texts else {})}
    notes = (*overall.notes, *size_notes, *group_notes)
    return replace(overall, settings=settings, notes=notes, groups=groups)


def _baselines(scores: Scores, baseline: str | Sequence[str]) -> tuple[str, ...]:
    """The names of the baselines; a caller may name a run or its file."""
    texts = [baseline] if isinstance(baseline, str) else baseline
    names = tuple(dict.fromkeys(run_named(scores, text) for text in texts))
    if names and len(names) == len(scores.runs):
        raise UsageError("every run is a baseline: leave one out to be compared with them")
    return names


def _comparison(values: TopicValues, design: ComparisonDesign, scores: Scores) -> Comparison:
    """The comparison on all topics of the values."""
    count = len(values.measures)
    rows = tracked(range(count), "comparing", count)
    frames = [_frames(values, row, design) for row in rows]
    means, pairs, effects, variances = (pl.concat(of_kind) for of_kind in zip(*frames, strict=True))
    return Comparison(
        means,
        pairs,
        _counts(pairs),
        effects,
        variances,
        _agreement(values),
        values,
        {**scores.settings, **design.settings(values)},
        (*scores.notes, *values.notes, *repeat_note(scores), *design.notes(values, pairs, effects)),
        baselines=design.baselines,
        main_index=_main_index(values.measures, scores.settings.get("task", "")),
        plain=scores.measure_names.only(values.measures).plain,
    )


def _main_index(measures: Sequence[str], task: str) -> int:
    """The index of the task's overall measure; of the first if that was not compared."""
    # Settings may have the task's origin in brackets after it.
    overall = str(parse(overall_measure(Task(task.partition(" (")[0])))) if task else ""
    return measures.index(overall) if overall in measures else 0


def _frames(values: TopicValues, row: int, design: ComparisonDesign) -> tuple[pl.DataFrame, ...]:
    """The frames of one measure: means, pairs, effects and table of variance."""
    sign, by_run = float(values.signs[row]), values.values[row]
    # Means that differ only by rounding are tied, and their runs in order of name.
    order = np.argsort(-sign * by_run.mean(axis=1).round(DECIMALS), kind="stable")
    matrix = ScoreMatrix(sign * by_run[order], design.tail, design.resamples, np.argsort(order))
    runs = np.array(values.runs, dtype=object)[order]
    means = {columns.RUN: runs, columns.MEAN: sequential_means(by_run[order])} | bounded(
        mean_intervals(matrix, design.interval, design.alpha / 2), sign, *values.bounds[row]
    )
    key = dict(
        zip((columns.BETTER, columns.WORSE), (runs[side] for side in matrix.pairs), strict=True)
    )
    variances = pl.DataFrame(
        Anova.of(by_run).sources(),
        schema_overrides=dict.fromkeys(
            (columns.F, columns.P, columns.OMEGA, columns.PARTIAL_ETA), pl.Float64
        ),
    )
    keep = _has_baseline(runs, matrix, design.baselines)
    tests = _test_columns(matrix, sign, design, runs, keep)
    bounds = difference_intervals(
        matrix,
        design.interval,
        design.outside(int(np.count_nonzero(~np.isnan(tests[columns.P])))),
        together=design.test.corrected,
    )
    reach = float(np.ptp(values.bounds[row]))
    frames = (
        without_nan(means),
        without_nan(key | tests).filter(keep),
        without_nan(
            key
            | bounded(bounds, sign, -reach, reach)
            | _effects(values, matrix, joint=design.test.joint)
        ).filter(keep),
        variances,
    )
    if design.baselines:
        frames = (frames[0], _with_changes(frames[1], frames[0], design.baselines), *frames[2:])
    measure = pl.lit(values.measures[row]).alias(columns.MEASURE)
    return tuple(frame.select(measure, pl.all()) for frame in frames)


def _has_baseline(runs: np.ndarray, matrix: ScoreMatrix, baselines: Sequence[str]) -> Bools:
    """Mask: pairs of a baseline and another run; all pairs if there are no baselines."""
    is_baseline = np.isin(runs, baselines)
    better, worse = matrix.pairs
    has_one: Bools = is_baseline[better] != is_baseline[worse]
    return has_one if baselines else np.ones_like(has_one)


def _with_changes(
    pairs: pl.DataFrame, means: pl.DataFrame, baselines: Sequence[str]
) -> pl.DataFrame:
    """The pairs with the baseline, the other run, and the change of the mean."""
    mean_of = dict(means.select(columns.RUN, columns.MEAN).iter_rows())
    is_better = pl.col(columns.BETTER).is_in(baselines)
    better, worse = pl.col(columns.BETTER), pl.col(columns.WORSE)
    with_names = pairs.with_columns(
        pl.when(is_better).then(better).otherwise(worse).alias(columns.BASELINE_RUN),
        pl.when(is_better).then(worse).otherwise(better).alias(columns.RUN),
    )
    mean, base = (
        pl.col(name).replace_strict(mean_of, return_dtype=pl.Float64)
        for name in (columns.RUN, columns.BASELINE_RUN)
    )
    return with_names.with_columns(
        (mean - base).alias(columns.CHANGE),
        pl.when(base != 0).then(100 * (mean - base) / base.abs()).alias(columns.CHANGE_PERCENT),
    )


def _p_of_better(matrix: ScoreMatrix, design: ComparisonDesign, is_baseline: Bools) -> Floats:
    """One-tailed p of each pair, always for the alternative that the baseline is the worse run."""
    rows = np.argsort(is_baseline, kind="stable")
    index = np.argsort(rows)
    ordered = ScoreMatrix(matrix.values[rows], matrix.tail, matrix.resamples, index[matrix.by_name])
    table = np.zeros((len(rows), len(rows)))
    table[ordered.pairs] = design.test.kernel(ordered)
    better, worse = (index[side] for side in matrix.pairs)
    return table[np.minimum(better, worse), np.maximum(better, worse)]


def _test_columns(
    matrix: ScoreMatrix, sign: float, design: ComparisonDesign, runs: np.ndarray, keep: Bools
) -> dict[str, np.ndarray]:
    """Test results of each pair; p is corrected for the pairs in `keep`, in joint tests for all."""
    is_baseline = np.isin(runs, design.baselines if design.tail is Tail.ONE else ())
    is_directed = is_baseline.any()
    p = _p_of_better(matrix, design, is_baseline) if is_directed else design.test.kernel(matrix)
    if not design.test.joint:
        p = np.where(keep, p, np.nan)
    adjusted, errors = corrected(p, design.errors(matrix, p), design.correction)
    return {
        columns.DIFFERENCE: sign * matrix.differences + 0.0,  # not -0.0 where less is better
        columns.P: p,
        columns.ADJUSTED_P: adjusted,
        columns.P_ERROR: errors,
        # Ranks or signs may speak for a run whose mean is below the baseline's: it is not better.
        columns.SIGNIFICANT: (adjusted <= design.alpha) & ~is_baseline[matrix.pairs[0]],
    }


def _effects(values: TopicValues, matrix: ScoreMatrix, *, joint: bool) -> dict[str, np.ndarray]:
    """The size of each pair's difference, and the topics that decide it.

    The effect is the mean difference over a standard deviation (that of the differences, or what the
    model of all runs leaves unexplained), superiority the share of topics on which the better run
    wins, ties counting half; the fewest topics without which it would not be ahead decide.
    """
    wins, ties, losses, deciding = matrix.over_pairs(_topic_counts).astype(np.int64)
    status = matrix.over_pairs(lambda differences: paired_t(differences).status)
    if joint:
        deviation = np.full(len(status), np.sqrt(Anova.of(matrix.values).residual))
    else:
        deviation = matrix.over_pairs(lambda differences: paired_t(differences).deviation)
    spread = deviation > EQUAL_WITHIN
    effect = np.where(spread, matrix.differences / np.where(spread, deviation, 1.0), np.nan)
    return {
        columns.EFFECT: effect,
        columns.SUPERIORITY: (wins + ties / 2) / matrix.topics,
        columns.WINS: wins,
        columns.TIES: ties,
        columns.LOSSES: losses,
        columns.DECIDING: deciding,
        columns.TOPICS: _deciding_topics(values, matrix, deciding),
        columns.STATUS: status.astype(object),
    }


def _deciding_topics(values: TopicValues, matrix: ScoreMatrix, deciding: Ints) -> np.ndarray:
    """The names of the topics that decide each pair, largest difference first."""

    def best_first(differences: Floats) -> Ints:
        return np.argsort(-differences, axis=1, kind="stable").T

    names = np.array(values.topics, dtype=object)
    topics = np.empty(len(deciding), dtype=object)
    topics[:] = [
        names[order[:count]].tolist()
        for order, count in zip(matrix.over_pairs(best_first).T, deciding, strict=True)
    ]
    return topics


def without_nan(arrays: Mapping[str, np.ndarray]) -> pl.DataFrame:
    """A frame of arrays in which NaN is null."""
    columns_by_name = {
        name: array.tolist() if array.dtype == object else array for name, array in arrays.items()
    }
    # Polars cannot infer the type of lists that are all empty.
    lists = {columns.TOPICS: pl.List(pl.String)} if columns.TOPICS in columns_by_name else {}
    frame = pl.DataFrame(columns_by_name, schema_overrides=lists)
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def _counts(pairs: pl.DataFrame) -> pl.DataFrame:
    return pairs.group_by(columns.MEASURE, maintain_order=True).agg(
        pl.col(columns.SIGNIFICANT).sum().cast(pl.Int64),
        pl.len().cast(pl.Int64).alias(columns.PAIRS),
    )


def _agreement(values: TopicValues) -> pl.DataFrame:
    means = values.signs[:, None] * values.values.mean(axis=2)
    rows = [
        (values.measures[a], values.measures[b], float(kendall_tau(means[a], means[b])))
        for a, b in combinations(range(len(means)), 2)
    ]
    schema = {columns.FIRST: pl.String, columns.SECOND: pl.String, columns.TAU: pl.Float64}
    return pl.DataFrame(rows, schema, orient="row").with_columns(pl.col(columns.TAU).fill_nan(None))


def corrected(p: Floats, errors: Floats, correction: Correction) -> tuple[Floats, Floats]:
    """The adjusted p-values and their errors; NaN, of untested pairs, does not count."""
    has_p = ~np.isnan(p)
    adjusted, new_errors = p.copy(), errors.copy()
    adjusted[has_p], new_errors[has_p] = _corrected_family(p[has_p], errors[has_p], correction)
    return adjusted, new_errors


def _corrected_family(p: Floats, errors: Floats, correction: Correction) -> tuple[Floats, Floats]:
    count = len(p)
    if correction is Correction.NONE or not count:
        return p, errors
    if correction is Correction.BONFERRONI:
        return _cap(p * count, errors * count)
    order, index = np.argsort(p, kind="stable"), np.arange(count)
    is_holm = correction is Correction.HOLM
    factors = count - index if is_holm else count / (index + 1)
    scaled = p[order] * factors
    # A value that is set to another's takes that one's error as well.
    origins = _peaks(scaled) if is_holm else count - 1 - _peaks(-scaled[::-1])[::-1]
    adjusted, new_errors = np.empty(count), np.empty(count)
    adjusted[order], new_errors[order] = _cap(scaled[origins], (errors[order] * factors)[origins])
    return adjusted, new_errors


def _cap(values: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Values capped at 1, their errors shrunk so that value less two errors stays the same."""
    excess = np.maximum(0.0, values - 1)
    return np.minimum(1.0, values), np.maximum(0.0, errors - excess / 2)


def _peaks(values: Floats) -> Ints:
    """The index of the largest value so far, at every index."""
    is_largest = values == np.maximum.accumulate(values)
    return np.maximum.accumulate(np.where(is_largest, np.arange(len(values)), 0))


def _topic_counts(differences: Floats) -> Floats:
    """Wins, ties, losses and deciding topics of each pair, as rows."""
    wins = (differences > EQUAL_WITHIN).sum(axis=1)
    losses = (differences < -EQUAL_WITHIN).sum(axis=1)
    ahead = differences.sum(axis=1)
    best_first = -np.sort(-differences, axis=1)
    remaining = ahead[:, None] - np.cumsum(best_first, axis=1)
    # Best topics to remove, one by one, until the run is no longer ahead.
    slack = EQUAL_WITHIN * differences.shape[1]
    deciding = np.where(ahead > slack, (remaining > slack).sum(axis=1) + 1, 0)
    return np.stack([wins, differences.shape[1] - wins - losses, losses, deciding]).astype(float)
