"""The drawing of figures: tokens of design, scales, marks, and charts made of them; all as SVG."""

from foveal.rendering.drawing.charts import Line, lines
from foveal.rendering.drawing.labels import cut, spread, width
from foveal.rendering.drawing.marks import (
    arrow,
    box,
    cells,
    dot,
    group,
    number,
    polyline,
    rule,
    text,
)
from foveal.rendering.drawing.panel import Panel
from foveal.rendering.drawing.picture import Picture, beside, stacked
from foveal.rendering.drawing.scales import Band, Linear, Log, Scale, Tick
from foveal.rendering.drawing.tokens import DARK, LIGHT, Theme, contrast, figure_style, page_style

__all__ = [
    "DARK",
    "LIGHT",
    "Band",
    "Line",
    "Linear",
    "Log",
    "Panel",
    "Picture",
    "Scale",
    "Theme",
    "Tick",
    "arrow",
    "beside",
    "box",
    "cells",
    "contrast",
    "cut",
    "dot",
    "figure_style",
    "group",
    "lines",
    "number",
    "page_style",
    "polyline",
    "rule",
    "spread",
    "stacked",
    "text",
    "width",
]
