"""The official INEX program, inex_eval 3.1, printed these numbers (real 2009-2010 judgements)."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.calling import foveal

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "inex"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the INEX data are not on this machine")
QRELS = {"bic": "inex2009-2010-bep.qrels.gz"}

Line = tuple[str, str]


def _values(lines: list[str]) -> Iterator[tuple[Line, float]]:
    for line in lines:
        if not line.startswith(("<eval", "</eval")):
            measure, topic, value = line.split()
            yield (measure, topic), float(value)


def _ours(task: str) -> list[str]:
    qrels = DATA / QRELS.get(task, "inex2009-2010.qrels.gz")
    answer = foveal(
        "evaluate", str(qrels), str(DATA / f"{task}.run.gz"), "--task", task,
        "--like", "inex_eval", "--per-topic", "--to", "inex",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    return answer.out.splitlines()


def _theirs(task: str) -> list[str]:
    packed = (DATA / f"{task}.expected.txt.gz").read_bytes()
    return gzip.decompress(packed).decode().splitlines()


@pytest.mark.parametrize("task", ["focused", "ric", "bic"])
def test_every_line_of_the_official_program_is_reproduced(task: str) -> None:
    ours, theirs = list(_values(_ours(task))), list(_values(_theirs(task)))
    assert [name for name, _ in ours] == [name for name, _ in theirs]
    assert len(theirs) > 2000
    for (name, mine), (_, official) in zip(ours, theirs, strict=True):
        assert mine == pytest.approx(official, abs=1e-12), name


@pytest.mark.parametrize("task", ["focused", "ric", "bic"])
def test_the_lines_look_like_the_official_ones(task: str) -> None:
    pairs = list(zip(_ours(task)[1:], _theirs(task)[1:], strict=True))
    assert all(mine.rsplit("\t", 1)[0] == theirs.rsplit("\t", 1)[0] for mine, theirs in pairs)
    # Values may differ in their last digit, as sums are taken in another order.
    assert sum(mine == theirs for mine, theirs in pairs) > 0.8 * len(pairs)
