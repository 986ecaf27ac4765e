"""Figures of the fidelity lab: the lattice of expected orderings, curves, responses to noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from foveal.errors import UsageError, and_list, counted
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
# Pixels: a step across and down, half a name's height, the gap at an arrow's ends, margin, longest name.
STEP, HALF_HEIGHT, ARROW_GAP, EDGE, MAX_NAME = (38.0, 34.0), 9.0, 2.0, 12.0, 140.0
STYLES = {
    OrderingVerdict.KEPT: "line good",
    OrderingVerdict.VIOLATED: "line bad",
    OrderingVerdict.NOT_DISTINGUISHED: "line rest",
}

Position = tuple[float, float]
Arrow = tuple[float, float, float, float]


@figure_of(Fidelity, "lattice")
def lattice(fidelity: Fidelity) -> Figure:
    """The expected orderings, better runs above worse ones, drawn by verdict."""
    positions = _positions(fidelity)
    start, end = (
        pl.col(side).replace_strict(
            list(positions), [{c.X: x, c.Y: y} for x, y in positions.values()],
            return_dtype=pl.Struct({c.X: pl.Float64, c.Y: pl.Float64}),
        )
        for side in (c.FIRST, c.SECOND)
    )  # fmt: skip
    data = fidelity.orderings.filter(pl.col(c.MEASURE).is_in(fidelity.shown)).with_columns(
        start.struct.field(c.X),
        start.struct.field(c.Y),
        end.struct.field(c.X).alias(c.X2),
        end.struct.field(c.Y).alias(c.Y2),
    )

    def draw() -> drawing.Picture:
        orderings = [data.filter(pl.col(c.MEASURE) == measure) for measure in fidelity.shown]
        columns = 1 if len(positions) > 8 else 2
        return drawing.grid([_lattice(rows, positions) for rows in orderings], columns=columns)

    return Figure(_kept_title(fidelity), data, draw, source_of(fidelity.settings))


def _kept_title(fidelity: Fidelity) -> str:
    """Title: how many expected orderings each measure keeps and violates."""
    sentences: list[str] = []
    for measure in fidelity.shown:
        row = fidelity.verdicts.filter(pl.col(c.MEASURE) == measure).row(0, named=True)
        kept_count, violated_count = row[OrderingVerdict.KEPT], row[OrderingVerdict.VIOLATED]
        of_all = "" if sentences else f" of {counted(row[c.PAIRS], 'expected ordering')}"
        kept = f"{measure} keeps {kept_count}{of_all}"
        sentences.append(f"{kept} and violates {violated_count or 'none'}")
    return "; ".join(sentences)


def _lattice(orderings: pl.DataFrame, positions: Mapping[str, Position]) -> drawing.Picture:
    """One measure's lattice: an arrow from each better run to the worse one."""
    left, top = min(x for x, _ in positions.values()), max(y for _, y in positions.values())
    names = {run: drawing.cut(run, MAX_NAME) for run in positions}
    half_widths = {run: drawing.width(name) / 2 + 6 for run, name in names.items()}
    margin = max(half_widths.values())
    # Rankings of one level are two steps apart, however long their names are.
    step = max(STEP[0], margin + ARROW_GAP)
    centres = {
        run: (margin + step * (x - left), EDGE + STEP[1] * (top - y))
        for run, (x, y) in positions.items()
    }
    marks = []
    for first, second, verdict in orderings.select(c.FIRST, c.SECOND, c.VERDICT).iter_rows():
        ends = _between(centres[first], centres[second], half_widths[first], half_widths[second])
        marks.append(drawing.arrow(*ends, f"{STYLES[OrderingVerdict(verdict)]} arrow"))
    for run, (x, y) in centres.items():
        half = half_widths[run]
        marks.append(drawing.box(x - half, y - HALF_HEIGHT, 2 * half, 2 * HALF_HEIGHT, "node"))
        marks.append(drawing.text(x, y + 4, names[run], anchor="middle"))
    counts = dict(orderings[c.VERDICT].value_counts().iter_rows())
    key = [
        (drawing.line_symbol, style, f"{verdict.value}: {counts.get(verdict.value, 0)}")
        for verdict, style in STYLES.items()
    ]
    width = max(x for x, _ in centres.values()) + margin
    height = max(y for _, y in centres.values()) + EDGE
    picture = drawing.Picture(width, height, "".join(marks))
    panel = drawing.stacked([drawing.key(key, max(picture.width, 320)), picture], gap=8)
    return panel.headed(str(orderings[c.MEASURE][0]))


def _between(start: Position, end: Position, start_half: float, end_half: float) -> Arrow:
    """The ends of an arrow between two names, without their boxes."""
    x, y = end[0] - start[0], end[1] - start[1]
    length = max(float(np.hypot(x, y)), 1e-9)
    near, far = (
        min(half_width / abs(x) if x else np.inf, HALF_HEIGHT / abs(y) if y else np.inf)
        + ARROW_GAP / length
        for half_width in (start_half, end_half)
    )
    return (start[0] + near * x, start[1] + near * y, end[0] - far * x, end[1] - far * y)


@figure_of(Fidelity, "curves")
def curves(fidelity: Fidelity) -> Figure:
    """Interpolated generalized precision of the part sets over generalized recall."""
    data = fidelity.curves
    means = sorted(
        data.group_by(c.RUN, maintain_order=True).agg(pl.col(c.VALUE).mean()).iter_rows(),
        key=lambda row: -row[1],
    )
    averages = [f"{run} {rounded(mean)}" for run, mean in means]

    def draw() -> drawing.Picture:
        rows_by_run = {str(run): rows for (run,), rows in data.group_by(c.RUN, maintain_order=True)}
        return drawing.lines(
            [line_of(run, rows_by_run[run], c.LEVEL, c.VALUE) for run, _ in means],
            partial(drawing.Linear, 0.0, 1.0),
            partial(drawing.Linear, 0.0, 1.0),
            x_title="generalized recall",
            y_title="interpolated generalized precision",
        )

    title = f"Precision of the part sets on average over the levels of recall: {and_list(averages)}"
    return Figure(title, data, draw, source_of(fidelity.settings))


@figure_of(Fidelity, "responses")
def responses(fidelity: Fidelity) -> Figure:
    """What each measure scores as noise grows, by kind of noise."""
    if not fidelity.responses.height:
        raise UsageError("the figure shows noise, and none was tried: ask for it (--noise)")
    data = fidelity.responses

    def draw() -> drawing.Picture:
        values = [0.0, *data[c.VALUE].drop_nulls().to_list()]
        panels = [
            drawing.lines(
                [
                    line_of(measure, rows, c.STRENGTH, c.VALUE)
                    for measure in fidelity.measures
                    for rows in [noise_rows.filter(pl.col(c.MEASURE) == measure)]
                ],
                partial(drawing.Linear.around, noise_rows[c.STRENGTH].to_numpy()),
                lambda start, stop: drawing.Linear.around(values, start, stop, within=(0, 1)),
                x_title=NOISES[str(name)].unit,
                y_title="score",
                size=(300, 220),
            ).headed(NOISES[str(name)].title)
            for (name,), noise_rows in data.group_by(c.NOISE, maintain_order=True)
        ]  # fmt: skip
        return drawing.grid(panels)

    return Figure(_loss_title(fidelity), data, draw, source_of(fidelity.settings))


def _loss_title(fidelity: Fidelity) -> str:
    """Title: the measures that lose most and least under noise."""
    losses = (
        fidelity.sensitivities.drop_nulls(c.LOSS)
        .group_by(c.MEASURE, maintain_order=True)
        .agg(pl.col(c.LOSS).mean())
        .sort(c.LOSS, descending=True, maintain_order=True)
    )
    if losses.height < 2:
        return f"Scores of the perfect run by {and_list(fidelity.measures)} as noise grows"
    (worst, loss), (best, lowest_loss) = losses.row(0), losses.row(-1)
    return (
        f"Noise costs the perfect run most by {worst} ({rounded(loss)} on average) and least by"
        f" {best} ({rounded(lowest_loss)})"
    )


def _positions(fidelity: Fidelity) -> dict[str, Position]:
    """Position of each run: that of its ranking, relative to that of its part set."""
    name_parts = [run.name.split(".") for run in fidelity.runs]
    sets, rankings = (list(dict.fromkeys(names)) for names in zip(*name_parts, strict=True))
    inside, outside = _layered_positions(RANKINGS, rankings), _layered_positions(PART_SETS, sets)
    positions = {}
    for part_set, ranking in name_parts:
        (shift, level), (x, y) = outside[part_set], inside[ranking]
        positions[f"{part_set}.{ranking}"] = (
            SET_STEP[0] * (shift or 0.5) * level + RANKING_STEP[0] * x,
            -SET_STEP[1] * level - RANKING_STEP[1] * y,
        )
    return positions


def _layered_positions(
    registry: Mapping[str, ExpectedOrder], names: Sequence[str]
) -> dict[str, Position]:
    """Position of each run: those of one level side by side, below all runs that are better."""
    level_of = dict.fromkeys(names, 0)
    # Better runs come first in `names`, so that their level is known already.
    for better, worse in sorted(covers(registry, names), key=lambda pair: names.index(pair[1])):
        level_of[worse] = max(level_of[worse], level_of[better] + 1)
    positions = {}
    for level in set(level_of.values()):
        row = [name for name in names if level_of[name] == level]
        for index, name in enumerate(row):
            positions[name] = (index - (len(row) - 1) / 2, float(level))
    return positions
