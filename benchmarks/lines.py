"""The compiled scanner by itself: lines to columns, keys, repeats and judged rows; beside `wc -l`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from mmap import ACCESS_READ, mmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks._measured import measured
from benchmarks.classical import DEPTH, LARGE, write_world
from foveal.files.scanner import (
    TREC_QRELS,
    TREC_RUN,
    KeyTable,
    Scanner,
    compiled,
    repeats,
    scan_block,
)

BLOCK, SEED, REPEATS = 16 << 20, 2021, 3


def figures(folder: Path) -> Iterator[tuple[str, str, str]]:
    """What was measured, the figure, the target."""
    if not compiled():
        yield "lines without a compiled scanner", "not measured", ""
        return
    qrels, run = write_world(folder, LARGE, np.random.default_rng(SEED))
    with run.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        blocks = list(_blocks(data))
        for threads in (1, 2):
            wall, processor = _best(partial(_scan, data, blocks, threads))
            threads_in_words = f"{threads} thread{'s'[: threads > 1]}"
            yield f"{LARGE:,} × {DEPTH:,} lines, {threads_in_words}", f"{wall:.2f} s", ""
            yield "… processor time", f"{processor:.2f} s", "≤ 0.5 s"
        yield "… wc -l", f"{measured(['wc', '-l', str(run)]).seconds:.2f} s", ""
        found = [scan_block(data, begin, end, TREC_RUN, SEED) for begin, end in blocks]
        keys = np.concatenate([block.rows.key for block in found])
    offsets = np.arange(0, len(keys) + 1, DEPTH)
    _, processor = _best(lambda: repeats(keys, offsets))
    yield "… processor time of repeats in topics", f"{processor:.2f} s", ""
    _, processor = _best(lambda: _judged(qrels, keys))
    yield "… of judgements scanned and rows looked up", f"{processor:.2f} s", ""


def _blocks(data: mmap) -> Iterator[tuple[int, int]]:
    begin = 0
    while begin < len(data):
        end = min(begin + BLOCK, len(data))
        if end < len(data):
            end = data.rfind(b"\n", begin, end) + 1
        yield begin, end
        begin = end


def _scan(data: mmap, blocks: list[tuple[int, int]], threads: int) -> None:
    def work(mine: list[tuple[int, int]]) -> int:
        scanner = Scanner(TREC_RUN, SEED)
        return sum(scanner.scan(data, begin, end).summary.rows for begin, end in mine)

    with ThreadPoolExecutor(threads) as pool:
        rows = sum(pool.map(work, [blocks[first::threads] for first in range(threads)]))
    if rows != LARGE * DEPTH:
        raise RuntimeError(f"{rows} rows")


def _judged(qrels: Path, keys: NDArray[np.uint64]) -> None:
    text = qrels.read_bytes()
    table = KeyTable.of(scan_block(text, 0, len(text), TREC_QRELS, SEED).rows.key)
    if table is None or not len(table.find(keys)[0]):
        raise RuntimeError("no judged rows")


def _best(work: Callable[[], object]) -> tuple[float, float]:
    """The fastest of several times: seconds on the clock, and of all processors."""
    taken = []
    for _ in range(REPEATS):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - wall, time.process_time() - processor))
    return min(wall for wall, _ in taken), min(processor for _, processor in taken)
