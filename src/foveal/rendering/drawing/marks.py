"""Marks: the few shapes of figures as SVG; every text in them is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import isnan

import numpy as np

from foveal.spans import Floats

# Characters that no XML document can hold, and marks that would reverse the text around a name.
_UNWRITABLE = dict.fromkeys(
    (
        *(*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)),
        *(0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    ),
    "�",
)


def number(value: float) -> str:
    """A coordinate with one decimal, so that the same figure has the same bytes everywhere."""
    short = f"{value:.1f}"
    short = short.removesuffix(".0")
    return "0" if short == "-0" else short


def legible(text: str) -> str:
    """Replace characters that XML cannot hold or that would reverse the text around them."""
    return text.translate(_UNWRITABLE)


def escaped(text: str) -> str:
    """Escape a text for XML."""
    return escape(legible(text), quote=True)


def text(
    x: float, y: float, content: str, style: str = "", *, anchor: str = "", turned: bool = False
) -> str:
    """A text at a point; `anchor` is start, middle or end, and a turned text reads upwards."""
    attrs = f' class="{style}"' if style else ""
    attrs += f' text-anchor="{anchor}"' if anchor not in {"", "start"} else ""
    attrs += f' transform="rotate(-90 {number(x)} {number(y)})"' if turned else ""
    return f'<text x="{number(x)}" y="{number(y)}"{attrs}>{escaped(content)}</text>'


def rule(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    """A straight line."""
    return f'<path class="{style}" d="M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}"/>'


def box(x: float, y: float, width: float, height: float, style: str, title: str = "") -> str:
    """A rectangle; its title is shown under the pointer."""
    shape = f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" class="{style}"'
    return f"{shape}><title>{escaped(title)}</title></rect>" if title else f"{shape}/>"


def dot(x: float, y: float, radius: float, style: str, title: str = "") -> str:
    """A disc; its title is shown under the pointer."""
    shape = f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" class="{style}"'
    return f"{shape}><title>{escaped(title)}</title></circle>" if title else f"{shape}/>"


def polyline(xs: Sequence[float] | Floats, ys: Sequence[float] | Floats, style: str) -> str:
    """A line through points; NaN interrupts it."""
    commands, pen = [], "M"
    points = zip(np.asarray(xs, float).tolist(), np.asarray(ys, float).tolist(), strict=True)
    for x, y in points:
        if isnan(y):
            pen = "M"
            continue
        commands.append(f"{pen}{number(x)} {number(y)}")
        pen = "L"
    return f'<path class="{style}" d="{"".join(commands)}"/>'


def cells(xs: Floats, ys: Floats, width: float, height: float | Floats, style: str) -> str:
    """Many rectangles of one width as one path: a browser draws thousands as fast as one."""
    width_text = number(width)
    heights = np.broadcast_to(np.asarray(height, dtype=float), np.shape(ys)).tolist()
    path = "".join(
        f"M{number(x)} {number(y)}h{width_text}v{number(cell_height)}h-{width_text}z"
        for x, y, cell_height in zip(xs.tolist(), ys.tolist(), heights, strict=True)
    )
    return f'<path class="{style}" d="{path}"/>'


def arrow(x1: float, y1: float, x2: float, y2: float, style: str, head: float = 6.0) -> str:
    """A line with a head at its end."""
    norm = max(float(np.hypot(x2 - x1, y2 - y1)), 1e-9)
    along, aside = (((x2 - x1) / norm, (y2 - y1) / norm), ((y1 - y2) / norm, (x2 - x1) / norm))
    base = (x2 - head * along[0], y2 - head * along[1])
    left, right = (
        (base[0] + side * head / 2 * aside[0], base[1] + side * head / 2 * aside[1])
        for side in (1, -1)
    )
    tip = "".join(
        f"{pen}{number(x)} {number(y)}"
        for pen, (x, y) in (("M", left), ("L", (x2, y2)), ("L", right))
    )
    return f'{rule(x1, y1, x2, y2, style)}<path class="{style} solid" d="{tip}"/>'


def group(
    marks: Iterable[str],
    style: str = "",
    *,
    x: float = 0,
    y: float = 0,
    data: Mapping[str, str] | None = None,
) -> str:
    """Marks moved together; `data` for a page's script becomes data-… attributes."""
    attrs = f' class="{style}"' if style else ""
    attrs += f' transform="translate({number(x)} {number(y)})"' if x or y else ""
    attrs += "".join(f' data-{name}="{escaped(value)}"' for name, value in (data or {}).items())
    return f"<g{attrs}>{''.join(marks)}</g>"
