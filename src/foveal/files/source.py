"""A file being read: opened once, decompressed, checked to be UTF-8, in blocks of lines."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from mmap import mmap
from pathlib import Path, PurePath
from typing import Self

import numpy as np

from foveal.errors import BadInput, MissingFile, Problem
from foveal.files.compression import COMPRESSION_SUFFIXES, READ_ERRORS, inflater
from foveal.files.filesystem import REMOTE, opened, printable, reason_of, unreadable
from foveal.files.limits import LINE, TooLarge, Unpacked, refuse_line
from foveal.frozen import frozen

STANDARD_INPUT = "-"
NEWLINE = ord("\n")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLANKS = BYTE_ORDER_MARK + b" \t\r\n"
# Two ways in which zlib data can begin are also text: a topic may be called x^2.
ZLIB_MARKS = (b"x\x01", b"x^")
# Endings that are not part of a run's name; formats add theirs. bm25-0.5 keeps its .5.
ENDINGS = {*COMPRESSION_SUFFIXES, ".eval", ".out", ".qrels", ".res", ".results", ".run", ".txt"}
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# First bytes of files that people give by mistake instead of text.
MAGIC = {
    b"\x1f\x8b": "a file that is compressed twice",
    b"PK\x03\x04": "a zip archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a rar archive",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"\xd0\xcf\x11\xe0": "an Office document",
    b"SQLite format 3": "an SQLite database",
    b"\x80\x04": "a Python pickle",
}
# SQLite's application id of a campaign.
CAMPAIGN = b"fovl"
# A file in another encoding may have any number of lines that cannot be decoded.
MAX_UNDECODED, UNDECODED_SHOWN = 10_000, 200
LATIN_HINT = "if it is Latin-1, `iconv -f LATIN1 -t UTF-8` converts it"
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
ELEMENT = re.compile(r"<([\w:][\w:.-]*)")
# The byte after the four letters begins every Parquet header and is not text.
PARQUET_MAGIC = b"PAR1\x15"
# Large enough for Polars to use its threads, small enough not to hold a file in memory twice.
BLOCK_SIZE = 16 << 20
HEAD_SIZE = 1 << 16
BUFFER_SIZE = 1 << 17


@frozen
class Block:
    """Whole lines of a file as valid UTF-8, each ended by a newline."""

    data: bytes
    first_line: int
    lines: int


@frozen
class Head:
    """Beginning of a file, by which its format is recognised: first bytes, first line with data.

    Blank lines and comments (`#`) have no data. `root` is the first element's name if the file is
    XML; `beginning` has more of the file, for JSON that is spread over lines.
    """

    magic: bytes
    line: str
    number: int | None = None
    root: str = ""
    beginning: bytes = b""


class Source:
    """An input file, opened once and read from its start as often as needed.

    `name` is for messages. Standard input, pipes and remote files, which cannot be read twice, are
    kept in memory. A line that is not UTF-8 is refused.
    """

    def __init__(self, name: str, path: str, stream: io.BufferedIOBase) -> None:
        self.name, self.path, self._stream = name, path, stream
        self.undecoded: dict[int, Problem] | None = None
        self._inflate = inflater(stream)

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Self:
        """Open the file at a path; `-` is standard input."""
        text = os.fspath(path)
        if text == STANDARD_INPUT:
            return cls("<stdin>", text, io.BytesIO(_standard_input()))
        if REMOTE in text:
            with opened(text) as stream:
                return cls(text, text, io.BytesIO(stream.read()))
        try:
            with ExitStack() as closing:
                stream = closing.enter_context(Path(text).open("rb"))
                if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    return cls(printable(text), text, io.BytesIO(stream.read()))
                source = cls(printable(text), text, stream)
                # The file stays open: the source closes it.
                closing.pop_all()
                return source
        except (OSError, ValueError) as error:
            raise unreadable(text, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.close()

    @property
    def stem(self) -> str:
        """The file's name without its folder and known endings."""
        return stem_of(self.path)

    @contextmanager
    def keeping_undecoded(self) -> Iterator[dict[int, Problem]]:
        """Read lines that are not UTF-8 as empty ones; the problems fill the dictionary, by line."""
        self.undecoded = {}
        try:
            yield self.undecoded
        finally:
            self.undecoded = None

    def head(self) -> Head:
        """First bytes and first line with data of the file; the line is empty if there is none."""
        with self._reported():
            beginning = self._rewound().read(HEAD_SIZE)
        magic = beginning[: len(PARQUET_MAGIC)]
        if is_xml(beginning):
            return _head_of_xml(magic, beginning)
        if magic == PARQUET_MAGIC:
            return Head(magic, "")
        # Mostly the lines read so far suffice; if they are not all ASCII, blocks() checks them.
        lines = beginning[: beginning.rfind(b"\n") + 1]
        if not lines and len(beginning) == HEAD_SIZE and self._is_one_line():
            visible = beginning.removeprefix(BYTE_ORDER_MARK)
            return Head(magic, visible.decode(errors="ignore"), 1, beginning=beginning)
        first = [Block(lines, 1, 0)] if lines.isascii() else []
        for block in chain(first, self.blocks(HEAD_SIZE)):
            for number, line in enumerate(block.data.split(b"\n"), block.first_line):
                if (text := line.strip(b" \t\r")) and not text.startswith(b"#"):
                    return Head(magic, line.decode(), number, beginning=beginning)
        return Head(magic, "")

    def _is_one_line(self) -> bool:
        """True if the first line is too long to be read."""
        with self._reported():
            return len(data := self._rewound().read(LINE)) == LINE and b"\n" not in data

    def all_bytes(self) -> bytes:
        """All bytes as they are, for formats that are not text."""
        with self._reported():
            return self._rewound().read()

    def text(self) -> bytes:
        """All lines at once, checked to be UTF-8, without the byte-order mark."""
        return self._checked_utf8(self.all_bytes().removeprefix(BYTE_ORDER_MARK), 1)

    def blocks(self, size: int = BLOCK_SIZE, *, unchecked: bool = False) -> Iterator[Block]:
        """The lines in blocks of about `size` bytes, without the byte-order mark.

        If unchecked, the file may have any encoding, and lines of any length.
        """
        line = 1
        with self._reported(lambda: line):
            for data in self._whole_lines(size, any_length=unchecked):
                text = data.removeprefix(BYTE_ORDER_MARK) if line == 1 else data
                if not unchecked:
                    text = self._checked_utf8(text, line)
                lines = count_byte(text, NEWLINE)
                yield Block(text, line, lines)
                line += lines

    def portions(self, size: int, cut: Callable[[bytes], int]) -> Iterator[tuple[bytes, int]]:
        """The bytes in portions of about `size` bytes, each with the offset at which its use ends.

        `cut` returns that offset; the bytes after it begin the next portion. Portions are not checked,
        and the first may begin with a byte-order mark.
        """
        remainder, stream = b"", self._rewound()
        while True:
            with self._reported():
                # read() allocates no more memory than a small file needs.
                portion = stream.read(size)
            if not portion:
                break
            data = remainder + portion
            end = cut(data)
            if end:
                yield data, end
            remainder = data[end:]
        if remainder:
            yield remainder, len(remainder)

    def numbered_lines(self, size: int = BLOCK_SIZE) -> Iterator[tuple[int, str]]:
        """Number and text of each line; where a block ends, an empty text takes the next number."""
        for block in self.blocks(size):
            yield from enumerate(block.data.decode().split("\n"), block.first_line)

    def lines(self, numbers: Collection[int]) -> dict[int, str]:
        """The texts of the lines with these numbers, by number."""
        texts: dict[int, str] = {}
        remaining = sorted(numbers, reverse=True)
        for block in self.blocks(unchecked=True):
            if not remaining:
                break
            lines = block.data.split(b"\n")
            while remaining and remaining[-1] - block.first_line < len(lines) - 1:
                number = remaining.pop()
                line = lines[number - block.first_line]
                texts[number] = line.decode(errors="replace").rstrip("\r")
        return texts

    def _whole_lines(self, size: int, *, any_length: bool) -> Iterator[bytes]:
        """Portions that end at line ends; a missing newline after the last line is added."""
        # Unlike an array, a memory map uses no memory for the part that a small file does not fill.
        buffer, filled = mmap(-1, size), 0
        stream = self._rewound()
        while True:
            with memoryview(buffer) as view:
                count = stream.readinto(view[filled:])
            if not count:
                break
            cut = buffer.rfind(b"\n", filled, filled + count) + 1
            filled += count
            if cut:
                yield buffer[:cut]
                buffer.move(0, cut, filled - cut)
                filled -= cut
            elif filled == len(buffer):
                # An array of JSON may be one line.
                if not (any_length or buffer[:HEAD_SIZE].lstrip(BLANKS).startswith(b"[")):
                    refuse_line(filled)
                larger = mmap(-1, 2 * filled)
                larger[:filled] = buffer[:filled]
                buffer = larger
        if filled:
            yield buffer[:filled] + b"\n"

    def _checked_utf8(self, data: bytes, first_line: int) -> bytes:
        """The lines, each that is not UTF-8 replaced by an empty one or refused."""
        if data.isascii():
            return data
        try:
            data.decode()
        except UnicodeDecodeError as error:
            if first_line == 1 and (kind := _binary_kind(data)):
                raise BadInput(self.name, [Problem(1, kind)]) from error
            return self._without_undecoded(data, first_line)
        return data

    def _without_undecoded(self, data: bytes, first_line: int) -> bytes:
        lines = data.split(b"\n")
        undecoded = {} if self.undecoded is None else self.undecoded
        for number, line in enumerate(lines, first_line):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                reason = f"not UTF-8: byte 0x{line[error.start]:02x} ({LATIN_HINT})"
                text = line[:UNDECODED_SHOWN].decode(errors="replace")
                undecoded[number] = Problem(number, reason, text)
                lines[number - first_line] = b""
                if self.undecoded is None or len(undecoded) > MAX_UNDECODED:
                    raise BadInput(self.name, [*undecoded.values()]) from error
        return b"\n".join(lines)

    def _rewound(self) -> io.BufferedIOBase:
        """The decompressed bytes from their start."""
        if self._inflate:
            return io.BufferedReader(Unpacked(self._stream, self._inflate), BUFFER_SIZE)
        self._stream.seek(0)
        return self._stream

    @contextmanager
    def _reported(self, line: Callable[[], int | None] = lambda: None) -> Iterator[None]:
        """Report a stream that breaks off or is too large as an error that names the file."""
        try:
            yield
        except TooLarge as error:
            raise BadInput(self.name, [Problem(line(), str(error))]) from error
        except READ_ERRORS as error:
            reason = f"damaged or cut off, copy it again: {reason_of(error)}"
            raise BadInput(self.name, [Problem(None, reason)]) from error


def stem_of(path: str) -> str:
    """A file's name without its folder and known endings: bm25-0.5 stays as it is."""
    if path == STANDARD_INPUT:
        return "stdin"
    plain = PurePath(path)
    while plain.suffix.lower() in ENDINGS:
        plain = plain.with_suffix("")
    return printable(plain.name)


def line_cuts(data: bytes, size: int = BLOCK_SIZE) -> list[int]:
    """Offsets at which to cut a text into blocks of about `size` bytes, always at line ends."""
    cuts = [0]
    while len(data) - cuts[-1] > size:
        cuts.append(data.find(b"\n", cuts[-1] + size) + 1 or len(data))
    return [*cuts, len(data)] if cuts[-1] < len(data) else cuts


def is_xml(beginning: bytes) -> bool:
    """True if a file with this beginning is XML or SGML, in any encoding."""
    return _as_text(beginning[:1000]).lstrip("\ufeff \t\r\n").startswith("<")


def _binary_kind(data: bytes) -> str:
    """Kind of a file with this beginning if it is clearly not UTF-8 text, else the empty string."""
    if data.startswith(UTF16_MARKS):
        return "UTF-16, not UTF-8: `iconv -f UTF-16 -t UTF-8` converts it"
    if data.startswith(b"SQLite format 3") and data[68:72] == CAMPAIGN:
        return (
            "a campaign, not text: `foveal assess export CAMPAIGN -o FILE.jsonl` writes its judgements"
            " for other commands"
        )
    for magic, kind in MAGIC.items():
        if data.startswith(magic):
            hint = ": unpack it and give the file inside" if kind.endswith("archive") else ""
            return f"{kind}, not text{hint}"
    head = data[:HEAD_SIZE]
    controls = sum(byte < ord("\t") for byte in head)
    return "not a text file: it is full of control characters" if 50 * controls > len(head) else ""


def count_byte(data: bytes, byte: int) -> int:
    """Number of times a byte occurs; much faster than bytes.count if it is frequent."""
    array = np.frombuffer(data, dtype=np.uint8)
    # Small pieces stay in the processor's cache.
    pieces = (array[start : start + HEAD_SIZE] for start in range(0, len(array), HEAD_SIZE))
    return sum(int(np.count_nonzero(piece == byte)) for piece in pieces)


def _as_text(data: bytes) -> str:
    encoding = "utf-16" if data.startswith(UTF16_MARKS) else "utf-8"
    return data.decode(encoding, errors="replace")


def _head_of_xml(magic: bytes, beginning: bytes) -> Head:
    text = _as_text(beginning)
    number, line = next(row for row in enumerate(text.split("\n"), 1) if row[1].strip())
    element = ELEMENT.search(COMMENT.sub("", text))
    return Head(magic, line, number, element[1] if element else "")


def safe_from_polars(data: bytes) -> bytes:
    """Data with a byte-order mark in front where Polars would skip one or take text for zlib data."""
    return BYTE_ORDER_MARK + data if data.startswith((BYTE_ORDER_MARK, *ZLIB_MARKS)) else data


def _standard_input() -> bytes:
    # sys.stdin is None in a process that is started with its input closed.
    if sys.stdin is None:
        raise MissingFile("<stdin>: standard input is closed")
    return sys.stdin.buffer.read()
