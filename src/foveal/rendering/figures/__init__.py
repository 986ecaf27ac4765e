"""Figures: one builder each, drawn by Altair, saved as SVG, PNG, HTML, or as their data.

A builder takes a result and gives a `Figure`: its data as a table, and how to draw them.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from foveal.analysis import Agreement, Comparison
from foveal.errors import UsageError
from foveal.rendering.figures import agreement, comparison, curves, fidelity, stability
from foveal.rendering.figures._figure import Figure, refuse_unless_drawable
from foveal.studies import Fidelity, Stability
from foveal.tables import Scores

FIGURES: dict[type, dict[str, Callable[[Any], Figure]]] = {
    Comparison: {
        "matrix": comparison.matrix,
        "means": comparison.means,
        "differences": comparison.differences,
        "p-values": comparison.p_values,
    },
    Agreement: {"scatter": agreement.scatter},
    Scores: {"curves": curves.curves},
    Fidelity: {
        "lattice": fidelity.lattice,
        "curves": fidelity.curves,
        "responses": fidelity.responses,
    },
    Stability: {
        "curves": stability.curves,
        "plane": stability.plane,
        "depths": stability.depths,
        "swaps": stability.swaps,
    },
}


def figure(result: Any, name: str) -> Figure:
    """The figure of that name of a result."""
    known = FIGURES.get(type(result), {})
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise UsageError(f"no figure {name!r}{hint}: choose from {', '.join(known) or 'none'}")
    return known[name](result)


__all__ = ["FIGURES", "Figure", "figure", "refuse_unless_drawable"]
