"""Render any result in any form."""

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
# Scores are written in these forms without making a frame.
_SCORE_LINES = {Form.CSV, Form.TSV, Form.JSONL}
_OTHER_PROGRAMS = {Form.TREC, Form.INEX}
_CHECK_FORMS = {Form.JUNIT, Form.GITHUB}
# Module and function of the forms that have no file of their name in forms/.
_FORM_FUNCTIONS = {
    Form.TREC: ("foveal.trec_eval", "trec_lines"),
    Form.INEX: ("foveal.rendering.forms.inex_eval", "draw"),
    Form.JUNIT: ("foveal.rendering.forms.ci", "junit"),
    Form.GITHUB: ("foveal.rendering.forms.ci", "github"),
}
# Modules of the results that have no file of their name in results/.
_RESULT_MODULES = {
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
    return rendered_bytes(result, form, per_topic=per_topic, width=width, notes=True).decode()


@stage("formatting")
def rendered_bytes(
    result: Result,
    to: Form | str,
    *,
    per_topic: bool = False,
    width: int | None = None,
    notes: bool = False,
) -> bytes:
    """The result in any form, as the bytes of a file.

    `notes` puts all settings and notes into tables for reading; without it, the caller shows
    them elsewhere.
    """
    form = chosen(Form, to)
    view = ScoresTable(result, per_topic, width) if isinstance(result, Scores) else result
    if form in _OTHER_PROGRAMS:
        return _printed(view, form)
    if isinstance(view, ScoresTable) and form in _SCORE_LINES:
        return score_bytes(list(view.rows), form, view.rows.columns)
    module = result_module(view)
    if form in _CHECK_FORMS:
        if not hasattr(module, "check_report"):
            raise UsageError(f"only a gate can be rendered as {form.value}")
        return _draw_function(form)(module.check_report(view, form)).encode()
    if form is Form.HTML and isinstance(view, Paged):
        return view.page()
    if form in _TABLES:
        tables: list[Table] = module.tables(view, form)
        result_notes = _result_notes(result) if notes else NO_NOTES
        return _draw_function(form)(*tables, result_notes=result_notes).encode()
    return (
        json_bytes(module.document(view))
        if form is Form.JSON
        else rows_bytes(module.rows(view), form)
    )


def _printed(view: object, form: Form) -> bytes:
    """Scores as another program prints them."""
    if not isinstance(view, ScoresTable):
        raise UsageError(f"only scores can be rendered as {form.value}")
    if view.scores.topic_facts.groups:
        refuse_groups(form)
    return _draw_function(form)(view.scores, per_topic=view.per_topic).encode()


def _draw_function(form: Form) -> Callable[..., str]:
    """The function that draws tables in a form, from a file that is loaded only now."""
    module, name = _FORM_FUNCTIONS.get(form, (f"foveal.rendering.forms.{form.value}", "draw"))
    draw: Callable[..., str] = getattr(importlib.import_module(module), name)
    return draw


def refuse_groups(form: Form) -> None:
    """Raise if a form has no place for groups of topics."""
    if form in _OTHER_PROGRAMS:
        raise UsageError(
            f"{form.value} has no place for groups: choose another form (--to), or leave out --groups"
        )


def displayed(result: Shown, form: Form) -> str:
    """Show a result as text, or as a piece of HTML for a notebook."""
    if form is Form.TEXT:
        return render(result, form)
    view = ScoresTable(result) if isinstance(result, Scores) else result
    module = result_module(view)
    if hasattr(module, "fragment"):
        markup: str = module.fragment(view)
        return markup
    html = importlib.import_module("foveal.rendering.forms.html")
    fragment: str = html.fragment(*module.tables(view, form), result_notes=_result_notes(result))
    return fragment


def _result_notes(result: object) -> ResultNotes:
    """The settings and notes of a result; a location has neither."""
    return ResultNotes(result.settings, result.notes) if isinstance(result, Shown) else NO_NOTES


def result_module(result: object) -> ModuleType:
    """The module that is named after the type of a result, loaded only now.

    Its `tables` are for readers, its `rows` for programs, its `document` for JSON.
    """
    if not isinstance(result, Shown | ScoresTable) and not _is_location(result):
        raise UsageError(
            f"cannot render {type(result).__name__}: give what evaluate, compare, agree,"
            " agree_assessors, gate, fidelity, stability, pool, check, explain or report returned"
        )
    name = type(result).__name__
    file = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    return importlib.import_module(_RESULT_MODULES.get(name, f"foveal.rendering.results.{file}"))


def _is_location(result: object) -> bool:
    from foveal.elements import Location  # noqa: PLC0415  # few results are locations

    return isinstance(result, Location)
