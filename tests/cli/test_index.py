from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from foveal.collection import MakeShard, Member, Shard, build_index
from foveal.compiled import elements_scanner
from foveal.errors import WorkerLost
from foveal.work import streamed
from tests.cli.calling import foveal
from tests.scanners import COMPILED, PLAIN
from tests.unit.collection.collecting import folder_of, tar_of

# Every test runs with both scanners.
pytestmark = pytest.mark.usefixtures("scanner")
# Worker processes behave alike with either scanner; users have the compiled one.
ONCE = pytest.mark.parametrize(
    "scanner", [COMPILED if elements_scanner() else PLAIN], indirect=True
)

ARTICLES = {f"d{n}": f"<a><t>{n}</t><p>{'some text ' * n}<b/></p></a>" for n in range(40)}


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_an_element_is_located_with_its_text(tmp_path: Path) -> None:
    folder_of(tmp_path)
    made = foveal("index", "articles", "-o", "articles.index", folder=tmp_path)
    assert (made.code, made.err) == (0, "")
    assert made.out == "articles.index: 3 documents, 9 elements, 0 left out\n"
    words = ("locate", "articles.index", "d1", "/article/p")
    assert foveal(*words, folder=tmp_path).out == (
        "doc     d1\npath    /article/p\nstart   3\nend     18\n"
    )
    told = foveal(*words, "--text", "articles", "--to", "json", folder=tmp_path)
    assert json.loads(told.out) == {
        "doc": "d1", "path": "/article/p", "start": 3, "end": 18, "text": "first bold text",
    }  # fmt: skip
    csv = foveal(*words, "--to", "csv", folder=tmp_path).out
    assert csv == "doc,path,start,end,text\nd1,/article/p,3,18,\n"
    markdown = foveal(*words, "--to", "markdown", folder=tmp_path).out
    assert "| d1 | /article/p |" in markdown


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (("d1", "/article/p[2]"), 65, "has no element /article/p[2]: the path is right up to"),
        (("d9", "/article"), 65, "document 'd9' is not in the index"),
        (("d1", "article"), 65, "not a path of elements"),
        (("d1", "/article", "--text", "nowhere"), 66, "nowhere"),
        (("d1", "/article", "--to", "trec"), 2, "trec"),
    ],
)
def test_what_cannot_be_located_is_said(
    tmp_path: Path, words: tuple[str, ...], code: int, complaint: str
) -> None:
    folder_of(tmp_path)
    foveal("index", "articles", "-o", "index", folder=tmp_path)
    answer = foveal("locate", "index", *words, folder=tmp_path)
    assert (answer.code, answer.out) == (code, "")
    assert complaint in answer.err


def test_malformed_documents_are_listed(tmp_path: Path) -> None:
    bad = {f"bad\x1b{n}.xml": b"<a>\n<b></a>" for n in range(25)}
    tar_of(tmp_path / "a.tar", {"good.xml": b"<a/>", **bad})
    answer = foveal("index", "a.tar", "-o", "index", folder=tmp_path)
    assert answer.code == 0
    assert answer.out == "index: 1 document, 1 element, 25 left out\n"
    lines = answer.err.splitlines()
    assert lines[0] == "a.tar/bad\N{REPLACEMENT CHARACTER}0.xml:2: left out: mismatched tag"
    assert lines[-1] == "and 5 more (all in index/malformed.jsonl)"
    assert len((tmp_path / "index" / "malformed.jsonl").read_text().splitlines()) == 25
    strict = foveal("index", "a.tar", "-o", "other", "--strict", folder=tmp_path)
    assert strict.code == 65
    assert "and 5 more" in strict.err


def test_jobs_and_cluster_exclude_each_other(tmp_path: Path) -> None:
    folder_of(tmp_path)
    words = ("index", "articles", "-o", "i", "--jobs", "2", "--cluster", "tcp://127.0.0.1:1")
    assert foveal(*words, folder=tmp_path).code == 2


@ONCE
@pytest.mark.slow
def test_two_processes_make_the_same_index(tmp_path: Path) -> None:
    source = str(folder_of(tmp_path, ARTICLES))
    build_index([source], tmp_path / "one", batch_size=500)

    def mapped(make: MakeShard, batches: Iterable[list[Member]]) -> Iterator[Shard]:
        return streamed(make, batches, jobs=2, cluster=None)

    build_index([source], tmp_path / "two", mapped=mapped, batch_size=500)
    assert _files(tmp_path / "one") == _files(tmp_path / "two")
    assert len(_files(tmp_path / "one")) > 10


def _dies(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@ONCE
@pytest.mark.slow
def test_a_process_that_dies_is_an_error_that_says_so() -> None:
    with pytest.raises(WorkerLost, match="a worker process died"):
        list(streamed(_dies, range(9), jobs=2, cluster=None))


# Killed from outside, a fast process might be done before.
KILLED = """
import os, signal
import foveal.collection.index_builder as build
from foveal.cli import main

def keep(*shard, kept=build._write_shard):
    kept(*shard)
    os.kill(os.getpid(), signal.SIGKILL)

build._write_shard = keep
main(["index", "a.tar", "-o", "index"])
"""


@ONCE
@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    text = b"<a>" + b"some text " * 100_000 + b"</a>"
    tar_of(tmp_path / "a.tar", {f"d{number}.xml": text for number in range(140)})
    killed = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert list(tmp_path.glob("index/finished-*"))
    assert not (tmp_path / "index" / "manifest.json").exists()
    again = foveal("index", "a.tar", "-o", "index", folder=tmp_path)
    assert again.code == 0
    assert "shards already finished" in again.err
    foveal("index", "a.tar", "-o", "straight", folder=tmp_path)
    assert _files(tmp_path / "index") == _files(tmp_path / "straight")


@ONCE
@pytest.mark.slow
def test_a_cluster_makes_the_same_index_though_a_worker_is_killed(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="in the extra `cluster`")
    source = str(folder_of(tmp_path, ARTICLES))
    build_index([source], tmp_path / "one", batch_size=500)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        address = cluster.scheduler_address
        victim = next(iter(cluster.workers.values())).pid

        def mapped(make: MakeShard, batches: Iterable[list[Member]]) -> Iterator[Shard]:
            for number, shard in enumerate(streamed(make, batches, jobs=1, cluster=address)):
                if number == 1:
                    os.kill(victim, signal.SIGKILL)
                yield shard

        build_index([source], tmp_path / "many", mapped=mapped, batch_size=500)
        small = foveal("index", source, "-o", str(tmp_path / "command"), "--cluster", address)
    assert small.code == 0
    assert _files(tmp_path / "one") == _files(tmp_path / "many")
    foveal("index", source, "-o", str(tmp_path / "alone"))
    assert _files(tmp_path / "command") == _files(tmp_path / "alone")
