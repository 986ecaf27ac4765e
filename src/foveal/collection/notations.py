"""The notation of documents, recognised by how a file begins."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from enum import Enum

HEAD = 4096


class Notation(Enum):
    """How documents are written."""

    XML = "XML"
    TREC = "TREC's SGML"
    JSON = "lines of JSON"
    TEXT = "plain text"


# Where a large file may be cut: at the empty group.
CUTS = {
    # Only after a tag: elsewhere it could be an example in an article about XML.
    Notation.XML: re.compile(rb">\s*\n()<\?xml\s"),
    Notation.TREC: re.compile(rb"</DOC>\s*()", re.IGNORECASE),
    Notation.JSON: re.compile(rb"\n()"),
}


def notation_of(head: bytes) -> Notation:
    """The notation of a file that begins with these bytes."""
    text = head[:HEAD].removeprefix(BOM_UTF8).lstrip()
    if text[:4].upper() == b"<DOC" and b"<DOCNO>" in text.upper():
        return Notation.TREC
    if text.startswith(b"<") or head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return Notation.XML
    return Notation.JSON if re.match(rb'\{\s*"', text) else Notation.TEXT
