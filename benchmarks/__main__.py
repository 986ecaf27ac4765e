"""Run every benchmark and print its figures beside their targets."""

from __future__ import annotations

import os
import platform
import tempfile
from pathlib import Path

from benchmarks import classical, collection, compare, fidelity, focused, stability


def main() -> None:
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    with tempfile.TemporaryDirectory() as folder:
        for family in (focused, classical, compare, collection, fidelity, stability):
            for what, figure, target in family.figures(Path(folder)):
                print(f"{what:<58} {figure:>14}   {target}", flush=True)


if __name__ == "__main__":
    main()
