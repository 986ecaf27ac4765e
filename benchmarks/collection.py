"""Documents to an offset index, and paths to spans: files in, answers out."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks._articles import written
from benchmarks._measured import Measured, foveal, measured
from foveal.collection.index import MANIFEST, digest_of, documents_file, elements_file

SMALL, LARGE, COPIES = 5_000, 20_000, 10
ELEMENTS, REFERENCES = 50_000_000, 10_000_000
# The Wikipedia of INEX 2006-2008.
WIKIPEDIA = {"documents": 659_388, "elements": 52_000_000, "bytes": 4_600_000_000}
RESOLVE = """
import sys, time
import numpy as np, polars as pl
from foveal.collection import Index
index, count = Index.open(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(5)
first_copy = index.document_table["doc"].filter(index.document_table["doc"].str.ends_with("-0"))
listed = index.rows_of(first_copy).select("doc", "path")
copy = pl.Series(rng.integers(0, int(sys.argv[3]), size=count)).cast(pl.String)
asked = listed[rng.integers(0, listed.height, size=count)].select(
    pl.col("doc").str.replace("-.*", "-") + copy, "path", path_end=pl.lit(None, dtype=pl.String))
del listed, copy
began = time.perf_counter()
spans = index.spans(asked)
print(f"{time.perf_counter() - began} {spans['problem'].null_count()}")
"""


def figures(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Rows: the subject measured, its figure and the target."""
    rng = np.random.default_rng(2006)
    files, few = folder / "articles", folder / "few"
    size, small_size = written(files, LARGE, rng), written(few, SMALL, rng)
    large = _indexed(files, folder / "index")
    small = _indexed(few, folder / "few.index")
    plain = _indexed(files, folder / "plain.index", compiled=False)
    label = f"{LARGE:,} articles, {size / 1e6:.0f} MB in files, one process"
    yield label, _rate(size, large.seconds), "≥ 100 MB/s"
    start = measured(foveal("index", "--help")).seconds
    yield "… start-up left out", _rate(size, large.seconds - start), ""
    yield "… by processor time, all threads together", _rate(size, large.processor), "≥ 100 MB/s"
    yield "… without the compiled scanner", _rate(size, plain.seconds), ""
    yield "… … by processor time", _rate(size, plain.processor), ""
    disk = sum(path.stat().st_size for path in (folder / "index").iterdir())
    elements = _count(folder / "index")
    yield "… bytes on disk per element", f"{disk / elements:.1f}", "≤ 4"
    yield (
        f"… peak memory ({size / small_size:.0f}× the documents: more by)",
        (f"{large.megabytes:.0f} MB ({large.megabytes / small.megabytes:.2f}×)"),
        "≤ 1.2×",
    )
    yield from _in_two_processes(files, folder)
    yield from _projected(large.seconds / size, disk / elements)
    shutil.rmtree(few)
    shutil.rmtree(files)
    yield from _resolved(folder)


def _rate(size: int, seconds: float) -> str:
    return f"{size / 1e6 / seconds:.0f} MB/s"


def _in_two_processes(files: Path, folder: Path) -> Iterator[tuple[str, str, str]]:
    """One process and two, in turns, with enough documents that start-up matters little."""
    many = folder / "many"
    for copy in range(COPIES):
        for path in files.rglob("*.xml"):
            link = many / str(copy) / path.parent.name / f"{copy}-{path.name}"
            link.parent.mkdir(parents=True, exist_ok=True)
            link.hardlink_to(path)
    turns = [
        [_indexed(many, folder / "many.index", "--jobs", jobs, repeats=1) for jobs in ("1", "2")]
        for _ in range(2)
    ]
    one, two = (min(turn[index].seconds for turn in turns) for index in (0, 1))
    label = f"{COPIES * LARGE:,} articles with --jobs 2 faster by"
    yield label, f"{one / two:.2f}×", "≥ 1.7×"
    one, two = (min(turn[index].processor for turn in turns) for index in (0, 1))
    yield "… processor time of both processes and their parent", f"{two / one:.2f}×", ""
    shutil.rmtree(many)


def _projected(seconds_per_byte: float, bytes_per_element: float) -> Iterator[tuple[str, str, str]]:
    """Time and space that INEX's Wikipedia would take."""
    label = f"{WIKIPEDIA['documents']:,} documents, {WIKIPEDIA['bytes'] / 1e9} GB, projected"
    yield label, f"{seconds_per_byte * WIKIPEDIA['bytes'] / 60:.1f} min", "minutes"
    megabytes = bytes_per_element * WIKIPEDIA["elements"] / 1e6
    yield f"… index of {WIKIPEDIA['elements']:,} elements", f"{megabytes:.0f} MB", "some 200 MB"


def _resolved(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Random paths of random documents, resolved in one call."""
    copies = -(-ELEMENTS // _count(folder / "index"))
    multiply(folder / "index", folder / "large", copies)
    words = [sys.executable, "-c", RESOLVE, str(folder / "large"), str(REFERENCES), str(copies)]
    seconds, megabytes, resolved_count = _answered(words)
    if resolved_count != REFERENCES:
        raise RuntimeError(f"{REFERENCES - resolved_count} references were not found")
    elements = _count(folder / "large")
    label = f"{REFERENCES / 1e6:.0f} M paths in {elements / 1e6:.0f} M elements"
    yield label, f"{seconds:.0f} s", "≤ 60 s"
    yield "… peak memory, the paths themselves included", f"{megabytes:.0f} MB", "≤ 4,000 MB"


def _answered(words: list[str]) -> tuple[float, float, int]:
    """Seconds and references found, as a process says, and its peak memory."""
    read_end, write_end = os.pipe()
    process = subprocess.Popen(words, stdout=write_end)
    os.close(write_end)
    with os.fdopen(read_end) as stream:
        seconds, resolved_count = stream.read().split()
    _, _, usage = os.wait4(process.pid, 0)
    return float(seconds), usage.ru_maxrss / 1024, int(resolved_count)


def multiply(index: Path, target: Path, copies: int) -> None:
    """An index with copies of every shard, whose documents are called by the copy's number."""
    target.mkdir()
    manifest = json.loads((index / MANIFEST).read_bytes())
    shards: list[dict[str, object]] = []
    for copy in range(copies):
        for number, shard in enumerate(manifest["shards"]):
            target_number = len(shards)
            stream = io.BytesIO()
            documents = pl.read_parquet(index / documents_file(number))
            documents.with_columns(pl.col("doc") + f"-{copy}").write_parquet(stream)
            (target / documents_file(target_number)).write_bytes(stream.getvalue())
            shutil.copyfile(index / elements_file(number), target / elements_file(target_number))
            shards.append({**shard, "documents_digest": digest_of(stream.getvalue())})
    totals = {key: manifest[key] * copies for key in ("documents", "elements", "length")}
    (target / MANIFEST).write_text(json.dumps({**manifest, **totals, "shards": shards}))


def _indexed(
    files: Path, target: Path, *words: str, compiled: bool = True, repeats: int = 2
) -> Measured:
    """The best of several runs; an index that exists is removed before each."""
    command = foveal("index", str(files), "-o", str(target), *words)
    runs = []
    for _ in range(repeats):
        shutil.rmtree(target, ignore_errors=True)
        runs.append(measured(["env", f"FOVEAL_COMPILED={compiled:d}", *command], repeats=1))
    return Measured(
        min(run.seconds for run in runs),
        max(run.megabytes for run in runs),
        min(run.processor for run in runs),
    )


def _count(index: Path) -> int:
    return int(json.loads((index / MANIFEST).read_bytes())["elements"])
