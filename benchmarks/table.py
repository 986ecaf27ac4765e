"""The table of peers in the README: `python -m benchmarks --table` measures and writes it.

Each peer does the same work on the same files, in turns with foveal, from the start of the process to
scores per topic. ranx has a separate environment (`make bench-table`), and trec_eval is measured where
it is on the PATH; pyserini's package has a program of it in its jar (`trec_eval/trec_eval-linux-amd64`).
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from benchmarks import classical, diversity
from benchmarks._measured import Measured, in_turns

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
MARKED = re.compile(
    r"(?P<begin><!-- python -m benchmarks --table -->\n).*?(?P<end><!-- end -->)", re.DOTALL
)
RANX_PYTHON = ROOT / ".venv" / "ranx" / "bin" / "python"
RANX = """
import sys
from ranx import Qrels, Run, evaluate
qrels, run = Qrels.from_file(sys.argv[1], kind="trec"), Run.from_file(sys.argv[2], kind="trec")
evaluate(qrels, run, ["map", "ndcg@10", "precision@10", "mrr", "r-precision"], return_mean=False)
"""
TITLES = (
    "1 topic × 1,000 documents, 5 measures",
    "250 topics × 1,000 documents, 5 measures",
    "7,000 topics × 1,000 documents, 5 measures",
    "250 topics × 1,000 documents × 10 aspects, 3 measures",
)
TOOLS = ("foveal", "trec_eval", "pytrec_eval", "ir_measures", "ranx", "inex_eval", "chunk scorers")
BY_DOCUMENT = ("foveal", "trec_eval", "pytrec_eval", "ir_measures", "ranx")
# docs/from has a page about each, which says more.
FEATURES: dict[str, tuple[str, ...]] = {
    "measures of ranked documents": BY_DOCUMENT,
    "passages and character spans": ("foveal", "inex_eval", "chunk scorers"),
    "best entry points": ("foveal", "inex_eval"),
    "a choice of how text that is returned twice counts": ("foveal",),
    "aspects and diversity": ("foveal", "ir_measures"),
    "budgets of characters or tokens": ("foveal",),
    "significance tests": ("foveal", "ranx"),
    "fusion of runs": ("ranx",),
    "checks and repairs runs": ("foveal",),
    "shows why a score is what it is": ("foveal",),
    "pools, judging in the browser, agreement": ("foveal",),
    "command line": ("foveal", "trec_eval", "ir_measures", "inex_eval"),
}
PEERS = ("trec_eval", "pytrec_eval", "ir_measures", "ranx", "pyndeval")
REPEATS = 3


class Work(NamedTuple):
    """Something to measure: what it is called, and the command of each program that can do it."""

    title: str
    foveal_command: list[str]
    peer_commands: dict[str, list[str]]


def works(folder: Path) -> Iterator[Work]:
    """The tasks to measure, the smallest first."""
    rng = np.random.default_rng(2021)
    for topics, title in zip((1, 250, 7000), TITLES, strict=False):
        qrels, run = classical.write_world(folder, topics, rng)
        peers = {name: words for name, _, words in classical.peers(qrels, run) if words}
        if RANX_PYTHON.exists():
            peers["ranx"] = [str(RANX_PYTHON), "-c", RANX, str(qrels), str(run)]
        foveal_command = classical.foveal_command(qrels, run, classical.CORE)
        yield Work(title, foveal_command, peers)
        run.unlink()
    qrels, run = diversity.write_world(folder, diversity.TOPICS, np.random.default_rng(2009))
    words = diversity.peer(qrels, run)
    foveal_command = diversity.foveal_command(qrels, run, diversity.CORE)
    yield Work(TITLES[-1], foveal_command, {"pyndeval": words})


def row(work: Work) -> list[str]:
    """The cells of a row: foveal's time and memory, and how many times as long others take."""
    foveal_measured, *peers_measured = in_turns(
        [work.foveal_command, *work.peer_commands.values()], repeats=REPEATS
    )
    longer = dict(zip(work.peer_commands, peers_measured, strict=True))
    cells = [_ratio(longer.get(name), foveal_measured) for name in PEERS]
    return [
        work.title,
        f"{foveal_measured.seconds:.2f} s",
        f"{foveal_measured.megabytes:.0f} MB",
        *cells,
    ]


def _ratio(peer_measured: Measured | None, foveal_measured: Measured) -> str:
    return f"{peer_measured.seconds / foveal_measured.seconds:.1f}×" if peer_measured else "–"


def write() -> None:
    """Measure everything and write both tables into the README."""
    features = [
        [name, *("✓" if tool in tools else "" for tool in TOOLS)]
        for name, tools in FEATURES.items()
    ]
    measured = []
    with TemporaryDirectory() as folder:
        for work in works(Path(folder)):
            measured.append(row(work))
            print(*measured[-1], sep=" | ", flush=True)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    lines = [
        *_table(["feature", *TOOLS], ":---:", features),
        "",
        "How many times as long other programs take, from files to scores per topic, starting the program",
        f"included ({machine}; the best of {REPEATS} turns; `make bench-table`):",
        "",
        *_table(["work", "foveal", "memory", *map(_titled, PEERS)], "---:", measured),
    ]
    page = README.read_text(encoding="utf-8")
    text = "\n".join(lines)
    README.write_text(MARKED.sub(rf"\g<begin>\n{text}\n\n\g<end>", page), encoding="utf-8")


def _table(heads: list[str], align: str, rows: list[list[str]]) -> Iterator[str]:
    for cells in (heads, ["---", *[align] * (len(heads) - 1)], *rows):
        yield f"| {' | '.join(cells)} |"


def _titled(name: str) -> str:
    """A peer with its version; `×` in its column says how many times as long it takes."""
    if name == "trec_eval":
        return f"{name} {_trec_eval_version()}"
    packages = {"pytrec_eval": "pytrec-eval-terrier", "ir_measures": "ir-measures"}
    if name != "ranx":
        return f"{name} {version(packages.get(name, name))}"
    return f"{name} {_ranx_version()}" if RANX_PYTHON.exists() else f"{name} (not installed here)"


def _trec_eval_version() -> str:
    program = shutil.which("trec_eval")
    if program is None:
        return "(not installed here)"
    process = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    return (process.stdout + process.stderr).split()[-1]


def _ranx_version() -> str:
    (folder,) = RANX_PYTHON.parents[1].glob("lib/*/site-packages/ranx-*.dist-info")
    return folder.name.removeprefix("ranx-").removesuffix(".dist-info")
