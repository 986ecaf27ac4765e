"""Figures of scores: precision over recall."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import partial
from typing import Any

import polars as pl

from foveal.errors import UsageError
from foveal.measures import curve_measures, parse
from foveal.rendering.figures._figure import Figure, numbers, values, words
from foveal.rendering.figures._record import figure_of
from foveal.tables import Scores
from foveal.tables import columns as c

# iP[0.10], igP(S=bep)[0.10], IPrec@0.1: the level follows the name.
_SUFFIX = re.compile(r"(\[[^]]*\]|@[^@]*)$")


@figure_of(Scores, "curves-101", measures=partial(curve_measures, points=101))
@figure_of(Scores, "curves-11", measures=partial(curve_measures, points=11))
@figure_of(Scores, "curves", offered=False)
def curves(scores: Scores) -> Figure:
    """Interpolated precision of every run at the levels of recall that were scored."""
    levels = {
        measure: (_SUFFIX.sub("", measure), float(level))
        for measure in scores.measures
        if isinstance(level := dict(parse(measure).arguments).get("x"), Fraction)
    }
    names = list(dict.fromkeys(name for name, _ in levels.values()))
    if not levels:
        raise UsageError("a curve needs measures at recall levels: score iP[x], igP[x] or IPrec@x")
    data = (
        scores.overall.unpivot(
            on=list(levels),
            index=c.RUN,
            variable_name=c.MEASURE,
            value_name=c.PRECISION,
        )
        .with_columns(
            pl.col(c.MEASURE)
            .replace_strict({name: level for name, (_, level) in levels.items()})
            .alias(c.RECALL),
            pl.col(c.MEASURE).replace_strict({name: own for name, (own, _) in levels.items()}),
        )
        .select(c.RUN, c.MEASURE, c.RECALL, c.PRECISION)
    )

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = [
            alt.Chart(
                values(alt, frame.filter(pl.col(c.MEASURE) == name)),
                title=name, width=420, height=320,
            )
            .mark_line(point=len(levels) <= 11 * len(names))
            .encode(
                x=alt.X(f"{c.RECALL}:Q", scale=alt.Scale(domain=[0, 1])),
                y=alt.Y(f"{c.PRECISION}:Q", scale=alt.Scale(domain=[0, 1])),
                color=alt.Color(f"{c.RUN}:N", sort=scores.runs),
                tooltip=[*words(c.RUN), *numbers(c.RECALL, c.PRECISION)],
            )
            for name in names
        ]  # fmt: skip
        return alt.hconcat(*parts)

    return Figure("Interpolated precision over recall", data, draw)
