"""Agreement of measures on the ranking of runs: coefficients with intervals, and upsets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from foveal.analysis import Agreement
from foveal.choices import Form
from foveal.errors import counted
from foveal.late import pl
from foveal.rendering._numbers import rounded_if_known
from foveal.rendering._table import Table, in_group
from foveal.tables import columns as c

COEFFICIENTS = {c.TAU: "τ", c.TAU_AP: "τ_AP", c.SPEARMAN: "ρ", c.RBO: "RBO"}
MAX_UPSETS = 10
_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}


def tables(agreement: Agreement, form: Form) -> list[Table]:
    """The coefficients, then for each pair of measures the runs that move furthest."""
    tables = [_coefficients(agreement), *_upsets(agreement)]
    for name, group in agreement.groups.items():
        # Groups in which no run changes places have no table.
        upset_tables = [table for table in _upsets(group) if table.rows]
        tables += [replace(table, title=in_group(name, table.title)) for table in upset_tables]
    return tables


def rows(agreement: Agreement) -> pl.DataFrame:
    """A row per pair of measures and coefficient, of all topics and then of each group."""
    return agreement.by_group(_rows)


def _rows(agreement: Agreement) -> pl.DataFrame:
    values = agreement.pairs.unpivot(
        index=[c.FIRST, c.SECOND], variable_name=c.COEFFICIENT, value_name=c.VALUE
    )
    key = [c.FIRST, c.SECOND, c.COEFFICIENT]
    rows = agreement.intervals.join(values, on=key, maintain_order="left")
    return rows.select(*key, c.VALUE, c.LOW, c.HIGH)


def document(agreement: Agreement) -> dict[str, Any]:
    """The agreement as a JSON document."""
    return {
        "settings": agreement.settings,
        "pairs": agreement.by_group(lambda group: group.pairs),
        "intervals": agreement.by_group(lambda group: group.intervals),
        "upsets": agreement.by_group(lambda group: group.upsets),
        "means": agreement.by_group(lambda group: group.means),
        "notes": agreement.notes,
    }


def _coefficients(agreement: Agreement) -> Table:
    """A row per pair of measures and coefficient, so that many measures fit a narrow screen."""
    values = rows(agreement)
    cells = [
        [*names, COEFFICIENTS[key], *map(rounded_if_known, (value, low, high))]
        for *names, key, value, low, high in values.iter_rows()
    ]
    return Table(values.columns, cells, len(values.columns) - 3, agreement.settings)


def _upsets(agreement: Agreement) -> list[Table]:
    tables = []
    for first, second in agreement.pairs.select(c.FIRST, c.SECOND).iter_rows():
        upsets = agreement.upsets.filter((pl.col(c.FIRST) == first) & (pl.col(c.SECOND) == second))
        runs = agreement.means[c.RUN].n_unique()
        change = "changes" if len(upsets) == 1 else "change"
        title = (
            f"{len(upsets)} of {counted(runs, 'run')} {change} places between {first} and {second}"
        )
        top = upsets.head(MAX_UPSETS).select(c.RUN, c.FIRST_RANK, c.SECOND_RANK)
        if len(upsets) > MAX_UPSETS:
            title += f"; the {MAX_UPSETS} that move furthest"
        rows = [[run, *map(ordinal, ranks)] for run, *ranks in top.iter_rows()]
        tables.append(Table([c.RUN, f"by {first}", f"by {second}"], rows, 1, title=title))
    return tables


def ordinal(number: int) -> str:
    """A rank in a sentence: 1st, 2nd, 11th."""
    last_digit = 0 if 10 <= number % 100 <= 20 else number % 10
    return f"{number}{_SUFFIXES.get(last_digit, 'th')}"
