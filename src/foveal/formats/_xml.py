"""Reads XML as events with physical lines, and writes columns of text as XML.

Nothing is fetched, and entities are hardly expanded; text is read back exactly as written.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import cache
from typing import Protocol
from xml.parsers import expat

from foveal.errors import BadInput, DataError, Problem, shortened
from foveal.files import Source
from foveal.late import pl

# Long enough for characters and short names, too short for a bomb: as entities may not contain
# others, three bytes of a file become a hundred at most.
MAX_ENTITY_LENGTH = 100
# A track has some hundred topics with a file each; every document costs a new parser.
MAX_DOCUMENTS = 10_000
# expat's "no element found", which it also reports for a file that is cut off.
CUT_OFF = expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]
BLANKS = " \t\r\n"
TAG_WITH_ENTITY = re.compile(rb"<[A-Za-z_][^<>&]*&[^<>]*>")
ENTITY = re.compile(rb"&([A-Za-z_][\w.-]*);")
OTHER_ENTITY = re.compile(r"[&%][^#]")
# Characters that XML cannot hold, and blanks at either end, which readers remove.
UNWRITABLE = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x{fffe}\x{ffff}]|^[ \t\r\n]|[ \t\r\n]$|^$"
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
IN_ATTRIBUTES = {'"': "&quot;", "\n": "&#10;", "\t": "&#9;"}


class Visitor(Protocol):
    """Handler of the elements of a file, in the order of their tags."""

    @property
    def texts(self) -> Container[str]:
        """Names of elements whose text is collected, with the text of elements inside."""

    def started(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Handle a start tag; attribute values come without blanks around them."""

    def ended(self, name: str, text: str, line: int) -> None:
        """Handle an end tag; `text` is the element's text if collected, else empty."""


class _Refused(Exception):
    """Stops a parser where a file is refused."""


def visit(source: Source, visitor: Visitor) -> None:
    """Pass all elements of a file, which may hold several documents, to a visitor."""
    data = memoryview(source.all_bytes())
    start, line = 0, 0
    for _ in range(MAX_DOCUMENTS):
        document = _Document(visitor, line)
        start, line = start + document.parse(data[start:], source), document.last_line
        if start == len(data):
            return
    reason = f"more than {MAX_DOCUMENTS:,} XML documents in one file: split it"
    raise BadInput(source.name, [Problem(line, reason)])


class _Document:
    """One XML document, whose first line is the one after `lines_before`."""

    def __init__(self, visitor: Visitor, lines_before: int) -> None:
        self.last_line = lines_before
        self._visitor = visitor
        self._lines_before = lines_before
        self._depth = 0
        self._is_over = False
        self._has_dtd = False
        self._declared = {"lt", "gt", "amp", "quot", "apos"}
        # The depth of the outermost element whose text is collected, and that text.
        self._text_depth = 0
        self._text: list[str] = []
        self._parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._entity_declared
        parser.ExternalEntityRefHandler = self._external
        parser.SkippedEntityHandler = self._skipped
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)

    def parse(self, data: memoryview, source: Source) -> int:
        """Read the document at the start of the data and return its length."""
        try:
            self._parser.Parse(data, True)  # noqa: FBT003  # the parser's own signature
        except expat.ExpatError as error:
            end = self._parser.ErrorByteIndex
            # An error after the end of a document is the start of the next one.
            if self._is_over and 0 < end < len(data):
                self._refuse_skipped_in_tags(data[:end], source)
                self.last_line = self._lines_before + self._parser.ErrorLineNumber - 1
                return end
            reason = f"broken XML: {self._broken(error.code)}"
            raise self._refusal(source, error.lineno, reason) from error
        except _Refused as error:
            raise self._refusal(source, self._parser.CurrentLineNumber, str(error)) from error
        except (LookupError, ValueError) as error:
            raise self._refusal(source, 1, f"cannot be decoded: {error}") from error
        self._refuse_skipped_in_tags(data, source)
        return len(data)

    def _broken(self, code: int) -> str:
        if code == CUT_OFF and self._depth:
            return "the file ends before all elements are closed (cut off?)"
        return str(expat.ErrorString(code))

    def _refusal(self, source: Source, line: int, reason: str) -> BadInput:
        return BadInput(source.name, [Problem(self._lines_before + line, reason)])

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if not self._text_depth and name in self._visitor.texts:
            self._text_depth = self._depth
        if attributes:
            attributes = {key: value.strip(BLANKS) for key, value in attributes.items()}
        self._visitor.started(name, attributes, self._lines_before + self._parser.CurrentLineNumber)

    def _end(self, name: str) -> None:
        text = ""
        if self._text_depth == self._depth:
            text = "".join(self._text).strip(BLANKS)
            self._text, self._text_depth = [], 0
        self._depth -= 1
        self._is_over = not self._depth
        self._visitor.ended(name, text, self._lines_before + self._parser.CurrentLineNumber)

    def _characters(self, text: str) -> None:
        if self._text_depth:
            self._text.append(text)

    def _entity_declared(self, name: str, _: object, value: str | None, *names: str | None) -> None:
        self._declared.add(name)
        if value is not None and (len(value) > MAX_ENTITY_LENGTH or OTHER_ENTITY.search(value)):
            short_name = shortened(name, 40)
            raise _Refused(
                f"the entity {short_name!r} is too long or contains others: write out its text"
            )

    def _external(self, context: str | None, _: object, system: object, *names: object) -> int:
        """Refuse entities in other files; a DTD is not fetched, but replaced by HTML's entities.

        An entity that HTML does not have may be declared in the DTD; it is an error all the same.
        """
        if context is not None:
            raise _Refused(
                f"an entity in another file ({shortened(str(system), 80)}) is not fetched"
            )
        self._has_dtd = True
        self._parser.ExternalEntityParserCreate(context).Parse(_html_entities(), True)  # noqa: FBT003
        return 1

    def _skipped(self, name: str, is_parameter: bool) -> None:  # noqa: FBT001  # the parser's own
        if not is_parameter:
            raise _Refused(f"the entity {shortened(name, 40)!r} is not declared in the file")

    def _refuse_skipped_in_tags(self, document: memoryview, source: Source) -> None:
        """Refuse unknown entities in attributes: with a DTD, expat drops them silently."""
        if not self._has_dtd:
            return
        data = bytes(document)
        for tag in TAG_WITH_ENTITY.finditer(data):
            names = {name.decode(errors="replace") for name in ENTITY.findall(tag[0])}
            if unknown := names - self._declared:
                line = data.count(b"\n", 0, tag.start()) + 1
                reason = f"the entity {min(unknown)!r} is not declared in the file"
                raise self._refusal(source, line, reason)


def element(column: str | pl.Expr) -> pl.Expr:
    """Text as XML between tags."""
    return _escaped(column, ESCAPES)


def attribute(column: str | pl.Expr) -> pl.Expr:
    """Text as XML in a tag, with quotes around it."""
    return pl.concat_str(pl.lit('"'), _escaped(column, ESCAPES | IN_ATTRIBUTES), pl.lit('"'))


def refuse_unwritable(texts: pl.Series, noun: str) -> None:
    """Refuse text that would be read back differently."""
    invalid = texts.filter(texts.str.contains(UNWRITABLE))
    if len(invalid):
        raise DataError(f"{noun} {invalid[0]!r} cannot be written in XML: use jsonl or csv")


def _escaped(column: str | pl.Expr, escapes: dict[str, str]) -> pl.Expr:
    text = pl.col(column) if isinstance(column, str) else column
    for character, escape in escapes.items():
        text = text.str.replace_all(character, escape, literal=True)
    return text


@cache
def _html_entities() -> bytes:
    """HTML's entities as declarations of a DTD, except those that expat knows."""
    from html.entities import name2codepoint  # noqa: PLC0415  # few files have a DTD

    return "".join(
        f'<!ENTITY {name} "&#{code};">'
        for name, code in name2codepoint.items()
        if name not in {"lt", "gt", "amp", "quot"}
    ).encode()
