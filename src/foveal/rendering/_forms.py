"""One function for every result and every form."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from foveal.choices import Form, chosen
from foveal.elements import Location
from foveal.errors import UsageError
from foveal.formats import json_bytes, rows_bytes
from foveal.rendering import html, inex, latex, markdown, text
from foveal.rendering._listings import findings_text, location_text
from foveal.rendering._table import labels_table, scores_table
from foveal.rules import Findings
from foveal.tables import Scores
from foveal.trec_eval import trec_lines

if TYPE_CHECKING:
    from foveal.analysis import Agreement, Comparison
    from foveal.studies import Fidelity, Stability

    Result = Scores | Findings | Location | Comparison | Agreement | Fidelity | Stability

_DRAWN: dict[Form, Callable[..., str]] = {
    Form.TEXT: text.draw,
    Form.MARKDOWN: markdown.draw,
    Form.LATEX: latex.draw,
    Form.HTML: html.draw,
}
_PRINTED = {Form.TREC: trec_lines, Form.INEX: inex.draw}


# The file that knows a kind of result, loaded when there is one: its `tables` are for eyes, its
# `rows` for machines, its `document` is what JSON holds.
_KINDS = {
    "Comparison": "comparison",
    "Agreement": "agreement",
    "Fidelity": "fidelity",
    "Stability": "stability",
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
    if form in _PRINTED and not isinstance(result, Scores):
        raise UsageError(f"only scores have a form {form.value}")
    if isinstance(result, Findings | Location):
        return _listed(result, form)
    if not isinstance(result, Scores):
        return _of_kind(result, form)
    if form in _DRAWN:
        fitting = width if form is Form.TEXT else None
        return _DRAWN[form](scores_table(result, per_topic=per_topic, width=fitting)).encode()
    if form in _PRINTED:
        return _PRINTED[form](result, per_topic=per_topic).encode()
    rows = result.rows(per_topic=per_topic)
    notes = {"settings": result.settings, "rows": rows, "notes": result.notes}
    return json_bytes(notes) if form is Form.JSON else rows_bytes(rows, form)


def _of_kind(result: Result, form: Form) -> bytes:
    kind = importlib.import_module(f"foveal.rendering.{_KINDS[type(result).__name__]}")
    if form in _DRAWN:
        return _DRAWN[form](*kind.tables(result, form)).encode()
    if form is Form.JSON:
        return json_bytes(kind.document(result))
    return rows_bytes(kind.rows(result), form)


def _listed(found: Findings | Location, form: Form) -> bytes:
    rows = found.rows()
    held: dict[str, Any]
    if isinstance(found, Location):
        drawn, settings, held = location_text(found), None, asdict(found)
    else:
        drawn, settings = findings_text(found), found.settings
        held = {"settings": settings, "findings": rows}
    if form in _DRAWN:
        return (drawn if form is Form.TEXT else _DRAWN[form](labels_table(rows, settings))).encode()
    return json_bytes(held) if form is Form.JSON else rows_bytes(rows, form)
