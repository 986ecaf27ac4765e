"""Figures of stability: curves over levels with error bars, depths, swaps."""

from __future__ import annotations

from functools import partial

import numpy as np

from foveal.choices import Experiment
from foveal.late import pl
from foveal.rendering import drawing
from foveal.rendering._numbers import percent
from foveal.rendering.figures._figure import Figure, figure_of, line_of, source_of
from foveal.rendering.results.stability import ALIKE, TOLERATED, first_sentence
from foveal.spans import Floats
from foveal.studies import Stability, StudyFrame
from foveal.tables import columns as c

SIZE, SMALL = (480, 320), (300, 200)
# Pixels left free at the ends of an axis, for error bars that are drawn side by side.
INSET = 16.0
# Of more shares of the topics than this, a few stand out.
SHARES = 4
_TITLES = {
    Experiment.POOL: "share of the passages, %: fewer to the right",
    Experiment.TOPICS: "share of the topics, %: fewer to the right",
    Experiment.ERROR_RATE: "share of the topics, %: fewer to the right",
}


@figure_of(Stability, "curves", experiments=tuple(_TITLES))
def curves(study: Stability) -> Figure:
    """The curve of each measure over the levels; bars are the spread over samples."""
    error = study.experiment is Experiment.ERROR_RATE
    height, possible = (c.RATE, (0.0, 1.0)) if error else (c.MEAN, (-1.0, 1.0))
    # No rate is below 0 and no τ above 1, however far the samples spread.
    data = study.curves.with_columns(
        (pl.col(height) - pl.col(c.SPREAD)).clip(*possible).alias(c.LOW),
        (pl.col(height) + pl.col(c.SPREAD)).clip(*possible).alias(c.HIGH),
    )

    def draw() -> drawing.Picture:
        found = [
            line_of(measure, own, c.LEVEL, height, c.LOW, c.HIGH)
            for measure in study.measures
            for own in [data.filter(pl.col(c.MEASURE) == measure).sort(c.LEVEL)]
        ]
        if not error:
            found = [_anchored(line) for line in found]
        values = np.concatenate([[1.2 * TOLERATED] if error else [], *map(_known, found)])
        rates = partial(drawing.Linear.around, values, zero=True, within=(0, 1), percent=True)
        least = min(data[c.LEVEL].to_list())
        return drawing.lines(
            found,
            # Fewer judgements to the right, where lines part and have their names.
            lambda left, right: drawing.Linear(min(least, 80), 100, right, left, inset=INSET),
            rates if error else partial(drawing.Linear, _floor(values), 1.0),
            x_title=_TITLES[study.experiment],
            y_title="error rate ± spread over samples"
            if error
            else f"mean τ ± spread over samples; from {ALIKE} on, rankings count as the same",
            size=SIZE,
            extra=_errors if error else _same,
        )

    return Figure(first_sentence(study), data, draw, source_of(study.settings))


def _anchored(line: drawing.Line) -> drawing.Line:
    """The line with its end: all judgements rank the runs as they are ranked."""
    if not np.isfinite(line.y).any() or 100 in np.asarray(line.x):
        return line
    x, y = np.append(line.x, 100.0), np.append(line.y, 1.0)
    if line.low is None or line.high is None:
        return drawing.Line(line.name, x, y, dots=line.dots)
    return drawing.Line(
        line.name, x, y, np.append(line.low, 1.0), np.append(line.high, 1.0), line.dots
    )


def _known(line: drawing.Line) -> Floats:
    """The values and the ends of the bars of a line."""
    ends = [line.y, line.low, line.high]
    values: Floats = np.concatenate([np.asarray(one, float) for one in ends if one is not None])
    return values[np.isfinite(values)]


def _floor(values: Floats) -> float:
    """Where an axis of τ begins: one of few places, so that figures can be compared."""
    return next(low for low in (0.5, 0.0, -1.0) if values.min(initial=1.0) >= low)


def _same(panel: drawing.Panel) -> list[str]:
    return panel.across(ALIKE, f"{ALIKE}")


def _errors(panel: drawing.Panel, *, right: bool = False) -> list[str]:
    return panel.across(TOLERATED, percent(TOLERATED), right=right)


@figure_of(Stability, "depths", experiments=(Experiment.DEPTH,))
def depths(study: Stability) -> Figure:
    """τ of each measure over the depth of the pool."""
    data = study.frames[StudyFrame.DEPTHS]

    def draw() -> drawing.Picture:
        tried = tuple(float(depth) for depth in sorted(data[c.DEPTH].unique().to_list()))
        known = data[c.TAU].drop_nulls().to_numpy()
        found = [
            line_of(measure, own, c.DEPTH, c.TAU)
            for measure in study.measures
            for own in [data.filter(pl.col(c.MEASURE) == measure).sort(c.DEPTH)]
        ]
        return drawing.lines(
            found,
            partial(drawing.Log, tried[0], tried[-1], named=tried, inset=INSET),
            partial(drawing.Linear, _floor(known), 1.0),
            x_title="parts of each run in the pool (log scale)",
            y_title=f"τ; from {ALIKE} on, rankings count as the same",
            size=SIZE,
            extra=_same,
        )

    return Figure(first_sentence(study), data, draw, source_of(study.settings))


@figure_of(Stability, "swaps", experiments=(Experiment.SWAP,))
def swaps(study: Stability) -> Figure:
    """How often pairs of runs change places, by the difference of their means."""
    data = study.frames[StudyFrame.BINS]

    def draw() -> drawing.Picture:
        known = data.drop_nulls(c.RATE)
        rates = [1.2 * TOLERATED, *known[c.RATE].to_list()]
        lows = [0.0, *known[c.LOW].to_list()]
        parts = [
            drawing.lines(
                _shares(known.filter(pl.col(c.MEASURE) == measure)),
                lambda start, stop: drawing.Linear.around(lows, start, stop, within=(0, np.inf)),
                lambda start, stop: drawing.Linear.around(rates, start, stop, zero=True, within=(0, 1), percent=True),
                x_title="difference of means, at least",
                y_title="pairs that change places",
                size=SMALL,
                extra=partial(_errors, right=True),
            ).headed(measure)
            for measure in study.measures
        ]  # fmt: skip
        return drawing.beside(parts)

    return Figure(first_sentence(study), data, draw, source_of(study.settings))


def _shares(own: pl.DataFrame) -> list[drawing.Line]:
    """A line for each share of the topics: of many, the highest, the lowest and some between."""
    levels = sorted(own[c.LEVEL].unique().to_list(), reverse=True)
    places = np.linspace(0, len(levels) - 1, min(len(levels), SHARES)).round().astype(int)
    standing = [levels[place] for place in places.tolist()]
    in_order = [*standing, *(level for level in levels if level not in standing)]
    parts = [(level, own.filter(pl.col(c.LEVEL) == level).sort(c.LOW)) for level in in_order]
    return [line_of(f"{level} % of topics", part, c.LOW, c.RATE) for level, part in parts]
