"""One INEX-size run, 79 of them, and a tiny file: files in, numbers out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks._measured import foveal, measured, times_as_long
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
    """Rows: the subject measured, its figure and the target."""
    rng = np.random.default_rng(2009)
    qrels = folder / "inex.qrels"
    write_inex_qrels(qrels, rng)
    runs = [folder / f"run{number:02d}.fol" for number in range(RUNS)]
    for run in runs:
        write_inex_run(run, rng)
    tiny_qrels, tiny_run = folder / "tiny.qrels", folder / "tiny.fol"
    tiny_qrels.write_text("1 Q0 d1 40 100 10 10:30 60:10\n")
    tiny_run.write_text("1 Q0 d1 1 0.9 tiny 0 50\n")

    command = foveal("evaluate", str(tiny_qrels), str(tiny_run))
    yield from _starts(folder, command)
    tiny = measured(command, repeats=5)

    options = [word for name in MEASURES for word in ("-m", name)]
    single = measured(
        foveal("evaluate", str(qrels), str(runs[0]), *options, "--to", "csv"), repeats=5
    )
    label = f"107 × 1,500 parts, {len(MEASURES)} measures, above the tiny file"
    yield label, f"{single.seconds - tiny.seconds:.2f} s", "≤ 0.30 s"
    command_for_all = foveal("evaluate", str(qrels), *map(str, runs), *options, "--to", "csv")
    many = measured(command_for_all, repeats=1)
    yield f"{RUNS} such runs in one call", f"{many.seconds:.1f} s", "≤ 10 s"
    yield "… processor time", f"{many.processor:.1f} s", ""
    yield "… peak memory", f"{many.megabytes:.0f} MB", "≤ 2,000 MB"
    jobs = measured([*command_for_all, "--jobs", "2"], repeats=1)
    yield "… with --jobs 2", f"{jobs.seconds:.1f} s ({many.seconds / jobs.seconds:.1f}×)", ""


def _starts(folder: Path, tiny: list[str]) -> Iterator[tuple[str, str, str]]:
    """Times to start, compared in turns with importing a module that the program needs."""
    qrels, run = folder / "tiny.trec.qrels", folder / "tiny.run"
    qrels.write_text("1 0 d1 1\n")
    run.write_text("1 Q0 d1 1 0.9 tiny\n")
    trec_eval = foveal("trec_eval", str(qrels), str(run))
    for label, command, module, target in (
        ("foveal --help", foveal("--help"), "click", "≤ 1.5×"),
        ("tiny file to first number", tiny, "numpy", "≤ 2×"),
        ("… foveal trec_eval", trec_eval, "numpy", "≤ 2×"),
    ):
        import_only = [sys.executable, "-c", f"import {module}"]
        longer = times_as_long(command, import_only, repeats=10)
        yield f"{label}: longer than python -c 'import {module}' by", f"{longer:.1f}×", target
