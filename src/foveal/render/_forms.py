"""One function for every result and every form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl

from foveal.analysis import Agreement, Comparison
from foveal.choices import Form, chosen
from foveal.errors import UsageError
from foveal.formats import json_bytes, rows_bytes
from foveal.render import (
    agreement,
    comparison,
    findings,
    html,
    inex,
    latex,
    markdown,
    stability,
    text,
    trec,
)
from foveal.render._table import Table, scores_table
from foveal.studies import Stability
from foveal.tables import Findings, Scores

Result = Scores | Findings | Comparison | Agreement | Stability

_DRAWN: dict[Form, Callable[..., str]] = {
    Form.TEXT: text.draw,
    Form.MARKDOWN: markdown.draw,
    Form.LATEX: latex.draw,
    Form.HTML: html.draw,
}
_PRINTED = {Form.TREC: trec.draw, Form.INEX: inex.draw}


@dataclass(frozen=True)
class Kind:
    """How a kind of result becomes tables for eyes, rows for machines, lists of rows for JSON."""

    tables: Callable[[Any, Form], list[Table]]
    rows: Callable[[Any], pl.DataFrame]
    document: Callable[[Any], dict[str, Any]]


_KINDS: dict[type, Kind] = {
    Comparison: Kind(comparison.tables, comparison.rows, comparison.document),
    Agreement: Kind(agreement.tables, agreement.rows, agreement.document),
    Stability: Kind(stability.tables, stability.rows, stability.document),
}


def render(
    result: Result, to: Form | str = Form.TEXT, *, per_topic: bool = False, width: int | None = None
) -> str:
    """The result in a textual form; `width` is that of the terminal, if there is one."""
    form = chosen(Form, to)
    if form is Form.PARQUET:
        raise UsageError("parquet is no text: use rendered_bytes")
    return rendered_bytes(result, form, per_topic=per_topic, width=width).decode()


def rendered_bytes(
    result: Result, to: Form | str, *, per_topic: bool = False, width: int | None = None
) -> bytes:
    """The result in any form, as the bytes of a file."""
    form = chosen(Form, to)
    if isinstance(result, Findings):
        return _findings(result, form)
    if not isinstance(result, Scores):
        return _of_kind(_KINDS[type(result)], result, form)
    if form in _DRAWN:
        fitting = width if form is Form.TEXT else None
        return _DRAWN[form](scores_table(result, per_topic=per_topic, width=fitting)).encode()
    if form in _PRINTED:
        return _PRINTED[form](result, per_topic=per_topic).encode()
    rows = result.rows(per_topic=per_topic)
    notes = {"settings": result.settings, "rows": rows, "notes": result.notes}
    return json_bytes(notes) if form is Form.JSON else rows_bytes(rows, form)


def _of_kind(kind: Kind, result: Result, form: Form) -> bytes:
    if form in _DRAWN:
        return _DRAWN[form](*kind.tables(result, form)).encode()
    if form in _PRINTED:
        raise UsageError(f"only scores have a form {form.value}")
    if form is Form.JSON:
        return json_bytes(kind.document(result))
    return rows_bytes(kind.rows(result), form)


def _findings(found: Findings, form: Form) -> bytes:
    if form is Form.TEXT:
        return findings.draw(found).encode()
    if form in _DRAWN:
        return _DRAWN[form](findings.findings_table(found)).encode()
    if form in _PRINTED:
        raise UsageError(f"findings have no form {form.value}")
    rows = {"settings": found.settings, "findings": found.rows()}
    return json_bytes(rows) if form is Form.JSON else rows_bytes(found.rows(), form)
