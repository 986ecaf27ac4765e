"""The figures that only a report has: whole curves of every run; and what is seen in them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from foveal.errors import listed
from foveal.late import pl
from foveal.rendering import hundredths
from foveal.rendering.drawing import Line, Linear, Log, Picture, lines
from foveal.rendering.figures import Figure, figure
from foveal.spans import Floats
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.reports.report.report import Report

Curves = list[tuple[str, Floats]]


def curve_figure(report: Report) -> Figure:
    """Interpolated precision over recall, one line a run."""
    assert report.curves is not None  # noqa: S101  # the section is left out otherwise
    curves = report.curves
    levels, known = report.levels, in_order(report, curves)
    data = pl.DataFrame({c.RECALL: levels, **dict(known)})

    def draw() -> Picture:
        return lines(
            [Line(run, levels, own) for run, own in known],
            partial(Linear, 0.0, 1.0),
            lambda start, stop: Linear.around([0.0, *curves.ravel()], start, stop, within=(0, 1)),
            x_title="recall",
            y_title="interpolated precision",
            size=(640, 360),
        )

    return Figure(_precise(known), data, draw)


def reading_figure(report: Report, readings: Floats) -> Figure:
    """Recall over characters read, one line a run."""
    budgets, known = report.budgets, in_order(report, readings)
    data = pl.DataFrame({c.BUDGET: budgets, **dict(known)})

    def draw() -> Picture:
        return lines(
            [Line(run, budgets, own, dots=True) for run, own in known],
            lambda start, stop: Log(budgets[0], budgets[-1], start, stop, budgets),
            lambda start, stop: Linear.around([0.0, *readings.ravel()], start, stop, within=(0, 1)),
            x_title="characters read",
            y_title="recall",
            size=(640, 320),
        )

    return Figure(_found(known, budgets), data, draw)


def topics_figure(report: Report) -> Figure:
    """Every run on every topic."""
    return figure(report.scores.only([report.measure]), "topics")


def in_order(report: Report, values: Floats) -> Curves:
    """Values of runs, best run first."""
    places = {run: place for place, run in enumerate(report.scores.runs)}
    return [(run, values[places[run]]) for run in report.ranking]


def _precise(known: Curves) -> str:
    """Which run is the most precise, and where."""
    values = np.stack([own for _, own in known])
    # Levels that no run reaches tell nothing.
    reached = values[:, values.max(axis=0) > 0]
    levels = reached.shape[1]
    if not levels:
        return "No run finds anything relevant"
    if len(known) == 1:
        (run, own) = known[0]
        first, last = hundredths(own[0]), hundredths(own[-1])
        if first == last:
            return f"Precision of {run} is {first} at every level of recall"
        return f"Precision of {run} falls from {first} to {last}"
    ahead = (reached == reached.max(axis=0)).sum(axis=1)
    where = "recall" if levels == values.shape[1] else "recall that runs reach"
    if np.count_nonzero(ahead == levels) > 1:
        return f"{_named(known, ahead == levels)} are the most precise at every level of {where}"
    first, second = np.argsort(-ahead, kind="stable")[:2]
    if ahead[first] == levels:
        return f"{known[first][0]} is the most precise at every level of {where}"
    return (
        f"{known[first][0]} is the most precise at {ahead[first]:,} of {levels:,} levels of {where},"
        f" {known[second][0]} at {ahead[second]:,}"
    )


def _found(known: Curves, budgets: Sequence[int]) -> str:
    """Which run has found most, after few and after many characters."""
    values = np.stack([own for _, own in known])
    highest = values.max(axis=0)
    if not highest.any():
        return "No run finds any highlighted text"
    first, last = int(np.argmax(highest > 0)), len(budgets) - 1
    if len(known) == 1:
        shown = [
            f"{hundredths(values[0, at])} after {budgets[at]:,}" for at in sorted({first, last})
        ]
        return f"Recall of {known[0][0]} is {' and '.join(shown)} characters"
    early, late = (_named(known, values[:, at] == highest[at]) for at in (first, last))
    few = f"{budgets[first]:,} characters"
    if early == late:
        return (
            f"After {few} as after {budgets[last]:,}, {early} {_verb(values[:, last])} found most"
            f" (recall {hundredths(highest[first])} and {hundredths(highest[last])})"
        )
    return (
        f"After {few} {early} {_verb(values[:, first])} found most (recall"
        f" {hundredths(highest[first])}), after {budgets[last]:,} {late} ({hundredths(highest[last])})"
    )


def _verb(values: Floats) -> str:
    return "has" if np.count_nonzero(values == values.max()) == 1 else "have"


def _named(known: Curves, chosen: np.ndarray) -> str:
    """The chosen runs; the first of them and how many others there are, if they are many."""
    names = [run for (run, _), one in zip(known, chosen, strict=True) if one]
    return listed(names) if len(names) <= 2 else f"{names[0]} and {len(names) - 1:,} other runs"
