"""Members of a collection, in batches that are the same on every machine, and their notation."""

from __future__ import annotations

import hashlib
import io
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import starmap
from typing import Any, NamedTuple

from foveal.collection.xml_scanner import Malformed
from foveal.errors import MissingFile
from foveal.files import (
    READ_ERRORS,
    File,
    decompressed,
    files,
    is_compressed,
    opened,
    printable,
    read_whole,
)

# A batch makes a shard: large enough to compress well, small enough for any worker's memory.
BATCH = 32 << 20
BATCH_MEMBERS = 20_000
# A larger one is a zip bomb, or a whole collection in one file.
LARGEST_DOCUMENT = 512 << 20
ZIP_MAGIC = b"PK\x03\x04"
LOCAL_HEADER = 30
TAR_HEADER = 512
READ_AHEAD = 1 << 20
# In a folder, only files with these endings are checked for archives.
PACKED = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".tbz", ".xz", ".txz", ".zst")
ENCRYPTED = 1
LINK = "links are not followed"
NESTED = "an archive inside another is not opened: unpack one of them"
# Errors that reading the table of contents of a zip archive may raise.
ZIP_ERRORS = (
    zipfile.BadZipFile,
    *READ_ERRORS,
    ValueError,  # a name that says it is UTF-8 and is not
    NotImplementedError,  # raised by zipfile for an archive that claims a later version of the format
)
HEAD = 4096


class Member(NamedTuple):
    """Source of one or more documents: a whole file, a part of a file, or bytes.

    `method` is the zip archive's number for how a part is compressed (0: not at all), `check` its
    checksum, `line` the number of lines before it; `notation` is set for parts only. A member with a
    `problem` is not read.
    """

    name: str
    path: str = ""
    size: int = 0
    offset: int = 0
    is_part: bool = False
    method: int = 0
    check: int | None = None
    data: bytes | None = None
    line: int = 0
    stamp: str = ""
    notation: Notation | None = None
    problem: str = ""

    def read(self) -> bytes:
        """Decompressed bytes; a member that is too large or damaged is malformed."""
        if self.problem:
            raise Malformed(self.problem)
        try:
            data = self._stored_bytes() if self.data is None else self.data
            if is_compressed(data):
                data = _checked_size(decompressed(io.BytesIO(data)).read(LARGEST_DOCUMENT + 1))
        except MissingFile as error:
            raise Malformed("cannot be opened") from error
        except (struct.error, *READ_ERRORS) as error:
            raise Malformed(f"damaged or cut off: {error}") from error
        if data.startswith(ZIP_MAGIC) or _is_tar(data):
            raise Malformed(NESTED)
        return data

    def _stored_bytes(self) -> bytes:
        if not self.is_part:
            return _checked_size(read_whole(self.path, self.size, LARGEST_DOCUMENT + 1))
        with opened(self.path) as stream:
            stream.seek(self.offset)
            return self._part_bytes(stream)

    def _part_bytes(self, stream: io.BufferedIOBase) -> bytes:
        if self.check is None:
            data = stream.read(self.size)
            if len(data) < self.size:
                raise Malformed("cut off: the archive ends before this member does")
            return data
        header = stream.read(LOCAL_HEADER)
        name, extra = struct.unpack_from("<HH", header, 26)
        stream.seek(name + extra, io.SEEK_CUR)
        data = stream.read(self.size)
        if self.method == zipfile.ZIP_DEFLATED:
            data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, LARGEST_DOCUMENT + 1)
        data = _checked_size(data)
        if zlib.crc32(data) != self.check:
            raise Malformed("damaged: wrong checksum")
        return data


class Batch(list[Member]):
    """Members that are pickled as columns, which is faster than one by one."""

    def __reduce__(self) -> tuple[object, ...]:
        return _of_columns, (list(zip(*self, strict=True)),)


def _of_columns(columns: list[tuple[Any, ...]]) -> Batch:
    return Batch(starmap(Member, zip(*columns, strict=True)))


def batches(collections: Iterable[str], *, size: int = BATCH) -> Iterator[Batch]:
    """Members in batches of about `size` bytes; the same input gives the same batches."""
    batch = Batch()
    batch_size = 0
    for member in members(collections, size=size):
        batch.append(member)
        batch_size += member.size
        if batch_size >= size or len(batch) >= BATCH_MEMBERS:
            yield batch
            batch, batch_size = Batch(), 0
    if batch:
        yield batch


def fingerprint(batch: Iterable[Member], settings: str) -> str:
    """Digest of everything that a shard depends on: its members and the settings."""
    digest = hashlib.blake2b(settings.encode(), digest_size=16)
    for member in batch:
        facts = (member.name, member.size, member.offset, member.line, member.stamp, member.problem)
        digest.update(repr(facts).encode(errors="replace"))
        if member.data is not None:
            digest.update(hashlib.sha256(member.data).digest())
    return digest.hexdigest()


def members(collections: Iterable[str], *, size: int = BATCH) -> Iterator[Member]:
    """Members of folders, archives and files, in order."""
    for collection in collections:
        for file in files(collection):
            is_alone = file.path == collection
            if is_alone or file.size > size or file.name.lower().endswith(PACKED):
                yield from _members_of_file(file, size)
            else:
                yield Member(file.name, file.path, file.size, stamp=file.stamp)


def _members_of_file(file: File, size: int) -> Iterator[Member]:
    """Members of a file: those of an archive, the parts of a large file, or the file itself."""
    with opened(file.path) as raw:
        head = raw.read(TAR_HEADER)
        if head.startswith(ZIP_MAGIC):
            yield from _zip_members(file, raw)
            return
        raw.seek(0)
        packed = (plain := decompressed(raw)) is not raw
        # A compressed file cannot be read from the middle, so its bytes are sent to the workers.
        stream = io.BufferedReader(plain, READ_AHEAD)
        try:
            head = stream.peek(HEAD)
        except READ_ERRORS as error:
            yield Member(file.name, problem=f"damaged: {error}")
            return
        if _is_tar(head):
            yield from _tar_members(file, stream, packed=packed)
        elif (packed or file.size > size) and (notation := notation_of(head)) in CUTS:
            yield from _file_parts(file, stream, notation, size, packed=packed)
        else:
            yield Member(file.name, file.path, file.size, stamp=file.stamp)


def _is_tar(head: bytes) -> bool:
    """True if bytes are the beginning of a tar archive."""
    return head[257:262] == b"ustar"


def _tar_members(file: File, stream: io.BufferedIOBase, *, packed: bool) -> Iterator[Member]:
    try:
        archive = tarfile.open(fileobj=stream, mode="r|" if packed else "r:")  # noqa: SIM115  # the stream is closed by who opened it
        for entry in archive:
            # Otherwise the archive keeps all entries in memory.
            archive.members = []  # type: ignore[attr-defined]  # the usual way for large archives
            if not (entry.isreg() or entry.islnk() or entry.issym()):
                continue
            name = f"{file.name}/{printable(entry.name)}"
            if not entry.isreg():
                yield Member(name, problem=LINK)
            elif entry.issparse():
                yield Member(name, problem="sparse files are not read")
            elif entry.size > LARGEST_DOCUMENT:
                yield Member(name, problem=_too_large())
            elif packed:
                content = archive.extractfile(entry)
                data = content.read() if content else b""
                yield Member(name, size=len(data), data=data)
            else:
                yield Member(
                    name, file.path, entry.size, entry.offset_data, is_part=True, stamp=file.stamp
                )
    except (tarfile.TarError, *READ_ERRORS) as error:
        yield Member(file.name, problem=f"a damaged archive (cut off?): {error}")


def _zip_members(file: File, raw: io.BufferedIOBase) -> Iterator[Member]:
    try:
        entries = zipfile.ZipFile(raw).infolist()
    except ZIP_ERRORS as error:
        yield Member(file.name, problem=f"a damaged archive: {error}")
        return
    if _have_overlap(entries):
        yield Member(file.name, problem="the entries of the archive overlap, as in a zip bomb")
        return
    for entry in entries:
        if not entry.is_dir():
            yield Member(
                f"{file.name}/{entry.filename}", file.path, entry.compress_size,
                entry.header_offset, is_part=True, method=entry.compress_type, check=entry.CRC,
                stamp=file.stamp, problem=_entry_problem(entry),
            )  # fmt: skip


def _have_overlap(entries: list[zipfile.ZipInfo]) -> bool:
    """True if entries share bytes, as in a small archive that unpacks to terabytes."""
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end:
            return True
        end = entry.header_offset + LOCAL_HEADER + entry.compress_size
    return False


def _entry_problem(entry: zipfile.ZipInfo) -> str:
    if stat.S_ISLNK(entry.external_attr >> 16):
        return LINK
    if entry.flag_bits & ENCRYPTED:
        return "encrypted"
    if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return f"compression method {entry.compress_type} is not supported"
    return _too_large() if entry.file_size > LARGEST_DOCUMENT else ""


def _file_parts(
    file: File, stream: io.BufferedIOBase, notation: Notation, size: int, *, packed: bool
) -> Iterator[Member]:
    """Members that are parts of a file of about `size` bytes, cut where a document ends."""
    offset = line = 0
    pending = b""
    while True:
        try:
            block = stream.read(size)
        except READ_ERRORS as error:
            yield Member(file.name, problem=f"damaged or cut off: {error}")
            return
        pending += block
        cut = len(pending) if not block else _last_cut(CUTS[notation], pending)
        if cut:
            part = pending[:cut]
            yield Member(
                file.name, "" if packed else file.path, cut, 0 if packed else offset,
                is_part=True, data=part if packed else None, line=line, stamp=file.stamp,
                notation=notation,
            )  # fmt: skip
            offset, line, pending = offset + cut, line + part.count(b"\n"), pending[cut:]
        if not block:
            return
        if len(pending) > LARGEST_DOCUMENT:
            yield Member(file.name, problem=_too_large(), line=line)
            return


def _last_cut(cut: re.Pattern[bytes], data: bytes) -> int:
    """Last offset where bytes may be cut; 0 if there is none."""
    return max((match.end(1) for match in cut.finditer(data)), default=0)


def _checked_size(data: bytes) -> bytes:
    if len(data) > LARGEST_DOCUMENT:
        raise Malformed(_too_large())
    return data


def _too_large() -> str:
    return f"larger than {LARGEST_DOCUMENT >> 20} MB"


class Notation(Enum):
    """Notation in which documents are written."""

    XML = "XML"
    TREC = "TREC's SGML"
    JSON = "lines of JSON"
    TEXT = "plain text"


# Where a large file may be cut into parts: at the empty group.
CUTS = {
    # Only after a tag: elsewhere it could be an example in an article about XML.
    Notation.XML: re.compile(rb">\s*\n()<\?xml\s"),
    Notation.TREC: re.compile(rb"</DOC>\s*()", re.IGNORECASE),
    Notation.JSON: re.compile(rb"\n()"),
}


def notation_of(head: bytes) -> Notation:
    """Notation of a file that begins with these bytes."""
    text = head[:HEAD].removeprefix(BOM_UTF8).lstrip()
    if text[:4].upper() == b"<DOC" and b"<DOCNO>" in text.upper():
        return Notation.TREC
    if text.startswith(b"<") or head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return Notation.XML
    return Notation.JSON if re.match(rb'\{\s*"', text) else Notation.TEXT
