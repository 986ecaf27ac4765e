"""Calling the command line as a user does: words in; output, remarks and exit code out."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Answer:
    """What a command printed, what it remarked, and how it left."""

    out: str
    err: str
    code: int


def foveal(*words: str, stdin: bytes = b"", folder: Path | None = None) -> Answer:
    """Run `foveal` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "foveal", *words],
        input=stdin,
        capture_output=True,
        cwd=folder,
        check=False,
    )
    return Answer(done.stdout.decode(), done.stderr.decode(), done.returncode)
