"""`make explore MINUTES=60`: the tests that Hypothesis drives, with new examples, for a given time.

Files of tests come in turns, in random order, each with its own seed. What failed is printed
with its example and the command that shows it again.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

# A browser takes too long for many examples; frameworks have their own environment.
LEFT_OUT = {"browser", "frameworks"}
NO_TESTS = 5  # pytest's exit code where every test of a file is deselected


def files() -> list[Path]:
    """Files of tests that draw examples."""
    return [
        path
        for path in Path("tests").rglob("test_*.py")
        if not LEFT_OUT.intersection(path.parts) and "hypothesis" in path.read_text("utf-8")
    ]


def passes(path: Path, end: float) -> bool | None:
    """True if a file passes with a new seed; None if time ran out before it ended."""
    seed = random.getrandbits(32)
    command = ["-m", "pytest", "-q", "-m", "hypothesis", f"--hypothesis-seed={seed}", str(path)]
    try:
        run = subprocess.run(
            [sys.executable, *command, "--tb=short", "-p", "no:cacheprovider"],
            capture_output=True,
            text=True,
            check=False,
            timeout=max(0, end - time.monotonic()),
        )
    except subprocess.TimeoutExpired:
        return None
    if run.returncode in {0, NO_TESTS}:
        return True
    again = " ".join(["HYPOTHESIS_PROFILE=thorough", ".venv/bin/python", *command])
    print(f"{run.stdout}{run.stderr}\nTo see it again:\n  {again}\n", flush=True)
    return False


def main(minutes: float) -> int:
    """Turns on all cores until the time is over; 1 if something failed.

    A file that failed is not tried again: it would most likely fail in the same way.
    """
    os.environ["HYPOTHESIS_PROFILE"] = "thorough"
    end = time.monotonic() + 60 * minutes
    remaining, runs, failures = files(), 0, list[Path]()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for turn in count(1):
            if not remaining or time.monotonic() >= end:
                break
            print(f"Turn {turn}: {len(remaining)} files", flush=True)
            random.shuffle(remaining)
            outcomes = list(pool.map(lambda path: passes(path, end), remaining))
            runs += sum(outcome is not None for outcome in outcomes)
            failures += [
                path for path, outcome in zip(remaining, outcomes, strict=True) if outcome is False
            ]
            remaining = [path for path in remaining if path not in failures]
    print(f"{runs} runs of a file, {len(failures)} files failed", *failures, sep="\n")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
