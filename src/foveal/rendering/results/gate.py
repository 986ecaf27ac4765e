"""Whether a run is good enough: each demand with its value, and the topics that fall short."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from foveal.analysis import Gate
from foveal.choices import Form
from foveal.late import pl
from foveal.rendering._first_sentence import first_sentence
from foveal.rendering._numbers import rounded, rounded_p
from foveal.rendering._table import Table, fields_of
from foveal.rendering.forms.ci import CheckItem, CheckReport
from foveal.rendering.plain_names import in_plain_words, legend
from foveal.tables import columns

HOLDS = {True: "holds", False: "FAILS"}


def verdict(gate: Gate, form: Form) -> CheckReport:
    """The gate for programs that run checks; what GitHub shows is for people."""
    gate = in_plain_words(gate) if form is Form.GITHUB else gate
    return CheckReport(gate.run, list(_checks(gate)), gate.summary, gate.settings, gate.notes)


def _checks(gate: Gate) -> Iterator[CheckItem]:
    """Every demand, then every measure that must not drop."""
    for row in gate.demands.iter_rows(named=True):
        told = f"{row[columns.MEASURE]} is {rounded(row[columns.VALUE])}{_interval(row)}"
        worst = _topics(gate.worst, row[columns.MEASURE], "worst topics")
        yield _check(row, row[columns.DEMAND], told, worst)
    for row in gate.drops.iter_rows(named=True):
        drop = row[columns.DROP]
        direction = "below" if drop >= 0 else "above"
        told = (
            f"{row[columns.MEASURE]} is {rounded(row[columns.VALUE])}, {rounded(abs(drop))} {direction}"
            f" the baseline's {rounded(row[columns.BASELINE])} (p = {rounded_p(row[columns.P]) or 'unknown'})"
        )
        losses = _topics(gate.losses, row[columns.MEASURE], "lost most")
        yield _check(row, f"{row[columns.MEASURE]} not below the baseline", told, losses)


def tables(gate: Gate, form: Form) -> list[Table]:
    """The demands, the drops, and the topics that fall short or have lost most."""
    words, gate = legend(gate.plain), in_plain_words(gate)
    found = []
    if gate.demands.height:
        found.append(_demands(gate))
    if gate.drops.height:
        found.append(_drops(gate))
    if gate.worst.height:
        found.append(_topics_table("the worst topics", gate.worst))
    if gate.losses.height:
        found.append(_topics_table("the topics that lost most", gate.losses))
    first, *others = found
    lead = f"{gate.summary[0].upper()}{gate.summary[1:]}."
    if gate.comparison:
        lead += f" {first_sentence(gate.comparison, gate.comparison.main_measure)}"
    return [replace(first, settings=gate.settings, lead=lead), *others, *words]


def rows(gate: Gate) -> pl.DataFrame:
    """A row per demand and per measure that must not drop."""
    return pl.concat([gate.demands, gate.drops], how="diagonal")


def document(gate: Gate) -> dict[str, Any]:
    """The gate as JSON holds it."""
    return fields_of(gate, "settings holds demands drops worst losses notes")


def _check(row: dict[str, Any], name: str, told: str, topics: str) -> CheckItem:
    holds = bool(row[columns.HOLDS])
    return CheckItem(name, holds, f"{told}{'' if holds else topics}")


def _interval(row: dict[str, Any]) -> str:
    if row[columns.LOW] is None:
        return ""
    return f" ({rounded(row[columns.LOW])} to {rounded(row[columns.HIGH])})"


def _topics(frame: pl.DataFrame, measure: str, what: str) -> str:
    own = frame.filter(pl.col(columns.MEASURE) == measure)
    shown = [
        f"{row[columns.TOPIC]} ({_before(row)}{rounded(row[columns.VALUE])})"
        for row in own.iter_rows(named=True)
    ]
    return f"; {what}: {', '.join(shown)}" if shown else ""


def _before(row: dict[str, Any]) -> str:
    """What a topic scored before, if there is a baseline."""
    before = row.get(columns.BASELINE)
    return "" if before is None else f"{rounded(before)} → "


def _demands(gate: Gate) -> Table:
    names = [columns.DEMAND, columns.RUN]
    numbers = [columns.VALUE, columns.LOW, columns.HIGH]
    body = [
        [
            *(row[name] for name in names),
            *(_known(row[name]) for name in numbers),
            HOLDS[row[columns.HOLDS]],
        ]
        for row in gate.demands.iter_rows(named=True)
    ]
    return Table([*names, *numbers, columns.VERDICT], body, len(names))


def _drops(gate: Gate) -> Table:
    names = [columns.MEASURE, columns.RUN]
    numbers = [columns.VALUE, columns.BASELINE, columns.DROP, columns.LOW, columns.HIGH]
    body = [
        [
            *(row[name] for name in names),
            *(_known(row[name]) for name in numbers),
            rounded_p(row[columns.P]),
            HOLDS[row[columns.HOLDS]],
        ]
        for row in gate.drops.iter_rows(named=True)
    ]
    title = f"drop from the baseline, at most {gate.settings['max drop']}"
    return Table([*names, *numbers, columns.P, columns.VERDICT], body, len(names), title=title)


def _topics_table(title: str, frame: pl.DataFrame) -> Table:
    labels = [columns.TOPIC, columns.MEASURE]
    numbers = [name for name in frame.columns if name not in labels]
    body = [
        [*(row[name] for name in labels), *(_known(row[name]) for name in numbers)]
        for row in frame.iter_rows(named=True)
    ]
    return Table([*labels, *numbers], body, len(labels), title=title)


def _known(number: float | None) -> str:
    return "" if number is None else rounded(number)
