"""Results for eyes and for other programs: every result, every form, one function."""

import sys
from types import ModuleType
from typing import Any

from foveal.render._forms import render, rendered_bytes
from foveal.render.figures import FIGURES, Figure, figure, refuse_unless_drawable
from foveal.render.records import (
    described_formats,
    described_measure,
    listed_measures,
    measures_page,
)
from foveal.render.trec import TrecLine, trec_numbers, trec_text

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


class _Room(ModuleType):
    """A room that is called like its function.

    The library's word is `foveal.render(result)`, and importing this room puts the room itself
    under that name.
    """

    def __call__(self, *arguments: Any, **options: Any) -> str:
        """What `render` makes of a result."""
        return render(*arguments, **options)


sys.modules[__name__].__class__ = _Room
