"""XML to events: where elements open and close in the text, and where comments separate it."""

from __future__ import annotations

import re
from dataclasses import field
from itertools import accumulate, islice, pairwise
from xml.parsers import expat

from foveal.choices import Count, Whitespace
from foveal.elements import DEEPEST
from foveal.frozen import frozen

# Large enough that a text is mostly one piece, small enough to be made for every document.
TEXT_BUFFER = 1 << 14
# Bytes that are parsed before the depth is checked; most documents are smaller.
PORTION = 1 << 20
BLANKS = " \t\r\n"
SPACES = re.compile(f"[{BLANKS}]+")
UNKNOWN_ENTITY = "\N{REPLACEMENT CHARACTER}"
TOO_DEEP = f"elements nested more than {DEEPEST:,} deep"
# Name of comments and processing instructions, which separate text; no element has it.
SEPARATOR = ""
# Two errors of expat that mean that one document has ended and another begins.
NEXT_DOCUMENT = {
    expat.errors.codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT],
    expat.errors.codes[expat.errors.XML_ERROR_MISPLACED_XML_PI],
}


# expat's "no element found", which it also reports for a file that is cut off.
CUT_OFF = expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]
UNCLOSED = "the document ends before all elements are closed (cut off?)"


@frozen
class OffsetCounter:
    """Unit in which text is counted, and its treatment of whitespace."""

    count: Count = Count.CHARACTERS
    whitespace: Whitespace = Whitespace.KEEP

    def length(self, text: str) -> int:
        """Length of a whole text node."""
        if self.whitespace is Whitespace.MERGED:
            text = SPACES.sub(" ", text)
        return len(text) if self.count is Count.CHARACTERS else len(encoded(text))


def encoded(text: str) -> bytes:
    """The bytes of a text; JSON can contain halves of surrogate pairs."""
    return text.encode(errors="surrogatepass")


class Malformed(Exception):  # collected and reported, not an error of the program
    """A document that cannot be read, the reason, and the line of its file."""

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@frozen
class Scan:
    """A document as pieces of text with the elements that open and close between them.

    A position is the number of pieces before an element opens or, as its complement, before one
    closes. Each opening has a name; that of a comment or processing instruction is `SEPARATOR`.
    """

    texts: list[str] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def with_whole_texts(self) -> Scan:
        """The same document with one piece for each text node."""
        cuts = sorted({n if n >= 0 else ~n for n in self.positions})
        node_of = {cut: node for node, cut in enumerate(cuts, 1)}
        pairs = pairwise([0, *cuts, len(self.texts)])
        positions = [node_of[n] if n >= 0 else ~node_of[~n] for n in self.positions]
        return Scan(["".join(self.texts[a:b]) for a, b in pairs], positions, self.names)

    def depth(self) -> int:
        """The largest number of elements inside each other."""
        # A small document cannot be deep, and most are small.
        if len(self.names) <= DEEPEST:
            return 0
        return max(accumulate(1 if n >= 0 else -1 for n in self.positions))


def scan_xml(data: bytes | memoryview) -> tuple[Scan, int]:
    """Scan the XML document at the start of `data`; the number is its size in bytes."""
    scan = Scan()
    parser = expat.ParserCreate()
    _listen(parser, scan)
    end = len(data)
    try:
        _parse(parser, data, scan)
    except expat.ExpatError as error:
        still_open = sum(1 if n >= 0 else -1 for n in scan.positions)
        # A comment alone is not a document.
        is_over = any(scan.names) and not still_open
        if error.code not in NEXT_DOCUMENT or not is_over:
            is_cut_off = error.code == CUT_OFF and still_open
            reason = UNCLOSED if is_cut_off else expat.ErrorString(error.code)
            raise Malformed(reason, error.lineno) from error
        end = parser.ErrorByteIndex
    except (LookupError, ValueError) as error:
        # Python does not know the encoding, or expat cannot use it.
        raise Malformed(str(error)) from error
    except Malformed as error:
        raise Malformed(error.reason, parser.CurrentLineNumber) from error
    if scan.depth() > DEEPEST:
        raise Malformed(TOO_DEEP)
    return scan, end


def _parse(parser: expat.XMLParserType, data: bytes | memoryview, scan: Scan) -> None:
    """Feed a parser all bytes, or fail where the document is nested too deeply."""
    last_start = max(len(data) - 1, 0) // PORTION * PORTION
    depth = checked = 0
    for start in range(0, last_start, PORTION):
        parser.Parse(data[start : start + PORTION])
        depth += sum(1 if n >= 0 else -1 for n in islice(scan.positions, checked, None))
        checked = len(scan.positions)
        if depth > DEEPEST:
            raise Malformed(TOO_DEEP)
    parser.Parse(data[last_start:], True)  # noqa: FBT003  # expat takes no names


def _listen(parser: expat.XMLParserType, scan: Scan) -> None:
    """Let a parser fill a scan; closures over bare lists are the fastest handlers."""
    texts = scan.texts
    add_position, add_name = scan.positions.append, scan.names.append

    def start(name: str, _: object) -> None:
        add_position(len(texts))
        add_name(name)

    def end(_: str) -> None:
        add_position(~len(texts))

    def separate(*_: str) -> None:
        start(SEPARATOR, None)
        end(SEPARATOR)

    def skip_entity(_: str, is_parameter: bool) -> None:  # noqa: FBT001  # expat calls it
        # The entity is declared in another file, which is not read; it counts as one character.
        if not is_parameter:
            texts.append(UNKNOWN_ENTITY)

    def refuse_entity(*names: str | None) -> int:
        raise Malformed(f"an entity in another file ({names[2]}) is not fetched")

    parser.buffer_text = True
    parser.buffer_size = TEXT_BUFFER
    parser.ordered_attributes = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = texts.append
    parser.CommentHandler = separate
    parser.ProcessingInstructionHandler = separate
    parser.SkippedEntityHandler = skip_entity
    parser.ExternalEntityRefHandler = refuse_entity


class _IdReached(Exception):  # not an error
    """Stops a parser at the id."""


def xml_id(data: bytes | memoryview, rule: str) -> str:
    """Id inside a document: attribute `@NAME` of its root, or the text of an element."""
    parser = expat.ParserCreate()
    text: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if rule.startswith("@"):
            raise _IdReached(attributes.get(rule[1:], ""))
        if name == rule:
            parser.CharacterDataHandler = text.append

    def end(name: str) -> None:
        if name == rule:
            raise _IdReached("".join(text))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(data, True)  # noqa: FBT003  # expat takes no names
    except _IdReached as reached:
        if doc_id := str(reached).strip():
            return doc_id
    raise Malformed(f"no id: the document has no {rule} (--id)")
