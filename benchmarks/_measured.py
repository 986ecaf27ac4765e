"""Running a command and measuring it from outside: wall time and peak memory of the process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measured:
    """The best of several runs of a command."""

    seconds: float
    megabytes: float
    processor: float = 0.0
    """Seconds of processor time of the command and all that it started."""


def measured(command: Sequence[str], *, repeats: int = 3) -> Measured:
    """The fastest of several runs, and the largest memory any of them took."""
    (fastest,) = in_turns([command], repeats=repeats)
    return fastest


def times_as_long(command: Sequence[str], other: Sequence[str], *, repeats: int = 2) -> float:
    """How many times as long a command takes as another, run in turns."""
    measurement, other_measurement = in_turns([command, other], repeats=repeats)
    return measurement.seconds / other_measurement.seconds


def in_turns(commands: Sequence[Sequence[str]], *, repeats: int) -> list[Measured]:
    """The best of several runs of each command.

    They run in turns, because machines change their speed from one minute to the next.
    """
    turns = [[_once(command) for command in commands] for _ in range(repeats)]
    return [
        Measured(
            min(run.seconds for run in runs),
            max(run.megabytes for run in runs),
            min(run.processor for run in runs),
        )
        for runs in zip(*turns, strict=True)
    ]


def foveal(*words: str) -> list[str]:
    """The foveal command of this environment."""
    return [str(Path(sys.executable).with_name("foveal")), *words]


def _once(command: Sequence[str]) -> Measured:
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status):
        complaint = process.stderr.read().decode() if process.stderr else ""
        raise RuntimeError(f"{' '.join(command)} failed: {complaint}")
    return Measured(seconds, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime)
