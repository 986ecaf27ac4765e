"""One function for every result and every form."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING

from foveal.choices import Form, chosen
from foveal.errors import UsageError
from foveal.formats import json_bytes, rows_bytes, score_bytes
from foveal.registry import file_names
from foveal.rendering import html, inex, latex, markdown, text
from foveal.rendering.sheet import Sheet
from foveal.tables import Scores
from foveal.trec_eval import trec_lines

if TYPE_CHECKING:
    from foveal.analysis import Agreement, Comparison
    from foveal.elements import Location
    from foveal.rules import Findings
    from foveal.studies import Fidelity, Stability

    Result = Scores | Findings | Location | Comparison | Agreement | Fidelity | Stability

_DRAWN: dict[Form, Callable[..., str]] = {
    Form.TEXT: text.draw,
    Form.MARKDOWN: markdown.draw,
    Form.LATEX: latex.draw,
    Form.HTML: html.draw,
}
# Forms of scores that need no frame.
_SCORE_LINES = {Form.CSV, Form.TSV, Form.JSONL}
_PRINTED = {Form.TREC: trec_lines, Form.INEX: inex.draw}


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
    shown = Sheet(result, per_topic, width) if isinstance(result, Scores) else result
    if form in _PRINTED:
        if not isinstance(shown, Sheet):
            raise UsageError(f"only scores have a form {form.value}")
        return _PRINTED[form](shown.scores, per_topic=per_topic).encode()
    if isinstance(shown, Sheet) and form in _SCORE_LINES:
        return score_bytes(list(shown.rows()), form)
    file = _file_of(shown)
    if form in _DRAWN:
        return _DRAWN[form](*file.tables(shown, form)).encode()
    return (
        json_bytes(file.document(shown))
        if form is Form.JSON
        else rows_bytes(file.rows(shown), form)
    )


def _file_of(result: object) -> ModuleType:
    """The file that is named after a type of result, loaded when there is one.

    Its `tables` are for eyes, its `rows` for machines, its `document` is what JSON holds.
    """
    room, name = "foveal.rendering", type(result).__name__.lower()
    if name not in file_names(room):
        raise UsageError(f"only results can be rendered, not {type(result).__name__}")
    return importlib.import_module(f"{room}.{name}")
