"""Markup that need not be well-formed: TREC's SGML, read as far as it can be understood."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foveal.collection._scanner import UNKNOWN_ENTITY, Events, Malformed, Measure
from foveal.tables import DEEPEST

TOKEN = re.compile(
    r"<!--.*?-->|<[!?][^<>]*>|<(?P<closes>/?)(?P<name>[A-Za-z][\w.:-]*)[^<>]*>"
    r"|(?P<entity>&\#?\w+;)|(?P<text>[^<&]+|.)",
    re.DOTALL,
)
CLOSING = re.compile(r"</([A-Za-z][\w.:-]*)")


def scan_sgml(text: str, events: Events, measure: Measure) -> int:
    """The length of a document; its elements are added to the events.

    An element ends where its parent does if nothing ends it before; one that nothing in the
    document ever ends is empty. An end that fits nothing is passed over, a stray < is text.
    """
    ending = set(CLOSING.findall(text))
    opened: list[str] = []
    at = 0
    for node, tag in _pieces(text):
        at += measure.length(node)
        if tag is None:
            continue
        name = tag["name"] or ""
        if tag["closes"]:
            kept = _depth(opened, name)
            events.places.extend([~at] * (len(opened) - kept))
            del opened[kept:]
            continue
        events.places.append(at)
        events.names.append(events.codes[name])
        if name in ending:
            opened.append(name)
        else:
            events.places.append(~at)
        if len(opened) > DEEPEST:
            raise Malformed(f"elements nested more than {DEEPEST:,} deep")
    events.places.extend([~at] * len(opened))
    return at


def sgml_texts(text: str) -> list[str]:
    """The text nodes of a document."""
    return [node for node, _ in _pieces(text)]


def _pieces(text: str) -> Iterator[tuple[str, re.Match[str] | None]]:
    """Text and the tag or comment that ends it; nothing ends the last."""
    node: list[str] = []
    for token in TOKEN.finditer(text):
        if token["text"]:
            node.append(token["text"])
        elif token["entity"]:
            # Whatever it stands for, it is one character.
            node.append(UNKNOWN_ENTITY)
        else:
            yield "".join(node), token
            node.clear()
    yield "".join(node), None


def _depth(opened: list[str], name: str) -> int:
    """How many elements stay open when one of a name is closed."""
    for depth in range(len(opened) - 1, -1, -1):
        if opened[depth] == name:
            return depth
    return len(opened)
