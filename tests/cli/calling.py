"""Calling the command line as a user does: words in; output, remarks and exit code out."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from foveal.cli import main


@dataclass(frozen=True)
class Answer:
    """What a command printed, what it remarked, and how it left."""

    out: str
    err: str
    code: int


def foveal(
    *words: str, stdin: bytes = b"", folder: Path | None = None, together: bool = False
) -> Answer:
    """Run `foveal` in this process, which spares half a second of imports.

    `together` has remarks in the output, in the order in which both were printed.
    """
    with (
        _streams(stdin, together=together) as (out, err),
        contextlib.chdir(folder or Path.cwd()),
    ):
        with pytest.raises(SystemExit) as left:
            main(words)
        sys.stdout.flush()
        sys.stderr.flush()
    code = left.value.code
    assert isinstance(code, int)
    return Answer(out.getvalue().decode(), err.getvalue().decode(), code)


def foveal_process(*words: str, stdin: bytes = b"", folder: Path | None = None) -> Answer:
    """Run `foveal` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "foveal", *words],
        input=stdin,
        capture_output=True,
        cwd=folder,
        check=False,
    )
    return Answer(done.stdout.decode(), done.stderr.decode(), done.returncode)


@contextlib.contextmanager
def _streams(stdin: bytes, *, together: bool) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    out, err = io.BytesIO(), io.BytesIO()
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(out if together else err, encoding="utf-8", write_through=True)
    try:
        yield out, err
    finally:
        # Detached, so that closing the wrappers leaves what was written readable.
        for stream, old in zip(("stdin", "stdout", "stderr"), before, strict=True):
            getattr(sys, stream).detach()
            setattr(sys, stream, old)
