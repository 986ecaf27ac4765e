"""How documents are written, told by how a file begins."""

from __future__ import annotations

import re
from enum import Enum

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
HEAD = 4096


class Kind(Enum):
    """How documents are written."""

    XML = "XML"
    TREC = "TREC's SGML"
    JSON = "lines of JSON"
    TEXT = "plain text"


# Where a large file may be cut: the group is empty and stands there.
CUTS = {
    # Not after other text: it could be an example in an article about XML.
    Kind.XML: re.compile(rb">\s*\n()<\?xml\s"),
    Kind.TREC: re.compile(rb"</DOC>\s*()", re.IGNORECASE),
    Kind.JSON: re.compile(rb"\n()"),
}


def kind_of(head: bytes) -> Kind:
    """The kind of documents in a file that begins with these bytes."""
    text = head[:HEAD].removeprefix(BYTE_ORDER_MARK).lstrip()
    if text[:4].upper() == b"<DOC" and b"<DOCNO>" in text.upper():
        return Kind.TREC
    if text.startswith(b"<") or head.startswith(UTF_16):
        return Kind.XML
    return Kind.JSON if re.match(rb'\{\s*"', text) else Kind.TEXT
