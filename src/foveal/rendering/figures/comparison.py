"""Figures of runs compared."""

from __future__ import annotations

from typing import Any

from foveal.analysis import Comparison
from foveal.errors import UsageError
from foveal.late import pl
from foveal.rendering.comparison import budgets
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
    settings = comparison.settings
    alpha = float(settings["alpha"])

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

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        chart = alt.Chart(values(alt, frame), width=420, height=320)
        x = alt.X(
            f"{c.BUDGET}:Q",
            title="characters read",
            axis=alt.Axis(values=frame[c.BUDGET].unique().sort().to_list(), format=","),
            scale=alt.Scale(type="log", nice=False, padding=12),
        )
        colour = alt.Color(f"{c.RUN}:N", sort=order)
        lines = chart.mark_line(point=True).encode(
            x=x,
            y=alt.Y(f"{c.RECALL}:Q", title=c.RECALL, scale=alt.Scale(domain=[0, 1])),
            color=colour,
            tooltip=[*words(c.RUN), *numbers(c.BUDGET, c.RECALL, c.LOW, c.HIGH)],
        )
        ends = alt.Chart(values(alt, frame.drop_nulls(c.LOW))).mark_rule(opacity=0.4)
        low = alt.Y(f"{c.LOW}:Q", title=c.RECALL)
        return lines + ends.encode(x=x, y=low, y2=f"{c.HIGH}:Q", color=colour)

    return Figure("Recall over characters read", data, draw)
