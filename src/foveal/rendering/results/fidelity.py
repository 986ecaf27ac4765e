"""What the fidelity lab found: verdicts, scores, curves, expected orderings, responses to noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from foveal.choices import Form
from foveal.errors import listed
from foveal.late import pl
from foveal.rendering._numbers import (
    rounded,
    rounded_p,
    rounded_points,
    shortest,
    tenths_of_percent,
)
from foveal.rendering._table import Table, fields_of
from foveal.studies import NOISES, Fidelity, OrderingVerdict
from foveal.tables import columns

# What fits a terminal, in columns; a wider table of scores is continued below.
TERMINAL = 76
SHOWN_VIOLATIONS = 2
# As in the paper's second table.
SIDE_BY_SIDE = 2
CLAIMS = {True: "exact", False: "bound", None: ""}
# Beside one another, verdicts must be short.
SHORT = {OrderingVerdict.NOT_DISTINGUISHED: "equal"}


def tables(found: Fidelity, form: Form) -> list[Table]:
    """The answer, the verdicts, then the numbers that it rests on."""
    scores = found.scores.pivot(on=columns.MEASURE, index=columns.RUN, values=columns.VALUE)
    curves = found.curves.with_columns(
        pl.col(columns.LEVEL).map_elements(shortest, pl.String)
    ).pivot(on=columns.LEVEL, index=columns.RUN, values=columns.VALUE)
    wide = [
        _numbers(scores, "Scores of the simulated runs"),
        _numbers(curves, "Interpolated generalized precision at generalized recall"),
    ]
    if form is Form.TEXT:
        wide = [part for table in wide for part in _cut(table, TERMINAL)]
    pairs = (
        _orderings(found, found.shown[first : first + SIDE_BY_SIDE])
        for first in range(0, len(found.shown), SIDE_BY_SIDE)
    )
    return [
        replace(_verdicts(found), settings=found.settings),
        *_best(found),
        *wide,
        *pairs,
        *_responses(found),
    ]


def rows(found: Fidelity) -> pl.DataFrame:
    """A row per measure and expected ordering."""
    return found.orderings


def document(found: Fidelity) -> dict[str, Any]:
    """What was found as JSON holds it."""
    spoilt = fields_of(found, "responses sensitivities")
    return {
        **fields_of(found, "settings scores orderings verdicts curves"),
        **(spoilt if found.responses.height else {}),
        **({"best": found.best} if found.best.height else {}),
        "notes": found.notes,
    }


def _numbers(frame: pl.DataFrame, title: str) -> Table:
    """A frame of a name and numbers."""
    body = [[name, *map(rounded, values)] for name, *values in frame.iter_rows()]
    return Table(frame.columns, body, 1, title=title)


def _cut(table: Table, width: int) -> Iterator[Table]:
    """The table in parts that are narrow enough, each with the names of the rows."""
    needed = [max(map(len, cells)) + 3 for cells in zip(table.header, *table.rows, strict=True)]
    begin = 1
    while begin < len(needed):
        end, left = begin + 1, width - needed[0] - needed[begin]
        while end < len(needed) and needed[end] <= left:
            left -= needed[end]
            end += 1
        cut = [[row[0], *row[begin:end]] for row in (table.header, *table.rows)]
        yield Table(cut[0], cut[1:], 1, title=table.title if begin == 1 else "")
        begin = end


def _best(found: Fidelity) -> Iterator[Table]:
    """What elements and whole documents can reach, and what share of it the part sets do."""
    if found.best.height:
        body = [
            [run, rounded(value), tenths_of_percent(share), CLAIMS[exact]]
            for run, _, value, share, exact in found.best.iter_rows()
        ]
        header = [columns.RUN, found.best[columns.MEASURE][0], columns.SHARE, "maximum"]
        yield Table(header, body, 1, title="What elements can reach")


def _orderings(found: Fidelity, measures: Sequence[str]) -> Table:
    """How some measures score every pair, side by side."""
    pairs = found.orderings.select(columns.FIRST, columns.SECOND).unique(maintain_order=True)
    body = [[_pair(*names)] for names in pairs.iter_rows()]
    header = ["better → worse"]
    for measure in measures:
        own = found.orderings.filter(pl.col(columns.MEASURE) == measure)
        for row, pair in zip(body, own.iter_rows(named=True), strict=True):
            verdict = pair[columns.VERDICT]
            row += [
                rounded_points(pair[columns.DIFFERENCE]),
                *(str(pair[count]) for count in (columns.BETTER, columns.EQUAL, columns.WORSE)),
                rounded_p(pair[columns.P]),
                verdict if len(measures) == 1 else SHORT.get(verdict, verdict),
            ]
        header += [f"{measure} %", ">", "=", "<", "p", "verdict"]
    return Table(header, body, 1, title=f"{listed(measures)} on each expected ordering")


def _verdicts(found: Fidelity) -> Table:
    """How many orderings each measure keeps, and the first of those that it violates."""
    body = [
        [measure, *map(str, counts), _violated(found, measure)]
        for measure, *counts in found.verdicts.iter_rows()
    ]
    header = [columns.MEASURE, *(word.value for word in OrderingVerdict), columns.PAIRS, "violates"]
    return Table(header, body, 1, title="Verdicts on the expected orderings")


def _violated(found: Fidelity, measure: str) -> str:
    own = found.orderings.filter(
        (pl.col(columns.MEASURE) == measure) & (pl.col(columns.VERDICT) == OrderingVerdict.VIOLATED)
    )
    pairs = own.select(columns.FIRST, columns.SECOND).iter_rows()
    return _some([_pair(*names) for names in pairs], SHOWN_VIOLATIONS)


def _pair(better: str, worse: str) -> str:
    return f"{better} → {worse}"


def _responses(found: Fidelity) -> Iterator[Table]:
    """For every noise what the measures score at growing strengths, and how much they lose."""
    for (name,), own in found.responses.group_by(columns.NOISE, maintain_order=True):
        noise = NOISES[str(name)]
        wide = own.with_columns(pl.col(columns.STRENGTH).map_elements(shortest, pl.String)).pivot(
            on=columns.STRENGTH, index=columns.MEASURE, values=columns.VALUE
        )
        lost = found.sensitivities.filter(pl.col(columns.NOISE) == name).select(
            columns.LOSS, columns.RISE
        )
        body = [
            [measure, *map(rounded, values), *("" if one is None else rounded(one) for one in last)]
            for (measure, *values), last in zip(wide.iter_rows(), lost.iter_rows(), strict=True)
        ]
        header = [*wide.columns, columns.LOSS, columns.RISE]
        yield Table(header, body, 1, title=f"Noise: {noise.title}, in {noise.unit}")


def _some(names: Sequence[str], shown: int) -> str:
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")
