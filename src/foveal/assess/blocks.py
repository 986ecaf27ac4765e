"""Layout of a text for the page: paragraphs, headings, lists and tables as spans of it.

A layout is JSON, {"kind": "plain" or "elements", "blocks": [node, …]}. A node is [tag, start, end]
or [tag, start, end, [node, …]] with a tag of HTML; nodes are in order, disjoint and nested. Text
in no child belongs to the node around it, so that a page shows every character once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import groupby, islice, pairwise
from typing import Any

from foveal.elements import ElementLookup
from foveal.late import pl
from foveal.tables import columns as c

_LINE_END = "(?>\r\n|[\n\r\v\f\x85\u2028])"
# Blank lines, or a single paragraph separator.
_BETWEEN_PARAGRAPHS = re.compile(rf"{_LINE_END}(?:[ \t\xa0]*{_LINE_END})+|\u2029")
_BLANK_LINES = re.compile(rf"\s*(?:{_LINE_END}|\u2029)")
# Number of documents whose elements are looked up together.
BATCH = 500
_CELLS = {"td", "th"}
_ITEMS = {"ul": {"li"}, "ol": {"li"}, "table": {"tr"}, "tr": _CELLS}

Node = list[Any]
# Elements that are nested deeper are treated as inline text.
DEEPEST_BLOCKS = 24
_SECTIONS = (
    "sec section ss1 ss2 ss3 subsec subsection sect1 sect2 sect3 sect4 sect5 chapter appendix app"
)
# Names of elements that are shown as each tag of HTML; a title has the level of its section.
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
_TAGS = {name: tag for tag, names in _NAMES.items() for name in names.split()}
_LEVELLED = frozenset(_SECTIONS.split())


def blocks_of(text: str) -> str:
    """The layout of plain text: paragraphs between blank lines."""
    return _json("plain", _Layout(text).paragraphs(0, len(text)))


def element_blocks(
    elements: ElementLookup, texts: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Names and layouts of documents, from their names and texts and an offset index.

    Unknown tags are inline text; a document without any known tag is laid out as plain text.
    """
    remaining = iter(texts)
    while batch := list(islice(remaining, BATCH)):
        names = pl.Series(c.DOC, [name for name, _ in batch], dtype=pl.String)
        rows = elements.rows_of(names).iter_rows()
        by_doc = {doc: list(group) for doc, group in groupby(rows, key=lambda row: row[0])}
        for name, text in batch:
            paths = ((path, start, end) for _, path, start, end in by_doc.get(name, ()))
            yield name, layout(paths, text)


def layout(elements: Iterable[tuple[str, int, int]], text: str) -> str:
    """The layout of a text with elements (path, start, end), in document order."""
    root = outline_of(elements, len(text))
    if not root.has_blocks:
        return blocks_of(text)
    builder = _Layout(text)
    return _json("elements", builder.flow(builder.children(root), 0, len(text)))


def _json(kind: str, blocks: Sequence[Node]) -> str:
    return json.dumps({"kind": kind, "blocks": blocks}, separators=(",", ":"))


class _Layout:
    """Builds the nodes of a text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def is_blank(self, start: int, end: int) -> bool:
        """Whether there is nothing visible between two offsets."""
        return not self.text[start:end].strip()

    def paragraphs(self, start: int, end: int) -> list[Node]:
        """The paragraphs between two offsets; a first line keeps its indentation."""
        gaps = [match.span() for match in _BETWEEN_PARAGRAPHS.finditer(self.text, start, end)]
        starts = [start, *(gap_end for _, gap_end in gaps)]
        ends = [*(gap_start for gap_start, _ in gaps), end]
        return [
            self._paragraph(*span)
            for span in zip(starts, ends, strict=True)
            if not self.is_blank(*span)
        ]

    def _paragraph(self, start: int, end: int) -> Node:
        """A paragraph without the line ends around it."""
        blank = _BLANK_LINES.match(self.text, start, end)
        visible = self.text[start:end].rstrip()
        return ["p", blank.end() if blank else start, start + len(visible)]

    def children(self, outline: Outline) -> list[Node]:
        """The nodes of all elements inside an element."""
        return [node for child in outline.children for node in self.nodes(child)]

    def nodes(self, outline: Outline) -> list[Node]:
        """The node of an element, in a list that is empty if there is nothing visible."""
        tag, start, end = outline.tag, outline.start, outline.end
        # An empty cell stays, so that the columns of a table line up.
        if tag not in _CELLS and self.is_blank(start, end):
            return []
        children = [] if outline.shape is Shape.LINE else self.children(outline)
        if outline.shape is Shape.CONTAINER:
            return [self._container(tag, start, end, children)]
        # Blank lines inside a paragraph element mean nothing.
        flow = self.flow(children, start, end) if tag == "section" else self.contained(children)
        if tag in {"p", "section"}:
            if len(flow) == 1 and not self._has_text_between(flow, start, end):
                return flow
            tag = "section" if flow else "p"
        return [[tag, start, end, flow] if flow else [tag, start, end]]

    def _container(self, tag: str, start: int, end: int, children: list[Node]) -> Node:
        """Node of a list, table or row; with a caption or other text a section with its contents."""
        fits = children and all(node[0] in _ITEMS[tag] for node in children)
        if fits and not self._has_text_between(children, start, end):
            return [tag, start, end, children]
        items = tag if tag in {"ul", "ol"} else "ul"
        flow = self.contained(children, items)
        return ["section", start, end, flow] if flow else ["p", start, end]

    def contained(self, nodes: list[Node], items: str = "ul") -> list[Node]:
        """The nodes, with items, rows and cells put into a list or table if they are not in one."""
        for container in ("tr", "table", items):
            nodes = self._in_containers(nodes, container)
        return nodes

    def flow(self, children: list[Node], start: int, end: int) -> list[Node]:
        """As `contained`; text between the nodes that has blank lines becomes paragraphs."""
        nodes = self.contained(children)
        flow: list[Node] = []
        for (left, right), node in zip(_gaps(nodes, start, end), [*nodes, None], strict=True):
            paragraphs = [] if self.is_blank(left, right) else self.paragraphs(left, right)
            flow += paragraphs if len(paragraphs) > 1 else []
            flow += [] if node is None else [node]
        return flow

    def _in_containers(self, nodes: list[Node], container: str) -> list[Node]:
        """The nodes, with adjacent ones that need a container put into one.

        Cells outside of a row are left out if all of them are empty.
        """
        grouped: list[Node] = []
        previous: Node | None = None
        for node in nodes:
            is_item = node[0] in _ITEMS[container]
            if is_item and previous is not None and self.is_blank(previous[2], node[1]):
                grouped[-1][2] = node[2]
                grouped[-1][3].append(node)
            else:
                grouped.append([container, node[1], node[2], [node]] if is_item else node)
            previous = node if is_item else None
        return [group for group in grouped if not self.is_blank(group[1], group[2])]

    def _has_text_between(self, nodes: Sequence[Node], start: int, end: int) -> bool:
        return not all(self.is_blank(*gap) for gap in _gaps(nodes, start, end))


def _gaps(nodes: Sequence[Node], start: int, end: int) -> list[tuple[int, int]]:
    """The gaps before, between and after nodes."""
    edges = [start, *(edge for node in nodes for edge in (node[1], node[2])), end]
    return [(gap_start, gap_end) for gap_start, gap_end in pairwise(edges)][::2]


class Shape(Enum):
    """Kind of content that a block may have."""

    LINE = auto()
    """Text only."""
    FLOW = auto()
    """Text and blocks."""
    CONTAINER = auto()
    """Blocks of one kind: items of a list, rows of a table, cells of a row."""


_SHAPES = {
    **dict.fromkeys(("p", "section", "li", "td", "th"), Shape.FLOW),
    **dict.fromkeys(("ul", "ol", "table", "tr"), Shape.CONTAINER),
}


@dataclass
class Outline:
    """An element that is a block, with the blocks inside it."""

    tag: str
    start: int
    end: int
    depth: int = 0
    level: int = 1
    children: list[Outline] = field(default_factory=list)

    @property
    def shape(self) -> Shape:
        """Kind of content that the element may have."""
        return _SHAPES.get(self.tag, Shape.LINE)

    @property
    def has_blocks(self) -> bool:
        """Whether anything inside is more than a section, which plain text has as well."""
        return any(child.tag != "section" or child.has_blocks for child in self.children)


def outline_of(elements: Iterable[tuple[str, int, int]], length: int) -> Outline:
    """Outline of the elements (path, start, end) that are blocks, from all in document order."""
    root = Outline("section", 0, length)
    ancestors = [root]
    for path, start, end in elements:
        depth = path.count("/")
        while len(ancestors) > 1 and ancestors[-1].depth >= depth:
            ancestors.pop()
        name = path.rpartition("/")[2].partition("[")[0].rpartition(":")[2].lower()
        parent = ancestors[-1]
        tag = _tag_of(name, parent.tag, depth, parent.level)
        if tag is None or len(ancestors) > DEEPEST_BLOCKS:
            continue
        block = Outline(tag, start, end, depth, parent.level + (name in _LEVELLED))
        parent.children.append(block)
        ancestors.append(block)
    return root


def _tag_of(name: str, parent_tag: str, depth: int, level: int) -> str | None:
    """The tag of HTML for an element's name; None for inline text."""
    if name == "entry" and parent_tag in {"ul", "ol"}:
        return "li"
    if name == "header" and parent_tag == "tr":
        return "th"
    # `name` is an article's title in INEX's Wikipedia of 2006; elsewhere it is a person's name.
    tag = "title" if name == "name" and depth == 2 else _TAGS.get(name)
    return f"h{min(level, 6)}" if tag == "title" else tag
