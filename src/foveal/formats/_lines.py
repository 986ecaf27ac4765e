"""The only place that opens, decompresses and decodes input."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from mmap import mmap
from pathlib import Path, PurePath
from types import ModuleType
from typing import Self, cast

import numpy as np
import zstandard

from foveal.errors import BadInput, MissingExtra, MissingFile, Problem

STANDARD_INPUT = "-"
REMOTE = "://"
NEWLINE = ord("\n")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
ELEMENT = re.compile(r"<([\w:][\w:.-]*)")
# What follows the four letters is the first byte of every Parquet header, and no text.
PARQUET_MAGIC = b"PAR1\x15"
# Large enough for Polars to use its threads, small enough that a file never lies in memory twice.
BLOCK_SIZE = 16 << 20
HEAD_SIZE = 1 << 16
# A kilobyte of Zstandard can hold 32 megabytes, so it is fed in small portions.
ZSTD_PORTION = 1 << 14
COMPRESSION_SUFFIXES = {".gz": "gzip", ".zst": "zstd", ".bz2": "bzip2", ".xz": "xz"}
READ_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError)


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


@dataclass(frozen=True)
class Source:
    """A file that can be read more than once, decompressed, under the name it was given.

    What cannot be opened again (standard input, a pipe) is held in memory.
    """

    name: str
    path: str
    held: bytes | None = None

    @classmethod
    def of(cls, path: str | os.PathLike[str] | Self) -> Self:
        """The source at a path; `-` is standard input, which is read once."""
        if isinstance(path, cls):
            return path
        text = os.fspath(cast("str | os.PathLike[str]", path))
        if text == STANDARD_INPUT:
            return cls("<stdin>", text, _standard_input())
        if REMOTE in text:
            with opened(text) as stream:
                return cls(text, text, stream.read())
        try:
            if stat.S_ISREG(Path(text).stat().st_mode):
                Path(text).open("rb").close()
                return cls(_shown(text), text)
            return cls(_shown(text), text, Path(text).read_bytes())
        except (OSError, ValueError) as error:
            raise _missing(text, error) from error

    @property
    def stem(self) -> str:
        """The file's name without its folder and endings."""
        if self.path == STANDARD_INPUT:
            return "stdin"
        path = PurePath(self.path)
        if path.suffix in COMPRESSION_SUFFIXES:
            path = path.with_suffix("")
        return _shown(path.stem)

    def head(self) -> Head:
        """The first bytes and the first line with data; no line if there is none."""
        with self._opened() as stream, self._reported():
            beginning = stream.read(HEAD_SIZE)
        magic = beginning[: len(PARQUET_MAGIC)]
        if is_xml(beginning):
            return _head_of_xml(magic, beginning)
        if magic != PARQUET_MAGIC:
            for block in self.blocks(HEAD_SIZE):
                for number, line in enumerate(block.data.split(b"\n"), block.first_line):
                    if (text := line.strip(b" \t\r")) and not text.startswith(b"#"):
                        return Head(magic, line.decode(), number)
        return Head(magic, "")

    def whole(self) -> bytes:
        """All bytes as they are, for formats that are not text."""
        with self._opened() as stream, self._reported():
            return stream.read()

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
        with self._opened() as stream:
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

    @contextmanager
    def _opened(self) -> Iterator[io.BufferedIOBase]:
        with self._raw() as raw:
            yield decompressed(raw)

    def _raw(self) -> io.BufferedIOBase:
        if self.held is not None:
            return io.BytesIO(self.held)
        try:
            return Path(self.path).open("rb")
        except OSError as error:
            raise _missing(self.name, error) from error

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Whatever stops a stream in the middle, as an error that names the file."""
        try:
            yield
        except READ_ERRORS as error:
            reason = f"cannot be read to its end (damaged or cut off?): {error}"
            raise BadInput(self.name, [Problem(None, reason)]) from error


def opened(path: str) -> io.BufferedIOBase:
    """The bytes of a file here, or wherever fsspec reaches."""
    try:
        if REMOTE in path:
            return cast("io.BufferedIOBase", fsspec().open(path, "rb").open())
        # A path made for every file would take as long as opening it.
        return io.BufferedReader(io.FileIO(path))
    except (OSError, ValueError, ImportError) as error:
        raise MissingFile(f"{path}: cannot be read: {error}") from error


def fsspec() -> ModuleType:
    """The package that opens files elsewhere."""
    try:
        import fsspec as package  # noqa: PLC0415  # only those who need it have it
    except ImportError as error:
        raise MissingExtra("cluster", "fsspec") from error
    return cast("ModuleType", package)


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


def _shown(name: str) -> str:
    """A file's name as text, whatever bytes it is made of."""
    return os.fsencode(name).decode(errors="replace")


def safe_from_polars(data: bytes) -> bytes:
    """A part of a file for Polars, which would skip what looks like a byte-order mark."""
    return BYTE_ORDER_MARK + data if data.startswith(BYTE_ORDER_MARK) else data


class _ZstdStream(io.RawIOBase):
    """Concatenated Zstandard frames; unlike the library's reader it notices a cut-off file."""

    def __init__(self, raw: io.BufferedIOBase) -> None:
        self._raw = raw
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._out = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        while not self._out:
            if not (portion := self._raw.read(ZSTD_PORTION)):
                if self._frame:
                    raise EOFError("the last frame is not complete")
                return 0
            self._out = memoryview(b"".join(self._inflated(portion)))
        target = memoryview(buffer).cast("B")  # type: ignore[arg-type]  # any writable buffer
        count = min(len(target), len(self._out))
        target[:count] = self._out[:count]
        self._out = self._out[count:]
        return count

    def _inflated(self, portion: bytes) -> Iterator[bytes]:
        while portion:
            frame = self._frame = self._frame or zstandard.ZstdDecompressor().decompressobj()
            yield frame.decompress(portion)
            if not frame.eof:
                return
            portion, self._frame = frame.unused_data, None


def decompressed(raw: io.BufferedIOBase) -> io.BufferedIOBase:
    """The stream, or what it holds if its first bytes are those of a compressed file."""
    magic = raw.read(10)
    raw.seek(0)
    if magic.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=raw)
    if magic.startswith(b"\x28\xb5\x2f\xfd"):
        return io.BufferedReader(_ZstdStream(raw), 1 << 17)
    if magic.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(raw)  # type: ignore[arg-type]  # whatever can be read
    # Three letters could begin a topic; the digits of pi (or its square root) could not.
    if magic.startswith(b"BZh") and magic[4:] in (b"1AY&SY", b"\x17rE8P\x90"):
        return bz2.BZ2File(raw)
    return raw


def _standard_input() -> bytes:
    # A process started with its input closed has none.
    if sys.stdin is None:
        raise MissingFile("<stdin>: closed")
    return sys.stdin.buffer.read()


def _missing(name: str, error: Exception) -> MissingFile:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return MissingFile(f"{name}: {reason[:1].lower()}{reason[1:]}")
