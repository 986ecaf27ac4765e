"""Finds, opens and describes files, in local folders or wherever fsspec reaches."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast

from foveal.errors import MissingExtra, MissingFile, did_you_mean
from foveal.late import hashlib

REMOTE = "://"
HASHED_AT_ONCE = 1 << 20


class File(NamedTuple):
    """A file of a collection: its name there, its path, its size, and a stamp of its last change."""

    name: str
    path: str
    size: int
    stamp: str


def files(path: str) -> Iterator[File]:
    """The file at a path, or all files below a folder, sorted by name."""
    if REMOTE in path:
        yield from _remote_files(path)
        return
    root = Path(path)
    try:
        if root.is_dir():
            yield from _below(path, root.resolve().name)
        else:
            yield _local(path, root.name, root.stat())
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def collection_size(collections: Iterable[str]) -> int:
    """The size of all files of collections in bytes."""
    return sum(file.size for collection in collections for file in files(collection))


def _below(folder: str, name: str) -> Iterator[File]:
    with os.scandir(folder) as entries:
        # Hidden files belong to other programs; links to folders could lead in circles.
        visible = sorted((entry.name, entry) for entry in entries if not entry.name.startswith("."))
    for entry_name, entry in visible:
        inner_name = f"{name}/{entry_name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, inner_name)
        elif entry.is_file():
            yield _local(entry.path, inner_name, entry.stat())


def _local(path: str, name: str, status: os.stat_result) -> File:
    return File(printable(name), path, status.st_size, str(status.st_mtime_ns))


def printable(name: str) -> str:
    """A file's name as text, even if its bytes are not UTF-8."""
    return os.fsencode(name).decode(errors="replace")


def opened(path: str) -> io.BufferedIOBase:
    """The bytes of a local file, or of one that fsspec reaches."""
    try:
        if REMOTE in path:
            return cast("io.BufferedIOBase", _fsspec().open(path, "rb").open())
        # A Path object for every file would take as long as opening it.
        return io.BufferedReader(io.FileIO(path))
    except (OSError, ValueError, ImportError) as error:
        raise unreadable(path, error) from error


def sha256_of(path: str) -> str:
    """The SHA-256 of a file's bytes, as it is stored."""
    digest = hashlib.sha256()
    with opened(path) as file:
        while block := file.read(HASHED_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()


def unreadable(path: str, error: Exception) -> MissingFile:
    """Error that says why a file cannot be opened; for a missing one, with a similar name."""
    name = printable(path)
    if isinstance(error, IsADirectoryError):
        return MissingFile(f"{name}: a folder, not a file: give the files in it, {path}/*")
    if isinstance(error, FileNotFoundError) and REMOTE in path:
        return MissingFile(f"{name}: no such file")
    if isinstance(error, FileNotFoundError):
        hint = did_you_mean(Path(path).name, _names_in_same_folder(path), cutoff=0.75)
        return MissingFile(f"{name}: no such file or folder{hint}")
    return MissingFile(f"{name}: cannot be read: {reason_of(error)}")


def is_file(path: str | os.PathLike[str]) -> bool:
    """True if there is a file at this path; false if the path is invalid."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def is_special(path: str | os.PathLike[str]) -> bool:
    """True if the path is something other than a file: a folder, a pipe, a device."""
    try:
        return Path(path).exists() and not Path(path).is_file()
    except (OSError, ValueError):
        return False


def reason_of(error: Exception) -> str:
    """Message of an error of the system, without its number and the file's name."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    # A first word such as HTTPFileSystem stays as it is.
    return reason if reason[1:2].isupper() else f"{reason[:1].lower()}{reason[1:]}"


def _names_in_same_folder(path: str) -> list[str]:
    """Names of the files in the folder that a path points into."""
    try:
        return [printable(file.name) for file in Path(path).parent.iterdir()]
    except (OSError, ValueError):
        return []


def read_whole(path: str, size: int, cap: int) -> bytes:
    """The bytes of a file, at most `cap`; `size` is the expected size, with which one read is enough.

    Making a stream for every file would take longer than reading a small one.
    """
    if REMOTE in path:
        with opened(path) as stream:
            return stream.read(cap)
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    try:
        data = os.read(descriptor, min(size + 1, cap))
        if len(data) == size:
            return data
        # The file has changed, or is larger than what the system reads at once.
        return data + io.BufferedReader(io.FileIO(descriptor, closefd=False)).read(cap - len(data))
    finally:
        os.close(descriptor)


def _fsspec() -> ModuleType:
    try:
        import fsspec as package  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise MissingExtra("cluster", "fsspec") from error
    return cast("ModuleType", package)


def _remote_files(path: str) -> Iterator[File]:
    scheme = path.partition(REMOTE)[0]
    try:
        system, root = _fsspec().core.url_to_fs(path)
        facts_by_key: dict[str, dict[str, Any]] = system.find(root, detail=True)
    except (OSError, ValueError, ImportError) as error:
        raise unreadable(path, error) from error
    if not facts_by_key:
        raise MissingFile(f"{path}: no files found")
    parent = root.rstrip("/").rpartition("/")[0]
    for key in sorted(facts_by_key):
        facts = facts_by_key[key]
        stamp = str(facts.get("mtime") or facts.get("ETag") or facts.get("LastModified") or "")
        name = key.removeprefix(parent).lstrip("/")
        yield File(name, f"{scheme}{REMOTE}{key}", int(facts["size"] or 0), stamp)
