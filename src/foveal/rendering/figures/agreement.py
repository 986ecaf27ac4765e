"""The figure of how similarly two measures rank runs."""

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
# Up to NAMED_RUNS runs all have names; of more, the NAMED_MOVERS that move furthest.
NAMED_RUNS, NAMED_MOVERS, MAX_NAME = 12, 8, 120.0


@figure_of(Agreement, "scatter")
def scatter(agreement: Agreement) -> Figure:
    """Every run by its mean under two measures; runs of the same rank lie on the line."""
    means = agreement.means.rename({c.MEAN: c.FIRST_MEAN, c.RANK: c.FIRST_RANK})
    second_means = agreement.means.rename({c.MEAN: c.SECOND_MEAN, c.RANK: c.SECOND_RANK})
    frames = [
        means.filter(pl.col(c.MEASURE) == first)
        .rename({c.MEASURE: c.FIRST})
        .join(
            second_means.filter(pl.col(c.MEASURE) == second).rename({c.MEASURE: c.SECOND}),
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
        panels = [_panel(frame, taus[frame.row(0)[0], frame.row(0)[1]]) for frame in frames]
        key = [(drawing.line_symbol, "mark", "the same rank by both measures")]
        return drawing.stacked([drawing.key(key, panels[0].width), drawing.grid(panels)], gap=8)

    title = _alike(agreement, taus)
    return Figure(title, pl.concat(frames), draw, source_of(agreement.settings))


def _alike(agreement: Agreement, taus: dict[tuple[str, str], float | None]) -> str:
    """Title: how alike two measures rank, or of several the most and the least similar pair."""
    runs = counted(agreement.means[c.RUN].n_unique(), "run")
    pairs = sorted(
        ((tau, pair) for pair, tau in taus.items() if tau is not None), key=lambda item: -item[0]
    )
    if not pairs:
        return (
            f"How alike {' and '.join(agreement.measures)} rank {runs} is undefined: all are tied"
        )
    (highest, (most_first, most_second)), (lowest, (first, second)) = pairs[0], pairs[-1]
    undefined_count = len(taus) - len(pairs)
    high_tau, low_tau = hundredths(highest), hundredths(lowest)
    if len(taus) > 1 and high_tau == low_tau:
        sentence = f"τ is {high_tau} over {runs} for {counted(len(pairs), 'pair')} of measures"
        return f"{sentence}, undefined for {undefined_count}" if undefined_count else sentence
    if len(taus) > 1:
        return (
            f"{most_first} and {most_second} rank {runs} most alike (τ = {high_tau}), {first} and"
            f" {second} least (τ = {low_tau})"
        )
    title = f"{most_first} and {most_second} rank {runs} with τ = {high_tau}"
    if not agreement.upsets.height:
        return f"{title}: no run changes places"
    moves = agreement.upsets.select(c.RUN, c.FIRST_RANK, c.SECOND_RANK)
    run, first_rank, second_rank = moves.row(0)
    distances = (moves[c.FIRST_RANK] - moves[c.SECOND_RANK]).abs()
    name = in_title(run)
    is_only_one = (distances == distances[0]).sum() == 1
    clause = f"{name} moves furthest" if is_only_one else f"none moves further than {name}"
    return f"{title}; {clause}, from {ordinal(first_rank)} to {ordinal(second_rank)}"


def _panel(runs: pl.DataFrame, tau: float | None) -> drawing.Picture:
    first, second = runs.row(0)[:2]
    across, up = (runs[name].to_numpy().astype(float) for name in (c.FIRST_MEAN, c.SECOND_MEAN))
    panel = drawing.Panel(
        drawing.Linear.around(across, LEFT, LEFT + SIDE, within=_bounds(across)),
        drawing.Linear.around(up, TOP + SIDE, TOP, within=_bounds(up)),
    )
    marks = panel.axes(f"mean {first}", f"mean {second}")
    xs, ys = panel.x.pixels(across), panel.y.pixels(up)
    ranks = [runs[name].to_numpy() for name in (c.FIRST_RANK, c.SECOND_RANK)]
    # x: the run of each rank by the first measure; y: the run of that rank by the second.
    marks.append(drawing.polyline(xs[np.argsort(ranks[0])], ys[np.argsort(ranks[1])], "mark"))
    named_rows = np.argsort(-np.abs(ranks[0] - ranks[1]), kind="stable")
    named_rows = named_rows if len(runs) <= NAMED_RUNS else named_rows[:NAMED_MOVERS]
    for row, (run, x, y) in enumerate(zip(runs[c.RUN], xs, ys, strict=True)):
        style = "f0" if row in named_rows else "frest"
        places = f"{ordinal(ranks[0][row])} by {first}, {ordinal(ranks[1][row])} by {second}"
        marks.append(drawing.dot(x, y, 3.5, style, f"{run}: {places}"))
    marks += _names(panel, xs, ys, runs[c.RUN].to_list(), named_rows)
    head = f"{first} and {second}: τ {'is undefined' if tau is None else '= ' + hundredths(tau)}"
    titles_end = max(panel.right_edge(f"mean {first}"), LEFT + drawing.width(f"mean {second}"))
    width, height = max(LEFT + SIDE + RIGHT, titles_end), TOP + SIDE + panel.bottom_height("mean")
    return drawing.Picture(width, height, "".join(marks)).headed(head)


def _bounds(values: Floats) -> tuple[float, float]:
    """The bounds of an axis: 0 and 1 for scores between these."""
    inside = values.min() >= 0 and values.max() <= 1
    return (0.0, 1.0) if inside else (-np.inf, np.inf)


def _names(panel: drawing.Panel, xs: Floats, ys: Floats, runs: list[str], rows: Ints) -> list[str]:
    """The names of the dots in some rows, with a line to each dot that is not near."""
    indices = rows.tolist()
    names = [drawing.cut(runs[index], MAX_NAME) for index in indices]
    dots = [(float(xs[index]), float(ys[index])) for index in indices]
    other_dots = [(float(xs[n]), float(ys[n])) for n in range(len(runs)) if n not in set(indices)]
    bounds = (panel.x.start - 8, panel.y.stop - 8, panel.x.stop + RIGHT, panel.y.start)
    marks = []
    for (x, y), name, (left, base) in zip(
        dots, names, drawing.label_positions(dots, names, other_dots, bounds), strict=True
    ):
        nearest = (min(max(x, left), left + drawing.width(name)), min(max(y, base - 9), base + 2))
        if np.hypot(nearest[0] - x, nearest[1] - y) > 10:
            marks.append(drawing.rule(x, y, *nearest, "leader"))
        marks.append(drawing.text(left, base, name, "halo"))
    return marks
