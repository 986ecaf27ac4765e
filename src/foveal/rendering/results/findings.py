"""Findings of `check`, in the form of a compiler's messages."""

from __future__ import annotations

from typing import Any

from foveal.choices import Form
from foveal.late import pl
from foveal.rendering._table import Table, labels_table
from foveal.rules import Findings


def tables(findings: Findings, form: Form) -> list[Table]:
    """One line per finding, then the count of each severity for each run; elsewhere a table."""
    lines = []
    for finding in findings.findings:
        position = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
        lines.append(f"{position}: {finding.severity}: {finding.message} [{finding.rule}]")
    terminal_text = "\n".join([*lines, *(findings.run_summaries or [findings.summary])]) + "\n"
    return [labels_table(rows(findings), findings.settings, terminal_text)]


def rows(findings: Findings) -> pl.DataFrame:
    """A row per finding."""
    return findings.rows()


def document(findings: Findings) -> dict[str, Any]:
    """The findings as a JSON document."""
    return {"settings": findings.settings, "findings": rows(findings)}
