"""Figures of runs compared."""

from __future__ import annotations

from typing import Any

from foveal.analysis import Comparison
from foveal.late import pl
from foveal.rendering.figures._figure import Figure, numbers, values, words
from foveal.rendering.figures._record import figure_of
from foveal.tables import columns as c

CELL, ROW = 18, 18


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

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = []
        for measure in comparison.measures:
            order = comparison.ranking(measure)
            names = [f"{labels[run]} {run}" for run in order]
            own = frame.filter(pl.col(c.MEASURE) == measure).with_columns(
                pl.format("{} {}", c.BETTER_RANK, c.BETTER).alias(c.ROW),
                pl.col(c.WORSE_RANK).cast(pl.String).alias(c.COLUMN),
            )
            parts.append(
                alt.Chart(
                    values(alt, own), title=measure, width={"step": CELL}, height={"step": CELL}
                )
                .mark_rect(stroke="white")
                .encode(
                    x=alt.X(
                        f"{c.COLUMN}:N", sort=[str(labels[run]) for run in order], title="than rank"
                    ),
                    y=alt.Y(
                        f"{c.ROW}:N", sort=names, title=None, scale=alt.Scale(domain=names[:-1])
                    ),
                    color=alt.Color(
                        f"{c.SIGNIFICANT}:N",
                        title="significantly better",
                        scale=alt.Scale(domain=[True, False], range=["#2a5d8f", "#dde3ea"]),
                    ),
                    tooltip=[*words(c.BETTER, c.WORSE), *numbers(c.ADJUSTED_P)],
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
            own = frame.filter(pl.col(c.MEASURE) == measure)
            place = alt.Y(f"{c.RUN}:N", sort=comparison.ranking(measure), title=None)
            chart = alt.Chart(values(alt, own), title=measure, height={"step": ROW})
            span = chart.mark_rule().encode(
                y=place,
                x=alt.X(f"{c.LOW}:Q", title=c.MEAN, axis=alt.Axis(tickCount=5)),
                x2=f"{c.HIGH}:Q",
            )
            parts.append(
                span + chart.mark_point(filled=True, size=50).encode(y=place, x=f"{c.MEAN}:Q")
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
                pl.lit(measure).alias(c.MEASURE),
                pl.lit(best).alias(c.BETTER),
                pl.lit(second).alias(c.WORSE),
                pl.all(),
            )
        )

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = []
        for measure, own in zip(comparison.measures, frames, strict=True):
            better, worse = own.row(0)[1:3]
            order = own[c.TOPIC].to_list()
            parts.append(
                alt.Chart(values(alt, own), title=f"{measure}: {better} less {worse}", width=700)
                .mark_bar()
                .encode(
                    x=alt.X(f"{c.TOPIC}:N", sort=order, axis=alt.Axis(labelOverlap=True)),
                    y=alt.Y(f"{c.DIFFERENCE}:Q"),
                    tooltip=[
                        *words(c.TOPIC),
                        *numbers(c.BETTER_VALUE, c.WORSE_VALUE, c.DIFFERENCE),
                    ],
                )
            )
        return alt.vconcat(*parts).resolve_scale(x="independent", y="independent")

    return Figure("Differences topic by topic", pl.concat(frames), draw)


@figure_of(Comparison, "p-values")
def p_values(comparison: Comparison) -> Figure:
    """Each measure's p-values, largest first: the lower the curve, the more pairs it tells apart."""
    alpha = float(comparison.settings["alpha"])

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        curve = alt.Chart(values(alt, frame), width=500, height=320).mark_line()
        order = comparison.measures
        lines = curve.encode(
            x=alt.X(f"{c.PLACE}:Q", title="pairs, by decreasing p"),
            y=alt.Y(f"{c.P}:Q", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color(f"{c.MEASURE}:N", sort=order, title=c.MEASURE),
            tooltip=[*words(c.MEASURE), *numbers(c.PLACE, c.P)],
        )
        rule = alt.Chart(alt.InlineData(values=[{c.P: alpha}])).mark_rule(strokeDash=[4, 4])
        return lines + rule.encode(y=f"{c.P}:Q")

    return Figure("Discriminative power", comparison.curves(), draw)
