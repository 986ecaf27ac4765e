"""Other programs, and the Pythons at hand."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import total_ordering
from pathlib import Path
from shutil import which

OLDEST = (3, 11)
NEWEST_MINOR = 30
# As much of a program's output as helps to see why it failed.
SHOWN_LINES = 40
ASK = (
    "import sys, platform; print(platform.python_version(), *sys.version_info[:3], sys.executable)"
)


class Failed(Exception):
    """A check that does not hold; the release ends with it."""


@total_ordering
@dataclass(frozen=True)
class Python:
    """An interpreter: its version and where it is."""

    version: str
    numbers: tuple[int, ...]
    program: str

    def __lt__(self, other: Python) -> bool:
        return (self.numbers, self.program) < (other.numbers, other.program)


def run(*words: str | Path, folder: Path | None = None, **environment: str) -> str:
    """What a program prints; one that fails ends the release with its last lines."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env=_environment() | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stdout + done.stderr).splitlines()[-SHOWN_LINES:]
        raise Failed("\n".join([f"exit {done.returncode}: {' '.join(map(str, words))}", *last]))
    return done.stdout


def _environment() -> dict[str, str]:
    """What programs start with: nothing of this checkout, so that only installed files are used."""
    mine = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "FOVEAL_COMPILED", "FOVEAL_TRACEBACK"}
    return {name: value for name, value in os.environ.items() if name not in mine}


def pythons_at_hand() -> list[Python]:
    """Every Python that foveal supports, oldest first; those of $PYTHONS alone if it is set."""
    found = {}
    for program in os.environ.get("PYTHONS", "").split() or _candidates():
        asked = subprocess.run([program, "-c", ASK], capture_output=True, text=True, check=False)
        if asked.returncode == 0:
            version, *numbers, place = asked.stdout.split(maxsplit=4)
            real = str(Path(place.strip()).resolve())
            found[real] = Python(version, tuple(map(int, numbers)), real)
    supported = sorted(python for python in found.values() if python.numbers >= OLDEST)
    if not supported:
        raise Failed("no Python from 3.11 on was found: set PYTHONS to a list of them")
    return supported


def _candidates() -> Iterator[str]:
    """Where Pythons usually are: this one's, on the PATH, and where pyenv puts them."""
    yield sys.executable
    names = [f"python{OLDEST[0]}.{minor}" for minor in range(OLDEST[1], NEWEST_MINOR)]
    folders = [*os.environ.get("PATH", "").split(os.pathsep), "/usr/bin", "/usr/local/bin"]
    yield from (
        found for name in names for folder in folders if (found := which(name, path=folder))
    )
    yield from map(str, sorted(Path.home().glob(".pyenv/versions/*/bin/python3")))
