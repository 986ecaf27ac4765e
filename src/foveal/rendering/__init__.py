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
    from foveal.rendering.explanation import Explanation, explain
    from foveal.rendering.figures import (
        FIGURES,
        Figure,
        FigureRecord,
        figure,
        figures_of,
        refuse_unless_drawable,
    )

__all__ = [
    "FIGURES",
    "Explanation",
    "Figure",
    "FigureRecord",
    "described_formats",
    "described_measure",
    "drawn",
    "explain",
    "explanation",
    "figure",
    "figures_of",
    "listed_measures",
    "record_facts",
    "refuse_groups",
    "refuse_unless_drawable",
    "render",
    "rendered_bytes",
    "score_facts",
    "setting_words",
]


def __getattr__(name: str) -> Any:
    """Load figures and explanations when one is asked for: tables do not need what these need."""
    if name == "explanation":
        return importlib.import_module("foveal.rendering.explanation")
    if name in {"Explanation", "explain"}:
        return getattr(importlib.import_module("foveal.rendering.explanation"), name)
    if name in __all__:
        return getattr(importlib.import_module("foveal.rendering.figures"), name)
    raise AttributeError(f"module 'foveal.rendering' has no attribute {name!r}")
