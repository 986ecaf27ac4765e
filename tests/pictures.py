"""Figures read back from their SVG, as a reader sees them: marks, places, axes, words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
MOVED = re.compile(r"translate\(([-\d.]+) ([-\d.]+)\)")
STEP = re.compile(r"([MLhvz])([-\d.]*) ?([-\d.]*)")

Place = tuple[float, float]


@dataclass(frozen=True)
class Mark:
    """A shape or a text where it is drawn; `places` are the corners or stops of a path."""

    kind: str
    style: frozenset[str]
    x: float
    y: float
    words: str = ""
    anchor: str = ""
    places: tuple[Place, ...] = ()
    turned: bool = False

    @property
    def spans(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom."""
        xs, ys = zip(*(self.places or ((self.x, self.y),)), strict=True)
        return min(xs), min(ys), max(xs), max(ys)


class Drawn:
    """A picture, or a panel of one."""

    def __init__(self, root: ET.Element, start: Place = (0.0, 0.0)) -> None:
        self.root, self.start = root, start
        self.marks = list(_marks(root, *start))

    @classmethod
    def of(cls, svg: bytes | str) -> Drawn:
        """The picture in a file."""
        return cls(ET.fromstring(svg))  # noqa: S314  # our own bytes

    @property
    def size(self) -> Place:
        """Width and height."""
        _, _, wide, high = map(float, self.root.attrib["viewBox"].split())
        return wide, high

    def panels(self) -> dict[str, Drawn]:
        """The panels by their heads."""
        found = {}
        for element, x, y in _groups(self.root, 0.0, 0.0):
            heads = [child for child in element if "head" in _style(child)]
            if heads:
                found["".join(heads[0].itertext())] = Drawn(element, (x, y))
        return found

    def texts(self, *styles: str, anchor: str | None = None) -> list[Mark]:
        """The texts with all of these styles."""
        return [
            mark
            for mark in self.marks
            if mark.kind == "text"
            and mark.style >= set(styles)
            and (anchor is None or mark.anchor == anchor)
        ]

    def words(self) -> list[str]:
        """All texts, in the order of the drawing."""
        return [mark.words for mark in self.texts()]

    def of_kind(self, kind: str, *styles: str) -> list[Mark]:
        """The shapes of a kind with all of these styles."""
        return [mark for mark in self.marks if mark.kind == kind and mark.style >= set(styles)]

    def series(self) -> dict[str, Mark]:
        """The lines by what they show."""
        return {
            element.attrib["data-series"]: next(_marks(element, x, y))
            for element, x, y in _groups(self.root, *self.start)
            if "series" in _style(element)
        }

    def across(self, *, log: bool = False) -> Callable[[float], float]:
        """From pixels to values of the axis below, read from the names of its ticks."""
        ticks = [mark for mark in self.texts("muted", anchor="middle") if not mark.turned]
        return _axis([(mark.x, mark.words) for mark in ticks], log=log)

    def up(self, *, log: bool = False) -> Callable[[float], float]:
        """From pixels to values of the axis on the left."""
        ticks = [mark for mark in self.texts("muted", anchor="end") if _number(mark.words)]
        left = min(mark.x for mark in ticks)
        # Texts are centred on their ticks, four pixels above their baselines.
        return _axis([(mark.y - 4, mark.words) for mark in ticks if mark.x == left], log=log)


def _axis(ticks: list[tuple[float, str]], *, log: bool) -> Callable[[float], float]:
    known = [(pixel, float(number)) for pixel, words in ticks if (number := _number(words))]
    (first, low), (last, high) = known[0], known[-1]
    if log:
        low, high = math.log(low), math.log(high)

    def value(pixel: float) -> float:
        there = low + (pixel - first) / (last - first) * (high - low)
        return math.exp(there) if log else there

    return value


def _number(words: str) -> str:
    plain = words.replace(",", "").replace("−", "-").removesuffix(" %")
    return plain if re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", plain) else ""


def _style(element: ET.Element) -> set[str]:
    return set(element.attrib.get("class", "").split())


def _moved(element: ET.Element, x: float, y: float) -> Place:
    by = MOVED.match(element.attrib.get("transform", ""))
    return (x + float(by[1]), y + float(by[2])) if by else (x, y)


def _groups(element: ET.Element, x: float, y: float) -> Iterator[tuple[ET.Element, float, float]]:
    for child in element:
        if child.tag == f"{SVG}g":
            own = _moved(child, x, y)
            yield child, *own
            yield from _groups(child, *own)


def _marks(element: ET.Element, x: float, y: float) -> Iterator[Mark]:
    for child in element:
        kind = child.tag.removeprefix(SVG)
        if kind == "g":
            yield from _marks(child, *_moved(child, x, y))
        elif kind in {"text", "path", "circle", "rect"}:
            yield _mark(kind, child, x, y)


def _mark(kind: str, child: ET.Element, x: float, y: float) -> Mark:
    known = child.attrib
    places = [(x + one, y + other) for one, other in _places(known.get("d", ""))]
    at = (x + _of(known, "x", "cx"), y + _of(known, "y", "cy"))
    if kind == "rect":
        places = [at, (at[0] + float(known["width"]), at[1] + float(known["height"]))]
    if kind == "circle":
        radius = float(known["r"])
        places = [(at[0] - radius, at[1] - radius), (at[0] + radius, at[1] + radius)]
    return Mark(
        kind,
        frozenset(_style(child)),
        *at,
        words="".join(child.itertext()),
        anchor=known.get("text-anchor", "start"),
        places=tuple(places),
        turned="rotate" in known.get("transform", ""),
    )


def _of(known: dict[str, str], *names: str) -> float:
    return next((float(known[name]) for name in names if name in known), 0.0)


def _places(path: str) -> Iterator[Place]:
    """The corners of a path, of which only the commands of the kit are known."""
    x = y = 0.0
    for pen, first, second in STEP.findall(path):
        if pen in "ML":
            x, y = float(first), float(second)
        elif pen == "h":
            x += float(first)
        elif pen == "v":
            y += float(first)
        if pen != "z":
            yield x, y
