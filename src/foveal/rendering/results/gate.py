"""Gates for a run: each demand with its value, and the topics that fall short."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from foveal.analysis import Gate
from foveal.choices import Form
from foveal.late import pl
from foveal.rendering._numbers import rounded, rounded_p
from foveal.rendering._table import Table, fields_of
from foveal.rendering._verdict_sentence import first_sentence
from foveal.rendering.forms.ci import CheckItem, CheckReport
from foveal.rendering.plain_names import in_plain_words, legend
from foveal.tables import columns as c

HOLDS = {True: "holds", False: "FAILS"}


def check_report(gate: Gate, form: Form) -> CheckReport:
    """The gate for programs that run checks; GitHub shows it to people, so it has plain names."""
    gate = in_plain_words(gate) if form is Form.GITHUB else gate
    return CheckReport(gate.run, list(_checks(gate)), gate.summary, gate.settings, gate.notes)


def _checks(gate: Gate) -> Iterator[CheckItem]:
    """Every demand, then every measure that must not drop."""
    for row in gate.demands.iter_rows(named=True):
        sentence = f"{row[c.MEASURE]} is {rounded(row[c.VALUE])}{_interval(row)}"
        worst = _topics_clause(gate.worst, row[c.MEASURE], "worst topics")
        yield _check(row, row[c.DEMAND], sentence, worst)
    for row in gate.drops.iter_rows(named=True):
        drop = row[c.DROP]
        direction = "below" if drop >= 0 else "above"
        sentence = (
            f"{row[c.MEASURE]} is {rounded(row[c.VALUE])}, {rounded(abs(drop))} {direction}"
            f" the baseline's {rounded(row[c.BASELINE])} (p = {rounded_p(row[c.P]) or 'unknown'})"
        )
        losses = _topics_clause(gate.losses, row[c.MEASURE], "lost most")
        yield _check(row, f"{row[c.MEASURE]} not below the baseline", sentence, losses)


def tables(gate: Gate, form: Form) -> list[Table]:
    """The demands, the drops, and the topics that fall short or have lost most."""
    legends, gate = legend(gate.plain), in_plain_words(gate)
    frames = {
        "": gate.demands.select(c.DEMAND, c.RUN, c.VALUE, c.LOW, c.HIGH, c.HOLDS),
        f"drop from the baseline, at most {gate.settings.get('max drop')}": gate.drops,
        "the worst topics": gate.worst,
        "the topics that lost most": gate.losses,
    }
    first, *other_tables = [_table(title, frame) for title, frame in frames.items() if frame.height]
    lead = f"{gate.summary[0].upper()}{gate.summary[1:]}."
    if gate.comparison:
        lead += f" {first_sentence(gate.comparison, gate.comparison.main_measure)}"
    return [replace(first, settings=gate.settings, lead=lead), *other_tables, *legends]


def rows(gate: Gate) -> pl.DataFrame:
    """A row per demand and per measure that must not drop."""
    return pl.concat([gate.demands, gate.drops], how="diagonal")


def document(gate: Gate) -> dict[str, Any]:
    """The gate as a JSON document."""
    return fields_of(gate, "settings holds demands drops worst losses notes")


def _check(row: dict[str, Any], name: str, sentence: str, topics_clause: str) -> CheckItem:
    holds = bool(row[c.HOLDS])
    return CheckItem(name, holds, f"{sentence}{'' if holds else topics_clause}")


def _interval(row: dict[str, Any]) -> str:
    if row[c.LOW] is None:
        return ""
    return f" ({rounded(row[c.LOW])} to {rounded(row[c.HIGH])})"


def _topics_clause(frame: pl.DataFrame, measure: str, label: str) -> str:
    rows = frame.filter(pl.col(c.MEASURE) == measure)
    topics = [
        f"{row[c.TOPIC]} ({_baseline_prefix(row)}{rounded(row[c.VALUE])})"
        for row in rows.iter_rows(named=True)
    ]
    return f"; {label}: {', '.join(topics)}" if topics else ""


def _baseline_prefix(row: dict[str, Any]) -> str:
    """A topic's score by the baseline, if there is one, with an arrow."""
    baseline_score = row.get(c.BASELINE)
    return "" if baseline_score is None else f"{rounded(baseline_score)} → "


def _table(title: str, frame: pl.DataFrame) -> Table:
    """A table of a frame: in each row two names, numbers and, of demands and drops, the verdict."""
    header = [c.VERDICT if name == c.HOLDS else name for name in frame.columns]
    rows = [list(map(_cell, frame.columns, row)) for row in frame.iter_rows()]
    return Table(header, rows, 2, title=title)


def _cell(column: str, value: str | float | None) -> str:
    if isinstance(value, bool):
        return HOLDS[value]
    if value is None or isinstance(value, str):
        return value or ""
    return rounded_p(value) if column == c.P else rounded(value)
