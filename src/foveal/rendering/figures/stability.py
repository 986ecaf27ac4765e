"""Figures of stability: curves over levels with error bars, and the plane as a heat map."""

from __future__ import annotations

from typing import Any

from foveal.choices import Experiment
from foveal.late import pl
from foveal.rendering.figures._figure import Figure, numbers, values, words
from foveal.rendering.figures._record import figure_of
from foveal.studies import Stability, StudyFrame
from foveal.tables import columns as c

WIDTH, HEIGHT, CELL = 460, 320, 56
# Per cent of the axis between the error bars of two measures.
APART = 0.8
_TITLES = {
    Experiment.POOL: ("share of the passages, %", "Rank correlation with fewer judged passages"),
    Experiment.TOPICS: ("share of the topics, %", "Rank correlation with fewer topics"),
    Experiment.ERROR_RATE: ("share of the topics, %", "Error rate with fewer topics"),
}


@figure_of(Stability, "curves", experiments=tuple(_TITLES))
def curves(study: Stability) -> Figure:
    """The curve of each measure over the levels; bars are the spread over samples."""
    across, title = _TITLES[study.experiment]
    error = study.experiment is Experiment.ERROR_RATE
    height = c.RATE if error else c.MEAN
    data = study.curves.with_columns(
        (pl.col(height) - pl.col(c.SPREAD)).alias(c.LOW),
        (pl.col(height) + pl.col(c.SPREAD)).alias(c.HIGH),
    )

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        # Bars of one level are drawn side by side.
        steps = {name: APART * place for place, name in enumerate(study.measures)}
        shift = pl.col(c.MEASURE).replace_strict(steps, return_dtype=pl.Float64)
        beside = frame.with_columns((pl.col(c.LEVEL) + shift - max(steps.values()) / 2).alias(c.X))
        chart = alt.Chart(values(alt, beside), width=WIDTH, height=HEIGHT).encode(
            x=alt.X(f"{c.X}:Q", title=across, scale=alt.Scale(domain=[0, 100])),
            color=alt.Color(f"{c.MEASURE}:N", sort=study.measures, title=c.MEASURE),
            tooltip=[*words(c.MEASURE), *numbers(c.LEVEL, height, c.SPREAD)],
        )
        title = "error rate" if error else "mean τ"
        up = alt.Y(f"{height}:Q", title=title, scale=alt.Scale(zero=error))
        bars = chart.mark_rule().encode(y=alt.Y(f"{c.LOW}:Q"), y2=f"{c.HIGH}:Q")
        return bars + chart.mark_line(point=True).encode(y=up)

    return Figure(title, data, draw)


@figure_of(Stability, "plane", experiments=(Experiment.PLANE,))
def plane(study: Stability) -> Figure:
    """Mean τ for every share of the topics with every share of their passages."""

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = []
        for measure in study.measures:
            own = frame.filter(pl.col(c.MEASURE) == measure)
            chart = alt.Chart(
                values(alt, own), title=measure, width={"step": CELL}, height={"step": CELL}
            ).encode(
                x=alt.X(f"{c.PASSAGES}:O", title="share of the passages, %"),
                y=alt.Y(f"{c.TOPICS}:O", title="share of the topics, %", sort="descending"),
            )
            shade = chart.mark_rect().encode(
                color=alt.Color(f"{c.TAU}:Q", title="mean τ", scale=alt.Scale(scheme="blues"))
            )
            number = chart.mark_text().encode(
                text=alt.Text(f"{c.TAU}:Q", format=".2f"),
                color=alt.condition(f"datum.{c.TAU} > 0.9", alt.value("white"), alt.value("black")),
            )
            parts.append(shade + number)
        return alt.concat(*parts, columns=3)

    return Figure("Rank correlation by topics and passages", study.frames[StudyFrame.CELLS], draw)


@figure_of(Stability, "depths", experiments=(Experiment.DEPTH,))
def depths(study: Stability) -> Figure:
    """τ of each measure over the depth of the pool."""

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        return (
            alt.Chart(values(alt, frame), width=WIDTH, height=HEIGHT)
            .mark_line(point=True)
            .encode(
                x=alt.X(f"{c.DEPTH}:Q", title="parts of each run", scale=alt.Scale(type="log")),
                y=alt.Y(f"{c.TAU}:Q", title="τ", scale=alt.Scale(zero=False)),
                color=alt.Color(f"{c.MEASURE}:N", sort=study.measures, title=c.MEASURE),
                tooltip=[*words(c.MEASURE), *numbers(c.DEPTH, c.PASSAGES, c.TAU)],
            )
        )

    return Figure("Rank correlation by pool depth", study.frames[StudyFrame.DEPTHS], draw)


@figure_of(Stability, "swaps", experiments=(Experiment.SWAP,))
def swaps(study: Stability) -> Figure:
    """How often pairs of runs change places, by the difference of their means."""

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        return (
            alt.Chart(values(alt, frame.drop_nulls(c.RATE)), width=WIDTH, height=HEIGHT)
            .mark_line(point=True)
            .encode(
                x=alt.X(f"{c.LOW}:Q", title="difference of means, at least"),
                y=alt.Y(f"{c.RATE}:Q", title="swap rate"),
                color=alt.Color(f"{c.MEASURE}:N", sort=study.measures, title=c.MEASURE),
                strokeDash=alt.StrokeDash(f"{c.LEVEL}:N", title="share of the topics, %"),
                tooltip=[*words(c.MEASURE), *numbers(c.LEVEL, c.LOW, c.PAIRS, c.SWAPS, c.RATE)],
            )
        )

    return Figure("Swap rate by difference", study.frames[StudyFrame.BINS], draw)
