"""How a page lays out a text: paragraphs, headings, lists and tables, as spans of it.

A layout is JSON, {"kind": "plain" or "elements", "blocks": [node, …]}. A node is [tag, start, end]
or [tag, start, end, [node, …]] with a tag of HTML; nodes are in order, disjoint and nested. Text
that no node has belongs to the one around it, so that a page shows every character once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import groupby, pairwise
from typing import Any

from foveal.elements import ElementLookup
from foveal.late import pl
from foveal.tables import columns as c

_LINE_END = "(?>\r\n|[\n\r\v\f\x85\u2028])"
# Blank lines; a paragraph separator is enough alone.
_BETWEEN_PARAGRAPHS = re.compile(rf"{_LINE_END}(?:[ \t\xa0]*{_LINE_END})+|\u2029")
_BLANK_LINES = re.compile(rf"\s*(?:{_LINE_END}|\u2029)")
# Documents whose elements are looked up at a time.
BATCH = 500
_CELLS = {"td", "th"}
_HELD = {"ul": {"li"}, "ol": {"li"}, "table": {"tr"}, "tr": _CELLS}

Node = list[Any]
# Elements that are nested deeper are part of the line: a page need not show more.
DEEPEST_BLOCKS = 24
_SECTIONS = (
    "sec section ss1 ss2 ss3 subsec subsection sect1 sect2 sect3 sect4 sect5 chapter appendix app"
)
# The names of elements that each tag of HTML stands for; a title has the level of its section.
_NAMES = {
    "p": "p p1 p2 p3 ip1 ip2 ip3 ip4 ip5 para simpara caption dt bb",
    "section": f"{_SECTIONS} article bdy body div main fm bm front back abs abstract blockquote bq bib"
    " bibl figure fig header footer aside",
    "ul": "ul list normallist itemizedlist definitionlist dl l1 l2 l3 l4 l5 l6 l7 l8 l9 la lb lc ld",
    "ol": "ol numberlist orderedlist",
    "li": "li item listitem list-item dd",
    "table": "table tbl informaltable",
    "tr": "tr row",
    "td": "td cell entry",
    "th": "th",
    "pre": "pre programlisting screen literallayout verbatim",
    "title": "title st h head heading headline atl",
    **{f"h{level}": f"h{level}" for level in range(1, 7)},
}
_MEANINGS = {name: tag for tag, names in _NAMES.items() for name in names.split()}
_LEVELLED = frozenset(_SECTIONS.split())


def blocks_of(text: str) -> str:
    """The layout of plain text, whose paragraphs end at blank lines, which are in none of them."""
    return _json("plain", _Layout(text).paragraphs(0, len(text)))


def element_blocks(
    elements: ElementLookup, texts: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """The names and layouts of documents, given by name with their texts, from an offset index.

    Unknown tags are part of the line; a document without any known one is laid out as plain text.
    """
    for batch in _batched(texts):
        names = pl.Series(c.DOC, [name for name, _ in batch], dtype=pl.String)
        listed = elements.rows_of(names).iter_rows()
        found = {doc: list(rows) for doc, rows in groupby(listed, key=lambda row: row[0])}
        for name, text in batch:
            places = ((path, start, end) for _, path, start, end in found.get(name, ()))
            yield name, layout(places, text)


def layout(elements: Iterable[tuple[str, int, int]], text: str) -> str:
    """The layout of a text with elements: path, start and end of each, in document order."""
    whole = outlined(elements, len(text))
    if not whole.has_blocks:
        return blocks_of(text)
    laid = _Layout(text)
    return _json("elements", laid.flow(laid.inside(whole), 0, len(text)))


def _json(kind: str, blocks: Sequence[Node]) -> str:
    return json.dumps({"kind": kind, "blocks": blocks}, separators=(",", ":"))


def _batched(texts: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    batch = []
    for pair in texts:
        batch.append(pair)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


class _Layout:
    """The nodes of a text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def is_blank(self, start: int, end: int) -> bool:
        """Whether there is nothing to see between two places."""
        return not self.text[start:end].strip()

    def paragraphs(self, start: int, end: int) -> list[Node]:
        """The paragraphs between two places; a first line keeps the blanks that indent it."""
        edges = [gap.span() for gap in _BETWEEN_PARAGRAPHS.finditer(self.text, start, end)]
        starts = [start, *(after for _, after in edges)]
        ends = [*(before for before, _ in edges), end]
        return [
            self._paragraph(*span)
            for span in zip(starts, ends, strict=True)
            if not self.is_blank(*span)
        ]

    def _paragraph(self, start: int, end: int) -> Node:
        """A paragraph without line ends around it."""
        blank = _BLANK_LINES.match(self.text, start, end)
        visible = self.text[start:end].rstrip()
        return ["p", blank.end() if blank else start, start + len(visible)]

    def inside(self, outline: Outline) -> list[Node]:
        """The nodes of what is inside an element."""
        return [node for child in outline.inside for node in self.nodes(child)]

    def nodes(self, outline: Outline) -> list[Node]:
        """The nodes of an element: none where there is nothing to see, else one."""
        tag, start, end = outline.tag, outline.start, outline.end
        # Columns are counted, so that an empty cell stays one.
        if tag not in _CELLS and self.is_blank(start, end):
            return []
        inside = [] if outline.shape is Shape.LINE else self.inside(outline)
        if outline.shape is Shape.HOLDER:
            return [self._holder(tag, start, end, inside)]
        # Blank lines inside a paragraph of a document's own mean nothing.
        flow = self.flow(inside, start, end) if tag == "section" else self.held(inside)
        if tag in {"p", "section"}:
            if len(flow) == 1 and not self._has_own_text(flow, start, end):
                return flow
            tag = "section" if flow else "p"
        return [[tag, start, end, flow] if flow else [tag, start, end]]

    def _holder(self, tag: str, start: int, end: int, inside: list[Node]) -> Node:
        """A list, a table or a row; with a caption or other text it is a section around one."""
        fits = inside and all(node[0] in _HELD[tag] for node in inside)
        if fits and not self._has_own_text(inside, start, end):
            return [tag, start, end, inside]
        items = tag if tag in {"ul", "ol"} else "ul"
        flow = self.held(inside, items)
        return ["section", start, end, flow] if flow else ["p", start, end]

    def held(self, nodes: list[Node], items: str = "ul") -> list[Node]:
        """Nodes that may be anywhere: items, rows and cells without a list or table get one."""
        for holder in ("tr", "table", items):
            nodes = self._held_together(nodes, holder)
        return nodes

    def flow(self, inside: list[Node], start: int, end: int) -> list[Node]:
        """The same, and text beside them that has blank lines is cut into paragraphs."""
        nodes = self.held(inside)
        flow: list[Node] = []
        for (left, right), node in zip(_gaps(nodes, start, end), [*nodes, None], strict=True):
            paragraphs = [] if self.is_blank(left, right) else self.paragraphs(left, right)
            flow += paragraphs if len(paragraphs) > 1 else []
            flow += [] if node is None else [node]
        return flow

    def _held_together(self, nodes: list[Node], holder: str) -> list[Node]:
        """The nodes, with those that need a holder in one, if no text is between them.

        Cells outside of a row that are all empty are left out.
        """
        runs: list[Node] = []
        previous: Node | None = None
        for node in nodes:
            is_held = node[0] in _HELD[holder]
            if is_held and previous is not None and self.is_blank(previous[2], node[1]):
                runs[-1][2] = node[2]
                runs[-1][3].append(node)
            else:
                runs.append([holder, node[1], node[2], [node]] if is_held else node)
            previous = node if is_held else None
        return [run for run in runs if not self.is_blank(run[1], run[2])]

    def _has_own_text(self, nodes: Sequence[Node], start: int, end: int) -> bool:
        return not all(self.is_blank(*gap) for gap in _gaps(nodes, start, end))


def _gaps(nodes: Sequence[Node], start: int, end: int) -> list[tuple[int, int]]:
    """What is before, between and after nodes."""
    edges = [start, *(edge for node in nodes for edge in (node[1], node[2])), end]
    return [(left, right) for left, right in pairwise(edges)][::2]


class Shape(Enum):
    """What may be inside a block."""

    LINE = auto()
    """Nothing but text."""
    FLOW = auto()
    """Text and blocks."""
    HOLDER = auto()
    """Blocks of one sort: items of a list, rows of a table, cells of a row."""


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
