"""Elements as lxml sees them: slow, one by one, by XPath."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lxml import etree


@dataclass(frozen=True)
class Seen:
    """An element: its path, span, whether elements are inside, and its text nodes' spans."""

    path: str
    start: int
    end: int
    is_leaf: bool
    texts: tuple[tuple[int, int], ...]


def seen(document: bytes) -> list[Seen]:
    """Every element in document order."""
    parser = etree.XMLParser(resolve_entities=True, no_network=True, huge_tree=True)
    elements: list[Seen] = []
    _see(etree.fromstring(document, parser), 0, elements)
    return elements


def _see(node: etree._Element, start: int, elements: list[Seen]) -> None:
    index = len(elements)
    offset, texts, follows_text = start, list[tuple[int, int]](), False
    # A text node has a character at least; libxml2 makes an empty one of an empty CDATA section.
    for child in filter(_is_node, _asked(node, "node()")):
        if isinstance(child, str):
            # XPath knows no neighbouring text nodes; libxml2 leaves an entity's text apart.
            first = texts.pop()[0] if follows_text else offset
            offset += len(child)
            texts.append((first, offset))
        elif isinstance(child.tag, str):
            _see(child, offset, elements)
            offset += _length(child)
        follows_text = isinstance(child, str)
    seen_node = Seen(_path(node), start, start + _length(node), not _asked(node, "*"), tuple(texts))
    elements.insert(index, seen_node)


def _is_node(child: object) -> bool:
    return not isinstance(child, str) or bool(child)


def _asked(node: etree._Element, expression: str) -> list[Any]:
    answer = node.xpath(expression)
    assert isinstance(answer, list)
    return answer


def _length(node: etree._Element) -> int:
    answer = node.xpath("string-length(string(.))")
    assert isinstance(answer, float)
    return int(answer)


def _path(node: etree._Element) -> str:
    steps = []
    for step in [*reversed(list(node.iterancestors())), node]:
        name = _name(step)
        same = [sibling for sibling in step.itersiblings(preceding=True) if _name(sibling) == name]
        steps.append(f"/{name}[{len(same) + 1}]")
    return "".join(steps)


def _name(node: etree._Element) -> str:
    """The tag as it is written."""
    if not isinstance(node.tag, str):
        return ""
    local = etree.QName(node).localname
    return f"{node.prefix}:{local}" if node.prefix else local
