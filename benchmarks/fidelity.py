"""The fidelity lab on judgements of INEX's size: files in, tables out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks._articles import written
from benchmarks._measured import foveal, measured
from foveal.collection import build_index, open_index

ARTICLES, TOPICS, RELEVANT, OTHERS = 5000, 120, 90, 30
PASSAGES = 2
MEASURES = [
    "gP@1", "gP@10", "gR@10", "gRt@10", "AgP", "AgPt", "AP", "AiP", "AgP(S=t2i)", "nDCG@10",
]  # fmt: skip


def figures(folder: Path) -> Iterator[tuple[str, str, str]]:
    """What was measured, the figure, the target."""
    rng = np.random.default_rng(2007)
    articles, index, qrels = (folder / name for name in ("lab", "lab.index", "lab.qrels"))
    written(articles, ARTICLES, rng)
    build_index([str(articles)], index)
    _write_qrels(qrels, index, rng)
    asked = [word for name in MEASURES for word in ("-m", name)]
    lab = foveal("fidelity", str(qrels), *asked)
    label = f"fidelity: {TOPICS} × {RELEVANT} relevant, 20 runs, {len(MEASURES)} measures"
    whole = measured([*lab, "--elements", str(index)])
    yield label, f"{whole.seconds:.1f} s", "≤ 10 s"
    yield "… peak memory", f"{whole.megabytes:.0f} MB", ""
    noise = measured([*lab, "--noise"], repeats=1)
    yield "… without elements, with four kinds of noise", f"{noise.seconds:.1f} s", ""


def _write_qrels(path: Path, index: Path, rng: np.random.Generator) -> None:
    """Judgements with passages anywhere in articles."""
    names = [str(number) for number in range(ARTICLES)]
    lengths = open_index(index).lengths(pl.Series(names)).to_list()
    lines = []
    for topic in range(1, TOPICS + 1):
        pool = rng.choice(ARTICLES, size=RELEVANT + OTHERS, replace=False).tolist()
        for place, article in enumerate(pool):
            length = lengths[article]
            if place >= RELEVANT:
                lines.append(f"{topic} Q0 {names[article]} 0 {length}")
                continue
            edges = np.sort(rng.choice(length, size=2 * PASSAGES, replace=False)).tolist()
            spans = list(zip(edges[::2], edges[1::2], strict=True))
            size = sum(end - start for start, end in spans)
            passages = " ".join(f"{start}:{end - start}" for start, end in spans)
            lines.append(f"{topic} Q0 {names[article]} {size} {length} {edges[0]} {passages}")
    path.write_text("\n".join(lines) + "\n")
