"""Results for eyes and for other programs: every result, every form, one function."""

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from foveal.render._forms import render, rendered_bytes
from foveal.render.records import (
    described_formats,
    described_measure,
    listed_measures,
    measures_page,
)
from foveal.render.trec import TrecLine, trec_numbers, trec_text

if TYPE_CHECKING:
    from foveal.render.figures import FIGURES, Figure, figure, refuse_unless_drawable

__all__ = [
    "FIGURES",
    "Figure",
    "TrecLine",
    "described_formats",
    "described_measure",
    "figure",
    "listed_measures",
    "measures_page",
    "refuse_unless_drawable",
    "render",
    "rendered_bytes",
    "trec_numbers",
    "trec_text",
]


_FIGURES = {"FIGURES", "Figure", "figure", "refuse_unless_drawable"}


def __getattr__(name: str) -> Any:
    """Load the figures when one is asked for: tables need none of what they need."""
    if name in _FIGURES:
        return getattr(importlib.import_module("foveal.render.figures"), name)
    raise AttributeError(f"module 'foveal.render' has no attribute {name!r}")


class _Room(ModuleType):
    """A room that is called like its function.

    The library's word is `foveal.render(result)`, and importing this room puts the room itself
    under that name.
    """

    def __call__(self, *arguments: Any, **options: Any) -> str:
        """What `render` makes of a result."""
        return render(*arguments, **options)


sys.modules[__name__].__class__ = _Room
