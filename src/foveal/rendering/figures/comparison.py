"""Figures of runs compared."""

from __future__ import annotations

from typing import Any

import polars as pl

from foveal.analysis import Comparison
from foveal.rendering.figures._figure import Figure, values
from foveal.rendering.figures._record import figure_of
from foveal.tables import columns

CELL, ROW = 18, 18


@figure_of(Comparison, "matrix")
def matrix(comparison: Comparison) -> Figure:
    """Which runs are significantly better than which, runs in the order of their means."""
    labels = {run: rank for rank, run in enumerate(comparison.ranking(comparison.measures[0]), 1)}
    data = comparison.pairs.select(
        columns.MEASURE,
        columns.BETTER,
        columns.WORSE,
        pl.col(columns.BETTER)
        .replace_strict(labels, return_dtype=pl.Int64)
        .alias(columns.BETTER_RANK),
        pl.col(columns.WORSE)
        .replace_strict(labels, return_dtype=pl.Int64)
        .alias(columns.WORSE_RANK),
        columns.ADJUSTED_P,
        columns.SIGNIFICANT,
    )

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = []
        for measure in comparison.measures:
            order = comparison.ranking(measure)
            names = [f"{labels[run]} {run}" for run in order]
            own = frame.filter(pl.col(columns.MEASURE) == measure).with_columns(
                pl.format("{} {}", columns.BETTER_RANK, columns.BETTER).alias(columns.ROW),
                pl.col(columns.WORSE_RANK).cast(pl.String).alias(columns.COLUMN),
            )
            parts.append(
                alt.Chart(
                    values(alt, own), title=measure, width={"step": CELL}, height={"step": CELL}
                )
                .mark_rect(stroke="white")
                .encode(
                    x=alt.X(
                        f"{columns.COLUMN}:N",
                        sort=[str(labels[run]) for run in order],
                        title="than rank",
                    ),
                    y=alt.Y(
                        f"{columns.ROW}:N",
                        sort=names,
                        title=None,
                        scale=alt.Scale(domain=names[:-1]),
                    ),
                    color=alt.Color(
                        f"{columns.SIGNIFICANT}:N",
                        title="significantly better",
                        scale=alt.Scale(domain=[True, False], range=["#2a5d8f", "#dde3ea"]),
                    ),
                    tooltip=[
                        f"{columns.BETTER}:N",
                        f"{columns.WORSE}:N",
                        f"{columns.ADJUSTED_P}:Q",
                    ],
                )
            )
        return alt.hconcat(*parts).resolve_scale(x="independent", y="independent")

    return Figure("Which runs are significantly better", data, draw)


@figure_of(Comparison, "means")
def means(comparison: Comparison) -> Figure:
    """The runs' means with their confidence intervals."""

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = []
        for measure in comparison.measures:
            own = frame.filter(pl.col(columns.MEASURE) == measure)
            place = alt.Y(f"{columns.RUN}:N", sort=comparison.ranking(measure), title=None)
            chart = alt.Chart(values(alt, own), title=measure, height={"step": ROW})
            span = chart.mark_rule().encode(
                y=place,
                x=alt.X(f"{columns.LOW}:Q", title=columns.MEAN, axis=alt.Axis(tickCount=5)),
                x2=f"{columns.HIGH}:Q",
            )
            parts.append(
                span + chart.mark_point(filled=True, size=50).encode(y=place, x=f"{columns.MEAN}:Q")
            )
        return alt.hconcat(*parts).resolve_scale(x="independent", y="independent")

    return Figure("Means and their confidence intervals", comparison.means, draw)


@figure_of(Comparison, "differences")
def differences(comparison: Comparison) -> Figure:
    """Topic by topic, by how much the best run differs from the second best."""
    frames = []
    for measure in comparison.measures:
        best, second = comparison.ranking(measure)[:2]
        own = comparison.topic_differences(measure, best, second)
        frames.append(
            own.select(
                pl.lit(measure).alias(columns.MEASURE),
                pl.lit(best).alias(columns.BETTER),
                pl.lit(second).alias(columns.WORSE),
                pl.all(),
            )
        )

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = []
        for measure, own in zip(comparison.measures, frames, strict=True):
            better, worse = own.row(0)[1:3]
            order = own[columns.TOPIC].to_list()
            parts.append(
                alt.Chart(values(alt, own), title=f"{measure}: {better} less {worse}", width=700)
                .mark_bar()
                .encode(
                    x=alt.X(f"{columns.TOPIC}:N", sort=order, axis=alt.Axis(labelOverlap=True)),
                    y=alt.Y(f"{columns.DIFFERENCE}:Q"),
                    tooltip=[
                        f"{columns.TOPIC}:N",
                        f"{columns.BETTER_VALUE}:Q",
                        f"{columns.WORSE_VALUE}:Q",
                        f"{columns.DIFFERENCE}:Q",
                    ],
                )
            )
        return alt.vconcat(*parts).resolve_scale(x="independent", y="independent")

    return Figure("Differences topic by topic", pl.concat(frames), draw)


@figure_of(Comparison, "p-values")
def p_values(comparison: Comparison) -> Figure:
    """Each measure's p-values, largest first: the lower the curve, the more pairs are told apart."""
    alpha = float(comparison.settings["alpha"])

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        curve = alt.Chart(values(alt, frame), width=500, height=320).mark_line()
        order = comparison.measures
        lines = curve.encode(
            x=alt.X(f"{columns.PLACE}:Q", title="pairs, by decreasing p"),
            y=alt.Y(f"{columns.P}:Q", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color(f"{columns.MEASURE}:N", sort=order, title=columns.MEASURE),
            tooltip=[f"{columns.MEASURE}:N", f"{columns.PLACE}:Q", f"{columns.P}:Q"],
        )
        rule = alt.Chart(alt.InlineData(values=[{columns.P: alpha}])).mark_rule(strokeDash=[4, 4])
        return lines + rule.encode(y=f"{columns.P}:Q")

    return Figure("Discriminative power", comparison.curves(), draw)
