"""The documents in a member: XML one after another, TREC's SGML, lines of JSON, or plain text."""

from __future__ import annotations

import hashlib
import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from foveal.collection.element_table import RowScanner, ScannedElements
from foveal.collection.members import Member, Notation, notation_of
from foveal.collection.xml_scanner import (
    PARTING,
    TOO_DEEP,
    UNKNOWN_ENTITY,
    Malformed,
    Scan,
    encoded,
    scan_xml,
    xml_id,
)
from foveal.elements import DEEPEST
from foveal.errors import UsageError
from foveal.frozen import frozen

TREC_BEGIN = re.compile(r"<DOC\b", re.IGNORECASE)
TREC_END = re.compile(r"</DOC>", re.IGNORECASE)
DOCNO = "DOCNO"
DECLARATION = b"<?xml "
PACKINGS = (".gz", ".zst", ".bz2", ".xz")
DIGEST_SIZE = 16
JSON_ID, JSON_TEXT = "id", "text"
TOKEN = re.compile(
    r"<[!?][^<>]*+>|<(?P<closes>/?)(?P<name>[A-Za-z][\w.:-]*+)[^<>]*+>"
    r"|(?P<entity>&\#?\w++;)|(?P<text>[^<&]++|.)",
    re.DOTALL,
)
CLOSING = re.compile(r"</([A-Za-z][\w.:-]*)")


@frozen
class Identifier:
    """Where a document's id is: in its file's name, or where `rule` says.

    A rule is `@NAME`, an attribute of the root; `re:PATTERN`, whose group is searched for in the
    file's name; or the name of an element (in JSON, of a field).
    """

    rule: str = ""

    def __post_init__(self) -> None:
        """Refuse an invalid expression at once, not with the first document."""
        _ = self.pattern

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """The compiled expression of a rule that is an expression."""
        if not self.rule.startswith("re:"):
            return None
        try:
            pattern = re.compile(self.rule.removeprefix("re:"))
        except re.error as error:
            raise UsageError(f"--id {self.rule}: not a regular expression: {error}") from error
        if pattern.groups != 1:
            raise UsageError(
                f"--id {self.rule}: must have exactly one group (…), which holds the id"
            )
        return pattern

    def of_name(self, name: str) -> str:
        """The id in a file's name."""
        if self.pattern:
            if not (found := self.pattern.search(name)) or not found[1]:
                raise Malformed(f"--id {self.rule} matches nothing in the file's name")
            return found[1]
        return without_ending(name).rpartition("/")[2]

    @property
    def is_inside(self) -> bool:
        """Whether the id is in the document itself."""
        return bool(self.rule) and not self.pattern


def without_ending(path: str) -> str:
    """A path without the ending of its file, and without those of packings."""
    folders, slash, own = path.rpartition("/")
    for packing in PACKINGS:
        own = own.removesuffix(packing)
    return f"{folders}{slash}{own.rpartition('.')[0] or own}"


class Document(NamedTuple):
    """A document: its id, its bytes (for JSON and plain text, its text), and its scan."""

    id: str
    content: bytes | str
    scan: Scan | ScannedElements

    def digest(self) -> bytes:
        """A digest of the content."""
        content = self.content if isinstance(self.content, bytes) else encoded(self.content)
        return hashlib.sha256(content).digest()[:DIGEST_SIZE]


def documents(
    member: Member, identifier: Identifier, scanner: RowScanner | None = None
) -> Iterator[Document | Malformed]:
    """The documents of a member, and what is wrong with malformed ones.

    With a scanner of rows, plain XML comes as rows, without its texts.
    """
    try:
        data = member.read()
        notation = member.notation or notation_of(data)
        if notation is Notation.XML:
            scanned = _xml(data, member.name, identifier, scanner)
        else:
            scanned = _scanned(data, notation, member.name, identifier)
        for found in scanned:
            if isinstance(found, Malformed):
                found.line += member.line
            yield found
    except Malformed as error:
        error.line += member.line
        yield error


def _scanned(
    data: bytes, notation: Notation, name: str, identifier: Identifier
) -> Iterator[Document | Malformed]:
    if notation is Notation.TREC:
        yield from _trec(_decoded(data, lenient=True), identifier)
    elif notation is Notation.JSON:
        yield from _json(data, identifier)
    else:
        text = _decoded(data)
        yield Document(identifier.of_name(name), text, Scan([text]))


def _xml(
    data: bytes, name: str, identifier: Identifier, scanner: RowScanner | None
) -> Iterator[Document | Malformed]:
    """One document, or several one after another if their ids are inside them."""
    if identifier.is_inside:
        yield from _xml_documents(data, identifier.rule, scanner)
        return
    scan: Scan | ScannedElements | None = scanner.rows(data) if scanner else None
    if scan is None:
        scan, end = scan_xml(data)
        if end < len(data):
            raise Malformed(
                "more text after the end of the document (if the file holds several documents, --id"
                " must say where their ids are)",
                data.count(b"\n", 0, end) + 1,
            )
    yield Document(identifier.of_name(name), data, scan)


def _xml_documents(
    data: bytes, rule: str, scanner: RowScanner | None
) -> Iterator[Document | Malformed]:
    size = len(data.rstrip())
    at = line = counted = 0
    while at < size:
        try:
            document = _next_document(data, at, rule, scanner)
            yield document
            end = len(document.content)
        except Malformed as error:
            line, counted = line + data.count(b"\n", counted, at), at
            error.line += line
            yield error
            # The next declaration begins the next document.
            stop = data.find(DECLARATION, at + 1)
            end = (stop if stop > 0 else len(data)) - at
        at += end


def _next_document(data: bytes, at: int, rule: str, scanner: RowScanner | None) -> Document:
    """The document that begins at a place in data."""
    if scanner and (found := scanner.next_rows(data, at, rule)):
        rows, own, size = found
        return Document(own, data[at : at + size], rows)
    scan, size = scan_xml(memoryview(data)[at:])
    document = data[at : at + size]
    return Document(xml_id(document, rule), document, scan)


def _trec(text: str, identifier: Identifier) -> Iterator[Document | Malformed]:
    name = re.escape(identifier.rule if identifier.is_inside else DOCNO)
    pattern = re.compile(rf"<{name}>([^<]*)</{name}>", re.IGNORECASE)
    line, counted = 1, 0
    for begin, end in _trec_spans(text):
        line += text.count("\n", counted, begin)
        counted = begin
        whole = text[begin:end]
        own = pattern.search(whole)
        try:
            scan = scan_sgml(whole)
        except Malformed as error:
            yield Malformed(error.reason, line)
            continue
        if own and own[1].strip():
            yield Document(own[1].strip(), whole, scan)
        else:
            yield Malformed(f"a document without {identifier.rule or DOCNO}", line)


def _trec_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where documents begin and end; the last end tag may be missing."""
    at = 0
    while begin := TREC_BEGIN.search(text, at):
        end = TREC_END.search(text, begin.end())
        at = end.end() if end else len(text)
        yield begin.start(), at


def _json(data: bytes, identifier: Identifier) -> Iterator[Document | Malformed]:
    key = identifier.rule if identifier.is_inside else JSON_ID
    for number, line in enumerate(_decoded(data).split("\n"), 1):
        if not line.strip():
            continue
        try:
            own, text = _fields(line, key)
            yield Document(own, text, Scan([text]))
        except Malformed as error:
            yield Malformed(error.reason, number)


def _fields(line: str, key: str) -> tuple[str, str]:
    """The id and the text in a line of JSON."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"broken JSON: {error}") from error
    own = value.get(key) if isinstance(value, dict) else None
    if isinstance(own, int) and not isinstance(own, bool):
        own = str(own)
    text = value.get(JSON_TEXT) if isinstance(value, dict) else None
    if not isinstance(own, str) or not own.isprintable() or not own or not isinstance(text, str):
        raise Malformed(f'expected {{"{key}": …, "{JSON_TEXT}": …}} with texts in both')
    return own, text


def _decoded(data: bytes, *, lenient: bool = False) -> str:
    data = data.removeprefix(BOM_UTF8)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        if lenient:
            # TREC's collections of the 1990s are Latin-1.
            return data.decode("latin-1")
        line = data.count(b"\n", 0, error.start) + 1
        raise Malformed(f"not UTF-8: byte 0x{data[error.start]:02x}", line) from error
    if "\0" in text:
        raise Malformed(
            "not text: it contains a zero byte", text.count("\n", 0, text.index("\0")) + 1
        )
    return text


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
