"""The page of a report: the filled template, with a policy that allows no requests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from foveal.errors import counted
from foveal.rendering import asset, hundredths, policy, rounded, template
from foveal.rendering.drawing import LIGHT, figure_style, legible, page_style
from foveal.reports.report.report_blocks import ReportPage
from foveal.reports.report.report_figures import in_order, topics_figure
from foveal.reports.report.sections import sections
from foveal.spans import Floats
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.reports.report.report import Report

# Stands for a name of nothing but blanks.
BLANK_NAME = "␣"
# Of longer words, such as names of a thousand characters, only both ends are shown.
LONG_WORD = re.compile(r"(\S{60})\S{60,}(\S{60})")


def rendered_page(report: Report) -> bytes:
    """The page as one file in UTF-8."""
    style = page_style() + figure_style() + asset("report", "page.css")
    script = asset("report", "page.js")
    task = f"Task {report.task}, s" if report.task else "S"
    runs, topics = len(report.scores.runs), report.scores.topics[c.TOPIC].n_unique()
    page = ReportPage(
        title=f"{counted(runs, 'run')} on {counted(topics, 'topic')}",
        lead=f"{task}cored by {', '.join(map(report.display_name, report.scores.measures))}.",
        sections=tuple(sections(report)),
        notes=report.notes,
        style=style,
        script=script,
        policy=policy(style=style, script=script),
        data=_data(report),
    )
    html: str = template("report", "report.html", _readable).render(page=page)
    return html.encode("utf-8", "replace")


def _data(report: Report) -> str:
    """The numbers shown under the pointer, as JSON without <, which could end its script element."""
    levels = [hundredths(level) for level in report.levels]
    figures = {}
    if report.curves is not None:
        figures["curves-figure"] = _lines(report, report.curves, "recall", levels)
    if report.readings is not None:
        budgets = [f"{budget:,}" for budget in report.budgets]
        figures["reading-figure"] = _lines(report, report.readings, "characters", budgets)
    topics = topics_figure(report).data
    figures["topics-figure"] = {
        "rows": _names(topics[c.RUN].unique(maintain_order=True)),
        "columns": _names(topics[c.TOPIC].unique(maintain_order=True)),
        "values": [None if value is None else _short(value) for value in topics[c.VALUE]],
    }
    page_data = {"colours": len(LIGHT.series), "figures": figures}
    return json.dumps(page_data, sort_keys=True).replace("<", r"\u003c")


def _lines(report: Report, values: Floats, unit: str, levels: list[str]) -> dict[str, Any]:
    curves = in_order(report, values)
    return {
        "across": unit,
        "levels": levels,
        "runs": _names(run for run, _ in curves),
        "values": [[_short(value) for value in run_values] for _, run_values in curves],
    }


def _short(value: float) -> float:
    """A value with as many digits as in the tables."""
    return float(rounded(value))


def _names(names: Iterable[str]) -> list[str]:
    """Names as in the figures, by which the page's script finds their lines."""
    return [legible(name) for name in names]


def _readable(value: Any) -> Any:
    """Shorten words that would fill the page; markup from `safe` and `e` is left unchanged."""
    if type(value) is not str:
        return value
    return LONG_WORD.sub(r"\1…\2", legible(value)) if value.strip() or not value else BLANK_NAME
