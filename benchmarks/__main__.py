"""Run every benchmark and print its figures beside their targets.

`--table` measures the peers instead, and writes their table into the README.
"""

from __future__ import annotations

import importlib
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

FAMILIES = (
    "rows",
    "dictionaries",
    "chunks",
    "focused",
    "classical",
    "diversity",
    "compare",
    "false_alarms",
    "collection",
    "stability",
    "report",
    "assess",
)


def main(families: list[str]) -> None:
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    for name in families or FAMILIES:
        # Linux counts the peak memory of a process from its parent's on, so each family has its own.
        code = f"from benchmarks.__main__ import show; show({name!r})"
        subprocess.run([sys.executable, "-c", code], check=True)


def show(name: str) -> None:
    family = importlib.import_module(f"benchmarks.{name}")
    with tempfile.TemporaryDirectory() as folder:
        for subject, figure, target in family.figures(Path(folder)):
            print(f"{subject:<58} {figure:>14}   {target}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--table"]:
        from benchmarks.table import write

        write()
    else:
        main(sys.argv[1:])
