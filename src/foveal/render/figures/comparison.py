"""Figures of runs compared."""

from __future__ import annotations

from typing import Any

import polars as pl

from foveal.analysis import Comparison
from foveal.render.figures._figure import Figure, values
from foveal.tables import columns

CELL, ROW = 18, 18


def matrix(comparison: Comparison) -> Figure:
    """Which runs are significantly better than which, runs in the order of their means."""
    labels = {run: rank for rank, run in enumerate(comparison.ranking(comparison.measures[0]), 1)}
    data = comparison.pairs.select(
        columns.MEASURE,
        "better",
        "worse",
        pl.col("better").replace_strict(labels, return_dtype=pl.Int64).alias("better_rank"),
        pl.col("worse").replace_strict(labels, return_dtype=pl.Int64).alias("worse_rank"),
        "adjusted_p",
        "significant",
    )

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = []
        for measure in comparison.measures:
            order = comparison.ranking(measure)
            names = [f"{labels[run]} {run}" for run in order]
            own = frame.filter(pl.col(columns.MEASURE) == measure).with_columns(
                pl.format("{} {}", "better_rank", "better").alias("row"),
                pl.col("worse_rank").cast(pl.String).alias("column"),
            )
            parts.append(
                alt.Chart(
                    values(alt, own), title=measure, width={"step": CELL}, height={"step": CELL}
                )
                .mark_rect(stroke="white")
                .encode(
                    x=alt.X(
                        "column:N", sort=[str(labels[run]) for run in order], title="than rank"
                    ),
                    y=alt.Y("row:N", sort=names, title=None, scale=alt.Scale(domain=names[:-1])),
                    color=alt.Color(
                        "significant:N",
                        title="significantly better",
                        scale=alt.Scale(domain=[True, False], range=["#2a5d8f", "#dde3ea"]),
                    ),
                    tooltip=["better:N", "worse:N", "adjusted_p:Q"],
                )
            )
        return alt.hconcat(*parts).resolve_scale(x="independent", y="independent")

    return Figure("matrix", "Which runs are significantly better", data, draw)


def means(comparison: Comparison) -> Figure:
    """The runs' means with their confidence intervals."""

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = []
        for measure in comparison.measures:
            own = frame.filter(pl.col(columns.MEASURE) == measure)
            place = alt.Y("run:N", sort=comparison.ranking(measure), title=None)
            chart = alt.Chart(values(alt, own), title=measure, height={"step": ROW})
            span = chart.mark_rule().encode(
                y=place, x=alt.X("low:Q", title="mean", axis=alt.Axis(tickCount=5)), x2="high:Q"
            )
            parts.append(span + chart.mark_point(filled=True, size=50).encode(y=place, x="mean:Q"))
        return alt.hconcat(*parts).resolve_scale(x="independent", y="independent")

    return Figure("means", "Means and their confidence intervals", comparison.means, draw)


def differences(comparison: Comparison) -> Figure:
    """Topic by topic, by how much the best run differs from the second best."""
    frames = []
    for measure in comparison.measures:
        best, second = comparison.ranking(measure)[:2]
        own = comparison.topic_differences(measure, best, second)
        frames.append(
            own.select(
                pl.lit(measure).alias(columns.MEASURE),
                pl.lit(best).alias("better"),
                pl.lit(second).alias("worse"),
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
                    x=alt.X("topic:N", sort=order, axis=alt.Axis(labelOverlap=True)),
                    y=alt.Y("difference:Q"),
                    tooltip=["topic:N", "better_value:Q", "worse_value:Q", "difference:Q"],
                )
            )
        return alt.vconcat(*parts).resolve_scale(x="independent", y="independent")

    return Figure("differences", "Differences topic by topic", pl.concat(frames), draw)


def p_values(comparison: Comparison) -> Figure:
    """Each measure's p-values, largest first: the lower the curve, the more pairs are told apart."""
    alpha = float(comparison.settings["alpha"])

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        curve = alt.Chart(values(alt, frame), width=500, height=320).mark_line()
        order = comparison.measures
        lines = curve.encode(
            x=alt.X("place:Q", title="pairs, by decreasing p"),
            y=alt.Y("p:Q", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("measure:N", sort=order, title=columns.MEASURE),
            tooltip=["measure:N", "place:Q", "p:Q"],
        )
        rule = alt.Chart(alt.InlineData(values=[{"p": alpha}])).mark_rule(strokeDash=[4, 4])
        return lines + rule.encode(y="p:Q")

    return Figure("p-values", "Discriminative power", comparison.curves(), draw)
