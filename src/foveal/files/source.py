"""A file as it is read: opened once, decompressed, checked to be UTF-8, in blocks of lines."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from mmap import mmap
from pathlib import Path, PurePath
from types import TracebackType
from typing import Self

import numpy as np

from foveal.errors import BadInput, MissingFile, Problem
from foveal.files.compression import COMPRESSION_SUFFIXES, READ_ERRORS, inflater
from foveal.files.places import REMOTE, opened, shown

STANDARD_INPUT = "-"
NEWLINE = ord("\n")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Of the ways in which zlib's data can begin, those that are text: a topic may be called x^2.
ZLIB_MARKS = (b"x\x01", b"x^")
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
ELEMENT = re.compile(r"<([\w:][\w:.-]*)")
# What follows the four letters is the first byte of every Parquet header, and no text.
PARQUET_MAGIC = b"PAR1\x15"
# Large enough for Polars to use its threads, small enough that a file never lies in memory twice.
BLOCK_SIZE = 16 << 20
HEAD_SIZE = 1 << 16


@dataclass(frozen=True)
class Block:
    """Whole lines of a file as valid UTF-8, each ended by a newline."""

    data: bytes
    first_line: int
    lines: int


@dataclass(frozen=True)
class Head:
    """What tells a format: the first bytes, and the first line that is neither blank nor `#`.

    `root` is the first element's name if the file is XML.
    """

    magic: bytes
    line: str
    number: int | None = None
    root: str = ""


class Source:
    """A file under the name it was given, opened once and read from its start as often as needed.

    What cannot be read twice (standard input, a pipe, a file elsewhere) is held in memory.
    """

    def __init__(self, name: str, path: str, stream: io.BufferedIOBase) -> None:
        self.name, self.path, self._stream = name, path, stream
        self._inflate = inflater(stream)

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Self:
        """The source at a path; `-` is standard input."""
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
                    return cls(shown(text), text, io.BytesIO(stream.read()))
                source = cls(shown(text), text, stream)
                # From now on the source closes its file.
                closing.pop_all()
                return source
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise MissingFile(f"{text}: {reason[:1].lower()}{reason[1:]}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.close()

    @property
    def stem(self) -> str:
        """The file's name without its folder and endings."""
        return stem_of(self.path)

    def head(self) -> Head:
        """The first bytes and the first line with data; no line if there is none."""
        with self._reported():
            beginning = self._rewound().read(HEAD_SIZE)
        magic = beginning[: len(PARQUET_MAGIC)]
        if is_xml(beginning):
            return _head_of_xml(magic, beginning)
        if magic == PARQUET_MAGIC:
            return Head(magic, "")
        # The whole lines read so far mostly suffice; those in another encoding are checked first.
        lines = beginning[: beginning.rfind(b"\n") + 1]
        first = [Block(lines, 1, 0)] if lines.isascii() else []
        for block in chain(first, self.blocks(HEAD_SIZE)):
            for number, line in enumerate(block.data.split(b"\n"), block.first_line):
                if (text := line.strip(b" \t\r")) and not text.startswith(b"#"):
                    return Head(magic, line.decode(), number)
        return Head(magic, "")

    def whole(self) -> bytes:
        """All bytes as they are, for formats that are not text."""
        with self._reported():
            return self._rewound().read()

    def text(self) -> bytes:
        """All lines at once, checked to be UTF-8, the byte-order mark left out."""
        data = self.whole().removeprefix(BYTE_ORDER_MARK)
        self._check_utf8(data, 1)
        return data

    def blocks(self, size: int = BLOCK_SIZE, *, any_encoding: bool = False) -> Iterator[Block]:
        """The lines in blocks of about `size` bytes, the byte-order mark left out."""
        line = 1
        for data in self._pieces(size):
            text = data.removeprefix(BYTE_ORDER_MARK) if line == 1 else data
            if not any_encoding:
                self._check_utf8(text, line)
            lines = _count(text, NEWLINE)
            yield Block(text, line, lines)
            line += lines

    def portions(
        self, size: int, cut: Callable[[bytearray, int], int]
    ) -> Iterator[tuple[bytearray, int]]:
        """The bytes in buffers of about a size, each with where it ends.

        `cut` says of a buffer and its end up to where it is to be used; the rest begins the next
        one. Buffers are not checked, and the first may begin with a byte-order mark.
        """
        left, stream = bytearray(), self._rewound()
        while True:
            buffer = left + bytearray(size)
            with self._reported(), memoryview(buffer) as view:
                got = stream.readinto(view[len(left) :])
            if not got:
                break
            have = len(left) + got
            end = cut(buffer, have)
            if end:
                yield buffer, end
            left = buffer[end:have]
        if left:
            yield left, len(left)

    def texts(self, numbers: Collection[int]) -> dict[int, str]:
        """The lines of these numbers."""
        found: dict[int, str] = {}
        wanted = sorted(numbers, reverse=True)
        for block in self.blocks(any_encoding=True):
            if not wanted:
                break
            lines = block.data.split(b"\n")
            while wanted and wanted[-1] - block.first_line < len(lines) - 1:
                number = wanted.pop()
                line = lines[number - block.first_line]
                found[number] = line.decode(errors="replace").rstrip("\r")
        return found

    def _pieces(self, size: int) -> Iterator[bytes]:
        """Bytes cut where lines end; the last line gets the newline that it may lack."""
        # What a small file does not fill of it costs nothing, unlike that of an array.
        buffer, have = mmap(-1, size), 0
        stream = self._rewound()
        while True:
            with self._reported(), memoryview(buffer) as view:
                got = stream.readinto(view[have:])
            if not got:
                break
            cut = buffer.rfind(b"\n", have, have + got) + 1
            have += got
            if cut:
                yield buffer[:cut]
                buffer.move(0, cut, have - cut)
                have -= cut
            elif have == len(buffer):
                longer = mmap(-1, 2 * have)
                longer[:have] = buffer[:have]
                buffer = longer
        if have:
            yield buffer[:have] + b"\n"

    def _check_utf8(self, data: bytes, first_line: int) -> None:
        if data.isascii():
            return
        try:
            data.decode()
        except UnicodeDecodeError as error:
            line = first_line + data.count(b"\n", 0, error.start)
            begin = data.rfind(b"\n", 0, error.start) + 1
            text = data[begin : data.find(b"\n", begin)].decode(errors="replace")
            reason = f"not UTF-8: byte 0x{data[error.start]:02x}"
            raise BadInput(self.name, [Problem(line, reason, text)]) from error

    def _rewound(self) -> io.BufferedIOBase:
        """The decompressed bytes from their start."""
        self._stream.seek(0)
        return self._inflate(self._stream) if self._inflate else self._stream

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Whatever stops a stream in the middle, as an error that names the file."""
        try:
            yield
        except READ_ERRORS as error:
            reason = f"cannot be read to its end (damaged or cut off?): {error}"
            raise BadInput(self.name, [Problem(None, reason)]) from error


def stem_of(path: str) -> str:
    """A file's name without its folder and endings."""
    if path == STANDARD_INPUT:
        return "stdin"
    plain = PurePath(path)
    if plain.suffix in COMPRESSION_SUFFIXES:
        plain = plain.with_suffix("")
    return shown(plain.stem)


def line_cuts(data: bytes, size: int = BLOCK_SIZE) -> list[int]:
    """Where to cut a text into blocks of about `size` bytes so that no line is in two of them."""
    cuts = [0]
    while len(data) - cuts[-1] > size:
        cuts.append(data.find(b"\n", cuts[-1] + size) + 1 or len(data))
    return [*cuts, len(data)] if cuts[-1] < len(data) else cuts


def is_xml(beginning: bytes) -> bool:
    """Whether a file that begins so is XML or SGML, whatever its encoding."""
    return _as_text(beginning[:1000]).lstrip("\ufeff \t\r\n").startswith("<")


def _count(data: bytes, byte: int) -> int:
    """How often a byte occurs, several times faster than bytes.count if it is frequent."""
    array = np.frombuffer(data, dtype=np.uint8)
    # Comparisons of small pieces stay in the processor's cache.
    pieces = (array[begin : begin + HEAD_SIZE] for begin in range(0, len(array), HEAD_SIZE))
    return sum(int(np.count_nonzero(piece == byte)) for piece in pieces)


def _as_text(data: bytes) -> str:
    encoding = "utf-16" if data.startswith(UTF16_MARKS) else "utf-8"
    return data.decode(encoding, errors="replace")


def _head_of_xml(magic: bytes, beginning: bytes) -> Head:
    text = _as_text(beginning)
    number, line = next(
        (number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()
    )
    element = ELEMENT.search(COMMENT.sub("", text))
    return Head(magic, line, number, element[1] if element else "")


def safe_from_polars(data: bytes) -> bytes:
    """A part of a file for Polars, which skips a byte-order mark and inflates what looks like zlib."""
    return BYTE_ORDER_MARK + data if data.startswith((BYTE_ORDER_MARK, *ZLIB_MARKS)) else data


def _standard_input() -> bytes:
    # A process started with its input closed has none.
    if sys.stdin is None:
        raise MissingFile("<stdin>: closed")
    return sys.stdin.buffer.read()
