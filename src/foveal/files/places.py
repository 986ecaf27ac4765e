"""Where files lie: in folders here, or wherever fsspec reaches."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast

from foveal.errors import MissingExtra, MissingFile

REMOTE = "://"


class File(NamedTuple):
    """A file of a collection: its name in it, where it is, its size, and what changes with it."""

    name: str
    path: str
    size: int
    stamp: str


def files(path: str) -> Iterator[File]:
    """The file at a path, or all files below a folder, in order of their names."""
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
        raise MissingFile(f"{path}: cannot be read: {error}") from error


def collection_size(collections: Iterable[str]) -> int:
    """The bytes of all files of collections."""
    return sum(file.size for collection in collections for file in files(collection))


def _below(folder: str, name: str) -> Iterator[File]:
    with os.scandir(folder) as entries:
        # Hidden files are other programs' notes. Links to folders could lead in circles.
        known = sorted((entry.name, entry) for entry in entries if not entry.name.startswith("."))
    for own, entry in known:
        inside = f"{name}/{own}"
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, inside)
        elif entry.is_file():
            yield _local(entry.path, inside, entry.stat())


def _local(path: str, name: str, status: os.stat_result) -> File:
    return File(shown(name), path, status.st_size, str(status.st_mtime_ns))


def shown(name: str) -> str:
    """A file's name as text, whatever bytes it is made of."""
    return os.fsencode(name).decode(errors="replace")


def opened(path: str) -> io.BufferedIOBase:
    """The bytes of a file here, or wherever fsspec reaches."""
    try:
        if REMOTE in path:
            return cast("io.BufferedIOBase", _fsspec().open(path, "rb").open())
        # A path made for every file would take as long as opening it.
        return io.BufferedReader(io.FileIO(path))
    except (OSError, ValueError, ImportError) as error:
        raise MissingFile(f"{path}: cannot be read: {error}") from error


def read_whole(path: str, size: int, most: int) -> bytes:
    """The bytes of a file, at most `most`; reading is fastest if its size is the one given.

    Making a stream for every file would take longer than reading a small one.
    """
    if REMOTE in path:
        with opened(path) as stream:
            return stream.read(most)
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise MissingFile(f"{path}: cannot be read: {error}") from error
    try:
        data = os.read(descriptor, min(size + 1, most))
        if len(data) == size:
            return data
        # The file has changed, or is larger than what the system reads at once.
        return data + io.BufferedReader(io.FileIO(descriptor, closefd=False)).read(most - len(data))
    finally:
        os.close(descriptor)


def _fsspec() -> ModuleType:
    try:
        import fsspec as package  # noqa: PLC0415  # only those who need it have it
    except ImportError as error:
        raise MissingExtra("cluster", "fsspec") from error
    return cast("ModuleType", package)


def _remote_files(path: str) -> Iterator[File]:
    scheme = path.partition(REMOTE)[0]
    try:
        system, root = _fsspec().core.url_to_fs(path)
        found: dict[str, dict[str, Any]] = system.find(root, detail=True)
    except (OSError, ValueError, ImportError) as error:
        raise MissingFile(f"{path}: cannot be read: {error}") from error
    if not found:
        raise MissingFile(f"{path}: nothing there")
    above = root.rstrip("/").rpartition("/")[0]
    for key in sorted(found):
        facts = found[key]
        stamp = str(facts.get("mtime") or facts.get("ETag") or facts.get("LastModified") or "")
        name = key.removeprefix(above).lstrip("/")
        yield File(name, f"{scheme}{REMOTE}{key}", int(facts["size"] or 0), stamp)
