"""Compressed files: recognised by their first bytes when read, by their name when written."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol, cast

from foveal.late import zstandard
from foveal.work import stage

# For zlib: a header and a check sum as gzip writes them.
GZIP = 16 + zlib.MAX_WBITS
# The number of bytes by which a compressed file is recognised.
MAGIC = 10
# A kilobyte of Zstandard can hold 32 megabytes, so it is fed in small portions.
ZSTD_PORTION = 1 << 12
# What is compressed at a time, so that it can be watched and interrupted.
PORTION = 1 << 20
# What reading a damaged file may raise.
READ_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError)

Stream = io.BufferedIOBase


class _Compressor(Protocol):
    """What compresses portions of a file."""

    def compress(self, data: memoryview, /) -> bytes: ...

    def flush(self) -> bytes: ...


COMPRESSION_SUFFIXES: dict[str, Callable[[int], _Compressor]] = {
    ".gz": lambda _: zlib.compressobj(zlib.Z_BEST_COMPRESSION, zlib.DEFLATED, GZIP),
    ".zst": lambda size: zstandard.ZstdCompressor().compressobj(size),
    ".bz2": lambda _: bz2.BZ2Compressor(),
    ".xz": lambda _: lzma.LZMACompressor(),
}
"""What compresses a file of so many bytes, by the ending of its name."""


def compressed(data: bytes, suffix: str) -> bytes:
    """The bytes of a file with this ending: compressed if it asks for that."""
    if suffix not in COMPRESSION_SUFFIXES:
        return data
    compressor = COMPRESSION_SUFFIXES[suffix](len(data))
    whole, parts = memoryview(data), []
    with stage("compressing", len(data), in_bytes=True) as advance:
        for start in range(0, len(data), PORTION):
            portion = whole[start : start + PORTION]
            parts.append(compressor.compress(portion))
            advance(len(portion))
        return b"".join([*parts, compressor.flush()])


def decompressed(raw: Stream) -> Stream:
    """The stream, decompressed if its first bytes are those of a compressed file."""
    inflate = inflater(raw)
    return inflate(raw) if inflate else raw


def inflater(raw: Stream) -> Callable[[Stream], Stream] | None:
    """What decompresses a stream; None if it is not compressed."""
    magic = raw.read(MAGIC)
    raw.seek(0)
    return _inflater_of(magic)


def is_compressed(data: bytes) -> bool:
    """Whether bytes are a compressed file."""
    return _inflater_of(data[:MAGIC]) is not None


def _inflater_of(magic: bytes) -> Callable[[Stream], Stream] | None:
    if magic.startswith(b"\x1f\x8b"):
        return lambda raw: gzip.GzipFile(fileobj=raw)
    if magic.startswith(b"\x28\xb5\x2f\xfd"):
        return lambda raw: io.BufferedReader(_ZstdStream(raw), 1 << 17)
    if magic.startswith(b"\xfd7zXZ\x00"):
        return cast("Callable[[Stream], Stream]", lzma.LZMAFile)
    # BZh could begin a topic; the digits of pi (or of its square root) after it could not.
    if magic.startswith(b"BZh") and magic[4:] in (b"1AY&SY", b"\x17rE8P\x90"):
        return bz2.BZ2File
    return None


class _ZstdStream(io.RawIOBase):
    """Concatenated Zstandard frames; unlike the library's reader it notices if the file is cut off."""

    def __init__(self, raw: Stream) -> None:
        self._raw = raw
        self._frame: zstandard.ZstdDecompressionObj | None = None
        self._out = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        while not self._out:
            if not (portion := self._raw.read(ZSTD_PORTION)):
                if self._frame:
                    raise EOFError("the last frame is incomplete")
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
            try:
                yield frame.decompress(portion)
            except zstandard.ZstdError as error:
                # An error that needs no library to be known by.
                raise OSError(str(error)) from error
            if not frame.eof:
                return
            portion, self._frame = frame.unused_data, None
