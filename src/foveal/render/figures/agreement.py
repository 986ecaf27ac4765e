"""Figures of how alike measures rank."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import polars as pl

from foveal.analysis import Agreement
from foveal.render.figures._figure import Figure, values
from foveal.tables import columns

SIDE_BY_SIDE = 3


def scatter(agreement: Agreement) -> Figure:
    """Every run by its mean under two measures; runs ranked alike lie on a rising line."""
    means = agreement.means.rename({"mean": "first_mean", "rank": "first_rank"})
    others = agreement.means.rename({"mean": "second_mean", "rank": "second_rank"})
    frames = [
        means.filter(pl.col(columns.MEASURE) == first)
        .rename({columns.MEASURE: "first"})
        .join(
            others.filter(pl.col(columns.MEASURE) == second).rename({columns.MEASURE: "second"}),
            on=columns.RUN,
            maintain_order="left",
        )
        for first, second in combinations(agreement.measures, 2)
    ]
    data = pl.concat(frames).select(
        "first", "second", columns.RUN, "first_mean", "second_mean", "first_rank", "second_rank"
    )

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = []
        for first, second in combinations(agreement.measures, 2):
            own = frame.filter((pl.col("first") == first) & (pl.col("second") == second))
            chart = alt.Chart(values(alt, own), width=300, height=300).encode(
                x=alt.X("first_mean:Q", title=first, scale=alt.Scale(zero=False)),
                y=alt.Y("second_mean:Q", title=second, scale=alt.Scale(zero=False)),
                tooltip=["run:N", "first_rank:Q", "second_rank:Q"],
            )
            names = chart.mark_text(align="left", dx=6, fontSize=9).encode(text="run:N")
            parts.append(chart.mark_point(filled=True, size=50) + names)
        return alt.concat(*parts, columns=SIDE_BY_SIDE).resolve_scale(
            x="independent", y="independent"
        )

    return Figure("scatter", "Runs by two measures", data, draw)
