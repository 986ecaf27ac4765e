"""The sections of a report, each from what was gathered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from foveal.errors import counted, listed
from foveal.late import pl
from foveal.measures import parse, record_of
from foveal.rendering import fidelity as fidelity_tables
from foveal.rendering import stability as stability_tables
from foveal.rendering._numbers import hundredths, percent, rounded, rounded_p
from foveal.rendering._table import Table
from foveal.rendering.drawing import Line, Linear, Log, Picture, box, dot, lines, rule
from foveal.rendering.figures import Figure, figure
from foveal.rendering.report._report import Report
from foveal.rendering.report._tiers import tiers
from foveal.rendering.report.contents import (
    Board,
    BoardRow,
    Cell,
    Drawn,
    Entry,
    Grid,
    Legend,
    Plain,
    Section,
    Words,
    facts,
    gridded,
)
from foveal.choices import Form
from foveal.tables import columns as c

SHOWN_RUNS, SHOWN_TOPICS = 5, 5
# Runs ticked at the start: as many as have colours of their own.
TICKED = 8
BAR = (120.0, 14.0)


def sections(report: Report) -> list[Section]:
    """All sections that have something to say, in the order of the page."""
    made = (
        _verdict, _board, _curves, _reading, _topics, _groups, _pairs, _measures, _checks,
        _fidelity, _stability, _settings, _legend,
    )  # fmt: skip
    return [section for make in made for section in make(report)]


def ranking(report: Report) -> list[str]:
    """The runs, best first."""
    if report.comparison:
        return report.comparison.ranking(report.measure)
    return report.scores.runs


def verdict(report: Report) -> list[str]:
    """Which run is best, and how sure that is, in words."""
    scores, measure, order = report.scores, report.measure, ranking(report)
    best = order[0]
    topics = counted(scores.topics[c.TOPIC].n_unique(), "topic")
    value = rounded(scores[best, measure])
    if report.comparison is None:
        return [f"{best} scores {value} by {measure} over {topics}."]
    own = report.comparison.pairs.filter(
        (pl.col(c.MEASURE) == measure) & ((pl.col(c.BETTER) == best) | (pl.col(c.WORSE) == best))
    )
    alike = [
        worse if better == best else better
        for better, worse in own.filter(~pl.col(c.SIGNIFICANT).fill_null(value=False)).select(c.BETTER, c.WORSE).iter_rows()
    ]
    low, high = report.comparison.means.filter(
        (pl.col(c.MEASURE) == measure) & (pl.col(c.RUN) == best)
    ).select(c.LOW, c.HIGH).row(0)
    within = f", {report.comparison.settings['interval of means'].split(',')[0]} interval {rounded(low)} to {rounded(high)}" if low is not None else ""
    found = [f"{best} is best by {measure}: {value} over {topics}{within}."]
    others = len(order) - 1
    if not alike:
        found.append(f"It is significantly better than {_all(others)}.")
    elif len(alike) == others:
        found.append(f"It cannot be told apart from {_all(others)}.")
    else:
        ordered = [run for run in order if run in alike]
        found.append(
            f"It cannot be told apart from {_some(ordered)}; it is significantly better than the"
            f" other {others - len(alike):,}."
        )
    settings = report.comparison.settings
    correction = "" if settings["correct"] == "none" else f", corrected after {settings['correct'].title()}"
    found.append(
        f"Tested with {settings['test']}, {settings['tail']}-tailed, alpha"
        f" {settings['alpha']}{correction}."
    )
    return found


def _all(others: int) -> str:
    return "the other run" if others == 1 else f"all {others:,} other runs"


def _some(runs: Sequence[str]) -> str:
    more = len(runs) - SHOWN_RUNS
    return listed(runs) if more <= 0 else f"{', '.join(runs[:SHOWN_RUNS])} and {more:,} more"


def _verdict(report: Report) -> Iterator[Section]:
    found = verdict(report)
    other = [
        f"{name} puts {first} first"
        for name in (report.comparison.measures if report.comparison else [])
        if (first := report.comparison.ranking(name)[0]) != ranking(report)[0]  # type: ignore[union-attr]
    ]
    if other:
        found.append(f"Other measures disagree: {listed(other)}.")
    yield Section("verdict", "The verdict", "Which run is best, and how sure that is.", (Words(tuple(found)),))
