"""Results for eyes and for other programs: every result, every form, one function."""

import importlib
from typing import TYPE_CHECKING, Any

from foveal.rendering._forms import render, rendered_bytes
from foveal.rendering.records import (
    described_formats,
    described_measure,
    listed_measures,
    measures_page,
)

if TYPE_CHECKING:
    from foveal.rendering.figures import FIGURES, Figure, figure, refuse_unless_drawable

__all__ = [
    "FIGURES",
    "Figure",
    "described_formats",
    "described_measure",
    "figure",
    "listed_measures",
    "measures_page",
    "refuse_unless_drawable",
    "render",
    "rendered_bytes",
]


_FIGURES = {"FIGURES", "Figure", "figure", "refuse_unless_drawable"}


def __getattr__(name: str) -> Any:
    """Load the figures when one is asked for: tables need none of what they need."""
    if name in _FIGURES:
        return getattr(importlib.import_module("foveal.rendering.figures"), name)
    raise AttributeError(f"module 'foveal.rendering' has no attribute {name!r}")
