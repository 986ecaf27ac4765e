"""Figures of runs compared."""

from __future__ import annotations

from functools import partial

import numpy as np

from foveal.analysis import Comparison
from foveal.choices import Correction
from foveal.errors import UsageError, counted, listed
from foveal.late import pl
from foveal.rendering import drawing
from foveal.rendering._first_sentence import first_sentence
from foveal.rendering._numbers import percent, rounded, shortest, signed
from foveal.rendering.figures._figure import (
    Figure,
    as_good,
    figure_of,
    in_title,
    line_of,
    source_of,
)
from foveal.rendering.results.comparison import budgets
from foveal.tables import columns as c

# Pixels: the side of a cell of the matrix, the longest name beside it.
CELL, SMALLEST, MATRIX, WIDEST_NAME = 18.0, 11.0, 640.0, 180.0
BARS, BAR, BARS_HIGH, LEFT = 720.0, (3.0, 24.0), 200.0, 48.0
# Pixels left free at the ends of an axis, for error bars that are drawn side by side.
INSET = 16.0
# Smaller p-values are drawn as this one.
LEAST_P = 1e-4
# Curves of more p-values than this are drawn without dots.
DOTTED = 21
YES, NO = "h7", "h2"


@figure_of(Comparison, "matrix")
def matrix(comparison: Comparison) -> Figure:
    """Which runs are significantly better than which, runs in the order of their means."""
    labels = {run: rank for rank, run in enumerate(comparison.ranking(comparison.measures[0]), 1)}
    data = comparison.pairs.select(
        c.MEASURE,
        c.BETTER,
        c.WORSE,
        pl.col(c.BETTER).replace_strict(labels, return_dtype=pl.Int64).alias(c.BETTER_RANK),
        pl.col(c.WORSE).replace_strict(labels, return_dtype=pl.Int64).alias(c.WORSE_RANK),
        c.ADJUSTED_P,
        c.SIGNIFICANT,
    )
    told = [
        f"{measure} {significant:,} ({percent(significant / pairs)})"
        for measure, significant, pairs in comparison.counts.iter_rows()
    ]
    first, *others = told
    pairs = counted(comparison.counts[c.PAIRS][0], "pair")
    title = f"Of {pairs} of runs, {first.replace(' ', ' tells apart ', 1)}"
    title += f", {', '.join(others)}" if others else ""

    def draw() -> drawing.Picture:
        parts = [_matrix(comparison, measure, labels) for measure in comparison.measures]
        many = len(labels) * SMALLEST > MATRIX / 2
        return drawing.beside(parts, across=1 if many else 2)

    return Figure(title, data, draw, source_of(comparison.settings))


def _matrix(comparison: Comparison, measure: str, labels: dict[str, int]) -> drawing.Picture:
    """One measure's matrix under the words for its two colours."""
    order = comparison.ranking(measure)
    own = comparison.pairs.filter(pl.col(c.MEASURE) == measure)
    places = {run: place for place, run in enumerate(order)}
    row, column = (
        own[side].replace_strict(places, return_dtype=pl.Int64).to_numpy()
        for side in (c.BETTER, c.WORSE)
    )
    yes = own[c.SIGNIFICANT].fill_null(value=False).to_numpy()
    names = tuple(drawing.cut(f"{labels[run]} {run}", WIDEST_NAME) for run in order)
    side = float(np.clip(np.floor(MATRIX / len(order)), SMALLEST, CELL))
    left = max(map(drawing.width, names)) + 12
    # The last run is better than none, and none is worse than the first.
    across = drawing.Band(tuple(str(labels[run]) for run in order), left, left + side * len(order))
    panel = drawing.Panel(across, drawing.Band(names, 0, side * len(order)))
    title = "than the run of rank"
    marks = panel.axes(title)
    for mask, style in ((yes, YES), (~yes, NO)):
        xs, ys = across.at(column[mask]), panel.y.at(row[mask])
        marks.append(drawing.cells(xs - side / 2, ys - side / 2, side, side, f"cell {style}"))
    signs = [
        (
            drawing.filled,
            YES,
            f"significantly better: {yes.sum():,} of {counted(len(yes), 'pair')}",
        ),
        (drawing.filled, NO, f"not: {(~yes).sum():,}"),
    ]
    drawn = drawing.Picture(panel.reach(title), panel.y.stop + panel.foot(title), "".join(marks))
    found = drawing.stacked([drawing.key(signs, max(drawn.width, 320)), drawn], gap=8)
    return found.headed(measure)


@figure_of(Comparison, "means")
def means(comparison: Comparison) -> Figure:
    """The runs' means with their confidence intervals."""

    def draw() -> drawing.Picture:
        parts = [_means(comparison, name) for name in comparison.measures]
        filled, opened = ("the best, or not told apart from it", "significantly worse")
        if comparison.baselines:
            baseline = listed(comparison.baselines)
            filled, opened = (f"significantly better than {baseline}", "not")
        words = [(drawing.dotted, "f0", filled), (drawing.dotted, "open", opened)]
        return drawing.stacked([drawing.key(words, parts[0].width), drawing.beside(parts)], gap=12)

    title = first_sentence(comparison, comparison.main_measure).removesuffix(".")
    return Figure(title, comparison.means, draw, source_of(comparison.settings))


def _means(comparison: Comparison, measure: str) -> drawing.Picture:
    """One measure's means; a dot is filled if no run is shown to be better, or if it beats all baselines."""
    own = comparison.means.filter(pl.col(c.MEASURE) == measure)
    beaten = _beaten(comparison, measure)
    rows = [
        drawing.Row(run, mean, low, high, rounded(mean), open=run in beaten)
        for run, mean, low, high in own.select(c.RUN, c.MEAN, c.LOW, c.HIGH).iter_rows()
    ]
    low, high = comparison.values.bounds[comparison.values.measure_index(measure)].tolist()
    values = own.select(c.LOW, c.MEAN, c.HIGH).to_numpy().astype(float).reshape(-1)
    level = f"{shortest(100 * (1 - _alpha(comparison)))} %"
    drawn = drawing.intervals(
        rows,
        lambda start, stop: drawing.Linear.around(values, start, stop, within=(low, high)),
        x_title=f"mean {measure}, with its {level} interval",
    )
    return drawn.headed(measure)


def _alpha(comparison: Comparison) -> float:
    """The significance level."""
    return float(comparison.settings[c.ALPHA])


def _beaten(comparison: Comparison, measure: str) -> set[str]:
    """The runs that are significantly worse than the best, or not better than every baseline."""
    own = comparison.pairs.filter((pl.col(c.MEASURE) == measure) & pl.col(c.SIGNIFICANT))
    if comparison.baselines:
        beats = own.filter(pl.col(c.RUN) == pl.col(c.BETTER))[c.RUN].to_list()
        return {
            run for run in comparison.values.runs if beats.count(run) < len(comparison.baselines)
        }
    return set(own.filter(pl.col(c.BETTER) == comparison.ranking(measure)[0])[c.WORSE])


@figure_of(Comparison, "differences", takes_runs=True)
def differences(comparison: Comparison, runs: tuple[str, str] | None = None) -> Figure:
    """Topic by topic, by how much a run differs from another: the two best, or two chosen ones."""
    frames = []
    for measure in comparison.measures:
        one, other = runs or _two_best(comparison, measure)
        own = comparison.topic_differences(measure, one, other)
        frames.append(
            own.select(
                pl.lit(measure).alias(c.MEASURE),
                pl.lit(one).alias(c.BETTER),
                pl.lit(other).alias(c.WORSE),
                pl.all(),
            )
        )
    data = pl.concat(frames)

    def draw() -> drawing.Picture:
        parts = [
            _differences(own, measure)
            for measure, own in zip(comparison.measures, frames, strict=True)
        ]
        return drawing.stacked(parts)

    return Figure(_won(comparison, frames[0]), data, draw, source_of(comparison.settings))


def _two_best(comparison: Comparison, measure: str) -> tuple[str, str]:
    """The two best runs, or the best and the first baseline."""
    ranking = comparison.ranking(measure)
    if not comparison.baselines:
        return ranking[0], ranking[1]
    best = next(run for run in ranking if run not in comparison.baselines)
    return best, comparison.baselines[0]


def _won(comparison: Comparison, own: pl.DataFrame) -> str:
    """On how many topics the first of two runs is better."""
    measure, one, other = own.row(0)[:3]
    sign = float(comparison.values.signs[comparison.values.measure_index(measure)])
    gains = sign * own[c.DIFFERENCE].to_numpy()
    won, lost = int((gains > 0).sum()), int((gains < 0).sum())
    mean = own[c.DIFFERENCE].to_numpy().mean()
    tied = f", {len(gains) - won - lost} tied" if won + lost < len(gains) else ""
    return (
        f"{in_title(one)} against {in_title(other)} by {measure}: better on {won} of"
        f" {counted(len(gains), 'topic')}, worse on {lost}{tied}; mean difference {signed(mean)}"
    )


def _differences(own: pl.DataFrame, measure: str) -> drawing.Picture:
    """A bar for each topic, up or down from nothing."""
    one, other = own.row(0)[1:3]
    topics, gains = own[c.TOPIC].to_list(), own[c.DIFFERENCE].to_numpy()
    wide = float(np.clip(np.floor(BARS / len(topics)), *BAR))
    across = drawing.Band(tuple(topics), LEFT, LEFT + wide * len(topics))
    top = 24.0
    up = drawing.Linear.around(gains, top + BARS_HIGH, top, zero=True)
    panel = drawing.Panel(across, up)
    marks = panel.axes("topics", f"difference in {measure}")
    xs, heights, zero = across.at(range(len(topics))), up.at(gains), float(up.at([0.0])[0])
    for mask, style in ((gains > 0, "f0"), (gains < 0, "f1")):
        tops = np.minimum(heights[mask], zero)
        gap = min(wide / 4, 2)
        sizes = np.abs(heights[mask] - zero)
        marks.append(drawing.cells(xs[mask] - (wide - gap) / 2, tops, wide - gap, sizes, style))
    marks.append(drawing.rule(across.start, zero, across.stop, zero, "axis"))
    drawn = drawing.Picture(
        panel.reach(f"difference in {measure}"),
        top + BARS_HIGH + panel.foot("topics"),
        "".join(marks),
    )
    signs = [
        (drawing.filled, "f0", f"{drawing.cut(str(one), WIDEST_NAME)} scores more"),
        (drawing.filled, "f1", f"{drawing.cut(str(other), WIDEST_NAME)} scores more"),
    ]
    return drawing.stacked([drawing.key(signs, max(drawn.width, 420)), drawn], gap=4).headed(
        measure
    )


@figure_of(Comparison, "p-values")
def p_values(comparison: Comparison) -> Figure:
    """Each measure's p-values, largest first: the lower the curve, the more pairs it tells apart."""
    alpha = _alpha(comparison)
    data = comparison.curves()
    below = data.group_by(c.MEASURE, maintain_order=True).agg((pl.col(c.P) <= alpha).sum())
    best = sorted(below.iter_rows(), key=lambda row: -row[1])
    # Where a test has too little to go on, a pair has no p.
    pairs = f"{counted(comparison.counts[c.PAIRS][0], 'pair')} of runs"
    told = [f"{measure} ({count:,})" for measure, count in best[1:]]
    title = f"p is undefined for {pairs}"
    if best:
        title = f"{best[0][0]} has p ≤ {shortest(alpha)} for {best[0][1]:,} of {pairs}"
    title = f"{title}, more than {', '.join(told)}" if told and best[0][1] > best[1][1] else title

    def draw() -> drawing.Picture:
        found = [
            drawing.Line(
                str(name),
                own[c.PLACE].to_numpy(),
                np.maximum(own[c.P].to_numpy(), LEAST_P),
                dots=own.height <= DOTTED,
            )
            for (name,), own in data.group_by(c.MEASURE, maintain_order=True)
        ]
        order = [row[0] for row in best]
        found.sort(key=lambda line: order.index(line.name))
        least = min((float(line.y.min()) for line in found if len(line.y)), default=LEAST_P)  # type: ignore[union-attr]
        most = max((len(line.x) for line in found), default=1)
        return drawing.lines(
            found,
            lambda start, stop: drawing.Linear(0.5, most + 0.5, start, stop, whole=True),
            partial(drawing.Log, min(least, alpha / 2), 1.0),
            x_title="pairs of runs, by decreasing p",
            y_title="p (log scale)"
            + (f", {LEAST_P:g} or less at the foot" if least <= LEAST_P else ""),
            extra=lambda panel: panel.across(alpha, f"α = {shortest(alpha)}", right=True),
        )

    corrected = comparison.settings.get("correct") != Correction.NONE
    title += ", before correction" * (corrected and bool(best))
    return Figure(title, data, draw, source_of(comparison.settings))


@figure_of(Comparison, "budget")
def budget(comparison: Comparison) -> Figure:
    """Recall of every run within budgets of characters, with confidence intervals."""
    sizes = budgets(comparison.measures)
    if len(sizes) < 2:
        raise UsageError(
            "recall over budgets needs two or more of them: --budgets 500,1000,2000, or in Python"
            " measures such as cR(chars=500)"
        )
    data = (
        comparison.means.filter(pl.col(c.MEASURE).is_in(list(sizes)))
        .with_columns(pl.col(c.MEASURE).replace_strict(sizes, return_dtype=pl.Int64))
        .rename({c.MEASURE: c.BUDGET, c.MEAN: c.RECALL})
        .sort(c.BUDGET, maintain_order=True)
        .select(c.RUN, c.BUDGET, c.RECALL, c.LOW, c.HIGH)
    )
    order = comparison.ranking(next(reversed(sizes)))
    most = max(sizes.values())
    reached = data.filter(pl.col(c.BUDGET) == most)[c.RECALL].to_numpy()
    tied = as_good(reached, reached.max())
    best = f"{in_title(order[0])} finds" if tied == 1 else f"{tied} of {len(order)} runs find"
    title = f"Within {most:,} characters {best} most: {percent(reached.max())} of the relevant text"

    def draw() -> drawing.Picture:
        numbers = tuple(float(size) for size in sizes.values())
        reached = data.select(c.RECALL, c.HIGH).to_numpy().astype(float).reshape(-1)
        return drawing.lines(
            [
                line_of(run, data.filter(pl.col(c.RUN) == run), c.BUDGET, c.RECALL, c.LOW, c.HIGH)
                for run in order
            ],
            partial(drawing.Log, numbers[0], numbers[-1], named=numbers, inset=INSET),
            partial(drawing.Linear.around, reached, zero=True, within=(0, 1)),
            x_title="characters read (log scale)",
            y_title="recall, with intervals",
        )

    return Figure(title, data, draw, source_of(comparison.settings))
