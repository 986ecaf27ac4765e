"""Figures of the fidelity lab: the lattice of expected orderings, curves, responses to noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from foveal.errors import UsageError, counted, listed
from foveal.late import pl
from foveal.rendering import drawing
from foveal.rendering._numbers import rounded
from foveal.rendering.figures._figure import Figure, figure_of, line_of, source_of
from foveal.studies import (
    NOISES,
    PART_SETS,
    RANKINGS,
    ExpectedOrder,
    Fidelity,
    OrderingVerdict,
    covers,
)
from foveal.tables import columns as c

# Part sets are side by side, worse ones further out and lower; the rankings of each form a rhombus.
SET_STEP, RANKING_STEP = (6.0, 1.2), (2.0, 2.0)
# Pixels of a step across and down, half the height of a name, what an arrow leaves free, the longest name.
STEP, HALF, FREE, EDGE, LONGEST = (38.0, 34.0), 9.0, 2.0, 12.0, 140.0
LOOKS = {
    OrderingVerdict.KEPT: "line good",
    OrderingVerdict.VIOLATED: "line bad",
    OrderingVerdict.NOT_DISTINGUISHED: "line rest",
}

Place = tuple[float, float]
Ends = tuple[float, float, float, float]


@figure_of(Fidelity, "lattice")
def lattice(found: Fidelity) -> Figure:
    """The expected orderings, better runs above worse ones, drawn by verdict."""
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

    def draw() -> drawing.Picture:
        own = [data.filter(pl.col(c.MEASURE) == measure) for measure in found.shown]
        return drawing.beside(
            [_lattice(part, places) for part in own], across=1 if len(places) > 8 else 2
        )

    return Figure(_kept(found), data, draw, source_of(found.settings))


def _kept(found: Fidelity) -> str:
    """How many of the expected orderings the measures that are shown keep and violate."""
    told: list[str] = []
    for measure in found.shown:
        row = found.verdicts.filter(pl.col(c.MEASURE) == measure).row(0, named=True)
        kept, violated = row[OrderingVerdict.KEPT], row[OrderingVerdict.VIOLATED]
        told.append(
            f"{measure} keeps {kept} of {counted(row[c.PAIRS], 'expected ordering')} and violates"
            f" {violated or 'none'}"
            if not told
            else f"{measure} keeps {kept} and violates {violated or 'none'}"
        )
    return "; ".join(told)


def _lattice(own: pl.DataFrame, places: Mapping[str, Place]) -> drawing.Picture:
    """One measure's lattice: an arrow from each better run to the worse one."""
    left, top = min(x for x, _ in places.values()), max(y for _, y in places.values())
    names = {run: drawing.cut(run, LONGEST) for run in places}
    half = {run: drawing.width(name) / 2 + 6 for run, name in names.items()}
    edge = max(half.values())
    # Rankings of one level are two steps apart, however long their names are.
    step = max(STEP[0], edge + FREE)
    at = {
        run: (edge + step * (x - left), EDGE + STEP[1] * (top - y))
        for run, (x, y) in places.items()
    }
    marks = []
    for first, second, verdict in own.select(c.FIRST, c.SECOND, c.VERDICT).iter_rows():
        ends = _between(at[first], at[second], half[first], half[second])
        marks.append(drawing.arrow(*ends, f"{LOOKS[OrderingVerdict(verdict)]} arrow"))
    for run, (x, y) in at.items():
        marks.append(drawing.box(x - half[run], y - HALF, 2 * half[run], 2 * HALF, "node"))
        marks.append(drawing.text(x, y + 4, names[run], anchor="middle"))
    counts = dict(own[c.VERDICT].value_counts().iter_rows())
    signs = [
        (drawing.drawn, LOOKS[word], f"{word.value}: {counts.get(word.value, 0)}")
        for word in OrderingVerdict
    ]
    picture = drawing.Picture(
        max(x for x, _ in at.values()) + edge, max(y for _, y in at.values()) + EDGE, "".join(marks)
    )
    whole = drawing.stacked([drawing.key(signs, max(picture.width, 320)), picture], gap=8)
    return whole.headed(str(own[c.MEASURE][0]))


def _between(one: Place, other: Place, wide: float, wide_other: float) -> Ends:
    """The ends of an arrow that leaves one name and stops at the other."""
    x, y = other[0] - one[0], other[1] - one[1]
    long = max(float(np.hypot(x, y)), 1e-9)
    reach, stop = (
        min(half / abs(x) if x else np.inf, HALF / abs(y) if y else np.inf) + FREE / long
        for half in (wide, wide_other)
    )
    return one[0] + reach * x, one[1] + reach * y, other[0] - stop * x, other[1] - stop * y


@figure_of(Fidelity, "curves")
def curves(found: Fidelity) -> Figure:
    """Interpolated generalized precision of the part sets over generalized recall."""
    data = found.curves
    means = sorted(
        data.group_by(c.RUN, maintain_order=True).agg(pl.col(c.VALUE).mean()).iter_rows(),
        key=lambda row: -row[1],
    )
    told = [f"{run} {rounded(mean)}" for run, mean in means]

    def draw() -> drawing.Picture:
        parts = {str(run): own for (run,), own in data.group_by(c.RUN, maintain_order=True)}
        return drawing.lines(
            [line_of(run, parts[run], c.LEVEL, c.VALUE) for run, _ in means],
            partial(drawing.Linear, 0.0, 1.0),
            partial(drawing.Linear, 0.0, 1.0),
            x_title="generalized recall",
            y_title="interpolated generalized precision",
        )

    title = f"Precision of the part sets on average over the levels of recall: {listed(told)}"
    return Figure(title, data, draw, source_of(found.settings))


@figure_of(Fidelity, "responses")
def responses(found: Fidelity) -> Figure:
    """What each measure scores as noise grows, by kind of noise."""
    if not found.responses.height:
        raise UsageError("the figure shows noise, and none was tried: ask for it (--noise)")
    data = found.responses

    def draw() -> drawing.Picture:
        values = [0.0, *data[c.VALUE].drop_nulls().to_list()]
        parts = [
            drawing.lines(
                [
                    line_of(measure, part, c.STRENGTH, c.VALUE)
                    for measure in found.measures
                    for part in [own.filter(pl.col(c.MEASURE) == measure)]
                ],
                partial(drawing.Linear.around, own[c.STRENGTH].to_numpy()),
                lambda start, stop: drawing.Linear.around(values, start, stop, within=(0, 1)),
                x_title=NOISES[str(name)].unit,
                y_title="score",
                size=(300, 220),
            ).headed(NOISES[str(name)].title)
            for (name,), own in data.group_by(c.NOISE, maintain_order=True)
        ]  # fmt: skip
        return drawing.beside(parts)

    return Figure(_hurt(found), data, draw, source_of(found.settings))


def _hurt(found: Fidelity) -> str:
    """Which measures lose most and least under the noises that were tried."""
    losses = (
        found.sensitivities.drop_nulls(c.LOSS)
        .group_by(c.MEASURE, maintain_order=True)
        .agg(pl.col(c.LOSS).mean())
        .sort(c.LOSS, descending=True, maintain_order=True)
    )
    if losses.height < 2:
        return f"Scores of the perfect run by {listed(found.measures)} as noise grows"
    (most, loss), (least, lower) = losses.row(0), losses.row(-1)
    return (
        f"Noise costs the perfect run most by {most} ({rounded(loss)} on average) and least by"
        f" {least} ({rounded(lower)})"
    )


def _places(found: Fidelity) -> dict[str, Place]:
    """Where each run is drawn: its ranking's place inside its part set's."""
    split = [run.name.split(".") for run in found.runs]
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


def _levels(registry: Mapping[str, ExpectedOrder], names: Sequence[str]) -> dict[str, Place]:
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
