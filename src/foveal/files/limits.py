"""How much of a file is read before it is taken for hostile or damaged.

Honest files do not come near: a compressed run holds eight times its size, a line some hundred bytes.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable

from foveal.errors import UsageError

VARIABLE = "FOVEAL_LARGEST"
UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
# Of what is unpacked: more is refused if it is also so many times the size of the file.
UNPACKED, TIMES = 10**9, 100
LINE = 16 << 20
COLUMNS = 1000
PORTION, WINDOW = 1 << 20, 4 << 20
# Libraries read so far beyond what they have unpacked.
READ_AHEAD = 128 << 10


Inflate = Callable[[io.BufferedIOBase], io.BufferedIOBase]


class TooLarge(Exception):
    """More than is read; the text says what, and how to read it all the same."""


def allowed() -> int | None:
    """The size in FOVEAL_LARGEST, in bytes; None if it is not set."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return None
    if not (found := re.fullmatch(r"([0-9]{1,6})\s*([KMGT]B)", text.strip().upper())):
        raise UsageError(f"{VARIABLE} must be a size such as 8GB, got {text!r}")
    return int(found[1]) * UNITS[found[2]]


def too_large(what: str) -> str:
    """Why a file is refused, and what to do if it is fine."""
    return f"{what}: if the file is fine, {VARIABLE}=8GB reads as much"


def refuse_line(size: int) -> None:
    """Refuse a line of so many bytes that has not ended yet."""
    if size >= max(LINE, allowed() or 0):
        raise TooLarge(too_large(f"a line of more than {LINE >> 20} MB"))


def refuse_columns(count: int) -> str:
    """Why so many columns are refused; empty if they are not."""
    if count <= COLUMNS or allowed() is not None:
        return ""
    return too_large(f"{count:,} columns, and at most {COLUMNS:,} are read")


class Unpacked(io.RawIOBase):
    """What a compressed file holds, refused when it grows beyond all proportion.

    Where much is packed unusually well, the rest is unpacked and forgotten first: whoever reads may
    keep what is read.
    """

    def __init__(self, packed: io.BufferedIOBase, inflate: Inflate, *, ahead: bool = True) -> None:
        size, largest = packed.seek(0, io.SEEK_END), allowed()
        self._largest = max(UNPACKED, TIMES * size) if largest is None else largest
        packed.seek(0)
        self._packed, self._inflate, self._stream = packed, inflate, inflate(packed)
        self._seen, self._looked, self._ahead = 0, (0, 0), ahead

    def readable(self) -> bool:
        """As every stream that is read."""
        return True

    def readinto(self, buffer: object, /) -> int:
        """Fill a buffer as far as there is something."""
        got = self._stream.readinto(buffer)  # type: ignore[arg-type]  # any writable buffer
        self._seen += got
        if self._seen > self._largest:
            raise TooLarge(too_large(f"unpacks to more than {self._largest // 10**6:,} MB"))
        seen, read = self._looked
        if self._ahead and self._seen - seen > WINDOW:
            self._looked = self._seen, self._packed.tell()
            if self._packed.tell() - read < READ_AHEAD + (self._seen - seen) // TIMES:
                self._look_ahead()
        return got

    def _look_ahead(self) -> None:
        """Unpack all once more, and keep nothing of it."""
        self._ahead, here, room = False, self._packed.tell(), bytearray(PORTION)
        whole = Unpacked(self._packed, self._inflate, ahead=False)
        while whole.readinto(room):
            pass
        self._packed.seek(here)
