"""What the tags of documents mean for their layout: INEX's, HTML's, DocBook's and TREC's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

# Elements that are nested deeper are part of the line: a page need not show more.
DEEPEST_BLOCKS = 24


class Shape(Enum):
    """What may be inside a block."""

    LINE = auto()
    """Nothing but text."""
    FLOW = auto()
    """Text and blocks."""
    HOLDER = auto()
    """Blocks of one sort: items of a list, rows of a table, cells of a row."""


_PARAGRAPHS = "p p1 p2 p3 ip1 ip2 ip3 ip4 ip5 para simpara caption dt bb"
_SECTIONS = (
    "sec section ss1 ss2 ss3 subsec subsection sect1 sect2 sect3 sect4 sect5 chapter appendix app"
)
_AROUND = (
    "article bdy body div main fm bm front back abs abstract blockquote bq bib bibl figure fig"
    " header footer aside"
)
_BULLETS = (
    "ul list normallist itemizedlist definitionlist dl l1 l2 l3 l4 l5 l6 l7 l8 l9 la lb lc ld"
)
_NUMBERED = "ol numberlist orderedlist"
_TITLES = "title st h head heading headline atl"
_VERBATIM = "pre programlisting screen literallayout verbatim"
# The tag of HTML that stands for each; a section has the level of its heading.
_MEANINGS = {
    **dict.fromkeys(_PARAGRAPHS.split(), "p"),
    **dict.fromkeys(_SECTIONS.split(), "section"),
    **dict.fromkeys(_AROUND.split(), "section"),
    **dict.fromkeys(_BULLETS.split(), "ul"),
    **dict.fromkeys(_NUMBERED.split(), "ol"),
    **dict.fromkeys(("li", "item", "listitem", "list-item", "dd"), "li"),
    **dict.fromkeys(("table", "tbl", "informaltable"), "table"),
    **dict.fromkeys(("tr", "row"), "tr"),
    **dict.fromkeys(("td", "cell", "entry"), "td"),
    **dict.fromkeys(_VERBATIM.split(), "pre"),
    **dict.fromkeys(_TITLES.split(), "title"),
    **{f"h{level}": f"h{level}" for level in range(1, 7)},
    "th": "th",
}
_LEVELLED = frozenset(_SECTIONS.split())
_SHAPES = {
    **dict.fromkeys(("p", "section", "li", "td", "th"), Shape.FLOW),
    **dict.fromkeys(("ul", "ol", "table", "tr"), Shape.HOLDER),
}


@dataclass
class Outline:
    """An element that is a block, and those inside it."""

    tag: str
    start: int
    end: int
    depth: int = 0
    level: int = 1
    inside: list[Outline] = field(default_factory=list)

    @property
    def shape(self) -> Shape:
        """What may be inside it."""
        return _SHAPES.get(self.tag, Shape.LINE)

    @property
    def has_blocks(self) -> bool:
        """Whether anything inside is more than a section, which plain text has as well."""
        return any(child.tag != "section" or child.has_blocks for child in self.inside)


def outlined(elements: Iterable[tuple[str, int, int]], length: int) -> Outline:
    """The blocks among elements (path, start, end), given in document order."""
    whole = Outline("section", 0, length)
    around = [whole]
    for path, start, end in elements:
        depth = path.count("/")
        while len(around) > 1 and around[-1].depth >= depth:
            around.pop()
        name = path.rpartition("/")[2].partition("[")[0].rpartition(":")[2].lower()
        parent = around[-1]
        tag = _meaning(name, parent.tag, depth, parent.level)
        if tag is None or len(around) > DEEPEST_BLOCKS:
            continue
        block = Outline(tag, start, end, depth, parent.level + (name in _LEVELLED))
        parent.inside.append(block)
        around.append(block)
    return whole


def _meaning(name: str, around: str, depth: int, level: int) -> str | None:
    """The tag of HTML that stands for one in a document; None for a part of the line."""
    if name == "entry" and around in {"ul", "ol"}:
        return "li"
    if name == "header" and around == "tr":
        return "th"
    # An article's name in the Wikipedia of 2006; elsewhere it is a person's.
    meaning = "title" if name == "name" and depth == 2 else _MEANINGS.get(name)
    return f"h{min(level, 6)}" if meaning == "title" else meaning
