"""The page of a report: the template filled, with a policy that lets nothing in or out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from foveal.errors import counted
from foveal.rendering import asset, hundredths, policy, rounded, template
from foveal.rendering.drawing import LIGHT, figure_style, legible, page_style
from foveal.reports.report.report_blocks import Page
from foveal.reports.report.report_figures import in_order, topics_figure
from foveal.reports.report.sections import sections
from foveal.spans import Floats
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.reports.report.report import Report

# How a name of blanks alone is shown.
UNSEEN = "␣"
# Longer words, such as names of a thousand characters, are shown by both their ends.
LONG_WORD = re.compile(r"(\S{60})\S{60,}(\S{60})")


def drawn_page(report: Report) -> bytes:
    """The page as one file in UTF-8."""
    style = page_style() + figure_style() + asset("report", "page.css")
    script = asset("report", "page.js")
    task = f"Task {report.task}, s" if report.task else "S"
    runs, topics = len(report.scores.runs), report.scores.topics[c.TOPIC].n_unique()
    page = Page(
        title=f"{counted(runs, 'run')} on {counted(topics, 'topic')}",
        lead=f"{task}cored by {', '.join(map(report.called, report.scores.measures))}.",
        sections=tuple(sections(report)),
        notes=report.notes,
        style=style,
        script=script,
        policy=policy(style=style, script=script),
        data=_data(report),
    )
    filled: str = template("report", "report.html", _readable).render(page=page)
    return filled.encode("utf-8", "replace")


def _data(report: Report) -> str:
    """The numbers that are shown under the pointer; no < can end the script that holds them."""
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
    told = {"colours": len(LIGHT.series), "figures": figures}
    return json.dumps(told, sort_keys=True).replace("<", r"\u003c")


def _lines(report: Report, values: Floats, across: str, levels: list[str]) -> dict[str, Any]:
    known = in_order(report, values)
    return {
        "across": across,
        "levels": levels,
        "runs": _names(run for run, _ in known),
        "values": [[_short(value) for value in own] for _, own in known],
    }


def _short(value: float) -> float:
    """A value with as many digits as the tables show."""
    return float(rounded(value))


def _names(names: Iterable[str]) -> list[str]:
    """Names as figures spell them, by which the page's script finds their lines."""
    return [legible(name) for name in names]


def _readable(value: Any) -> Any:
    """Text without words that fill the page; markup, which `safe` and `e` give, is left as it is."""
    if type(value) is not str:
        return value
    return LONG_WORD.sub(r"\1…\2", legible(value)) if value.strip() or not value else UNSEEN
