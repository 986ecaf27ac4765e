"""Keys: what colours, dots and lines mean, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foveal.rendering.drawing.labels import width
from foveal.rendering.drawing.marks import box, dot, rule, text
from foveal.rendering.drawing.picture import Picture
from foveal.rendering.drawing.style import LIGHT

LINE, SIGN, GAP = 18.0, 22.0, 18.0
SWATCH = 11.0
CLASSES = len(LIGHT.heat)

Shape = Callable[[float, float, str], str]


def filled(x: float, y: float, style: str) -> str:
    """The sign of an area."""
    return box(x + 4, y - SWATCH / 2, SWATCH, SWATCH, style)


def dotted(x: float, y: float, style: str) -> str:
    """The sign of a dot."""
    return dot(x + 9, y, 4, style)


def drawn(x: float, y: float, style: str) -> str:
    """The sign of a line."""
    return rule(x, y, x + SIGN - 4, y, style)


def key(entries: Sequence[tuple[Shape, str, str]], room: float) -> Picture:
    """Signs (shape, style) with their words, side by side while there is room for them."""
    marks, x, y = [], 0.0, LINE / 2
    for shape, style, words in entries:
        wide = SIGN + width(words)
        if x and x + wide > room:
            x, y = 0.0, y + LINE
        marks += [shape(x, y, style), text(x + SIGN, y + 4, words)]
        x += wide + GAP
    widest = max((SIGN + width(words) for _, _, words in entries), default=0)
    return Picture(max(min(room, x), widest), y + LINE / 2, "".join(marks))


def heat_key(low: str, high: str, title: str) -> Picture:
    """The classes of a heat map from the least to the most."""
    left = width(title) + 8
    first = left + width(low) + 6
    boxes = [
        box(first + 16 * place, LINE / 2 - 6, 16, 12, f"cell h{place}") for place in range(CLASSES)
    ]
    end = first + 16 * CLASSES + 6
    words = [text(0, LINE / 2 + 4, title), text(left, LINE / 2 + 4, low, "muted")]
    words.append(text(end, LINE / 2 + 4, high, "muted"))
    return Picture(end + width(high) + 4, LINE, "".join([*words, *boxes]))
