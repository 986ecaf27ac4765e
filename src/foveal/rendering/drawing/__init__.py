"""Draw figures as SVG: style, scales, marks, and charts made of them."""

from foveal.rendering.drawing.charts import Line, Row, classes, heat, intervals, lines
from foveal.rendering.drawing.keys import area_symbol, dot_symbol, heat_key, key, line_symbol
from foveal.rendering.drawing.labels import cut, label_positions, spread, width, wrapped
from foveal.rendering.drawing.marks import arrow, box, cells, dot, legible, polyline, rule, text
from foveal.rendering.drawing.minimap import minimap
from foveal.rendering.drawing.panel import Panel
from foveal.rendering.drawing.picture import Picture, grid, stacked
from foveal.rendering.drawing.scales import Band, Linear, Log
from foveal.rendering.drawing.style import DARK, FIGURE_TITLE, LIGHT, figure_style, page_style
