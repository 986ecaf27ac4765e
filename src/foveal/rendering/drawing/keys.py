"""Keys: the meaning of colours, dots and lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foveal.rendering.drawing.labels import width
from foveal.rendering.drawing.marks import box, dot, rule, text
from foveal.rendering.drawing.picture import Picture
from foveal.rendering.drawing.style import LIGHT

LINE_HEIGHT, SYMBOL, GAP = 18.0, 22.0, 18.0
SWATCH = 11.0
CLASSES = len(LIGHT.heat)

Shape = Callable[[float, float, str], str]


def area_symbol(x: float, y: float, style: str) -> str:
    """The symbol of an area."""
    return box(x + 4, y - SWATCH / 2, SWATCH, SWATCH, style)


def dot_symbol(x: float, y: float, style: str) -> str:
    """The symbol of a dot."""
    return dot(x + 9, y, 4, style)


def line_symbol(x: float, y: float, style: str) -> str:
    """The symbol of a line."""
    return rule(x, y, x + SYMBOL - 4, y, style)


def key(entries: Sequence[tuple[Shape, str, str]], max_width: float) -> Picture:
    """Symbols (shape, style) with their labels, in as many lines as the width needs."""
    marks, x, y = [], 0.0, LINE_HEIGHT / 2
    for shape, style, label in entries:
        entry_width = SYMBOL + width(label)
        if x and x + entry_width > max_width:
            x, y = 0.0, y + LINE_HEIGHT
        marks += [shape(x, y, style), text(x + SYMBOL, y + 4, label)]
        x += entry_width + GAP
    widest = max((SYMBOL + width(label) for _, _, label in entries), default=0)
    return Picture(max(min(max_width, x), widest), y + LINE_HEIGHT / 2, "".join(marks))


def heat_key(low: str, high: str, title: str) -> Picture:
    """The classes of a heat map from the lowest to the highest."""
    left = width(title) + 8
    boxes_x = left + width(low) + 6
    boxes = [
        box(boxes_x + 16 * index, LINE_HEIGHT / 2 - 6, 16, 12, f"cell h{index}")
        for index in range(CLASSES)
    ]
    high_x = boxes_x + 16 * CLASSES + 6
    labels = [text(0, LINE_HEIGHT / 2 + 4, title), text(left, LINE_HEIGHT / 2 + 4, low, "muted")]
    labels.append(text(high_x, LINE_HEIGHT / 2 + 4, high, "muted"))
    return Picture(high_x + width(high) + 4, LINE_HEIGHT, "".join([*labels, *boxes]))
