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
    SEPARATOR,
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

TREC_START = re.compile(r"<DOC\b", re.IGNORECASE)
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
    """Rule that finds a document's id; without `rule`, the file's name is the id.

    A rule is `@NAME`, an attribute of the root; `re:PATTERN`, a pattern for the file's name with the
    id in its group; or the name of an element (in JSON, of a field).
    """

    rule: str = ""

    def __post_init__(self) -> None:
        """Refuse an invalid expression now, before any document is read."""
        _ = self.pattern

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """Compiled expression of a `re:` rule; None for other rules."""
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
        """Id of a document from its file's name."""
        if self.pattern:
            if not (match := self.pattern.search(name)) or not match[1]:
                raise Malformed(f"--id {self.rule} matches nothing in the file's name")
            return match[1]
        return without_ending(name).rpartition("/")[2]

    @property
    def is_inside(self) -> bool:
        """True if the id is in the document itself, not in the file's name."""
        return bool(self.rule) and not self.pattern


def without_ending(path: str) -> str:
    """Path without the ending of its file, and without .gz and the like."""
    folders, slash, name = path.rpartition("/")
    for packing in PACKINGS:
        name = name.removesuffix(packing)
    return f"{folders}{slash}{name.rpartition('.')[0] or name}"


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
    """Documents of a member; a malformed one comes as its error.

    With a row scanner, plain XML comes as rows of elements, without its texts.
    """
    try:
        data = member.read()
        notation = member.notation or notation_of(data)
        if notation is Notation.XML:
            items = _xml_file(data, member.name, identifier, scanner)
        else:
            items = _other_documents(data, notation, member.name, identifier)
        for item in items:
            if isinstance(item, Malformed):
                item.line += member.line
            yield item
    except Malformed as error:
        error.line += member.line
        yield error


def _other_documents(
    data: bytes, notation: Notation, name: str, identifier: Identifier
) -> Iterator[Document | Malformed]:
    if notation is Notation.TREC:
        yield from _trec_documents(_decoded(data, lenient=True), identifier)
    elif notation is Notation.JSON:
        yield from _json_documents(data, identifier)
    else:
        text = _decoded(data)
        yield Document(identifier.of_name(name), text, Scan([text]))


def _xml_file(
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
    start = line = counted_to = 0
    while start < size:
        try:
            document = _document_at(data, start, rule, scanner)
            yield document
            end = len(document.content)
        except Malformed as error:
            line, counted_to = line + data.count(b"\n", counted_to, start), start
            error.line += line
            yield error
            # A malformed document ends at the next XML declaration.
            next_start = data.find(DECLARATION, start + 1)
            end = (next_start if next_start > 0 else len(data)) - start
        start += end


def _document_at(data: bytes, start: int, rule: str, scanner: RowScanner | None) -> Document:
    """The document that begins at an offset in data."""
    if scanner and (scanned := scanner.next_rows(data, start, rule)):
        rows, doc_id, size = scanned
        return Document(doc_id, data[start : start + size], rows)
    scan, size = scan_xml(memoryview(data)[start:])
    document = data[start : start + size]
    return Document(xml_id(document, rule), document, scan)


def _trec_documents(text: str, identifier: Identifier) -> Iterator[Document | Malformed]:
    name = re.escape(identifier.rule if identifier.is_inside else DOCNO)
    pattern = re.compile(rf"<{name}>([^<]*)</{name}>", re.IGNORECASE)
    line, counted_to = 1, 0
    for start, end in _trec_spans(text):
        line += text.count("\n", counted_to, start)
        counted_to = start
        content = text[start:end]
        match = pattern.search(content)
        try:
            scan = scan_sgml(content)
        except Malformed as error:
            yield Malformed(error.reason, line)
            continue
        if match and match[1].strip():
            yield Document(match[1].strip(), content, scan)
        else:
            yield Malformed(f"a document without {identifier.rule or DOCNO}", line)


def _trec_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each document; the last end tag may be missing."""
    end = 0
    while start_tag := TREC_START.search(text, end):
        end_tag = TREC_END.search(text, start_tag.end())
        end = end_tag.end() if end_tag else len(text)
        yield start_tag.start(), end


def _json_documents(data: bytes, identifier: Identifier) -> Iterator[Document | Malformed]:
    key = identifier.rule if identifier.is_inside else JSON_ID
    for number, line in enumerate(_decoded(data).split("\n"), 1):
        if not line.strip():
            continue
        try:
            doc_id, text = _fields(line, key)
            yield Document(doc_id, text, Scan([text]))
        except Malformed as error:
            yield Malformed(error.reason, number)


def _fields(line: str, key: str) -> tuple[str, str]:
    """Id and text in a line of JSON."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"broken JSON: {error}") from error
    doc = value.get(key) if isinstance(value, dict) else None
    if isinstance(doc, int) and not isinstance(doc, bool):
        doc = str(doc)
    text = value.get(JSON_TEXT) if isinstance(value, dict) else None
    if not isinstance(doc, str) or not doc.isprintable() or not doc or not isinstance(text, str):
        raise Malformed(f'expected {{"{key}": …, "{JSON_TEXT}": …}} with texts in both')
    return doc, text


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
        line = text.count("\n", 0, text.index("\0")) + 1
        raise Malformed("not text: it contains a zero byte", line)
    return text


def scan_sgml(text: str) -> Scan:
    """Scan of a document in SGML, as TREC's collections have it.

    An element that is not closed ends with its parent; one whose name has no end tag in the whole
    document is empty. An end tag that matches nothing is skipped, a stray < is text.
    """
    names_closed = set(CLOSING.findall(text))
    open_names: list[str] = []
    scan = Scan()
    for token in TOKEN.finditer(_without_comments(text)):
        position, name = len(scan.texts), token["name"] or SEPARATOR
        if token["text"]:
            scan.texts.append(token["text"])
        elif token["entity"]:
            # An entity counts as one character, whatever it means.
            scan.texts.append(UNKNOWN_ENTITY)
        elif token["closes"]:
            depth = _depth(open_names, name)
            scan.positions.extend([~position] * (len(open_names) - depth))
            del open_names[depth:]
        else:
            scan.positions.append(position)
            scan.names.append(name)
            if name in names_closed:
                open_names.append(name)
            else:
                scan.positions.append(~position)
    scan.positions.extend([~len(scan.texts)] * len(open_names))
    if scan.depth() > DEEPEST:
        raise Malformed(TOO_DEEP)
    return scan


def _without_comments(text: str) -> str:
    """Text with an empty declaration in place of each comment.

    A regular expression would scan to the end of the text for each unclosed comment.
    """
    pieces, offset = [], 0
    while (start := text.find("<!--", offset)) >= 0 and (end := text.find("-->", start)) >= 0:
        pieces += [text[offset:start], "<!>"]
        offset = end + len("-->")
    return "".join([*pieces, text[offset:]])


def _depth(open_names: list[str], name: str) -> int:
    """Number of elements that stay open when one with this name is closed."""
    depths = (depth for depth in reversed(range(len(open_names))) if open_names[depth] == name)
    return next(depths, len(open_names))
