"""The documents in a member: XML one after another, TREC's SGML, lines of JSON, or plain text."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from pathlib import PurePosixPath

from foveal.collection._members import Member
from foveal.collection._scanner import Events, Malformed, Measure, scan_xml, xml_id, xml_texts
from foveal.collection._sgml import scan_sgml, sgml_texts
from foveal.errors import UsageError

TREC_DOCUMENT = re.compile(r"<DOC\b[^>]*>.*?</DOC>", re.IGNORECASE | re.DOTALL)
DOCNO = "DOCNO"
DECLARATION = b"<?xml "
STEM_SUFFIXES = {".gz", ".zst", ".bz2", ".xz"}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
JSON_ID, JSON_TEXT = "id", "text"


class Kind(Enum):
    """How a document is written."""

    XML = auto()
    SGML = auto()
    TEXT = auto()


@dataclass(frozen=True)
class Identifier:
    """Where a document's id stands: in its file's name, or where `rule` says.

    A rule is `@NAME`, an attribute of the root; `re:PATTERN`, whose group is looked for in the
    file's name; or the name of an element (of a field, in JSON).
    """

    rule: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """The expression of a rule that is one."""
        if not self.rule.startswith("re:"):
            return None
        try:
            pattern = re.compile(self.rule.removeprefix("re:"))
        except re.error as error:
            raise UsageError(f"--id {self.rule}: no regular expression: {error}") from error
        if pattern.groups != 1:
            raise UsageError(f"--id {self.rule}: exactly one group (…) must hold the id")
        return pattern

    def of_name(self, name: str) -> str:
        """The id in a file's name."""
        if self.pattern:
            if not (found := self.pattern.search(name)) or not found[1]:
                raise Malformed(f"--id {self.rule} finds nothing in the name")
            return found[1]
        path = PurePosixPath(name)
        if path.suffix in STEM_SUFFIXES:
            path = path.with_suffix("")
        return path.stem

    @property
    def is_inside(self) -> bool:
        """Whether the id stands in the document itself."""
        return bool(self.rule) and not self.pattern


@dataclass(frozen=True)
class Document:
    """A document that was scanned: its id, how it is written, its content and its length."""

    id: str
    kind: Kind
    content: bytes | str
    length: int

    def texts(self) -> list[str]:
        """Its text nodes, in order."""
        if isinstance(self.content, bytes):
            return xml_texts(self.content)
        return sgml_texts(self.content) if self.kind is Kind.SGML else [self.content]

    def digest(self) -> bytes:
        """What changes with the content."""
        content = self.content if isinstance(self.content, bytes) else self.content.encode()
        return hashlib.blake2b(content, digest_size=16).digest()


def documents(
    member: Member, identifier: Identifier, events: Events, measure: Measure
) -> Iterator[Document | Malformed]:
    """The documents of a member, and what is wrong with those that are none.

    Their elements are added to the events as they come.
    """
    try:
        for found in _scanned(member.read(), member.name, identifier, events, measure):
            if isinstance(found, Malformed):
                found.line += member.line
            yield found
    except Malformed as error:
        error.line += member.line
        yield error


def _scanned(
    data: bytes, name: str, identifier: Identifier, events: Events, measure: Measure
) -> Iterator[Document | Malformed]:
    head = data[:4096].removeprefix(BYTE_ORDER_MARK).lstrip()
    if head[:4].upper() == b"<DOC" and b"<DOCNO>" in head.upper():
        yield from _trec(_decoded(data, lenient=True), identifier, events, measure)
    elif head.startswith(b"<") or data.startswith(UTF_16):
        yield from _xml(data, name, identifier, events, measure)
    elif re.match(rb'\{\s*"', head):
        yield from _json(data, identifier, measure)
    else:
        text = _decoded(data)
        yield Document(identifier.of_name(name), Kind.TEXT, text, measure.length(text))


def _xml(
    data: bytes, name: str, identifier: Identifier, events: Events, measure: Measure
) -> Iterator[Document | Malformed]:
    """One document, or several one after another if their ids stand in them."""
    if identifier.is_inside:
        yield from _xml_documents(data, identifier.rule, events, measure)
        return
    known = len(events.places), len(events.names)
    length, end = scan_xml(data, events, measure)
    if end < len(data):
        events.undo(*known)
        line = data.count(b"\n", 0, end) + 1
        raise Malformed(
            "something after the document's end (of several documents in a file --id must tell"
            " where their ids stand)",
            line,
        )
    yield Document(identifier.of_name(name), Kind.XML, data, length)


def _xml_documents(
    data: bytes, rule: str, events: Events, measure: Measure
) -> Iterator[Document | Malformed]:
    at = 0
    while data[at : at + 64].strip() or data[at:].strip():
        known = len(events.places), len(events.names)
        # The next declaration mostly begins the next document, unless a comment shows one.
        stop = data.find(DECLARATION, at + 1)
        piece = data[at:stop] if stop > 0 else data[at:]
        try:
            length, end = scan_xml(piece, events, measure)
            content = piece[:end]
            yield Document(xml_id(content, rule), Kind.XML, content, length)
        except Malformed as error:
            events.undo(*known)
            error.line += data.count(b"\n", 0, at)
            yield error
            end = len(piece)
        at += end


def _trec(
    text: str, identifier: Identifier, events: Events, measure: Measure
) -> Iterator[Document | Malformed]:
    name = re.escape(identifier.rule if identifier.is_inside else DOCNO)
    pattern = re.compile(rf"<{name}>\s*(.*?)\s*</{name}>", re.IGNORECASE | re.DOTALL)
    line, reached = 1, 0
    for found in TREC_DOCUMENT.finditer(text):
        line += text.count("\n", reached, found.start())
        reached = found.start()
        known = len(events.places), len(events.names)
        own = pattern.search(found[0])
        if not own or not own[1]:
            yield Malformed(f"a document without {identifier.rule or DOCNO}", line)
            continue
        try:
            length = scan_sgml(found[0], events, measure)
            yield Document(own[1], Kind.SGML, found[0], length)
        except Malformed as error:
            events.undo(*known)
            yield Malformed(error.reason, line)
    if not reached and not TREC_DOCUMENT.match(text):
        raise Malformed("a <DOC> that nothing ends")


def _json(data: bytes, identifier: Identifier, measure: Measure) -> Iterator[Document | Malformed]:
    key = identifier.rule if identifier.is_inside else JSON_ID
    for number, line in enumerate(_decoded(data).split("\n"), 1):
        if not line.strip():
            continue
        try:
            own, text = _fields(line, key)
            yield Document(own, Kind.TEXT, text, measure.length(text))
        except Malformed as error:
            yield Malformed(error.reason, number)


def _fields(line: str, key: str) -> tuple[str, str]:
    """The id and the text in a line of JSON."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"no JSON: {error}") from error
    own = value.get(key) if isinstance(value, dict) else None
    if isinstance(own, int) and not isinstance(own, bool):
        own = str(own)
    text = value.get(JSON_TEXT) if isinstance(value, dict) else None
    if not isinstance(own, str) or not own or not isinstance(text, str):
        raise Malformed(f'expected {{"{key}": …, "{JSON_TEXT}": …}}, both strings')
    return own, text


def _decoded(data: bytes, *, lenient: bool = False) -> str:
    data = data.removeprefix(BYTE_ORDER_MARK)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        if lenient:
            # TREC's collections of the nineties are Latin-1.
            return data.decode("latin-1")
        line = data.count(b"\n", 0, error.start) + 1
        raise Malformed(f"not UTF-8: byte 0x{data[error.start]:02x}", line) from error
    if "\0" in text:
        raise Malformed("not text: it holds a zero byte", text.count("\n", 0, text.index("\0")) + 1)
    return text
