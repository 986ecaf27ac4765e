"""Files that unpack, run on or spread beyond all proportion are refused, soon and in little room."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard

from foveal.errors import BadInput, UsageError
from foveal.files import limits
from foveal.files.compression import decompressed
from foveal.formats import read_run

LINE = b"1 Q0 d1 1 0.5 tag\n"
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that are much smaller than those of users."""
    monkeypatch.setattr(limits, "UNPACKED", 10**6)
    monkeypatch.setattr(limits, "LINE", 1 << 17)
    monkeypatch.setattr(limits, "WINDOW", 1 << 18)
    monkeypatch.setattr(limits, "READ_AHEAD", 1 << 14)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("packer", PACKERS)
def test_what_unpacks_beyond_proportion_is_refused(
    packer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = tmp_path / f"mine.run.{packer}"
    bomb.write_bytes(PACKERS[packer](LINE * 10**5))
    with pytest.raises(BadInput, match=r"unpacks to more than 1 MB: .* FOVEAL_LARGEST=8GB"):
        read_run(bomb)
    # What is meant to be so large is read, here as far as its second line.
    monkeypatch.setenv(limits.VARIABLE, "1GB")
    with pytest.raises(BadInput, match="'d1' is already in the results"):
        read_run(bomb)


@pytest.mark.usefixtures("small")
def test_a_bomb_behind_an_honest_beginning_is_refused(tmp_path: Path) -> None:
    honest = "".join(f"{place} Q0 d{hash(str(place))} 1 0.5 tag\n" for place in range(5000))
    bomb = tmp_path / "mine.run.gz"
    bomb.write_bytes(gzip.compress(honest.encode() + LINE * 10**6))
    with pytest.raises(BadInput, match="unpacks to more than"):
        read_run(bomb)


def test_what_packs_well_but_is_small_is_read(tmp_path: Path) -> None:
    lines = b"".join(b"1 Q0 d%d 1 0.5 tag\n" % place for place in range(1000))
    (tmp_path / "mine.run.gz").write_bytes(gzip.compress(lines + b"\n" * 10**7))
    assert read_run(tmp_path / "mine.run.gz").frame.height == 1000


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("before", [b"", LINE])
def test_a_line_without_end_is_refused(before: bytes, tmp_path: Path) -> None:
    (tmp_path / "mine.run").write_bytes(before + b"a" * (1 << 22))
    with pytest.raises(BadInput) as caught:
        read_run(tmp_path / "mine.run", "trec")
    (problem,) = caught.value.problems
    assert problem.line == 1 + len(before.splitlines())
    assert problem.reason.startswith("a line of more than")


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("before", ["", "\ufeff", " ", "\t\n"])
def test_an_array_may_be_one_long_line(before: str, tmp_path: Path) -> None:
    rows = ", ".join(f'{{"topic": "1", "doc": "d{n}", "score": {n}}}' for n in range(20_000))
    (tmp_path / "mine.json").write_text(f"{before}[{rows}]", "utf-8")
    assert read_run(tmp_path / "mine.json").frame.height == 20_000


def write(table: Path, names: list[str]) -> None:
    row = dict.fromkeys(names, 1)
    if table.suffix == ".parquet":
        pl.DataFrame([row]).write_parquet(table)
    elif table.suffix == ".jsonl":
        table.write_text(json.dumps(row) + "\n")
    else:
        table.write_text(",".join(names) + "\n" + ",".join(map(str, row.values())) + "\n")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_table_of_too_many_columns_is_refused(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["topic", "doc", "score", *(f"c{place}" for place in range(2000))]
    table = tmp_path / f"mine.{ending}"
    write(table, names)
    with pytest.raises(BadInput, match="2,003 columns, and at most 1,000 are read"):
        read_run(table)
    monkeypatch.setenv(limits.VARIABLE, "8GB")
    assert read_run(table).frame.height == 1


def test_a_size_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(limits.VARIABLE, "lots")
    (tmp_path / "mine.run.gz").write_bytes(gzip.compress(LINE))
    with pytest.raises(UsageError, match="FOVEAL_LARGEST must be a size such as 8GB, got 'lots'"):
        read_run(tmp_path / "mine.run.gz")


def test_little_of_a_bomb_is_given_out_before_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "UNPACKED", 9 << 20)
    bomb = tmp_path / "topics.gz"
    bomb.write_bytes(gzip.compress(b"1\twhat\n" * (2 << 20)))
    with bomb.open("rb") as packed:
        unpacked = limits.Unpacked(packed, lambda raw: gzip.GzipFile(fileobj=raw))
        # Readers keep many times as much of what they are given: lines become objects.
        given = [unpacked.readinto(bytearray(limits.PORTION)) for _ in range(4)]
        with pytest.raises(limits.TooLarge):
            unpacked.readinto(bytearray(limits.PORTION))
    assert sum(given) <= 4 << 20


def test_of_equal_lines_without_end_only_the_first_are_quoted(tmp_path: Path) -> None:
    (tmp_path / "mine.run").write_bytes(LINE * 200_000)
    with pytest.raises(BadInput, match=r"mine\.run: 199,999 results return a document") as caught:
        read_run(tmp_path / "mine.run")
    assert len(caught.value.problems) == 10_001
    assert caught.value.problems[1].line == 2


def test_a_portion_of_a_zstandard_file_is_never_much(tmp_path: Path) -> None:
    bomb = tmp_path / "mine.run.zst"
    bomb.write_bytes(zstandard.compress(bytes(400 << 20)))
    tracemalloc.start()
    try:
        with bomb.open("rb") as packed:
            decompressed(packed).read(1)
        assert tracemalloc.get_traced_memory()[1] < 320 << 20
    finally:
        tracemalloc.stop()
