"""Which runs are really better: the comparison of all pairs."""

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
from foveal.analysis._few_topics import group_word, small_groups, smallest_difference
from foveal.analysis._intervals import bounded, difference_intervals, mean_intervals
from foveal.analysis._resamples import Seed
from foveal.analysis._significance_test import TESTS, ScoreMatrix
from foveal.analysis._topic_values import TopicValues, means_in_turn, repetition, scored
from foveal.analysis.joint_tests import Anova
from foveal.analysis.paired_tests import DECIMALS, paired_t
from foveal.choices import Correction, Interval, Tail, Task
from foveal.conventions import USUAL_TESTING, TestName
from foveal.errors import UsageError, counted
from foveal.evaluation import Scores, ScoresLike, run_named, shown_group
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
    """The runs that alone the others are compared with, if any."""

    decimals: int | None = None
    """Of the numbers in tables; None: three in LaTeX and Markdown, four elsewhere."""

    main_place: int = 0
    plain: Mapping[str, str] = field(default_factory=dict)
    """In task rag, what the measures are called there."""

    @property
    def measures(self) -> list[str]:
        """The measures compared, in the order asked for."""
        return self.values.measures

    @property
    def summary(self) -> str:
        """How many pairs of runs differ significantly, by each measure."""
        found = [
            f"{significant} of {pairs} pairs significant by {self.plain.get(measure, measure)}"
            for measure, significant, pairs in self.counts.iter_rows()
        ]
        return f"{counted(len(self.values.runs), 'run')}; {', '.join(found)}"

    def ranking(self, measure: str) -> list[str]:
        """The runs, best mean first."""
        name = self.measures[self.values.of_measure(measure)]
        return self.means.filter(pl.col(columns.MEASURE) == name)[columns.RUN].to_list()

    @property
    def main_measure(self) -> str:
        """The task's overall measure if it was compared, else the first."""
        return self.measures[self.main_place]

    @property
    def family(self) -> int:
        """How many pairs of runs are tested together, and p corrected for, within a measure."""
        runs = len(self.values.runs)
        joint = TESTS[self.settings["test"]].joint
        return runs * (runs - 1) // 2 if joint else len(self.pairs) // len(self.measures)

    def smallest_difference(self, measure: str) -> float | None:
        """The difference that so many topics show four times in five; None if there is none."""
        place = self.values.of_measure(measure)
        corrected = self.settings["correct"] in {Correction.HOLM, Correction.BONFERRONI}
        pairs = self.family if corrected else 1
        alpha = float(self.settings[columns.ALPHA])
        found = smallest_difference(self.values.values[place], alpha, pairs)
        return found if found < np.ptp(self.values.bounds[place]) else None

    def curves(self) -> pl.DataFrame:
        """Each measure's p-values, largest first: measure, place, p (Sakai's curve)."""
        place = pl.int_range(1, pl.len() + 1).over(columns.MEASURE).alias(columns.PLACE)
        falling = pl.col(columns.P).sort(descending=True).over(columns.MEASURE)
        return self.pairs.drop_nulls(columns.P).select(columns.MEASURE, place, falling)

    def topic_differences(self, measure: str, better: str, worse: str) -> pl.DataFrame:
        """Every topic of a pair: topic, better_value, worse_value, difference.

        The topic most favourable to the better run comes first; one that counts twice is there once.
        """
        known = self.values
        place = known.of_measure(measure)
        one, other = (known.values[place, known.of_run(run)] for run in (better, worse))
        frame = pl.DataFrame(
            {
                columns.TOPIC: known.topics,
                columns.BETTER_VALUE: one,
                columns.WORSE_VALUE: other,
                columns.DIFFERENCE: one - other,
            }
        )
        return frame.unique(columns.TOPIC, maintain_order=True).sort(
            columns.DIFFERENCE, descending=bool(known.signs[place] > 0), maintain_order=True
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
    scores = scored(scores)
    plan = ComparisonDesign.of(test, tail, alpha, correct, interval, resamples, rng)
    if len(scores.runs) < 2:
        raise UsageError("one run cannot be compared: give two or more")
    values = TopicValues.of(scores, measures, common_topics=common_topics)
    plan = replace(plan, baselines=_baselines(scores, baseline))
    whole = _comparison(values, plan, scores)
    groups = {
        name: _comparison(own, plan, scores.within(name))
        for name, own in values.by_group(scores.topic_facts.groups).items()
    }
    sizes = {name: len(own.values.topics) for name, own in groups.items()}
    of_groups = [
        f"group {group_word(name)}: {note}"
        for name, own in groups.items()
        for note in plan.group_notes(own.values, own.pairs, own.effects)
    ]
    small = small_groups(sizes, OF_ONE_TOPIC, OF_FEW_TOPICS)
    taken = [
        f"{shown_group(name)} {own.settings['resamples']}"
        for name, own in groups.items()
        if own.settings.get("resamples") != whole.settings.get("resamples")
    ]
    settings = {**whole.settings, **({"resamples of groups": "; ".join(taken)} if taken else {})}
    notes = (*whole.notes, *small, *of_groups)
    return replace(whole, settings=settings, notes=notes, groups=groups)


def _baselines(scores: Scores, named: str | Sequence[str]) -> tuple[str, ...]:
    """The names of the baselines, which may be given as the files that the runs came from."""
    texts = [named] if isinstance(named, str) else named
    names = tuple(dict.fromkeys(run_named(scores, text) for text in texts))
    if names and len(names) == len(scores.runs):
        raise UsageError("every run is a baseline: leave one out to be compared with them")
    return names


def _comparison(values: TopicValues, plan: ComparisonDesign, scores: Scores) -> Comparison:
    """The comparison on the topics of some values, which are those of the scores."""
    count = len(values.measures)
    places = tracked(range(count), "comparing", count)
    parts = [_compared(values, place, plan) for place in places]
    means, pairs, effect, variances = (pl.concat(frames) for frames in zip(*parts, strict=True))
    return Comparison(
        means,
        pairs,
        _counts(pairs),
        effect,
        variances,
        _agreement(values),
        values,
        {**scores.settings, **plan.settings(values)},
        (*scores.notes, *values.notes, *repetition(scores), *plan.notes(values, pairs, effect)),
        baselines=plan.baselines,
        main_place=_main_place(values.measures, scores.settings.get("task", "")),
        plain=scores.measure_names.only(values.measures).plain,
    )


def _main_place(measures: Sequence[str], task: str) -> int:
    """The place of the task's overall measure; of the first if that was not compared."""
    # A task may say behind it who chose it.
    overall = str(parse(overall_measure(Task(task.partition(" (")[0])))) if task else ""
    return measures.index(overall) if overall in measures else 0


def _compared(values: TopicValues, place: int, plan: ComparisonDesign) -> tuple[pl.DataFrame, ...]:
    """The frames of one measure: its means, its pairs, their effects, its table of variance."""
    sign, known = float(values.signs[place]), values.values[place]
    # Means that differ only by rounding are tied: their runs stay in the order of names.
    order = np.argsort(-sign * known.mean(axis=1).round(DECIMALS), kind="stable")
    matrix = ScoreMatrix(sign * known[order], plan.tail, plan.resamples, np.argsort(order))
    runs = np.array(values.runs, dtype=object)[order]
    means = {columns.RUN: runs, columns.MEAN: means_in_turn(known[order])} | bounded(
        mean_intervals(matrix, plan.interval, plan.alpha / 2), sign, *values.bounds[place]
    )
    key = dict(
        zip((columns.BETTER, columns.WORSE), (runs[side] for side in matrix.pairs), strict=True)
    )
    variances = pl.DataFrame(
        Anova.of(known).sources(),
        schema_overrides=dict.fromkeys(
            (columns.F, columns.P, columns.OMEGA, columns.PARTIAL_ETA), pl.Float64
        ),
    )
    kept = _with_baseline(runs, matrix, plan.baselines)
    tested = _tested(matrix, sign, plan, runs, kept)
    bounds = difference_intervals(
        matrix,
        plan.interval,
        plan.outside(int(np.count_nonzero(~np.isnan(tested[columns.P])))),
        together=plan.test.corrected,
    )
    reach = float(np.ptp(values.bounds[place]))
    frames = (
        known_frame(means),
        known_frame(key | tested).filter(kept),
        known_frame(
            key
            | bounded(bounds, sign, -reach, reach)
            | _effects(values, matrix, joint=plan.test.joint)
        ).filter(kept),
        variances,
    )
    if plan.baselines:
        frames = (frames[0], _with_changes(frames[1], frames[0], plan.baselines), *frames[2:])
    named = pl.lit(values.measures[place]).alias(columns.MEASURE)
    return tuple(frame.select(named, pl.all()) for frame in frames)


def _with_baseline(runs: np.ndarray, matrix: ScoreMatrix, baselines: Sequence[str]) -> Bools:
    """Which pairs are of a baseline and another run; all, if there are no baselines."""
    is_baseline = np.isin(runs, baselines)
    better, worse = matrix.pairs
    mixed: Bools = is_baseline[better] != is_baseline[worse]
    return mixed if baselines else np.ones_like(mixed)


def _with_changes(
    pairs: pl.DataFrame, means: pl.DataFrame, baselines: Sequence[str]
) -> pl.DataFrame:
    """The pairs with which run is the baseline, and by how much the other changes its mean."""
    mean_of = dict(means.select(columns.RUN, columns.MEAN).iter_rows())
    is_better = pl.col(columns.BETTER).is_in(baselines)
    one, other = pl.col(columns.BETTER), pl.col(columns.WORSE)
    named = pairs.with_columns(
        pl.when(is_better).then(one).otherwise(other).alias(columns.BASELINE_RUN),
        pl.when(is_better).then(other).otherwise(one).alias(columns.RUN),
    )
    mean, base = (
        pl.col(name).replace_strict(mean_of, return_dtype=pl.Float64)
        for name in (columns.RUN, columns.BASELINE_RUN)
    )
    return named.with_columns(
        (mean - base).alias(columns.CHANGE),
        pl.when(base != 0).then(100 * (mean - base) / base.abs()).alias(columns.CHANGE_PERCENT),
    )


def _p_of_better(matrix: ScoreMatrix, plan: ComparisonDesign, is_baseline: Bools) -> Floats:
    """One-tailed p of each pair whose alternative is that the other run is better, whatever the data show."""
    order = np.argsort(is_baseline, kind="stable")
    place = np.argsort(order)
    turned = ScoreMatrix(matrix.values[order], matrix.tail, matrix.resamples, place[matrix.by_name])
    table = np.zeros((len(order), len(order)))
    table[turned.pairs] = plan.test.kernel(turned)
    better, worse = (place[side] for side in matrix.pairs)
    return table[np.minimum(better, worse), np.maximum(better, worse)]


def _tested(
    matrix: ScoreMatrix, sign: float, plan: ComparisonDesign, runs: np.ndarray, kept: Bools
) -> dict[str, np.ndarray]:
    """How sure each pair's difference is; the family are the pairs that are kept, but for joint tests."""
    is_baseline = np.isin(runs, plan.baselines if plan.tail is Tail.ONE else ())
    one_way = is_baseline.any()
    p = _p_of_better(matrix, plan, is_baseline) if one_way else plan.test.kernel(matrix)
    if not plan.test.joint:
        p = np.where(kept, p, np.nan)
    adjusted, errors = corrected(p, plan.errors(matrix, p), plan.correction)
    return {
        columns.DIFFERENCE: sign * matrix.differences + 0.0,  # not -0.0 where less is better
        columns.P: p,
        columns.ADJUSTED_P: adjusted,
        columns.P_ERROR: errors,
        # Ranks or signs may speak for a run whose mean is below the baseline's: it is not better.
        columns.SIGNIFICANT: (adjusted <= plan.alpha) & ~is_baseline[matrix.pairs[0]],
    }


def _effects(values: TopicValues, matrix: ScoreMatrix, *, joint: bool) -> dict[str, np.ndarray]:
    """How large each pair's difference is, and on which topics.

    The effect is the mean difference over a standard deviation (that of the differences, or what the
    model of all runs leaves unexplained), superiority the share of topics on which the better run
    wins, ties counting half; the fewest topics without which it would not be ahead decide.
    """
    wins, ties, losses, deciding = matrix.over_pairs(_counted).astype(np.int64)
    status = matrix.over_pairs(lambda differences: paired_t(differences).status)
    if joint:
        deviation = np.full(len(status), np.sqrt(Anova.of(matrix.values).residual))
    else:
        deviation = matrix.over_pairs(lambda differences: paired_t(differences).deviation)
    spread = deviation > EQUAL_WITHIN
    return {
        columns.EFFECT: np.where(
            spread, matrix.differences / np.where(spread, deviation, 1.0), np.nan
        ),
        columns.SUPERIORITY: (wins + ties / 2) / matrix.topics,
        columns.WINS: wins,
        columns.TIES: ties,
        columns.LOSSES: losses,
        columns.DECIDING: deciding,
        columns.TOPICS: _named_topics(values, matrix, deciding),
        columns.STATUS: status.astype(object),
    }


def _named_topics(values: TopicValues, matrix: ScoreMatrix, deciding: Ints) -> np.ndarray:
    """The names of the topics that decide each pair, those that do most first."""

    def best_first(differences: Floats) -> Ints:
        return np.argsort(-differences, axis=1, kind="stable").T

    names = np.array(values.topics, dtype=object)
    found = np.empty(len(deciding), dtype=object)
    found[:] = [
        names[own[:count]].tolist()
        for own, count in zip(matrix.over_pairs(best_first).T, deciding, strict=True)
    ]
    return found


def known_frame(arrays: Mapping[str, np.ndarray]) -> pl.DataFrame:
    """A frame in which values that are not a number are missing."""
    plain = {
        name: array.tolist() if array.dtype == object else array for name, array in arrays.items()
    }
    # Where no topic decides any pair the type of the lists would be unknown.
    lists = {columns.TOPICS: pl.List(pl.String)} if columns.TOPICS in plain else {}
    frame = pl.DataFrame(plain, schema_overrides=lists)
    return frame.with_columns(pl.col(pl.Float64).fill_nan(None))


def _counts(pairs: pl.DataFrame) -> pl.DataFrame:
    return pairs.group_by(columns.MEASURE, maintain_order=True).agg(
        pl.col(columns.SIGNIFICANT).sum().cast(pl.Int64),
        pl.len().cast(pl.Int64).alias(columns.PAIRS),
    )


def _agreement(values: TopicValues) -> pl.DataFrame:
    means = values.signs[:, None] * values.values.mean(axis=2)
    rows = [
        (values.measures[one], values.measures[two], float(kendall_tau(means[one], means[two])))
        for one, two in combinations(range(len(means)), 2)
    ]
    schema = {columns.FIRST: pl.String, columns.SECOND: pl.String, columns.TAU: pl.Float64}
    return pl.DataFrame(rows, schema, orient="row").with_columns(pl.col(columns.TAU).fill_nan(None))


def corrected(p: Floats, errors: Floats, correction: Correction) -> tuple[Floats, Floats]:
    """The adjusted p-values and their errors; pairs that could not be tested are not counted."""
    tested = ~np.isnan(p)
    adjusted, missed = p.copy(), errors.copy()
    adjusted[tested], missed[tested] = _of_family(p[tested], errors[tested], correction)
    return adjusted, missed


def _of_family(p: Floats, errors: Floats, correction: Correction) -> tuple[Floats, Floats]:
    count = len(p)
    if correction is Correction.NONE or not count:
        return p, errors
    if correction is Correction.BONFERRONI:
        return _cut(p * count, errors * count)
    order, place = np.argsort(p, kind="stable"), np.arange(count)
    is_holm = correction is Correction.HOLM
    factors = count - place if is_holm else count / (place + 1)
    raised = p[order] * factors
    # A value that another raises or lowers takes that one's error as well.
    origins = _of_largest(raised) if is_holm else count - 1 - _of_largest(-raised[::-1])[::-1]
    adjusted, missed = np.empty(count), np.empty(count)
    adjusted[order], missed[order] = _cut(raised[origins], (errors[order] * factors)[origins])
    return adjusted, missed


def _cut(raised: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Values cut at 1, and errors that, taken twice, reach as far below 1 as before."""
    beyond = np.maximum(0.0, raised - 1)
    return np.minimum(1.0, raised), np.maximum(0.0, errors - beyond / 2)


def _of_largest(values: Floats) -> Ints:
    """The place of the largest value so far, at every place."""
    is_largest = values == np.maximum.accumulate(values)
    return np.maximum.accumulate(np.where(is_largest, np.arange(len(values)), 0))


def _counted(differences: Floats) -> Floats:
    """Wins, ties, losses and deciding topics of each pair, as rows."""
    wins = (differences > EQUAL_WITHIN).sum(axis=1)
    losses = (differences < -EQUAL_WITHIN).sum(axis=1)
    ahead = differences.sum(axis=1)
    best_first = -np.sort(-differences, axis=1)
    left = ahead[:, None] - np.cumsum(best_first, axis=1)
    # How many of its best topics can be taken away, one by one, before the run is not ahead.
    slack = EQUAL_WITHIN * differences.shape[1]
    deciding = np.where(ahead > slack, (left > slack).sum(axis=1) + 1, 0)
    return np.stack([wins, differences.shape[1] - wins - losses, losses, deciding]).astype(float)
