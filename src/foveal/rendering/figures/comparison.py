"""Figures of runs compared."""

from __future__ import annotations

from functools import partial

import numpy as np

from foveal.analysis import Comparison
from foveal.choices import Correction
from foveal.errors import UsageError, and_list, counted
from foveal.late import pl
from foveal.rendering import drawing
from foveal.rendering._numbers import percent, rounded, shortest, signed
from foveal.rendering._verdict_sentence import first_sentence
from foveal.rendering.figures._figure import Figure, figure_of, in_title, line_of, source_of, ties
from foveal.rendering.results.comparison import budgets
from foveal.tables import columns as c

# Pixels: the largest and smallest cell of the matrix, its width, the longest name.
MAX_CELL, MIN_CELL, MATRIX_WIDTH, MAX_NAME = 18.0, 11.0, 640.0, 180.0
BARS_WIDTH, BAR_WIDTHS, BARS_HEIGHT, LEFT = 720.0, (3.0, 24.0), 200.0, 48.0
# Free pixels at the ends of an axis, for error bars side by side.
INSET = 16.0
# Smaller p-values are drawn as this one.
MIN_P = 1e-4
# Curves of more p-values than this are drawn without dots.
MAX_DOTTED = 21
SIGNIFICANT_STYLE, OTHER_STYLE = "h7", "h2"


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
    counts = [
        f"{measure} {significant:,} ({percent(significant / pairs)})"
        for measure, significant, pairs in comparison.counts.iter_rows()
    ]
    first, *other_counts = counts
    pairs = counted(comparison.counts[c.PAIRS][0], "pair")
    title = f"Of {pairs} of runs, {first.replace(' ', ' tells apart ', 1)}"
    title += f", {', '.join(other_counts)}" if other_counts else ""

    def draw() -> drawing.Picture:
        panels = [_matrix(comparison, measure, labels) for measure in comparison.measures]
        is_large = len(labels) * MIN_CELL > MATRIX_WIDTH / 2
        return drawing.grid(panels, columns=1 if is_large else 2)

    return Figure(title, data, draw, source_of(comparison.settings))


def _matrix(comparison: Comparison, measure: str, labels: dict[str, int]) -> drawing.Picture:
    """One measure's matrix under the key of its two colours."""
    order = comparison.ranking(measure)
    pairs = comparison.pairs.filter(pl.col(c.MEASURE) == measure)
    indices = {run: index for index, run in enumerate(order)}
    row, column = (
        pairs[side].replace_strict(indices, return_dtype=pl.Int64).to_numpy()
        for side in (c.BETTER, c.WORSE)
    )
    is_significant = pairs[c.SIGNIFICANT].fill_null(value=False).to_numpy()
    names = tuple(drawing.cut(f"{labels[run]} {run}", MAX_NAME) for run in order)
    side = float(np.clip(np.floor(MATRIX_WIDTH / len(order)), MIN_CELL, MAX_CELL))
    left = max(map(drawing.width, names)) + 12
    # The last row and the first column stay empty: a pair's row is the better run.
    across = drawing.Band(tuple(str(labels[run]) for run in order), left, left + side * len(order))
    panel = drawing.Panel(across, drawing.Band(names, 0, side * len(order)))
    title = "than the run of rank"
    marks = panel.axes(title)
    for mask, style in ((is_significant, SIGNIFICANT_STYLE), (~is_significant, OTHER_STYLE)):
        xs, ys = across.pixels(column[mask]), panel.y.pixels(row[mask])
        marks.append(drawing.cells(xs - side / 2, ys - side / 2, side, side, f"cell {style}"))
    better_count = f"{is_significant.sum():,} of {counted(len(is_significant), 'pair')}"
    key = [
        (drawing.area_symbol, SIGNIFICANT_STYLE, f"significantly better: {better_count}"),
        (drawing.area_symbol, OTHER_STYLE, f"not: {(~is_significant).sum():,}"),
    ]
    height = panel.y.stop + panel.bottom_height(title)
    picture = drawing.Picture(panel.right_edge(title), height, "".join(marks))
    chart = drawing.stacked([drawing.key(key, max(picture.width, 320)), picture], gap=8)
    return chart.headed(measure)


@figure_of(Comparison, "means")
def means(comparison: Comparison) -> Figure:
    """The runs' means with their confidence intervals."""

    def draw() -> drawing.Picture:
        panels = [_means(comparison, name) for name in comparison.measures]
        filled_label, open_label = ("the best, or not told apart from it", "significantly worse")
        if comparison.baselines:
            baseline = and_list(comparison.baselines)
            filled_label, open_label = (f"significantly better than {baseline}", "not")
        key = [(drawing.dot_symbol, "f0", filled_label), (drawing.dot_symbol, "open", open_label)]
        return drawing.stacked([drawing.key(key, panels[0].width), drawing.grid(panels)], gap=12)

    title = first_sentence(comparison, comparison.main_measure).removesuffix(".")
    return Figure(title, comparison.means, draw, source_of(comparison.settings))


def _means(comparison: Comparison, measure: str) -> drawing.Picture:
    """One measure's means; filled dots: no run is shown to be better, or better than all baselines."""
    means = comparison.means.filter(pl.col(c.MEASURE) == measure)
    beaten = _beaten(comparison, measure)
    rows = [
        drawing.Row(run, mean, low, high, rounded(mean), open=run in beaten)
        for run, mean, low, high in means.select(c.RUN, c.MEAN, c.LOW, c.HIGH).iter_rows()
    ]
    low, high = comparison.values.bounds[comparison.values.measure_index(measure)].tolist()
    values = means.select(c.LOW, c.MEAN, c.HIGH).to_numpy().astype(float).reshape(-1)
    level = f"{shortest(100 * (1 - _alpha(comparison)))} %"
    picture = drawing.intervals(
        rows,
        lambda start, stop: drawing.Linear.around(values, start, stop, within=(low, high)),
        x_title=f"mean {measure}, with its {level} interval",
    )
    return picture.headed(measure)


def _alpha(comparison: Comparison) -> float:
    """The significance level."""
    return float(comparison.settings[c.ALPHA])


def _beaten(comparison: Comparison, measure: str) -> set[str]:
    """The runs that are significantly worse than the best, or not better than every baseline."""
    pairs = comparison.pairs.filter((pl.col(c.MEASURE) == measure) & pl.col(c.SIGNIFICANT))
    if comparison.baselines:
        better_runs = pairs.filter(pl.col(c.RUN) == pl.col(c.BETTER))[c.RUN].to_list()
        count = len(comparison.baselines)
        return {run for run in comparison.values.runs if better_runs.count(run) < count}
    return set(pairs.filter(pl.col(c.BETTER) == comparison.ranking(measure)[0])[c.WORSE])


@figure_of(Comparison, "differences", takes_runs=True)
def differences(comparison: Comparison, runs: tuple[str, str] | None = None) -> Figure:
    """Topic by topic, by how much a run differs from another: the two best, or two chosen ones."""
    frames = []
    for measure in comparison.measures:
        first, second = runs or _two_best(comparison, measure)
        rows = comparison.topic_differences(measure, first, second)
        key = {c.MEASURE: measure, c.BETTER: first, c.WORSE: second}
        key_columns = (pl.lit(name).alias(column) for column, name in key.items())
        frames.append(rows.select(*key_columns, pl.all()))
    data = pl.concat(frames)

    def draw() -> drawing.Picture:
        return drawing.stacked(list(map(_differences, frames, comparison.measures)))

    return Figure(_wins_title(comparison, frames[0]), data, draw, source_of(comparison.settings))


def _two_best(comparison: Comparison, measure: str) -> tuple[str, str]:
    """The two best runs, or the best and the first baseline."""
    ranking = comparison.ranking(measure)
    if not comparison.baselines:
        return ranking[0], ranking[1]
    best = next(run for run in ranking if run not in comparison.baselines)
    return best, comparison.baselines[0]


def _wins_title(comparison: Comparison, rows: pl.DataFrame) -> str:
    """Title: on how many topics the first of two runs is better."""
    measure, first, second = rows.row(0)[:3]
    sign = float(comparison.values.signs[comparison.values.measure_index(measure)])
    gains = sign * rows[c.DIFFERENCE].to_numpy()
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    mean = rows[c.DIFFERENCE].to_numpy().mean()
    ties_clause = f", {len(gains) - wins - losses} tied" if wins + losses < len(gains) else ""
    return (
        f"{in_title(first)} against {in_title(second)} by {measure}: better on {wins} of"
        f" {counted(len(gains), 'topic')}, worse on {losses}{ties_clause}; mean difference {signed(mean)}"
    )


def _differences(rows: pl.DataFrame, measure: str) -> drawing.Picture:
    """A bar for each topic, up or down from 0."""
    first, second = rows.row(0)[1:3]
    topics, gains = rows[c.TOPIC].to_list(), rows[c.DIFFERENCE].to_numpy()
    width = float(np.clip(np.floor(BARS_WIDTH / len(topics)), *BAR_WIDTHS))
    across = drawing.Band(tuple(topics), LEFT, LEFT + width * len(topics))
    top = 24.0
    up = drawing.Linear.around(gains, top + BARS_HEIGHT, top, zero=True)
    panel = drawing.Panel(across, up)
    y_title = f"difference in {measure}"
    marks = panel.axes("topics", y_title)
    xs, heights = across.pixels(range(len(topics))), up.pixels(gains)
    zero = float(up.pixels([0.0])[0])
    for mask, style in ((gains > 0, "f0"), (gains < 0, "f1")):
        tops = np.minimum(heights[mask], zero)
        gap = min(width / 4, 2)
        sizes = np.abs(heights[mask] - zero)
        marks.append(drawing.cells(xs[mask] - (width - gap) / 2, tops, width - gap, sizes, style))
    marks.append(drawing.rule(across.start, zero, across.stop, zero, "axis"))
    height = top + BARS_HEIGHT + panel.bottom_height("topics")
    chart = drawing.Picture(panel.right_edge(y_title), height, "".join(marks))
    key = [
        (drawing.area_symbol, "f0", f"{drawing.cut(str(first), MAX_NAME)} scores more"),
        (drawing.area_symbol, "f1", f"{drawing.cut(str(second), MAX_NAME)} scores more"),
    ]
    return drawing.stacked([drawing.key(key, max(chart.width, 420)), chart], gap=4).headed(measure)


@figure_of(Comparison, "p-values")
def p_values(comparison: Comparison) -> Figure:
    """Each measure's p-values, largest first: the lower the curve, the more pairs it tells apart."""
    alpha = _alpha(comparison)
    data = comparison.curves()
    counts = data.group_by(c.MEASURE, maintain_order=True).agg((pl.col(c.P) <= alpha).sum())
    best = sorted(counts.iter_rows(), key=lambda row: -row[1])
    # A pair has no p if the test has too little data.
    pairs = f"{counted(comparison.counts[c.PAIRS][0], 'pair')} of runs"
    other_counts = [f"{measure} ({count:,})" for measure, count in best[1:]]
    title = f"p is undefined for {pairs}"
    if best:
        title = f"{best[0][0]} has p ≤ {shortest(alpha)} for {best[0][1]:,} of {pairs}"
    if other_counts and best[0][1] > best[1][1]:
        title += f", more than {', '.join(other_counts)}"

    def draw() -> drawing.Picture:
        lines = [
            drawing.Line(
                str(name),
                rows[c.PLACE].to_numpy(),
                np.maximum(rows[c.P].to_numpy(), MIN_P),
                dots=rows.height <= MAX_DOTTED,
            )
            for (name,), rows in data.group_by(c.MEASURE, maintain_order=True)
        ]
        order = [row[0] for row in best]
        lines.sort(key=lambda line: order.index(line.name))
        lowest = min((float(line.y.min()) for line in lines if len(line.y)), default=MIN_P)  # type: ignore[union-attr]
        max_pairs = max((len(line.x) for line in lines), default=1)
        return drawing.lines(
            lines,
            lambda start, stop: drawing.Linear(0.5, max_pairs + 0.5, start, stop, integers=True),
            partial(drawing.Log, min(lowest, alpha / 2), 1.0),
            x_title="pairs of runs, by decreasing p",
            y_title="p (log scale)"
            + (f", {MIN_P:g} or less at the foot" if lowest <= MIN_P else ""),
            extra=lambda panel: panel.horizontal_line(alpha, f"α = {shortest(alpha)}", right=True),
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
    largest = max(sizes.values())
    recalls = data.filter(pl.col(c.BUDGET) == largest)[c.RECALL].to_numpy()
    tie_count = ties(recalls, recalls.max())
    best = f"{in_title(order[0])} finds"
    subject = best if tie_count == 1 else f"{tie_count} of {len(order)} runs find"
    title = f"Within {largest:,} characters {subject} most: {percent(recalls.max())} of the relevant text"

    def draw() -> drawing.Picture:
        numbers = tuple(float(size) for size in sizes.values())
        recalls = data.select(c.RECALL, c.HIGH).to_numpy().astype(float).reshape(-1)
        return drawing.lines(
            [
                line_of(run, data.filter(pl.col(c.RUN) == run), c.BUDGET, c.RECALL, c.LOW, c.HIGH)
                for run in order
            ],
            partial(drawing.Log, numbers[0], numbers[-1], tick_values=numbers, inset=INSET),
            partial(drawing.Linear.around, recalls, zero=True, within=(0, 1)),
            x_title="characters read (log scale)",
            y_title="recall, with intervals",
        )

    return Figure(title, data, draw, source_of(comparison.settings))
