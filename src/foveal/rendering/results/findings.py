"""What `check` found, in the form of a compiler's messages."""

from __future__ import annotations

from typing import Any

from foveal.choices import Form
from foveal.late import pl
from foveal.rendering._table import Table, labels_table
from foveal.rules import Findings


def tables(found: Findings, form: Form) -> list[Table]:
    """One line per finding, then the count of each severity for each run; elsewhere a table."""
    lines = []
    for finding in found.findings:
        place = finding.file if finding.line is None else f"{finding.file}:{finding.line}"
        lines.append(f"{place}: {finding.severity}: {finding.message} [{finding.rule}]")
    plain = "\n".join([*lines, *(found.run_summaries or [found.summary])]) + "\n"
    return [labels_table(rows(found), found.settings, plain)]


def rows(found: Findings) -> pl.DataFrame:
    """A row per finding."""
    return found.rows()


def document(found: Findings) -> dict[str, Any]:
    """The findings as a JSON document."""
    return {"settings": found.settings, "findings": rows(found)}
