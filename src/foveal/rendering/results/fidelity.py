"""Results of the fidelity lab: verdicts, scores, curves, expected orderings, responses to noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from foveal.choices import Form
from foveal.errors import and_list
from foveal.late import pl
from foveal.rendering._numbers import rounded, rounded_p, shortest, signed_points, tenths_of_percent
from foveal.rendering._table import Table, fields_of
from foveal.studies import NOISES, Fidelity, OrderingVerdict
from foveal.tables import columns as c

# Columns of a terminal; a wider table of scores is continued below.
TERMINAL_WIDTH = 76
MAX_VIOLATIONS = 2
# As in the paper's second table.
MEASURES_SIDE_BY_SIDE = 2
CLAIMS = {True: "exact", False: "bound", None: ""}
# Verdicts of several measures share a line, so they must be short.
SHORT_VERDICTS = {OrderingVerdict.NOT_DISTINGUISHED: "equal"}


def tables(fidelity: Fidelity, form: Form) -> list[Table]:
    """The verdicts, then the numbers behind them."""
    scores = fidelity.scores.pivot(on=c.MEASURE, index=c.RUN, values=c.VALUE)
    curves = fidelity.curves.with_columns(pl.col(c.LEVEL).map_elements(shortest, pl.String)).pivot(
        on=c.LEVEL, index=c.RUN, values=c.VALUE
    )
    wide_tables = [
        _numbers(scores, "Scores of the simulated runs"),
        _numbers(curves, "Interpolated generalized precision at generalized recall"),
    ]
    if form is Form.TEXT:
        wide_tables = [part for table in wide_tables for part in _split(table, TERMINAL_WIDTH)]
    pairs = (
        _orderings(fidelity, fidelity.shown[first : first + MEASURES_SIDE_BY_SIDE])
        for first in range(0, len(fidelity.shown), MEASURES_SIDE_BY_SIDE)
    )
    return [
        replace(_verdicts(fidelity), settings=fidelity.settings),
        *_best(fidelity),
        *wide_tables,
        *pairs,
        *_responses(fidelity),
    ]


def rows(fidelity: Fidelity) -> pl.DataFrame:
    """A row per measure and expected ordering."""
    return fidelity.orderings


def document(fidelity: Fidelity) -> dict[str, Any]:
    """The results as a JSON document."""
    noise_fields = fields_of(fidelity, "responses sensitivities")
    return {
        **fields_of(fidelity, "settings scores orderings verdicts curves"),
        **(noise_fields if fidelity.responses.height else {}),
        **({"best": fidelity.best} if fidelity.best.height else {}),
        "notes": fidelity.notes,
    }


def _numbers(frame: pl.DataFrame, title: str) -> Table:
    """A frame with a name and numbers in each row."""
    rows = [[name, *map(rounded, values)] for name, *values in frame.iter_rows()]
    return Table(frame.columns, rows, 1, title=title)


def _split(table: Table, width: int) -> Iterator[Table]:
    """Split a table into parts that are narrow enough, each with the names of the rows."""
    widths = [max(map(len, cells)) + 3 for cells in zip(table.header, *table.rows, strict=True)]
    start = 1
    while start < len(widths):
        end, remaining = start + 1, width - widths[0] - widths[start]
        while end < len(widths) and widths[end] <= remaining:
            remaining -= widths[end]
            end += 1
        part = [[row[0], *row[start:end]] for row in (table.header, *table.rows)]
        yield Table(part[0], part[1:], 1, title=table.title if start == 1 else "")
        start = end


def _best(fidelity: Fidelity) -> Iterator[Table]:
    """Scores of the best runs and of the part sets, as shares of the best run of elements."""
    if fidelity.best.height:
        rows = [
            [run, rounded(value), tenths_of_percent(share), CLAIMS[exact]]
            for run, _, value, share, exact in fidelity.best.iter_rows()
        ]
        header = [c.RUN, fidelity.best[c.MEASURE][0], c.SHARE, "maximum"]
        yield Table(header, rows, 1, title="What elements can reach")


def _orderings(fidelity: Fidelity, measures: Sequence[str]) -> Table:
    """Every expected ordering by a few measures, side by side."""
    pairs = fidelity.orderings.select(c.FIRST, c.SECOND).unique(maintain_order=True)
    rows = [[_pair(*names)] for names in pairs.iter_rows()]
    header = ["better → worse"]
    for measure in measures:
        orderings = fidelity.orderings.filter(pl.col(c.MEASURE) == measure)
        for row, pair in zip(rows, orderings.iter_rows(named=True), strict=True):
            verdict = pair[c.VERDICT]
            row += [
                signed_points(pair[c.DIFFERENCE]),
                *(str(pair[count]) for count in (c.BETTER, c.EQUAL, c.WORSE)),
                rounded_p(pair[c.P]),
                verdict if len(measures) == 1 else SHORT_VERDICTS.get(verdict, verdict),
            ]
        header += [f"{measure} %", ">", "=", "<", "p", "verdict"]
    return Table(header, rows, 1, title=f"{and_list(measures)} on each expected ordering")


def _verdicts(fidelity: Fidelity) -> Table:
    """Numbers of orderings that each measure keeps, and the first that it violates."""
    rows = [
        [measure, *map(str, counts), _violated(fidelity, measure)]
        for measure, *counts in fidelity.verdicts.iter_rows()
    ]
    header = [c.MEASURE, *(word.value for word in OrderingVerdict), c.PAIRS, "violates"]
    return Table(header, rows, 1, title="Verdicts on the expected orderings")


def _violated(fidelity: Fidelity, measure: str) -> str:
    violations = fidelity.orderings.filter(
        (pl.col(c.MEASURE) == measure) & (pl.col(c.VERDICT) == OrderingVerdict.VIOLATED)
    )
    pairs = violations.select(c.FIRST, c.SECOND).iter_rows()
    return _shortened_list([_pair(*names) for names in pairs], MAX_VIOLATIONS)


def _pair(better: str, worse: str) -> str:
    return f"{better} → {worse}"


def _responses(fidelity: Fidelity) -> Iterator[Table]:
    """A table per noise: scores at growing strengths, and losses."""
    for (name,), responses in fidelity.responses.group_by(c.NOISE, maintain_order=True):
        noise = NOISES[str(name)]
        scores = responses.with_columns(pl.col(c.STRENGTH).map_elements(shortest, pl.String)).pivot(
            on=c.STRENGTH, index=c.MEASURE, values=c.VALUE
        )
        losses = fidelity.sensitivities.filter(pl.col(c.NOISE) == name).select(c.LOSS, c.RISE)
        rows = [
            [
                measure,
                *map(rounded, values),
                *("" if number is None else rounded(number) for number in loss),
            ]
            for (measure, *values), loss in zip(scores.iter_rows(), losses.iter_rows(), strict=True)
        ]
        header = [*scores.columns, c.LOSS, c.RISE]
        yield Table(header, rows, 1, title=f"Noise: {noise.title}, in {noise.unit}")


def _shortened_list(names: Sequence[str], max_names: int) -> str:
    hidden_count = len(names) - max_names
    return ", ".join(names[:max_names]) + (f" and {hidden_count} more" if hidden_count > 0 else "")
