"""One function for every result and every form."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

from foveal.choices import Form, chosen
from foveal.errors import UsageError
from foveal.evaluation import Scores
from foveal.formats import json_bytes, rows_bytes, score_bytes
from foveal.rendering._table import NO_NOTES, ResultNotes, Table
from foveal.rendering.results.scores import ScoresTable
from foveal.shown import Paged, Shown
from foveal.work import stage

if TYPE_CHECKING:
    from foveal.elements import Location

    Result: TypeAlias = Shown | Location

_TABLES = {Form.TEXT, Form.MARKDOWN, Form.LATEX, Form.HTML}
# Forms of scores that need no frame.
_SCORE_LINES = {Form.CSV, Form.TSV, Form.JSONL}
_PRINTED = {Form.TREC, Form.INEX}
_VERDICTS = {Form.JUNIT, Form.GITHUB}
# Forms that do not have a file of their name.
_DRAWN_BY = {
    Form.TREC: ("foveal.trec_eval", "trec_lines"),
    Form.INEX: ("foveal.rendering.forms.inex_eval", "draw"),
    Form.JUNIT: ("foveal.rendering.forms.ci", "junit"),
    Form.GITHUB: ("foveal.rendering.forms.ci", "github"),
}
# Results that are not shown by the file of their name in results/.
_SHOWN_BY = {
    "ScoresTable": "foveal.rendering.results.scores",
    "Report": "foveal.reports.report",
    "Explanation": "foveal.reports.explanation",
}


def render(
    result: Result,
    to: Form | str = Form.TEXT,
    *,
    per_topic: bool = False,
    width: int | None = None,
    decimals: int | None = None,
) -> str:
    r"""The result as text: a table for reading, or data for other programs.

    Forms are text, markdown, latex and html, which show the settings and the notes as well; csv,
    tsv, json and jsonl; for scores trec and inex, for gates junit and github. `per_topic` shows every topic of scores;
    text that would be wider than `width` columns has a row per measure. `decimals` are those of the
    tables of a comparison.

    >>> import foveal
    >>> scores = foveal.evaluate({"1": {"a": 1}}, {"1": {"b": 2.0, "a": 1.0}}, ["AP", "RR"])
    >>> foveal.render(scores, to="csv")
    'run,measure,topic,value\nrun1,AP,all,0.5\nrun1,RR,all,0.5\n'
    """
    form = chosen(Form, to)
    if form is Form.PARQUET:
        raise UsageError("parquet is not text: use foveal.rendering.rendered_bytes")
    if decimals is not None:
        if not hasattr(result, "decimals"):
            raise UsageError("decimals are those of a comparison's tables")
        result = replace(result, decimals=decimals)  # type: ignore[type-var]  # a comparison
    return rendered_bytes(result, form, per_topic=per_topic, width=width, remarks=True).decode()


@stage("formatting")
def rendered_bytes(
    result: Result,
    to: Form | str,
    *,
    per_topic: bool = False,
    width: int | None = None,
    remarks: bool = False,
) -> bytes:
    """The result in any form, as the bytes of a file.

    With `remarks`, tables for reading carry all their settings and notes; without, these are shown
    somewhere else.
    """
    form = chosen(Form, to)
    shown = ScoresTable(result, per_topic, width) if isinstance(result, Scores) else result
    if form in _PRINTED:
        return _printed(shown, form)
    if isinstance(shown, ScoresTable) and form in _SCORE_LINES:
        return score_bytes(list(shown.rows), form, shown.rows.columns)
    file = drawing_file(shown)
    if form in _VERDICTS:
        if not hasattr(file, "verdict"):
            raise UsageError(f"only a gate can be rendered as {form.value}")
        return _drawing(form)(file.verdict(shown, form)).encode()
    if form is Form.HTML and isinstance(shown, Paged):
        return shown.page()
    if form in _TABLES:
        tables: list[Table] = file.tables(shown, form)
        told = _remarks(result) if remarks else NO_NOTES
        return _drawing(form)(*tables, remarks=told).encode()
    return (
        json_bytes(file.document(shown))
        if form is Form.JSON
        else rows_bytes(file.rows(shown), form)
    )


def _printed(shown: object, form: Form) -> bytes:
    """Scores as another program prints them."""
    if not isinstance(shown, ScoresTable):
        raise UsageError(f"only scores can be rendered as {form.value}")
    if shown.scores.topic_facts.groups:
        refuse_groups(form)
    return _drawing(form)(shown.scores, per_topic=shown.per_topic).encode()


def _drawing(form: Form) -> Callable[..., str]:
    """What draws in a form, from the file of its name, which is loaded when the form is asked for."""
    file, name = _DRAWN_BY.get(form, (f"foveal.rendering.forms.{form.value}", "draw"))
    draw: Callable[..., str] = getattr(importlib.import_module(file), name)
    return draw


def refuse_groups(form: Form) -> None:
    """Raise if a form has no place for groups of topics."""
    if form in _PRINTED:
        raise UsageError(
            f"{form.value} has no place for groups: choose another form (--to), or leave out --groups"
        )


def drawn(result: Shown, form: Form) -> str:
    """How a result shows itself: as text, or as a piece of HTML for a notebook."""
    if form is Form.TEXT:
        return render(result, form)
    shown = ScoresTable(result) if isinstance(result, Scores) else result
    file = drawing_file(shown)
    if hasattr(file, "fragment"):
        piece: str = file.fragment(shown)
        return piece
    html = importlib.import_module("foveal.rendering.forms.html")
    fragment: str = html.fragment(*file.tables(shown, form), remarks=_remarks(result))
    return fragment


def _remarks(result: object) -> ResultNotes:
    """The settings and notes of a result; the place of an element has neither."""
    return ResultNotes(result.settings, result.notes) if isinstance(result, Shown) else NO_NOTES


def drawing_file(result: object) -> ModuleType:
    """The file that is named after a type of result, loaded when there is one.

    Its `tables` are for eyes, its `rows` for programs, its `document` is what JSON has.
    """
    if not isinstance(result, Shown | ScoresTable) and not _is_location(result):
        raise UsageError(
            f"cannot render {type(result).__name__}: give what evaluate, compare, agree,"
            " agree_assessors, gate, fidelity, stability, pool, check, explain or report returned"
        )
    name = type(result).__name__
    file = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    return importlib.import_module(_SHOWN_BY.get(name, f"foveal.rendering.results.{file}"))


def _is_location(result: object) -> bool:
    from foveal.elements import Location  # noqa: PLC0415  # few results are the place of an element

    return isinstance(result, Location)
