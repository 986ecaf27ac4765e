"""Figures of the fidelity lab: the lattice of expected orderings, curves, responses to noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from foveal.errors import UsageError
from foveal.rendering.figures._figure import Figure, numbers, values, words
from foveal.rendering.figures._record import figure_of
from foveal.studies import NOISES, PART_SETS, RANKINGS, Expected, Fidelity, Verdict, covers
from foveal.tables import columns as c

SIDE_BY_SIDE = 2
# Part sets are side by side, worse ones further out and lower; the rankings of each form a rhombus.
SET_STEP, RANKING_STEP = (6.0, 1.2), (2.0, 2.0)
COLOURS = {
    Verdict.KEPT: "#2a5d8f",
    Verdict.VIOLATED: "#d1495b",
    Verdict.NOT_DISTINGUISHED: "#b4bbc4",
}
DASHES = {Verdict.KEPT: [1, 0], Verdict.VIOLATED: [6, 3], Verdict.NOT_DISTINGUISHED: [1, 0]}

Place = tuple[float, float]


@figure_of(Fidelity, "lattice")
def lattice(found: Fidelity) -> Figure:
    """The expected orderings, better runs above worse ones, coloured by verdict."""
    places = _places(found)
    start, end = (
        pl.col(side).replace_strict(
            list(places), [{c.X: x, c.Y: y} for x, y in places.values()],
            return_dtype=pl.Struct({c.X: pl.Float64, c.Y: pl.Float64}),
        )
        for side in (c.FIRST, c.SECOND)
    )  # fmt: skip
    data = found.orderings.filter(pl.col(c.MEASURE).is_in(found.shown)).with_columns(
        start.struct.field(c.X),
        start.struct.field(c.Y),
        end.struct.field(c.X).alias(c.X2),
        end.struct.field(c.Y).alias(c.Y2),
    )
    nodes = [{c.RUN: run, c.X: x, c.Y: y} for run, (x, y) in places.items()]

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        x, y = alt.X(f"{c.X}:Q", axis=None), alt.Y(f"{c.Y}:Q", axis=None)
        points = alt.Chart(alt.InlineData(values=nodes)).encode(x=x, y=y)
        marks = points.mark_circle(size=900, color="white", opacity=1)
        names = points.mark_text(fontSize=9).encode(text=f"{c.RUN}:N")
        parts = [
            alt.Chart(
                values(alt, frame.filter(pl.col(c.MEASURE) == measure)),
                title=measure, width=620, height=360,
            )
            .mark_rule(strokeWidth=2)
            .encode(
                x=x, y=y, x2=f"{c.X2}:Q", y2=f"{c.Y2}:Q",
                color=_scale(alt.Color, alt, COLOURS),
                strokeDash=_scale(alt.StrokeDash, alt, DASHES),
                tooltip=[*words(c.FIRST, c.SECOND, c.VERDICT), *numbers(c.DIFFERENCE, c.BETTER, c.EQUAL, c.WORSE, c.P)],
            )
            + marks + names
            for measure in found.shown
        ]  # fmt: skip
        return alt.concat(*parts, columns=SIDE_BY_SIDE).configure_view(stroke=None)

    return Figure("Expected orderings of the simulated runs", data, draw)


@figure_of(Fidelity, "curves")
def curves(found: Fidelity) -> Figure:
    """Interpolated generalized precision of the part sets over generalized recall."""

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        return (
            alt.Chart(values(alt, frame), width=420, height=320)
            .mark_line(point=True)
            .encode(
                x=alt.X(f"{c.LEVEL}:Q", title="generalized recall"),
                y=alt.Y(
                    f"{c.VALUE}:Q", title="generalized precision", scale=alt.Scale(domain=[0, 1])
                ),
                color=alt.Color(f"{c.RUN}:N", sort=_runs(found)),
                tooltip=[*words(c.RUN), *numbers(c.LEVEL, c.VALUE)],
            )
        )

    return Figure("Part sets in the best ranking", found.curves, draw)


@figure_of(Fidelity, "responses")
def responses(found: Fidelity) -> Figure:
    """What each measure scores as noise grows, by kind of noise."""
    if not found.responses.height:
        raise UsageError("the figure shows noise, and none was tried: ask for it (--noise)")

    def draw(alt: Any, frame: pl.DataFrame) -> Any:
        parts = [
            alt.Chart(values(alt, own), title=NOISES[str(name)].title, width=320, height=240)
            .mark_line(point=True)
            .encode(
                x=alt.X(f"{c.STRENGTH}:Q", title=NOISES[str(name)].unit),
                y=alt.Y(f"{c.VALUE}:Q", title="score"),
                color=alt.Color(f"{c.MEASURE}:N", sort=found.measures),
                tooltip=[*words(c.MEASURE), *numbers(c.STRENGTH, c.VALUE, c.SPREAD)],
            )
            for (name,), own in frame.group_by(c.NOISE, maintain_order=True)
        ]
        return alt.concat(*parts, columns=SIDE_BY_SIDE).resolve_scale(x="independent")

    return Figure("Scores of the perfect run under noise", found.responses, draw)


def _scale(channel: Any, alt: Any, wanted: Mapping[Verdict, Any]) -> Any:
    """One look per verdict, the same in every figure."""
    scale = alt.Scale(domain=[word.value for word in wanted], range=list(wanted.values()))
    return channel(f"{c.VERDICT}:N", title="ordering", scale=scale)


def _runs(found: Fidelity) -> list[str]:
    return [run.name for run in found.runs]


def _places(found: Fidelity) -> dict[str, Place]:
    """Where each run is drawn: its ranking's place inside its part set's."""
    split = [name.split(".") for name in _runs(found)]
    sets, rankings = (list(dict.fromkeys(names)) for names in zip(*split, strict=True))
    inside, outside = _levels(RANKINGS, rankings), _levels(PART_SETS, sets)
    places = {}
    for part_set, ranking in split:
        (aside, level), (x, y) = outside[part_set], inside[ranking]
        places[f"{part_set}.{ranking}"] = (
            SET_STEP[0] * (aside or 0.5) * level + RANKING_STEP[0] * x,
            -SET_STEP[1] * level - RANKING_STEP[1] * y,
        )
    return places


def _levels(registry: Mapping[str, Expected], names: Sequence[str]) -> dict[str, Place]:
    """Where each name is drawn: those of one level side by side, below all that are better."""
    depth = dict.fromkeys(names, 0)
    # What is better is registered first, so its own level is already known.
    for better, worse in sorted(covers(registry, names), key=lambda pair: names.index(pair[1])):
        depth[worse] = max(depth[worse], depth[better] + 1)
    places = {}
    for level in set(depth.values()):
        row = [name for name in names if depth[name] == level]
        for place, name in enumerate(row):
            places[name] = (place - (len(row) - 1) / 2, float(level))
    return places
