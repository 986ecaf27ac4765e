"""Judgements and runs of a campaign's size, made from a seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

TOPICS, PARTS, JUDGED, LENGTH = 107, 1500, 300, 8000


def write_inex_qrels(path: Path, rng: np.random.Generator, *, topics: int = TOPICS) -> None:
    """Judgements of 300 documents per topic, a third of them with one to four passages."""
    lines = []
    for topic in range(topics):
        for document in range(JUDGED):
            if document % 3:
                lines.append(f"{topic} Q0 {document} 0 {LENGTH}")
                continue
            cuts = np.sort(rng.choice(LENGTH, size=2 * int(rng.integers(1, 5)), replace=False))
            spans = list(zip(cuts[::2], cuts[1::2], strict=True))
            size = sum(end - start for start, end in spans)
            passages = " ".join(f"{start}:{end - start}" for start, end in spans)
            lines.append(f"{topic} Q0 {document} {size} {LENGTH} {spans[0][0]} {passages}")
    path.write_text("\n".join(lines) + "\n")


def write_inex_run(
    path: Path, rng: np.random.Generator, *, topics: int = TOPICS, judged: float = 0.2
) -> None:
    """A run of 1,500 passages per topic, of 400 characters, that do not overlap.

    `judged` is the share of judged documents among those that it returns.
    """
    windows = LENGTH // 400
    lines = []
    for topic in range(topics):
        cells = rng.choice(int(JUDGED / judged) * windows, size=PARTS, replace=False)
        for rank, cell in enumerate(cells.tolist(), start=1):
            document, window = divmod(cell, windows)
            lines.append(
                f"{topic} Q0 {document} {rank} {PARTS - rank + 0.5} {path.stem} {window * 400} 400"
            )
    path.write_text("\n".join(lines) + "\n")
