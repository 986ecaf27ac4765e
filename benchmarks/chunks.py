"""Texts of chunks found again in their documents, beside a plain search for each."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from foveal.intake import Documents

CHUNKS, SIZE, STEP, SEED = 100_000, 500, 250, 2021
DOCUMENTS = 25


def figures(_: Path) -> Iterator[tuple[str, str, str]]:
    """Rows: the subject measured, its figure and the target."""
    rng = np.random.default_rng(SEED)
    docs = Documents({f"d{number}": _text(rng) for number in range(DOCUMENTS)})
    chunks = pl.DataFrame(
        [
            {"doc": doc, "text": text[start : start + SIZE], "start": start}
            for doc, text in docs.items()
            for start in range(0, CHUNKS // DOCUMENTS * STEP, STEP)
        ]
    )
    started = time.perf_counter()
    placed = docs.placed_chunks(chunks.drop("start"), copies="first")
    seconds = time.perf_counter() - started
    right = float((placed["start"] == chunks["start"]).to_numpy().mean())
    yield f"{chunks.height:,} chunks in document order", f"{seconds:.2f} s", "≤ 2 s"
    yield "… placed right", f"{right:.2%}", "≥ 99.5 %"
    rows = chunks.select("doc", "text").with_columns(pl.lit("1").alias("topic"))
    started = time.perf_counter()
    docs.placed(rows, copies="first")
    yield "… as hits, in no order", f"{time.perf_counter() - started:.2f} s", ""
    started = time.perf_counter()
    for doc, text in chunks.head(2_000).select("doc", "text").iter_rows():
        docs[doc].find(text)
    plain = (time.perf_counter() - started) * chunks.height / 2_000
    yield "… str.find for each takes longer by", f"{plain / seconds:.1f}×", ""


def _text(rng: np.random.Generator) -> str:
    """Words of a small vocabulary, with lines that come again and again."""
    words = rng.integers(0, 3_000, CHUNKS // DOCUMENTS * STEP // 4 + SIZE)
    text = " ".join(f"w{word}" for word in words.tolist())
    line = "\n\nAll rights reserved.  See the terms below.\n\n"
    repeated = line.join(text[start : start + 5_000] for start in range(0, len(text), 5_000))
    return repeated[: CHUNKS // DOCUMENTS * STEP + SIZE - STEP]
