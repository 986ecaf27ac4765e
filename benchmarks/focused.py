"""One INEX-size run, 79 of them, and a tiny file: files in, numbers out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks._measured import foveal, measured
from benchmarks._worlds import write_inex_qrels, write_inex_run

RUNS = 79
MEASURES = [
    "iP[0.00]",
    "iP[0.01]",
    "iP[0.05]",
    "iP[0.10]",
    "AiP",
    "cAP",
    "charP",
    "charR",
    "charF",
    "cP@10",
    "cR@10",
    "cF@10",
    "cP(chars=1000)",
    "cR(chars=1000)",
    "cF(chars=1000)",
    "gP@5",
    "gP@10",
    "gP@25",
    "gP@50",
    "gR@10",
    "gRt@10",
    "igP[0.10]",
    "igPt[0.10]",
    "AgP",
    "AgPt",
    "AgPt2",
    "iAgP",
    "iAgPt",
    "AgP(S=P)",
    "AgP(S=R)",
    "AgP(S=bep)",
    "AgP(S=t2i)",
    "AgP(S=rel)",
]


def figures(folder: Path) -> Iterator[tuple[str, str, str]]:
    """What was measured, the figure, the target."""
    rng = np.random.default_rng(2009)
    qrels = folder / "inex.qrels"
    write_inex_qrels(qrels, rng)
    runs = [folder / f"run{number:02d}.fol" for number in range(RUNS)]
    for run in runs:
        write_inex_run(run, rng)
    tiny_qrels, tiny_run = folder / "tiny.qrels", folder / "tiny.fol"
    tiny_qrels.write_text("1 Q0 d1 40 100 10 10:30 60:10\n")
    tiny_run.write_text("1 Q0 d1 1 0.9 tiny 0 50\n")

    python = measured([sys.executable, "-c", "import polars"], repeats=5)
    yield "python -c 'import polars', for scale", f"{python.seconds:.2f} s", ""
    help_page = measured(foveal("--help"), repeats=5)
    yield "foveal --help", f"{help_page.seconds:.2f} s", "≤ 0.25 s"
    tiny = measured(foveal("evaluate", str(tiny_qrels), str(tiny_run)), repeats=5)
    yield "tiny file, start to first number", f"{tiny.seconds:.2f} s", "≤ 0.50 s"

    asked = [word for name in MEASURES for word in ("-m", name)]
    one = measured(foveal("evaluate", str(qrels), str(runs[0]), *asked, "--to", "csv"), repeats=5)
    label = f"107 × 1,500 parts, {len(MEASURES)} measures, above the tiny file"
    yield label, f"{one.seconds - tiny.seconds:.2f} s", "≤ 0.50 s"
    every = foveal("evaluate", str(qrels), *map(str, runs), *asked, "--to", "csv")
    many = measured(every, repeats=1)
    yield f"{RUNS} such runs in one call", f"{many.seconds:.1f} s", "≤ 20 s"
    yield "… peak memory", f"{many.megabytes:.0f} MB", "≤ 2,000 MB"
    jobs = measured([*every, "--jobs", "2"], repeats=1)
    yield "… with --jobs 2", f"{jobs.seconds:.1f} s ({many.seconds / jobs.seconds:.1f}×)", ""
