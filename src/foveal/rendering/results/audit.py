"""Audit of a run against its documents, in plain words."""

from __future__ import annotations

from typing import Any

from foveal.choices import Form
from foveal.errors import counted
from foveal.late import pl
from foveal.rendering._table import Table, labels_table
from foveal.tables import Audit, AuditStatus
from foveal.tables import columns as c


def tables(audit: Audit, form: Form) -> list[Table]:
    """A line per verdict that occurs, with its meaning; then other counts."""
    counts = _counts(audit)
    lines = [f"{count:>8,}  {verdict}: {meaning}" for verdict, count, meaning in counts.iter_rows()]
    other_counts = (
        (audit.repeats, "repeated: the topic has already returned the same part"),
        (
            audit.rising,
            f"of {counted(audit.topics, 'topic')}: scores rise down the list (distances?)",
        ),
    )
    lines += [f"{count:>8,}  {meaning}" for count, meaning in other_counts if count]
    return [labels_table(counts, audit.settings, "\n".join(lines or ["no results"]) + "\n")]


def rows(audit: Audit) -> pl.DataFrame:
    """A row per result."""
    return audit.rows


def document(audit: Audit) -> dict[str, Any]:
    """The audit as a JSON document."""
    facts = {"loose": audit.loose, "rising": audit.rising, "repeats": audit.repeats}
    return {
        "settings": audit.settings,
        "counts": audit.counts,
        **facts,
        "names": audit.names,
        "results": audit.rows,
        "notes": audit.notes,
    }


def _sentence(audit: Audit, verdict: AuditStatus) -> str:
    by = f", by {audit.shifts}" if verdict is AuditStatus.SHIFTED else ""
    return f"{verdict.sentence}{by}"


def _counts(audit: Audit) -> pl.DataFrame:
    verdicts = [verdict for verdict in AuditStatus if audit[verdict]]
    return pl.DataFrame(
        {
            c.VERDICT: [verdict.value for verdict in verdicts],
            c.RESULTS: [audit[verdict] for verdict in verdicts],
            c.MEANING: [_sentence(audit, verdict) for verdict in verdicts],
        },
        schema={c.VERDICT: pl.String, c.RESULTS: pl.Int64, c.MEANING: pl.String},
    )
