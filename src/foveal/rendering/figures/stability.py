"""Figures of stability: curves over levels with error bars, depths, swaps."""

from __future__ import annotations

from functools import partial

import numpy as np

from foveal.choices import Experiment
from foveal.late import pl
from foveal.rendering import drawing
from foveal.rendering._numbers import percent
from foveal.rendering.figures._figure import Figure, figure_of, line_of, source_of
from foveal.rendering.results.stability import SAME_RANKING, TOLERATED_ERROR, first_sentence
from foveal.spans import Floats
from foveal.studies import Stability, StudyFrame
from foveal.tables import columns as c

SIZE, SMALL = (480, 320), (300, 200)
# Free pixels at the ends of an axis, for error bars side by side.
INSET = 16.0
# Of more shares of the topics than this, only so many have a colour.
MAX_SHARES = 4
_TITLES = {
    Experiment.POOL: "share of the passages, %: fewer to the right",
    Experiment.TOPICS: "share of the topics, %: fewer to the right",
    Experiment.ERROR_RATE: "share of the topics, %: fewer to the right",
}


@figure_of(Stability, "curves", experiments=tuple(_TITLES))
def curves(study: Stability) -> Figure:
    """The curve of each measure over the levels; bars are the spread over samples."""
    is_rate = study.experiment is Experiment.ERROR_RATE
    column, bounds = (c.RATE, (0.0, 1.0)) if is_rate else (c.MEAN, (-1.0, 1.0))
    # A rate is never below 0 nor τ above 1, however far the samples spread.
    data = study.curves.with_columns(
        (pl.col(column) - pl.col(c.SPREAD)).clip(*bounds).alias(c.LOW),
        (pl.col(column) + pl.col(c.SPREAD)).clip(*bounds).alias(c.HIGH),
    )

    def draw() -> drawing.Picture:
        lines = [
            line_of(measure, rows, c.LEVEL, column, c.LOW, c.HIGH)
            for measure in study.measures
            for rows in [data.filter(pl.col(c.MEASURE) == measure).sort(c.LEVEL)]
        ]
        if not is_rate:
            lines = [_with_all_judgements(line) for line in lines]
        values = np.concatenate([[1.2 * TOLERATED_ERROR] if is_rate else [], *map(_finite, lines)])
        rates = partial(drawing.Linear.around, values, zero=True, within=(0, 1), percent=True)
        lowest = min(data[c.LEVEL].to_list())
        return drawing.lines(
            lines,
            # Fewer judgements to the right, where lines diverge and have their names.
            lambda left, right: drawing.Linear(min(lowest, 80), 100, right, left, inset=INSET),
            rates if is_rate else partial(drawing.Linear, _floor(values), 1.0),
            x_title=_TITLES[study.experiment],
            y_title="error rate ± spread over samples"
            if is_rate
            else f"mean τ ± spread over samples; from {SAME_RANKING} on, rankings count as the same",
            size=SIZE,
            extra=_tolerated_line if is_rate else _same_ranking_line,
        )

    return Figure(first_sentence(study), data, draw, source_of(study.settings))


def _with_all_judgements(line: drawing.Line) -> drawing.Line:
    """The line up to 100 %, where τ is 1: all judgements give the ranking itself."""
    if not np.isfinite(line.y).any() or 100 in np.asarray(line.x):
        return line
    x, y = np.append(line.x, 100.0), np.append(line.y, 1.0)
    low, high = (None if end is None else np.append(end, 1.0) for end in (line.low, line.high))
    return drawing.Line(line.name, x, y, low, high, line.dots)


def _finite(line: drawing.Line) -> Floats:
    """The finite values of a line and of its error bars."""
    ends = [line.y, line.low, line.high]
    values: Floats = np.concatenate([np.asarray(end, float) for end in ends if end is not None])
    return values[np.isfinite(values)]


def _floor(values: Floats) -> float:
    """The lower end of an axis of τ: one of three, so that figures can be compared."""
    return next(low for low in (0.5, 0.0, -1.0) if values.min(initial=1.0) >= low)


def _same_ranking_line(panel: drawing.Panel) -> list[str]:
    return panel.horizontal_line(SAME_RANKING, f"{SAME_RANKING}")


def _tolerated_line(panel: drawing.Panel, *, right: bool = False) -> list[str]:
    return panel.horizontal_line(TOLERATED_ERROR, percent(TOLERATED_ERROR), right=right)


@figure_of(Stability, "depths", experiments=(Experiment.DEPTH,))
def depths(study: Stability) -> Figure:
    """τ of each measure over the depth of the pool."""
    data = study.frames[StudyFrame.DEPTHS]

    def draw() -> drawing.Picture:
        depths = tuple(float(depth) for depth in sorted(data[c.DEPTH].unique().to_list()))
        taus = data[c.TAU].drop_nulls().to_numpy()
        lines = [
            line_of(measure, rows, c.DEPTH, c.TAU)
            for measure in study.measures
            for rows in [data.filter(pl.col(c.MEASURE) == measure).sort(c.DEPTH)]
        ]
        return drawing.lines(
            lines,
            partial(drawing.Log, depths[0], depths[-1], tick_values=depths, inset=INSET),
            partial(drawing.Linear, _floor(taus), 1.0),
            x_title="parts of each run in the pool (log scale)",
            y_title=f"τ; from {SAME_RANKING} on, rankings count as the same",
            size=SIZE,
            extra=_same_ranking_line,
        )

    return Figure(first_sentence(study), data, draw, source_of(study.settings))


@figure_of(Stability, "swaps", experiments=(Experiment.SWAP,))
def swaps(study: Stability) -> Figure:
    """How often pairs of runs change places, by the difference of their means."""
    data = study.frames[StudyFrame.BINS]

    def draw() -> drawing.Picture:
        bins = data.drop_nulls(c.RATE)
        rates = [1.2 * TOLERATED_ERROR, *bins[c.RATE].to_list()]
        lows = [0.0, *bins[c.LOW].to_list()]
        panels = [
            drawing.lines(
                _shares(bins.filter(pl.col(c.MEASURE) == measure)),
                lambda start, stop: drawing.Linear.around(lows, start, stop, within=(0, np.inf)),
                lambda start, stop: drawing.Linear.around(rates, start, stop, zero=True, within=(0, 1), percent=True),
                x_title="difference of means, at least",
                y_title="pairs that change places",
                size=SMALL,
                extra=partial(_tolerated_line, right=True),
            ).headed(measure)
            for measure in study.measures
        ]  # fmt: skip
        return drawing.grid(panels)

    return Figure(first_sentence(study), data, draw, source_of(study.settings))


def _shares(bins: pl.DataFrame) -> list[drawing.Line]:
    """A line for each share of the topics: of many, the highest, the lowest and some between."""
    levels = sorted(bins[c.LEVEL].unique().to_list(), reverse=True)
    indices = np.linspace(0, len(levels) - 1, min(len(levels), MAX_SHARES)).round().astype(int)
    shown_levels = [levels[index] for index in indices.tolist()]
    in_order = [*shown_levels, *(level for level in levels if level not in shown_levels)]
    level_bins = [(level, bins.filter(pl.col(c.LEVEL) == level).sort(c.LOW)) for level in in_order]
    return [line_of(f"{level} % of topics", rows, c.LOW, c.RATE) for level, rows in level_bins]
