"""Labels: their widths, and positions at which none covers another."""

from __future__ import annotations

from collections.abc import Sequence

from foveal.rendering.drawing.style import PANEL_HEAD, SMALL

# Widths of DejaVu Sans's letters in thousandths of an em: figures name Arial first, but many systems have
# only this font, and nearly all its letters are wider.
_WIDTHS = {
    278: "ijl'",
    318: " ,.·IJ\N{NO-BREAK SPACE}",
    337: "/:;\\|",
    361: "-f",
    401: "()[]!t",
    411: "r",
    460: '"',
    500: "*`°_",
    525: "sz",
    592: "ckvxy",
    611: "FLPTY",
    698: "ABCEKRSVXZ",
    770: "DHNU",
    787: "GOQ&",
    838: "w#+<=>~^−×±≤≥→",
    863: "M",
    974: "m%",
    1000: "W@—…",
}
_EMS = {letter: em / 1000 for em, letters in _WIDTHS.items() for letter in letters}
USUAL_EM, FULL_EM = 0.636, 1.0
FIRST_FULL_WIDTH = 0x1100
# Bold letters are wider.
BOLD = 1.13
# A name near a dot, in pixels: half its height, free space around the dot, directions, distances.
HALF_LINE, CLEAR = 7.0, 4.0
DIRECTIONS = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
GAPS = (7.0, 14.0, 24.0, 38.0, 56.0)

Box = tuple[float, float, float, float]


def width(text: str, size: float = SMALL) -> float:
    """Approximate width of a text in pixels; text in the sizes of headings is bold."""
    ems = sum(
        _EMS.get(letter, FULL_EM if ord(letter) >= FIRST_FULL_WIDTH else USUAL_EM)
        for letter in text
    )
    return size * ems * (BOLD if size >= PANEL_HEAD else 1.0)


def cut(text: str, max_width: float, size: float = SMALL) -> str:
    """Shorten a text with … to fit; its middle is left out, because names differ at both ends."""
    if width(text, size) <= max_width:
        return text
    kept_count = len(text)
    while kept_count > 1:
        kept_count -= max(1, int((width(text[:kept_count], size) - max_width) / size / 2))
        kept_count = max(kept_count, 1)
        shortened = f"{text[: (kept_count + 1) // 2]}…{text[len(text) - kept_count // 2 :]}"
        if width(shortened, size) <= max_width:
            return shortened
    return "…"


def wrapped(text: str, max_width: float, size: float = SMALL) -> list[str]:
    """Wrap a text; a word that is too long for a line is cut, a number stays with its %."""
    text = text.replace(" %", "\N{NO-BREAK SPACE}%")
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, size) <= max_width:
            lines[-1] = longer
        else:
            lines.append(cut(word, max_width, size))
    return lines


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move positions as little as possible, until neighbours are a gap apart within bounds."""
    order = sorted(range(len(positions)), key=lambda index: positions[index])
    gap = min(gap, (high - low) / max(len(positions) - 1, 1))
    # Groups of labels that touch: the sum of their wished positions for the first, and their count.
    groups: list[tuple[float, int]] = []
    for index in order:
        group = (positions[index], 1)
        while groups and _top(*group, gap, low, high) < _bottom(*groups[-1], gap, low, high) + gap:
            wish_sum, count = groups.pop()
            # A later label wishes the first one higher by the gaps between them.
            group = (wish_sum + group[0] - count * group[1] * gap, count + group[1])
        groups.append(group)
    spread_positions = [0.0] * len(positions)
    members = iter(order)
    for wish_sum, count in groups:
        first = _top(wish_sum, count, gap, low, high)
        for member in range(count):
            spread_positions[next(members)] = first + member * gap
    return spread_positions


def _top(wish_sum: float, count: int, gap: float, low: float, high: float) -> float:
    """Position of the first label of a group: the mean wish, inside the bounds."""
    return min(max(wish_sum / count, low), high - (count - 1) * gap)


def _bottom(wish_sum: float, count: int, gap: float, low: float, high: float) -> float:
    return _top(wish_sum, count, gap, low, high) + (count - 1) * gap


def label_positions(
    dots: Sequence[tuple[float, float]],
    names: Sequence[str],
    other_dots: Sequence[tuple[float, float]],
    bounds: Box,
) -> list[tuple[float, float]]:
    """Positions at which names cover neither each other nor dots and stay within the bounds.

    A name is tried next to its dot first, then further and further away; if no position is free, it
    gets the one with the least overlap.
    """
    occupied = [(x - CLEAR, y - CLEAR, x + CLEAR, y + CLEAR) for x, y in (*dots, *other_dots)]
    positions = []
    for (x, y), name in zip(dots, names, strict=True):
        label_width = width(name)
        best = min(
            (_box(x, y, label_width, direction, gap) for gap in GAPS for direction in DIRECTIONS),
            key=lambda box: sum(_overlap(box, used) for used in occupied) + _outside(box, bounds),
        )
        occupied.append(best)
        positions.append((best[0], best[3] - 3))
    return positions


def _box(x: float, y: float, width: float, direction: tuple[float, float], gap: float) -> Box:
    """The box of a name at a distance from its dot in a direction."""
    across, down = direction
    left = x + across * gap - width * (1 - across) / 2
    middle = y + down * (gap if across == 0 else gap - GAPS[0] + abs(down) * HALF_LINE)
    return left, middle - HALF_LINE, left + width, middle + HALF_LINE


def _overlap(first: Box, second: Box) -> float:
    overlap_width = min(first[2], second[2]) - max(first[0], second[0])
    overlap_height = min(first[3], second[3]) - max(first[1], second[1])
    return max(overlap_width, 0) * max(overlap_height, 0)


def _outside(box: Box, bounds: Box) -> float:
    inside = _overlap(box, bounds)
    # A name that is cut off is worse than one that overlaps another.
    return 10 * ((box[2] - box[0]) * (box[3] - box[1]) - inside)
