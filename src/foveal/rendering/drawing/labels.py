"""Labels: how wide they are, and where they go so that none covers another."""

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
FIRST_FULL = 0x1100
# Bold letters are wider.
BOLD = 1.13
# A name beside a dot: half its height, the dot's own room, the ways to go and how far, in pixels.
HALF_LINE, CLEAR = 7.0, 4.0
WAYS = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
DISTANCES = (7.0, 14.0, 24.0, 38.0, 56.0)

Box = tuple[float, float, float, float]


def width(words: str, size: float = SMALL) -> float:
    """About how wide a text is drawn, in pixels; the sizes of headings are bold."""
    ems = sum(
        _EMS.get(letter, FULL_EM if ord(letter) >= FIRST_FULL else USUAL_EM) for letter in words
    )
    return size * ems * (BOLD if size >= PANEL_HEAD else 1.0)


def cut(words: str, room: float, size: float = SMALL) -> str:
    """A text shortened with … so that it fits; its middle goes, because names differ at both ends."""
    if width(words, size) <= room:
        return words
    kept = len(words)
    while kept > 1:
        kept -= max(1, int((width(words[:kept], size) - room) / size / 2))
        kept = max(kept, 1)
        short = f"{words[: (kept + 1) // 2]}…{words[len(words) - kept // 2 :]}"
        if width(short, size) <= room:
            return short
    return "…"


def folded(words: str, room: float, size: float = SMALL) -> list[str]:
    """A text in lines that fit; a word that is too long for one is cut, a number keeps its sign."""
    words = words.replace(" %", "\N{NO-BREAK SPACE}%")
    lines: list[str] = []
    for word in words.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(cut(word, room, size))
    return lines


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places moved as little as may be, so that neighbours are a gap apart within bounds."""
    order = sorted(range(len(places)), key=lambda at: places[at])
    gap = min(gap, (high - low) / max(len(places) - 1, 1))
    # Groups of labels that touch: the sum of their wishes for the first, and how many they are.
    groups: list[tuple[float, int]] = []
    for at in order:
        group = (places[at], 1)
        while groups and _top(*group, gap, low, high) < _bottom(*groups[-1], gap, low, high) + gap:
            wished, count = groups.pop()
            # What comes later wishes to be higher by the gaps before it.
            group = (wished + group[0] - count * group[1] * gap, count + group[1])
        groups.append(group)
    found = [0.0] * len(places)
    members = iter(order)
    for wished, count in groups:
        first = _top(wished, count, gap, low, high)
        for nth in range(count):
            found[next(members)] = first + nth * gap
    return found


def _top(wished: float, count: int, gap: float, low: float, high: float) -> float:
    """Where the first of a group goes: its mean wish, inside the bounds."""
    return min(max(wished / count, low), high - (count - 1) * gap)


def _bottom(wished: float, count: int, gap: float, low: float, high: float) -> float:
    return _top(wished, count, gap, low, high) + (count - 1) * gap


def placed(
    dots: Sequence[tuple[float, float]],
    names: Sequence[str],
    others: Sequence[tuple[float, float]],
    bounds: Box,
) -> list[tuple[float, float]]:
    """Where each name begins so that it covers no other, no dot, and stays within the bounds.

    Names are tried beside their dots first, then further and further away; one that finds no free
    place has the least bad one.
    """
    taken = [(x - CLEAR, y - CLEAR, x + CLEAR, y + CLEAR) for x, y in (*dots, *others)]
    found = []
    for (x, y), name in zip(dots, names, strict=True):
        wide = width(name)
        best = min(
            (_box(x, y, wide, way, far) for far in DISTANCES for way in WAYS),
            key=lambda box: sum(_covered(box, one) for one in taken) + _outside(box, bounds),
        )
        taken.append(best)
        found.append((best[0], best[3] - 3))
    return found


def _box(x: float, y: float, wide: float, way: tuple[float, float], far: float) -> Box:
    """The box of a name that lies so far from its dot on that way."""
    across, down = way
    left = x + across * far - wide * (1 - across) / 2
    middle = y + down * (far if across == 0 else far - DISTANCES[0] + abs(down) * HALF_LINE)
    return left, middle - HALF_LINE, left + wide, middle + HALF_LINE


def _covered(one: Box, other: Box) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(wide, 0) * max(high, 0)


def _outside(box: Box, bounds: Box) -> float:
    inside = _covered(box, bounds)
    # A name that is cut off is worse than one that touches another.
    return 10 * ((box[2] - box[0]) * (box[3] - box[1]) - inside)
