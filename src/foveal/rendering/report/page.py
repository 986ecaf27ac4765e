"""The page of a report: the template filled, with a policy that lets nothing in or out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from foveal.errors import counted
from foveal.rendering._pages import asset, policy, template
from foveal.rendering.drawing import figure_style, page_style
from foveal.rendering.report._sections import sections, topics_figure
from foveal.rendering.report.contents import Page
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.rendering.report._report import Report

# Digits of values under the pointer; the tables have as many.
DIGITS = 4


def drawn_page(report: Report) -> bytes:
    """The page as one file in UTF-8."""
    style = page_style() + figure_style() + asset("report", "page.css")
    script = asset("report", "page.js")
    runs, topics = len(report.scores.runs), report.scores.topics[c.TOPIC].n_unique()
    page = Page(
        title=f"{counted(runs, 'run')} on {counted(topics, 'topic')}",
        lead=f"Scored by {', '.join(report.scores.measures)}.",
        sections=tuple(sections(report)),
        notes=report.notes,
        style=style,
        script=script,
        policy=policy(style=style, script=script),
        data=_data(report),
    )
    filled: str = template("report", "report.html").render(page=page)
    return filled.encode("utf-8", "replace")


def _data(report: Report) -> str:
    """The numbers that are shown under the pointer; no < can end the script that holds them."""
    order = [report.scores.runs.index(run) for run in report.ranking]
    figures: dict[str, Any] = {
        "curves-figure": {
            "across": "recall",
            "levels": [f"{level:.2f}" for level in report.levels],
            "runs": [report.scores.runs[place] for place in order],
            "values": [_short(report.curves[place]) for place in order],
        }
    }
    if report.readings is not None:
        figures["reading-figure"] = {
            "across": "characters",
            "levels": [f"{budget:,}" for budget in report.budgets],
            "runs": [report.scores.runs[place] for place in order],
            "values": [_short(report.readings[place]) for place in order],
        }
    topics = topics_figure(report).data
    figures["topics-figure"] = {
        "rows": topics[c.RUN].unique(maintain_order=True).to_list(),
        "columns": topics[c.TOPIC].unique(maintain_order=True).to_list(),
        "values": [None if value is None else round(value, DIGITS) for value in topics[c.VALUE]],
    }
    return json.dumps({"figures": figures}, sort_keys=True).replace("<", r"\u003c")


def _short(values: Any) -> list[float]:
    return [round(float(value), DIGITS) for value in values]
