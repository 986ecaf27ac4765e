"""What `check` found, as a compiler would say it."""

from __future__ import annotations

from foveal.rendering._table import Table, labels_table
from foveal.rules import Findings

SEVERITIES = ("error", "warning", "note")


def draw(found: Findings) -> str:
    """One line per finding, then the count of each severity."""
    lines = []
    for finding in found.findings:
        place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
        lines.append(f"{place}: {finding.severity}: {finding.message} [{finding.rule}]")
    counts = [
        f"{count} {severity}{'' if count == 1 else 's'}"
        for severity in SEVERITIES
        if (count := sum(finding.severity == severity for finding in found.findings))
    ]
    lines.append(", ".join(counts) if counts else "nothing found")
    return "\n".join(lines) + "\n"


def findings_table(found: Findings) -> Table:
    """The findings as a table."""
    return labels_table(found.rows(), found.settings)
