"""Figures of how alike measures rank."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from foveal.analysis import Agreement
from foveal.errors import counted
from foveal.late import pl
from foveal.rendering import drawing
from foveal.rendering._numbers import hundredths
from foveal.rendering.figures._figure import Figure, figure_of, in_title, source_of
from foveal.rendering.results.agreement import ordinal
from foveal.spans import Floats, Ints
from foveal.tables import columns as c

SIDE, LEFT, TOP, RIGHT = 300.0, 48.0, 24.0, 24.0
# All runs are named up to so many; of more, those that move furthest.
NAMED, FURTHEST, WIDEST_NAME = 12, 8, 120.0


@figure_of(Agreement, "scatter")
def scatter(agreement: Agreement) -> Figure:
    """Every run by its mean under two measures; runs of the same rank lie on the line."""
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
        .select(
            *(c.FIRST, c.SECOND, c.RUN), *(c.FIRST_MEAN, c.SECOND_MEAN, c.FIRST_RANK, c.SECOND_RANK)
        )
        for first, second in combinations(agreement.measures, 2)
    ]
    taus = {
        (first, second): tau
        for first, second, tau in agreement.pairs.select(c.FIRST, c.SECOND, c.TAU).iter_rows()
    }

    def draw() -> drawing.Picture:
        parts = [_scattered(own, taus[own.row(0)[0], own.row(0)[1]]) for own in frames]
        words = [(drawing.drawn, "mark", "the same rank by both measures")]
        return drawing.stacked([drawing.key(words, parts[0].width), drawing.beside(parts)], gap=8)

    title = _alike(agreement, taus)
    return Figure(title, pl.concat(frames), draw, source_of(agreement.settings))


def _alike(agreement: Agreement, taus: dict[tuple[str, str], float | None]) -> str:
    """How alike the measures rank: the only two, or the two most and the two least alike."""
    runs = counted(agreement.means[c.RUN].n_unique(), "run")
    known = sorted(
        ((tau, pair) for pair, tau in taus.items() if tau is not None), key=lambda item: -item[0]
    )
    if not known:
        return (
            f"How alike {' and '.join(agreement.measures)} rank {runs} is undefined: all are tied"
        )
    (most, (one, other)), (least, (first, second)) = known[0], known[-1]
    lost = len(taus) - len(known)
    if len(taus) > 1 and hundredths(most) == hundredths(least):
        told = f"τ is {hundredths(most)} over {runs} for {counted(len(known), 'pair')} of measures"
        return f"{told}, undefined for {lost}" if lost else told
    if len(taus) > 1:
        return (
            f"{one} and {other} rank {runs} most alike (τ = {hundredths(most)}), {first} and"
            f" {second} least (τ = {hundredths(least)})"
        )
    title = f"{one} and {other} rank {runs} with τ = {hundredths(most)}"
    if not agreement.upsets.height:
        return f"{title}: no run changes places"
    moves = agreement.upsets.select(c.RUN, c.FIRST_RANK, c.SECOND_RANK)
    run, here, there = moves.row(0)
    far = (moves[c.FIRST_RANK] - moves[c.SECOND_RANK]).abs()
    name = in_title(run)
    word = (
        f"{name} moves furthest"
        if (far == far[0]).sum() == 1
        else f"none moves further than {name}"
    )
    return f"{title}; {word}, from {ordinal(here)} to {ordinal(there)}"


def _scattered(own: pl.DataFrame, tau: float | None) -> drawing.Picture:
    first, second = own.row(0)[:2]
    across, up = (own[name].to_numpy().astype(float) for name in (c.FIRST_MEAN, c.SECOND_MEAN))
    panel = drawing.Panel(
        drawing.Linear.around(across, LEFT, LEFT + SIDE, within=_bounds(across)),
        drawing.Linear.around(up, TOP + SIDE, TOP, within=_bounds(up)),
    )
    marks = panel.axes(f"mean {first}", f"mean {second}")
    xs, ys = panel.x.at(across), panel.y.at(up)
    ranks = [own[name].to_numpy() for name in (c.FIRST_RANK, c.SECOND_RANK)]
    # Where the run of each rank by one measure meets the run of that rank by the other.
    marks.append(drawing.polyline(xs[np.argsort(ranks[0])], ys[np.argsort(ranks[1])], "mark"))
    named = np.argsort(-np.abs(ranks[0] - ranks[1]), kind="stable")
    named = named if len(own) <= NAMED else named[:FURTHEST]
    for place, (run, x, y) in enumerate(zip(own[c.RUN], xs, ys, strict=True)):
        style = "f0" if place in named else "frest"
        marks.append(
            drawing.dot(
                x,
                y,
                3.5,
                style,
                f"{run}: {ordinal(ranks[0][place])} by {first}, {ordinal(ranks[1][place])} by {second}",
            )
        )
    marks += _named(panel, xs, ys, own[c.RUN].to_list(), named)
    head = f"{first} and {second}: τ {'is undefined' if tau is None else '= ' + hundredths(tau)}"
    return drawing.Picture(
        max(
            LEFT + SIDE + RIGHT,
            panel.reach(f"mean {first}"),
            LEFT + drawing.width(f"mean {second}"),
        ),
        TOP + SIDE + panel.foot("mean"),
        "".join(marks),
    ).headed(head)


def _bounds(values: Floats) -> tuple[float, float]:
    """Scores between 0 and 1 have an axis between them."""
    inside = values.min() >= 0 and values.max() <= 1
    return (0.0, 1.0) if inside else (-np.inf, np.inf)


def _named(panel: drawing.Panel, xs: Floats, ys: Floats, runs: list[str], named: Ints) -> list[str]:
    """The names of some dots, with a line to those that are further away."""
    places = named.tolist()
    names = [drawing.cut(runs[place], WIDEST_NAME) for place in places]
    dots = [(float(xs[place]), float(ys[place])) for place in places]
    rest = [(float(xs[n]), float(ys[n])) for n in range(len(runs)) if n not in set(places)]
    bounds = (panel.x.start - 8, panel.y.stop - 8, panel.x.stop + RIGHT, panel.y.start)
    marks = []
    for (x, y), name, (left, base) in zip(
        dots, names, drawing.placed(dots, names, rest, bounds), strict=True
    ):
        near = min(max(x, left), left + drawing.width(name)), min(max(y, base - 9), base + 2)
        if np.hypot(near[0] - x, near[1] - y) > 10:
            marks.append(drawing.rule(x, y, *near, "leader"))
        marks.append(drawing.text(left, base, name, "halo"))
    return marks
