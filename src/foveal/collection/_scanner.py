"""XML in, events out: where elements open and close in the text, and where comments part it."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING
from xml.parsers import expat

from foveal.tables import DEEPEST

if TYPE_CHECKING:
    from collections.abc import Callable

# Large enough that a text is mostly one piece, small enough to be made for every document.
TEXT_BUFFER = 1 << 14
BLANKS = " \t\r\n"
SPACES = re.compile(f"[{BLANKS}]+")
# No element has this name.
PARTING = ""
# Two errors that mean that one document ended and another begins.
NEXT_DOCUMENT = {
    expat.errors.codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT],
    expat.errors.codes[expat.errors.XML_ERROR_MISPLACED_XML_PI],
}


class Count(StrEnum):
    """What offsets count."""

    CHARACTERS = "characters"
    BYTES = "bytes"


class Whitespace(StrEnum):
    """Whether every blank counts, or a run of blanks in a text node counts as one."""

    KEEP = "keep"
    MERGED = "merged"


@dataclass(frozen=True)
class Measure:
    """How text is counted."""

    count: Count = Count.CHARACTERS
    whitespace: Whitespace = Whitespace.KEEP

    @property
    def is_plain(self) -> bool:
        """Whether offsets count code points."""
        return self == Measure()

    def length(self, text: str) -> int:
        """The length of a whole text node."""
        if self.whitespace is Whitespace.MERGED:
            text = SPACES.sub(" ", text)
        return len(text) if self.count is Count.CHARACTERS else len(text.encode())


class Malformed(Exception):  # a finding that is listed, no error of the program
    """A document that cannot be read, why, and the line of its file where that shows."""

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class _Codes(dict[str, int]):
    """Names numbered as they come."""

    def __missing__(self, name: str) -> int:
        self[name] = code = len(self)
        return code


@dataclass
class Events:
    """What happened in documents one after another.

    An event is the offset where an element opens or, as its complement, where one closes. Every
    opening has the number of a name; a comment or processing instruction has that of `PARTING`.
    """

    places: array[int] = field(default_factory=lambda: array("q"))
    names: array[int] = field(default_factory=lambda: array("i"))
    codes: _Codes = field(default_factory=lambda: _Codes({PARTING: 0}))

    def undo(self, places: int, names: int) -> None:
        """Forget all but the first places and names."""
        del self.places[places:]
        del self.names[names:]


def scan_xml(data: bytes, events: Events, measure: Measure) -> tuple[int, int]:
    """The length of the XML document at the beginning of some bytes, and where it ended.

    Its elements are added to the events; if it is malformed, nothing is.
    """
    known = len(events.places), len(events.names)
    parser = expat.ParserCreate()
    reached = _listen(parser, events, measure)
    try:
        parser.Parse(data, True)  # noqa: FBT003  # expat takes no names
    except expat.ExpatError as error:
        length, depth = reached()
        if error.code in NEXT_DOCUMENT and not depth and len(events.places) > known[0]:
            return length, parser.ErrorByteIndex
        events.undo(*known)
        raise Malformed(expat.ErrorString(error.code), error.lineno) from error
    except Malformed as error:
        events.undo(*known)
        raise Malformed(error.reason, parser.CurrentLineNumber) from error
    return reached()[0], len(data)


def _listen(  # noqa: C901  # many small ears on one text; anything but closures is slower
    parser: expat.XMLParserType, events: Events, measure: Measure
) -> Callable[[], tuple[int, int]]:
    """Let a parser fill the events; the answer tells text passed and depth reached so far."""
    at = depth = 0
    placed, named, codes = events.places.append, events.names.append, events.codes
    count = _Counter(measure)

    def start(name: str, _: object) -> None:
        nonlocal depth
        placed(at)
        named(codes[name])
        depth += 1
        if depth > DEEPEST:
            raise Malformed(f"elements nested more than {DEEPEST:,} deep")

    def end(_: str) -> None:
        nonlocal depth
        placed(~at)
        depth -= 1

    def text(data: str) -> None:
        nonlocal at
        at += len(data)

    def measured_text(data: str) -> None:
        nonlocal at
        at += count(data, len(events.places))

    def part(*_: str) -> None:
        placed(at)
        named(0)
        placed(~at)

    def skipped(_: str, is_parameter: bool) -> None:  # noqa: FBT001  # expat calls it
        # Declared in another file, where nobody looks; it stands for a character.
        nonlocal at
        at += not is_parameter

    def external(*names: str | None) -> int:
        raise Malformed(f"an entity from another file ({names[2]}), which is never read")

    parser.buffer_text = True
    parser.buffer_size = TEXT_BUFFER
    parser.ordered_attributes = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text if measure == Measure() else measured_text
    parser.CommentHandler = part
    parser.ProcessingInstructionHandler = part
    parser.SkippedEntityHandler = skipped
    parser.ExternalEntityRefHandler = external
    return lambda: (at, depth)


class _Counter:
    """Counts text that comes in pieces; blanks at a seam of the same text node are one run."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._node = -1
        self._ends_blank = False

    def __call__(self, piece: str, node: int) -> int:
        """What a piece of the text node adds to its length."""
        length = self._measure.length(piece)
        if self._measure.whitespace is Whitespace.MERGED:
            is_seam = node == self._node and self._ends_blank
            length -= is_seam and piece[0] in BLANKS
            self._node, self._ends_blank = node, piece[-1] in BLANKS
        return length
