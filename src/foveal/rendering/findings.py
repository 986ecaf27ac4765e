"""What `check` found, as a compiler would say it."""

from __future__ import annotations

from typing import Any

from foveal.choices import Form
from foveal.late import pl
from foveal.rendering._table import Table, labels_table
from foveal.rules import SEVERITIES, Findings


def tables(found: Findings, form: Form) -> list[Table]:
    """One line per finding, then the count of each severity; elsewhere a table."""
    lines = []
    for finding in found.findings:
        place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
        lines.append(f"{place}: {finding.severity}: {finding.message} [{finding.rule}]")
    counts = [
        f"{count} {severity}{'' if count == 1 else 's'}"
        for severity in SEVERITIES
        if (count := sum(finding.severity == severity for finding in found.findings))
    ]
    plain = "\n".join([*lines, ", ".join(counts) or "nothing found"]) + "\n"
    return [labels_table(rows(found), found.settings, plain)]


def rows(found: Findings) -> pl.DataFrame:
    """A row per finding."""
    return found.rows()


def document(found: Findings) -> dict[str, Any]:
    """The findings as JSON holds them."""
    return {"settings": found.settings, "findings": rows(found)}
