"""A run in JSON Lines and in CSV, from the file to its table, beside Python's readers of both."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from foveal.formats import read_run, write_run
from foveal.tables import Run

TOPICS, DEPTH, SEED, REPEATS = 140, 1000, 2021, 7
Times = tuple[float, float]


def figures(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Rows: the subject measured, its figure and the target."""
    run = _made_up(np.random.default_rng(SEED))
    peers: dict[str, tuple[str, Callable[[Path], object]]]
    peers = {"jsonl": ("json.loads by line", _loaded), "csv": ("csv.DictReader", _dict_rows)}
    for name, (peer, read) in peers.items():
        path = folder / f"made-up.{name}"
        write_run(run, path)
        foveal_times, peer_times = _in_turns(partial(read_run, path), partial(read, path))
        yield f"{TOPICS * DEPTH:,} results in {name}", f"{foveal_times[0]:.3f} s", ""
        yield "… processor time", f"{foveal_times[1]:.3f} s", ""
        yield f"… {peer} takes longer by", f"{peer_times[0] / foveal_times[0]:.1f}×", "≥ 8×"
        yield "… in processor time", f"{peer_times[1] / foveal_times[1]:.1f}×", ""


def _made_up(rng: np.random.Generator) -> Run:
    """Parts of documents with scores that fall in each topic."""
    rows = []
    for topic in range(1, TOPICS + 1):
        starts, lengths = rng.integers(0, 50_000, DEPTH), rng.integers(1, 2_000, DEPTH)
        documents = rng.integers(0, 8_800_000, DEPTH)
        scores = np.sort(rng.random(DEPTH))[::-1] * 30
        rows += [
            {"topic": str(topic), "doc": f"D{d:07d}", "start": s, "end": s + n, "score": score}
            for d, s, n, score in zip(
                *(a.tolist() for a in (documents, starts, lengths, scores)), strict=True
            )
        ]
    return Run.from_dicts(rows, "made-up")


def _loaded(path: Path) -> list[dict[str, object]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _dict_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _in_turns(
    foveal_reads: Callable[[], object], peer_reads: Callable[[], object], *, repeats: int = REPEATS
) -> tuple[Times, Times]:
    """The fastest of several turns of both: seconds on the clock, and of all processors."""
    turns = [(_once(foveal_reads), _once(peer_reads)) for _ in range(repeats)]
    return _best([foveal_times for foveal_times, _ in turns]), _best(
        [peer_times for _, peer_times in turns]
    )


def _best(times: list[Times]) -> Times:
    return min(wall for wall, _ in times), min(processor for _, processor in times)


def _once(work: Callable[[], object]) -> Times:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor
