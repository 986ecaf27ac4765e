"""Writes files: compressed if the name says so, and never half a file in place of a complete one."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from foveal.errors import MissingFile
from foveal.files.compression import compressed
from foveal.files.filesystem import is_special, reason_of
from foveal.work import stage

STANDARD_OUTPUT = {"-", "/dev/stdout"}


def folder_for(path: str) -> Path:
    """Folder to write files into, made if it is missing."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise MissingFile(f"{path}: cannot make this folder: {reason_of(error)}") from error
    return folder


@stage("writing")
def write_bytes(data: bytes, target: str | os.PathLike[str] | BinaryIO) -> None:
    """Write to a stream, to standard output (`-`), or to a file in one step."""
    if not isinstance(target, str | os.PathLike):
        target.write(data)
        return
    try:
        if os.fspath(target) in STANDARD_OUTPUT:
            _print(data)
        else:
            _write_file(data, Path(target))
    except BrokenPipeError:
        raise
    except (OSError, ValueError, AttributeError) as error:
        # AttributeError: sys.stdout is None in a program that is started with its output closed.
        raise _unwritable(target, error) from error


def _print(data: bytes) -> None:
    """Write to standard output, which a calling program may have replaced by a stream of text."""
    if sys.stdout and not hasattr(sys.stdout, "buffer"):
        sys.stdout.write(data.decode())
    else:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _unwritable(target: str | os.PathLike[str], error: Exception) -> MissingFile:
    if isinstance(error, IsADirectoryError):
        return MissingFile(f"{target}: cannot be written: it is a folder")
    folder = Path(target).parent
    if isinstance(error, FileNotFoundError) and not folder.exists():
        return MissingFile(f"{target}: cannot be written: there is no folder {folder}")
    return MissingFile(f"{target}: cannot be written: {reason_of(error)}")


def _write_file(data: bytes, path: Path) -> None:
    data = compressed(data, path.suffix)
    if is_special(path) or path.is_relative_to("/dev"):
        # A device, a pipe or an open stream is written to, never replaced.
        with path.open("ab") as stream:
            stream.write(data)
        return
    try:
        path = path.resolve()
    except RuntimeError as error:  # Python 3.11 raises this for a loop of links
        raise OSError(str(error)) from error
    part_path = path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")
    try:
        part_path.write_bytes(data)
        if path.exists():
            part_path.chmod(path.stat().st_mode)
        part_path.replace(path)
    except BaseException:
        with suppress(OSError):
            part_path.unlink()
        raise
