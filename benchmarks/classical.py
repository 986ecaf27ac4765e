"""Document runs of trec_eval's kind against trec_eval, pytrec_eval and ir_measures."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks._measured import Measured, foveal, measured, times_as_long

LARGE, SMALL, DEPTH, JUDGED = 7000, 250, 1000, 100
CORE = ["AP", "nDCG@10", "P@10", "RR", "Rprec"]
PYTREC_EVAL = """
import sys, pytrec_eval
qrels, run = (read(open(path)) for read, path in zip(
    (pytrec_eval.parse_qrel, pytrec_eval.parse_run), sys.argv[1:]))
measures = {"map", "ndcg_cut.10", "P.10", "recip_rank", "Rprec"}
print(len(pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)))
"""
IR_MEASURES = """
import sys, ir_measures
from ir_measures import AP, nDCG, P, RR, Rprec
qrels, run = ir_measures.read_trec_qrels(sys.argv[1]), ir_measures.read_trec_run(sys.argv[2])
print(len(list(ir_measures.iter_calc([AP, nDCG@10, P@10, RR, Rprec], qrels, run))))
"""

WITHOUT_SCANNER = """
import os, sys
os.environ["FOVEAL_COMPILED"] = "0"
from foveal.cli import program
program()
"""


def write_world(folder: Path, topics: int, rng: np.random.Generator) -> tuple[Path, Path]:
    """Judgements and a run of that many topics × 1,000 documents, half of the judged among them."""
    qrels, run = folder / f"{topics}.qrels", folder / f"{topics}.run"
    with qrels.open("w") as judged, run.open("w") as ranked:
        for topic in range(1_000_000, 1_000_000 + topics):
            documents = rng.choice(8_800_000, size=DEPTH + JUDGED // 2, replace=False)
            scores = np.sort(rng.random(DEPTH))[::-1] * 30
            for rank, (document, score) in enumerate(zip(documents, scores, strict=False), 1):
                ranked.write(f"{topic} Q0 D{document:07d} {rank} {score:.6f} mine\n")
            for document in documents[DEPTH - JUDGED // 2 :]:
                judged.write(f"{topic} 0 D{document:07d} {rng.integers(4)}\n")
    return qrels, run


def figures(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Rows: the subject measured, its figure and the target."""
    rng = np.random.default_rng(2021)
    qrels, run = write_world(folder, LARGE, rng)
    core = foveal_command(qrels, run, CORE)
    core_measured = measured(core)
    yield f"{LARGE:,} × {DEPTH:,} documents, core measures", f"{core_measured.seconds:.1f} s", ""
    yield "… processor time", f"{core_measured.processor:.1f} s", ""
    yield "… peak memory", f"{core_measured.megabytes:.0f} MB", "≤ 600 MB"
    yield from _ten_times(qrels, run, core_measured)
    for name, target, peer_command in peers(qrels, run):
        figure = f"{times_as_long(peer_command, core):.1f}×" if peer_command else "not measured"
        yield f"… {name} takes longer by", figure, target
    plain = [sys.executable, "-c", WITHOUT_SCANNER, *core[1:]]
    longer = times_as_long(_python(PYTREC_EVAL, qrels, run), plain)
    yield "… pytrec_eval longer than foveal without the extension", f"{longer:.1f}×", "≥ 1×"
    longer = times_as_long(foveal_command(qrels, run, ["all_trec"]), core)
    yield "… all_trec takes longer than core by", f"{longer:.1f}×", "≤ 3×"
    for name, changed in _variants(run, rng):
        longer = times_as_long(foveal_command(qrels, changed, CORE), core)
        yield f"… {name} takes longer by", f"{longer:.1f}×", "≤ 1.5×"
        changed.unlink()
    small = write_world(folder, SMALL, rng)
    longer = times_as_long(_python(PYTREC_EVAL, *small), foveal_command(*small, CORE), repeats=5)
    yield f"{SMALL} × {DEPTH:,}, start included: pytrec_eval longer by", f"{longer:.1f}×", "≥ 1.2×"


def _ten_times(qrels: Path, run: Path, single: Measured) -> Iterator[tuple[str, str, str]]:
    """A run ten times as long, made of copies with other topics; only the first are judged."""
    long = run.with_suffix(".long")
    with long.open("wb") as file, run.open("rb") as lines:
        for copy in range(10):
            lines.seek(0)
            # Line by line: a process that starts others hands its own peak memory on to them.
            file.writelines(lines if copy == 0 else (b"%d" % copy + line for line in lines))
    ten = measured(foveal_command(qrels, long, CORE), repeats=1)
    long.unlink()
    yield "ten times as many lines: time", f"{ten.seconds / single.seconds:.1f}×", "≤ 10×"
    yield "… peak memory", f"{ten.megabytes / single.megabytes:.2f}×", "≤ 1.3×"


def foveal_command(qrels: Path, run: Path, measures: list[str]) -> list[str]:
    """foveal, scores per topic."""
    options = [word for name in measures for word in ("-m", name)]
    return foveal("evaluate", str(qrels), str(run), *options, "--per-topic", "--to", "csv")


def _python(code: str, qrels: Path, run: Path) -> list[str]:
    return [sys.executable, "-c", code, str(qrels), str(run)]


def peers(qrels: Path, run: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Other programs: name, target and command, which is empty where a program is missing."""
    names = ["map", "ndcg_cut.10", "P.10", "recip_rank", "Rprec"]
    words = [word for name in names for word in ("-m", name)]
    program = shutil.which("trec_eval")
    yield "trec_eval", "≥ 8×", [program, "-q", *words, str(qrels), str(run)] if program else []
    yield "pytrec_eval", "≥ 10×", _python(PYTREC_EVAL, qrels, run)
    yield "ir_measures", "≥ 20×", _python(IR_MEASURES, qrels, run)


def _variants(run: Path, rng: np.random.Generator) -> Iterator[tuple[str, Path]]:
    """The same run shuffled, with tabs, with other white space."""
    data = run.read_bytes()
    changed = run.with_suffix(".changed")
    changed.write_bytes(data.replace(b" ", b"\t"))
    yield "with tabs it", changed
    changed.write_bytes(data.replace(b"\n", b"\r\n"))
    yield "with CRLF it", changed
    changed.write_bytes(data.replace(b" Q0 ", b"  Q0 "))
    yield "with double blanks it", changed
    lines = np.array(data.splitlines(keepends=True), dtype=object)
    rng.shuffle(lines)
    changed.write_bytes(b"".join(lines.tolist()))
    yield "shuffled it", changed
