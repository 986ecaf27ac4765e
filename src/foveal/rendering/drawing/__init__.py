"""The drawing of figures: tokens of design, scales, marks, and charts made of them; all as SVG."""

from foveal.rendering.drawing.charts import Line, Row, classes, heat, intervals, lines
from foveal.rendering.drawing.keys import dotted, drawn, filled, heat_key, key
from foveal.rendering.drawing.labels import cut, folded, placed, spread, width
from foveal.rendering.drawing.marks import (
    arrow,
    box,
    cells,
    dot,
    legible,
    number,
    polyline,
    rule,
    text,
)
from foveal.rendering.drawing.minimap import minimap
from foveal.rendering.drawing.panel import Panel
from foveal.rendering.drawing.picture import Picture, beside, stacked
from foveal.rendering.drawing.scales import Band, Linear, Log
from foveal.rendering.drawing.style import (
    DARK,
    FIGURE_TITLE,
    LIGHT,
    Theme,
    figure_style,
    page_style,
)
