"""Markup that need not be well-formed: TREC's SGML, read as far as possible."""

from __future__ import annotations

import re

from foveal.collection.scanner import PARTING, TOO_DEEP, UNKNOWN_ENTITY, Malformed, Scan
from foveal.elements import DEEPEST

TOKEN = re.compile(
    r"<[!?][^<>]*+>|<(?P<closes>/?)(?P<name>[A-Za-z][\w.:-]*+)[^<>]*+>"
    r"|(?P<entity>&\#?\w++;)|(?P<text>[^<&]++|.)",
    re.DOTALL,
)
CLOSING = re.compile(r"</([A-Za-z][\w.:-]*)")


def scan_sgml(text: str) -> Scan:
    """The scan of a document.

    An element without an end tag of its own ends with its parent; one whose name has no end tag in
    the whole document is empty. An end tag that matches nothing is skipped, a stray < is text.
    """
    ending = set(CLOSING.findall(text))
    opened: list[str] = []
    scan = Scan()
    for token in TOKEN.finditer(_without_comments(text)):
        at, name = len(scan.texts), token["name"] or PARTING
        if token["text"]:
            scan.texts.append(token["text"])
        elif token["entity"]:
            # Whatever it means, it counts as one character.
            scan.texts.append(UNKNOWN_ENTITY)
        elif token["closes"]:
            kept = _depth(opened, name)
            scan.places.extend([~at] * (len(opened) - kept))
            del opened[kept:]
        else:
            scan.places.append(at)
            scan.names.append(name)
            if name in ending:
                opened.append(name)
            else:
                scan.places.append(~at)
    scan.places.extend([~len(scan.texts)] * len(opened))
    if scan.depth() > DEEPEST:
        raise Malformed(TOO_DEEP)
    return scan


def _without_comments(text: str) -> str:
    """The text with empty declarations in place of comments.

    A regular expression would scan to the end of the text for every unclosed comment.
    """
    kept, at = [], 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin)) >= 0:
        kept += [text[at:begin], "<!>"]
        at = end + len("-->")
    return "".join([*kept, text[at:]])


def _depth(opened: list[str], name: str) -> int:
    """How many elements stay open when one of this name is closed."""
    for depth in range(len(opened) - 1, -1, -1):
        if opened[depth] == name:
            return depth
    return len(opened)
