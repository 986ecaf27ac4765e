"""Figures of how alike measures rank."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import polars as pl

from foveal.analysis import Agreement
from foveal.rendering.figures._figure import Figure, values
from foveal.rendering.figures._record import figure_of
from foveal.tables import columns

SIDE_BY_SIDE = 3


@figure_of(Agreement, "scatter")
def scatter(agreement: Agreement) -> Figure:
    """Every run by its mean under two measures; runs ranked alike lie on a rising line."""
    means = agreement.means.rename(
        {columns.MEAN: columns.FIRST_MEAN, columns.RANK: columns.FIRST_RANK}
    )
    others = agreement.means.rename(
        {columns.MEAN: columns.SECOND_MEAN, columns.RANK: columns.SECOND_RANK}
    )
    frames = [
        means.filter(pl.col(columns.MEASURE) == first)
        .rename({columns.MEASURE: columns.FIRST})
        .join(
            others.filter(pl.col(columns.MEASURE) == second).rename(
                {columns.MEASURE: columns.SECOND}
            ),
            on=columns.RUN,
            maintain_order="left",
        )
        for first, second in combinations(agreement.measures, 2)
    ]
    data = pl.concat(frames).select(
        columns.FIRST,
        columns.SECOND,
        columns.RUN,
        columns.FIRST_MEAN,
        columns.SECOND_MEAN,
        columns.FIRST_RANK,
        columns.SECOND_RANK,
    )

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = []
        for first, second in combinations(agreement.measures, 2):
            own = frame.filter(
                (pl.col(columns.FIRST) == first) & (pl.col(columns.SECOND) == second)
            )
            chart = alt.Chart(values(alt, own), width=300, height=300).encode(
                x=alt.X(f"{columns.FIRST_MEAN}:Q", title=first, scale=alt.Scale(zero=False)),
                y=alt.Y(f"{columns.SECOND_MEAN}:Q", title=second, scale=alt.Scale(zero=False)),
                tooltip=[f"{columns.RUN}:N", f"{columns.FIRST_RANK}:Q", f"{columns.SECOND_RANK}:Q"],
            )
            names = chart.mark_text(align="left", dx=6, fontSize=9).encode(text=f"{columns.RUN}:N")
            parts.append(chart.mark_point(filled=True, size=50) + names)
        return alt.concat(*parts, columns=SIDE_BY_SIDE).resolve_scale(
            x="independent", y="independent"
        )

    return Figure("Runs by two measures", data, draw)
