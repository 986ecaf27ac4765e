"""Studies of stability at the scale of Pal, Mitra and Chakraborty (2008), beside re-scoring."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks._measured import foveal, measured
from benchmarks._worlds import write_inex_qrels, write_inex_run

RUNS, LEVELS, SAMPLES = 62, 4, 10
RESCORED = 2
MEASURES = ["iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "AiP"]


def figures(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Rows: the subject measured, its figure and the target."""
    rng = np.random.default_rng(2008)
    qrels = folder / "stability.qrels"
    write_inex_qrels(qrels, rng)
    runs = [folder / f"stability{number:02d}.fol" for number in range(RUNS)]
    for run in runs:
        write_inex_run(run, rng)
    files = [str(qrels), *map(str, runs)]
    options = [word for name in MEASURES for word in ("-m", name)]
    samples = folder / "samples"
    words = ("stability", "pool", *files, "--levels", "80,20", "--samples", "1")
    measured(foveal(*words, "--save-samples", str(samples)), repeats=1)
    studies = {
        experiment: measured(
            foveal("stability", experiment, *files, *options, "--jobs", "2", "--to", "json"),
            repeats=1,
        )
        for experiment in ("pool", "topics", "error-rate")
    }
    total = sum(study.seconds for study in studies.values())
    label = f"{RUNS} × 107 × 1,500, {LEVELS} × {SAMPLES} samples, pool, topics, error rate"
    yield label, f"{total:.1f} s", "≤ 60 s"
    for experiment, study in studies.items():
        yield f"… {experiment}", f"{study.seconds:.1f} s", ""
    memory = max(study.megabytes for study in studies.values())
    yield "… peak memory of a process", f"{memory:.0f} MB", "≤ 4,000 MB"
    # Every sample of a pool study costs the same to re-score, so two are enough. Processor time, because
    # other programs on the machine must not decide.
    again = [
        measured(
            foveal(
                "evaluate", str(sample), *map(str, runs), *options, "--jobs", "2", "--to", "json"
            ),
            repeats=1,
        ).processor
        for sample in sorted(samples.iterdir())[:RESCORED]
    ]
    rescoring = LEVELS * SAMPLES * sum(again) / len(again)
    label = (
        f"… re-scoring {LEVELS * SAMPLES} samples of the pool, from {RESCORED} measured, processor"
    )
    yield label, f"{rescoring:.0f} s", ""
    ratio = rescoring / studies["pool"].processor
    yield "… which takes longer than the pool study by", f"{ratio:.0f}×", "≥ 20×"
