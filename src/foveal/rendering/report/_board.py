"""The leaderboard of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foveal.late import pl
from foveal.measures import record_of
from foveal.rendering._numbers import percent, rounded, shortest
from foveal.rendering.drawing import LIGHT, Linear, Picture, dot, rule
from foveal.rendering.report._tiers import NO_TIERS, Tiers, tiers
from foveal.rendering.report.contents import Board, BoardRow, Cell
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.rendering.report._report import Report

# Runs ticked at the start: as many as have colours of their own.
TICKED = len(LIGHT.series)
BAR = (120.0, 12.0)


def board(report: Report) -> Board:
    """The runs, best first, with every mean; intervals and letters where runs were compared."""
    scores, measure = report.scores, report.measure
    names = (measure, *(name for name in scores.columns if name != measure))
    bars, told = _intervals(report)
    alike = _tiers(report)
    judged = dict(zip(scores.runs, report.judged, strict=True))
    whole = {name for name in scores.measures if record_of(name).whole_number}
    rows = [
        BoardRow(
            rank=rank,
            run=run,
            cells=tuple(_cell(scores[run, name], whole=name in whole) for name in names),
            bar=bars.get(run, ""),
            tier=alike.shown.get(run, ""),
            ticked=place < TICKED,
            judged=Cell(percent(judged[run]), repr(judged[run])),
        )
        for place, (run, rank) in enumerate(report.ranks.items())
    ]
    return Board(
        measures=tuple(map(report.called, names)),
        rows=tuple(rows),
        interval=told,
        tier_head=alike.head,
        tiers=alike.meaning,
    )


def _cell(value: float, *, whole: bool) -> Cell:
    if np.isnan(value):
        return Cell("", "")
    return Cell(rounded(value, whole=whole), repr(float(value)))


def _intervals(report: Report) -> tuple[dict[str, str], str]:
    """The interval of each run's mean, drawn to one scale; and what that scale is."""
    if report.comparison is None:
        return {}, ""
    own = report.comparison.means.filter(pl.col(c.MEASURE) == report.measure).drop_nulls(c.LOW)
    if not own.height:
        return {}, ""
    wide, high = BAR
    ends = [*own[c.LOW].to_list(), *own[c.HIGH].to_list()]
    scale = Linear.around(ends, 4, wide - 4)
    drawn = {}
    for run, middle, low, top in own.select(c.RUN, c.MEAN, c.LOW, c.HIGH).iter_rows():
        at, left, right = scale.at([middle, low, top]).tolist()
        marks = rule(left, high / 2, right, high / 2, "line s0") + dot(at, high / 2, 3.5, "f0")
        drawn[run] = Picture(wide, high, marks).small(f"{rounded(low)} to {rounded(top)}")
    kind = report.comparison.settings["interval of means"]
    told = (
        f"Bars: intervals of the mean {report.called(report.measure)} ({kind}), from {shortest(scale.low)} on the"
        f" left to {shortest(scale.high)} on the right."
    )
    return drawn, told


def _tiers(report: Report) -> Tiers:
    if report.comparison is None:
        return NO_TIERS
    own = report.comparison.pairs.filter(
        (pl.col(c.MEASURE) == report.measure) & pl.col(c.SIGNIFICANT)
    )
    return tiers(report.ranks, own.select(c.BETTER, c.WORSE).iter_rows())
