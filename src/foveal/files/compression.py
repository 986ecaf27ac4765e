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
# How many first bytes show that a file is compressed.
MAGIC = 10
# A kilobyte of Zstandard can hold 32 megabytes, so it is fed in small portions.
ZSTD_PORTION = 1 << 12
# Files are compressed in portions, so that progress can be shown and a key can interrupt.
PORTION = 1 << 20
# Raised when a damaged file is read.
READ_ERRORS = (OSError, EOFError, zlib.error, lzma.LZMAError)

Stream = io.BufferedIOBase


class _Compressor(Protocol):
    """Compressor that is fed a file in portions."""

    def compress(self, data: memoryview, /) -> bytes: ...

    def flush(self) -> bytes: ...


COMPRESSION_SUFFIXES: dict[str, Callable[[int], _Compressor]] = {
    ".gz": lambda _: zlib.compressobj(zlib.Z_BEST_COMPRESSION, zlib.DEFLATED, GZIP),
    ".zst": lambda size: zstandard.ZstdCompressor().compressobj(size),
    ".bz2": lambda _: bz2.BZ2Compressor(),
    ".xz": lambda _: lzma.LZMACompressor(),
}
"""Makes the compressor for a file of a given size, by the ending of its name."""


def compressed(data: bytes, suffix: str) -> bytes:
    """The bytes of a file with this ending: compressed if it asks for that."""
    if suffix not in COMPRESSION_SUFFIXES:
        return data
    compressor = COMPRESSION_SUFFIXES[suffix](len(data))
    view, parts = memoryview(data), []
    with stage("compressing", len(data), in_bytes=True) as advance:
        for start in range(0, len(data), PORTION):
            portion = view[start : start + PORTION]
            parts.append(compressor.compress(portion))
            advance(len(portion))
        return b"".join([*parts, compressor.flush()])


def decompressed(raw: Stream) -> Stream:
    """Stream of decompressed bytes; the stream itself if it is not compressed."""
    inflate = inflater(raw)
    return inflate(raw) if inflate else raw


def inflater(raw: Stream) -> Callable[[Stream], Stream] | None:
    """Function that decompresses a stream; None if the stream is not compressed."""
    magic = raw.read(MAGIC)
    raw.seek(0)
    return _inflater_of(magic)


def is_compressed(data: bytes) -> bool:
    """True for the bytes of a compressed file."""
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
    """Stream of concatenated Zstandard frames; unlike the library's own, it fails at a truncated file."""

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
                # Callers catch OSError, so they need not load the library.
                raise OSError(str(error)) from error
            if not frame.eof:
                return
            portion, self._frame = frame.unused_data, None
