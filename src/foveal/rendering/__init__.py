"""Results for people and for other programs: every result, every form, one function."""

import importlib
from typing import TYPE_CHECKING, Any

from foveal.rendering._forms import drawn, refuse_groups, render, rendered_bytes
from foveal.rendering.records import (
    described_formats,
    described_measure,
    listed_measures,
    record_facts,
    score_facts,
    setting_words,
)

if TYPE_CHECKING:
    from foveal.rendering import explanation
    from foveal.rendering.drawing import page_style
    from foveal.rendering.explanation import Explanation, explain
    from foveal.rendering.figures import (
        FIGURES,
        Figure,
        FigureRecord,
        figure,
        figures_of,
        refuse_unless_drawable,
    )
    from foveal.rendering.report import (
        Look,
        Report,
        RunLook,
        Testing,
        refuse_undrawable,
        report_on,
        reported,
    )

__all__ = [
    "FIGURES",
    "Explanation",
    "Figure",
    "FigureRecord",
    "Look",
    "Report",
    "RunLook",
    "Testing",
    "described_formats",
    "described_measure",
    "drawn",
    "explain",
    "explanation",
    "figure",
    "figures_of",
    "listed_measures",
    "page_style",
    "record_facts",
    "refuse_groups",
    "refuse_undrawable",
    "refuse_unless_drawable",
    "render",
    "rendered_bytes",
    "report_on",
    "reported",
    "score_facts",
    "setting_words",
]


_OF_REPORTS = {
    *("Look", "Report", "RunLook", "Testing", "refuse_undrawable", "report_on", "reported"),
}


def __getattr__(name: str) -> Any:
    """Load figures and pages when one is asked for: tables do not need what these need."""
    if name == "explanation":
        return importlib.import_module("foveal.rendering.explanation")
    if name not in __all__:
        raise AttributeError(f"module 'foveal.rendering' has no attribute {name!r}")
    if name == "page_style":
        file = "drawing"
    elif name in _OF_REPORTS:
        file = "report"
    else:
        file = "explanation" if name in {"Explanation", "explain"} else "figures"
    return getattr(importlib.import_module(f"foveal.rendering.{file}"), name)
