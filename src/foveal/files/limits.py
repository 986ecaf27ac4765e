"""Limits beyond which a file is refused as hostile or damaged.

Honest files are far below: a compressed run unpacks to eight times its size, a line has some hundred
bytes.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable

from foveal.errors import UsageError

VARIABLE = "FOVEAL_LARGEST"
UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
# Refused: a file that unpacks to more than this many bytes and this many times its own size.
UNPACKED, TIMES = 10**9, 100
LINE = 16 << 20
COLUMNS = 1000
PORTION, WINDOW = 1 << 20, 4 << 20
# Libraries read this many compressed bytes ahead of what they have unpacked.
READ_AHEAD = 128 << 10


Inflate = Callable[[io.BufferedIOBase], io.BufferedIOBase]


class TooLarge(Exception):
    """A limit is exceeded; the text says which, and how to read the file all the same."""


def size_allowed() -> int | None:
    """The size in FOVEAL_LARGEST, in bytes; None if it is not set."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return None
    if not (match := re.fullmatch(r"([0-9]{1,6})\s*([KMGT]B)", text.strip().upper())):
        raise UsageError(f"{VARIABLE} must be a size such as 8GB, got {text!r}")
    return int(match[1]) * UNITS[match[2]]


def too_large(reason: str) -> str:
    """Reason for refusing a file, and what to do if the file is fine."""
    return f"{reason}: if the file is fine, {VARIABLE}=8GB reads as much"


def refuse_line(size: int) -> None:
    """Refuse a line that is too long: it has `size` bytes and has not ended yet."""
    if size >= max(LINE, size_allowed() or 0):
        raise TooLarge(too_large(f"a line of more than {LINE >> 20} MB"))


def refuse_columns(count: int) -> str:
    """Reason for refusing a table with so many columns; empty if it is not refused."""
    if count <= COLUMNS or size_allowed() is not None:
        return ""
    return too_large(f"{count:,} columns, and at most {COLUMNS:,} are read")


class Unpacked(io.RawIOBase):
    """Stream of a compressed file's content, refused when it grows beyond all proportion.

    Where the content is packed unusually well, the rest is unpacked and thrown away first, because
    the reader may keep everything in memory.
    """

    def __init__(self, packed: io.BufferedIOBase, inflate: Inflate, *, check: bool = True) -> None:
        size, largest = packed.seek(0, io.SEEK_END), size_allowed()
        self._largest = max(UNPACKED, TIMES * size) if largest is None else largest
        packed.seek(0)
        self._packed, self._inflate, self._stream = packed, inflate, inflate(packed)
        self._unpacked, self._last_check, self._careful = 0, (0, 0), check

    def readable(self) -> bool:
        """True, as for every stream that is read."""
        return True

    def readinto(self, buffer: object, /) -> int:
        """Fill a buffer as far as there is content."""
        count = self._stream.readinto(buffer)  # type: ignore[arg-type]  # any writable buffer
        self._unpacked += count
        if self._unpacked > self._largest:
            raise TooLarge(too_large(f"unpacks to more than {self._largest // 10**6:,} MB"))
        unpacked, packed = self._last_check
        if self._careful and self._unpacked - unpacked > WINDOW:
            self._last_check = self._unpacked, self._packed.tell()
            if self._packed.tell() - packed < READ_AHEAD + (self._unpacked - unpacked) // TIMES:
                self._unpack_all()
        return count

    def _unpack_all(self) -> None:
        """Unpack the whole file once, without keeping it, to learn whether it is too large."""
        self._careful, offset, buffer = False, self._packed.tell(), bytearray(PORTION)
        content = Unpacked(self._packed, self._inflate, check=False)
        while content.readinto(buffer):
            pass
        self._packed.seek(offset)
