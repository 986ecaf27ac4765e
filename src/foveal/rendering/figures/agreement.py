"""Figures of how alike measures rank."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from foveal.analysis import Agreement
from foveal.late import pl
from foveal.rendering.figures._figure import Figure, numbers, values, words
from foveal.rendering.figures._record import figure_of
from foveal.tables import columns as c

SIDE_BY_SIDE = 3


@figure_of(Agreement, "scatter")
def scatter(agreement: Agreement) -> Figure:
    """Every run by its mean under two measures; runs ranked alike lie on a rising line."""
    means = agreement.means.rename({c.MEAN: c.FIRST_MEAN, c.RANK: c.FIRST_RANK})
    others = agreement.means.rename({c.MEAN: c.SECOND_MEAN, c.RANK: c.SECOND_RANK})
    frames = [
        means.filter(pl.col(c.MEASURE) == first)
        .rename({c.MEASURE: c.FIRST})
        .join(
            others.filter(pl.col(c.MEASURE) == second).rename({c.MEASURE: c.SECOND}),
            on=c.RUN,
            maintain_order="left",
        )
        for first, second in combinations(agreement.measures, 2)
    ]
    data = pl.concat(frames).select(
        c.FIRST,
        c.SECOND,
        c.RUN,
        c.FIRST_MEAN,
        c.SECOND_MEAN,
        c.FIRST_RANK,
        c.SECOND_RANK,
    )

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = []
        for first, second in combinations(agreement.measures, 2):
            own = frame.filter((pl.col(c.FIRST) == first) & (pl.col(c.SECOND) == second))
            chart = alt.Chart(values(alt, own), width=300, height=300).encode(
                x=alt.X(f"{c.FIRST_MEAN}:Q", title=first, scale=alt.Scale(zero=False)),
                y=alt.Y(f"{c.SECOND_MEAN}:Q", title=second, scale=alt.Scale(zero=False)),
                tooltip=[*words(c.RUN), *numbers(c.FIRST_RANK, c.SECOND_RANK)],
            )
            names = chart.mark_text(align="left", dx=6, fontSize=9).encode(text=f"{c.RUN}:N")
            parts.append(chart.mark_point(filled=True, size=50) + names)
        return alt.concat(*parts, columns=SIDE_BY_SIDE).resolve_scale(
            x="independent", y="independent"
        )

    return Figure("Runs by two measures", data, draw)
