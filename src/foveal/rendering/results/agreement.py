"""How alike measures rank runs: coefficients with their intervals, and upsets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from foveal.analysis import Agreement
from foveal.choices import Form
from foveal.errors import counted
from foveal.late import pl
from foveal.rendering._numbers import rounded_if_known
from foveal.rendering._table import Table, in_group
from foveal.tables import columns

COEFFICIENTS = {columns.TAU: "τ", columns.TAU_AP: "τ_AP", columns.SPEARMAN: "ρ", columns.RBO: "RBO"}
SHOWN_UPSETS = 10


def tables(agreement: Agreement, form: Form) -> list[Table]:
    """The coefficients, then for each pair of measures the runs that move furthest."""
    found = [_coefficients(agreement), *_upsets(agreement)]
    for name, own in agreement.groups.items():
        # A group in which no run changes places needs no table to say so.
        moved = [table for table in _upsets(own) if table.rows]
        found += [replace(table, title=in_group(name, table.title)) for table in moved]
    return found


def rows(agreement: Agreement) -> pl.DataFrame:
    """A row per pair of measures and coefficient, of all topics and then of each group."""
    return agreement.by_group(_rows)


def _rows(agreement: Agreement) -> pl.DataFrame:
    long = agreement.pairs.unpivot(
        index=[columns.FIRST, columns.SECOND],
        variable_name=columns.COEFFICIENT,
        value_name=columns.VALUE,
    )
    key = [columns.FIRST, columns.SECOND, columns.COEFFICIENT]
    joined = agreement.intervals.join(long, on=key, maintain_order="left")
    return joined.select(*key, columns.VALUE, columns.LOW, columns.HIGH)


def document(agreement: Agreement) -> dict[str, Any]:
    """The agreement as JSON holds it."""
    return {
        "settings": agreement.settings,
        "pairs": agreement.by_group(lambda own: own.pairs),
        "intervals": agreement.by_group(lambda own: own.intervals),
        "upsets": agreement.by_group(lambda own: own.upsets),
        "means": agreement.by_group(lambda own: own.means),
        "notes": agreement.notes,
    }


def _coefficients(agreement: Agreement) -> Table:
    """A row per pair of measures and coefficient, so that many measures fit a narrow screen."""
    found = rows(agreement)
    body = [
        [*names, COEFFICIENTS[key], *map(rounded_if_known, (value, low, high))]
        for *names, key, value, low, high in found.iter_rows()
    ]
    return Table(found.columns, body, len(found.columns) - 3, agreement.settings)


def _upsets(agreement: Agreement) -> list[Table]:
    found = []
    for first, second in agreement.pairs.select(columns.FIRST, columns.SECOND).iter_rows():
        own = agreement.upsets.filter(
            (pl.col(columns.FIRST) == first) & (pl.col(columns.SECOND) == second)
        )
        runs = agreement.means[columns.RUN].n_unique()
        change = "changes" if len(own) == 1 else "change"
        title = f"{len(own)} of {counted(runs, 'run')} {change} places between {first} and {second}"
        shown = own.head(SHOWN_UPSETS).select(columns.RUN, columns.FIRST_RANK, columns.SECOND_RANK)
        if len(own) > SHOWN_UPSETS:
            title += f"; the {SHOWN_UPSETS} that move furthest"
        body = [[run, ordinal(one), ordinal(two)] for run, one, two in shown.iter_rows()]
        found.append(Table([columns.RUN, f"by {first}", f"by {second}"], body, 1, title=title))
    return found


def ordinal(number: int) -> str:
    """A rank as it is written in a sentence: 1st, 2nd, 11th."""
    ending = (
        "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    )
    return f"{number}{ending}"
