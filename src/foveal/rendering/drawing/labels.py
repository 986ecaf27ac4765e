"""Labels: how wide they are, and where they go so that none covers another."""

from __future__ import annotations

from collections.abc import Sequence

from foveal.rendering.drawing.tokens import SMALL

# Widths of letters in ems: no font is at hand, and browsers choose their own.
NARROW, WIDE = set("iljtfrI.,:;'|!()[]{} "), set("mwMWQO@%—")
NARROW_EM, USUAL_EM, WIDE_EM, FULL_EM = 0.32, 0.58, 0.88, 1.0
FIRST_WIDE = 0x1100


def width(words: str, size: float = SMALL) -> float:
    """About how wide a text is drawn, in pixels."""
    return size * sum(_em(letter) for letter in words)


def _em(letter: str) -> float:
    if letter in NARROW:
        return NARROW_EM
    if letter in WIDE:
        return WIDE_EM
    return FULL_EM if ord(letter) >= FIRST_WIDE else USUAL_EM


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


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places moved as little as may be, so that neighbours are a gap apart within bounds."""
    order = sorted(range(len(places)), key=lambda at: places[at])
    gap = min(gap, (high - low) / max(len(places) - 1, 1))
    # Groups of labels that touch: the sum of wishes, how many, and where the first goes.
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
