"""Figures of stability: curves over levels with error bars, and the plane as a heat map."""

from __future__ import annotations

from typing import Any

import polars as pl

from foveal.choices import Experiment
from foveal.rendering.figures._figure import Figure, values
from foveal.rendering.figures._record import figure_of
from foveal.studies import Stability, StudyFrame
from foveal.tables import columns

WIDTH, HEIGHT, CELL = 460, 320, 56
# Per cent between the error bars of two measures.
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
    height = columns.RATE if error else columns.MEAN
    data = study.curves.with_columns(
        (pl.col(height) - pl.col(columns.SPREAD)).alias(columns.LOW),
        (pl.col(height) + pl.col(columns.SPREAD)).alias(columns.HIGH),
    )

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        # Bars of one level stand side by side.
        steps = {name: APART * place for place, name in enumerate(study.measures)}
        shift = pl.col(columns.MEASURE).replace_strict(steps, return_dtype=pl.Float64)
        beside = frame.with_columns(
            (pl.col(columns.LEVEL) + shift - max(steps.values()) / 2).alias(columns.X)
        )
        chart = alt.Chart(values(alt, beside), width=WIDTH, height=HEIGHT).encode(
            x=alt.X(f"{columns.X}:Q", title=across, scale=alt.Scale(domain=[0, 100])),
            color=alt.Color(f"{columns.MEASURE}:N", sort=study.measures, title=columns.MEASURE),
            tooltip=[
                f"{columns.MEASURE}:N",
                f"{columns.LEVEL}:Q",
                f"{height}:Q",
                f"{columns.SPREAD}:Q",
            ],
        )
        title = "error rate" if error else "mean τ"
        up = alt.Y(f"{height}:Q", title=title, scale=alt.Scale(zero=error))
        bars = chart.mark_rule().encode(y=alt.Y(f"{columns.LOW}:Q"), y2=f"{columns.HIGH}:Q")
        return bars + chart.mark_line(point=True).encode(y=up)

    return Figure(title, data, draw)


@figure_of(Stability, "plane", experiments=(Experiment.PLANE,))
def plane(study: Stability) -> Figure:
    """Mean τ for every share of the topics with every share of their passages."""

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = []
        for measure in study.measures:
            own = frame.filter(pl.col(columns.MEASURE) == measure)
            chart = alt.Chart(
                values(alt, own), title=measure, width={"step": CELL}, height={"step": CELL}
            ).encode(
                x=alt.X(f"{columns.PASSAGES}:O", title="share of the passages, %"),
                y=alt.Y(f"{columns.TOPICS}:O", title="share of the topics, %", sort="descending"),
            )
            shade = chart.mark_rect().encode(
                color=alt.Color(f"{columns.TAU}:Q", title="mean τ", scale=alt.Scale(scheme="blues"))
            )
            number = chart.mark_text().encode(
                text=alt.Text(f"{columns.TAU}:Q", format=".2f"),
                color=alt.condition("datum.tau > 0.9", alt.value("white"), alt.value("black")),
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
                x=alt.X(
                    f"{columns.DEPTH}:Q", title="parts of each run", scale=alt.Scale(type="log")
                ),
                y=alt.Y(f"{columns.TAU}:Q", title="τ", scale=alt.Scale(zero=False)),
                color=alt.Color(f"{columns.MEASURE}:N", sort=study.measures, title=columns.MEASURE),
                tooltip=[
                    f"{columns.MEASURE}:N",
                    f"{columns.DEPTH}:Q",
                    f"{columns.PASSAGES}:Q",
                    f"{columns.TAU}:Q",
                ],
            )
        )

    return Figure("Rank correlation by pool depth", study.frames[StudyFrame.DEPTHS], draw)


@figure_of(Stability, "swaps", experiments=(Experiment.SWAP,))
def swaps(study: Stability) -> Figure:
    """How often pairs of runs change places, by how far they are apart."""

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        return (
            alt.Chart(values(alt, frame.drop_nulls(columns.RATE)), width=WIDTH, height=HEIGHT)
            .mark_line(point=True)
            .encode(
                x=alt.X(f"{columns.LOW}:Q", title="difference of means, at least"),
                y=alt.Y(f"{columns.RATE}:Q", title="swap rate"),
                color=alt.Color(f"{columns.MEASURE}:N", sort=study.measures, title=columns.MEASURE),
                strokeDash=alt.StrokeDash(f"{columns.LEVEL}:N", title="share of the topics, %"),
                tooltip=[
                    f"{columns.MEASURE}:N",
                    f"{columns.LEVEL}:Q",
                    f"{columns.LOW}:Q",
                    f"{columns.PAIRS}:Q",
                    f"{columns.SWAPS}:Q",
                    f"{columns.RATE}:Q",
                ],
            )
        )

    return Figure("Swap rate by difference", study.frames[StudyFrame.BINS], draw)
