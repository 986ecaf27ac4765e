"""Figures that only a report has: curves of every run, with titles that state the finding."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from foveal.errors import and_list
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
    """Interpolated precision over recall, a line per run."""
    assert report.curves is not None  # noqa: S101  # the section is left out otherwise
    curves = report.curves
    levels, run_curves = report.levels, in_order(report, curves)
    data = pl.DataFrame({c.RECALL: levels, **dict(run_curves)})

    def draw() -> Picture:
        return lines(
            [Line(run, levels, precision) for run, precision in run_curves],
            partial(Linear, 0.0, 1.0),
            lambda start, stop: Linear.around([0.0, *curves.ravel()], start, stop, within=(0, 1)),
            x_title="recall",
            y_title="interpolated precision",
            size=(640, 360),
        )

    return Figure(_precision_title(run_curves), data, draw)


def recall_figure(report: Report, readings: Floats) -> Figure:
    """Recall over characters read, a line per run."""
    budgets, run_curves = report.budgets, in_order(report, readings)
    data = pl.DataFrame({c.BUDGET: budgets, **dict(run_curves)})

    def draw() -> Picture:
        return lines(
            [Line(run, budgets, recall, dots=True) for run, recall in run_curves],
            lambda start, stop: Log(budgets[0], budgets[-1], start, stop, budgets),
            lambda start, stop: Linear.around([0.0, *readings.ravel()], start, stop, within=(0, 1)),
            x_title="characters read",
            y_title="recall",
            size=(640, 320),
        )

    return Figure(_recall_title(run_curves, budgets), data, draw)


def topics_figure(report: Report) -> Figure:
    """Every run on every topic."""
    return figure(report.scores.only([report.measure]), "topics")


def in_order(report: Report, values: Floats) -> Curves:
    """Values of runs, best run first."""
    indices = {run: index for index, run in enumerate(report.scores.runs)}
    return [(run, values[indices[run]]) for run in report.ranking]


def _precision_title(curves: Curves) -> str:
    """Title: the most precise run, and at which levels."""
    values = np.stack([precision for _, precision in curves])
    # Levels that no run reaches do not distinguish runs.
    reached_values = values[:, values.max(axis=0) > 0]
    levels = reached_values.shape[1]
    if not levels:
        return "No run finds anything relevant"
    if len(curves) == 1:
        (run, precision) = curves[0]
        first, last = hundredths(precision[0]), hundredths(precision[-1])
        if first == last:
            return f"Precision of {run} is {first} at every level of recall"
        return f"Precision of {run} falls from {first} to {last}"
    levels_ahead = (reached_values == reached_values.max(axis=0)).sum(axis=1)
    scope = "recall" if levels == values.shape[1] else "recall that runs reach"
    if np.count_nonzero(levels_ahead == levels) > 1:
        return f"{_leaders(curves, levels_ahead == levels)} are the most precise at every level of {scope}"
    first, second = np.argsort(-levels_ahead, kind="stable")[:2]
    if levels_ahead[first] == levels:
        return f"{curves[first][0]} is the most precise at every level of {scope}"
    return (
        f"{curves[first][0]} is the most precise at {levels_ahead[first]:,} of {levels:,} levels of {scope},"
        f" {curves[second][0]} at {levels_ahead[second]:,}"
    )


def _recall_title(curves: Curves, budgets: Sequence[int]) -> str:
    """Title: the run that has found most, after few and after many characters."""
    values = np.stack([recall for _, recall in curves])
    highest = values.max(axis=0)
    if not highest.any():
        return "No run finds any highlighted text"
    first, last = int(np.argmax(highest > 0)), len(budgets) - 1
    if len(curves) == 1:
        values_text = [
            f"{hundredths(values[0, index])} after {budgets[index]:,}"
            for index in sorted({first, last})
        ]
        return f"Recall of {curves[0][0]} is {' and '.join(values_text)} characters"
    early, late = (_leaders(curves, values[:, index] == highest[index]) for index in (first, last))
    first_budget = f"{budgets[first]:,} characters"
    if early == late:
        return (
            f"After {first_budget} as after {budgets[last]:,}, {early} {_verb(values[:, last])} found most"
            f" (recall {hundredths(highest[first])} and {hundredths(highest[last])})"
        )
    return (
        f"After {first_budget} {early} {_verb(values[:, first])} found most (recall"
        f" {hundredths(highest[first])}), after {budgets[last]:,} {late} ({hundredths(highest[last])})"
    )


def _verb(values: Floats) -> str:
    return "has" if np.count_nonzero(values == values.max()) == 1 else "have"


def _leaders(curves: Curves, is_leading: np.ndarray) -> str:
    """Names of the chosen runs; of many, the first and the number of others."""
    names = [run for (run, _), leads in zip(curves, is_leading, strict=True) if leads]
    return and_list(names) if len(names) <= 2 else f"{names[0]} and {len(names) - 1:,} other runs"
