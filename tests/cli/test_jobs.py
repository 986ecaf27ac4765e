"""--jobs N: work is really given to N processes, and comes back the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli import small_world
from tests.cli.calling import Answer, foveal
from tests.cli.pools import Pools
from tests.cli.small_world import DOCUMENT_RUNS, GRADED_QRELS, QRELS, RUNS


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = small_world.write(tmp_path_factory.mktemp("jobs"))
    for run in ELEMENT_RUNS:
        (folder / run).write_text("1 Q0 d1 1 9 x /a[1]/p[1]\n1 Q0 d2 2 8 x /a[1]/p[2]/b[1]\n")
    return small_world.write_articles(folder)


ELEMENT_RUNS = [f"{place}.inex" for place in range(len(RUNS))]
GRADED = [GRADED_QRELS, *DOCUMENT_RUNS]
COMMANDS = {
    "evaluate": ["evaluate", QRELS, *RUNS, "-m", "AiP", "--per-topic", "--to", "jsonl"],
    "evaluate documents": ["evaluate", *GRADED, "--to", "csv"],
    "evaluate per document": ["evaluate", QRELS, *RUNS, "--per-document", "--to", "json"],
    "evaluate per result": ["evaluate", QRELS, *RUNS, "--per-result", "--to", "jsonl"],
    "evaluate elements": [
        "evaluate", "xml.qrels", *ELEMENT_RUNS, "--elements", "INDEX", "--per-topic", "--to", "jsonl",
    ],
    "evaluate to inex": ["evaluate", QRELS, *RUNS, "-m", "AiP", "--to", "inex"],
    "evaluate to trec": ["evaluate", QRELS, *RUNS, "-m", "AP", "--to", "trec"],
    "evaluate as trec_eval": [
        "evaluate", *GRADED, "-m", "map", "-m", "P.5", "--like", "trec_eval-9",
        "--per-topic", "--to", "trec",
    ],
    "evaluate figure": ["evaluate", QRELS, *RUNS, "--figure", "curves-11", "-o", "OUT/curves.csv"],
    "compare": ["compare", QRELS, *RUNS, "-m", "AiP", "--test", "bootstrap", "--to", "json"],
    "agree": ["agree", QRELS, *RUNS, "-m", "AiP", "-m", "charP", "--to", "json"],
    **{
        f"stability {name}": ["stability", name, QRELS, *RUNS, "-m", "AiP", "--to", "json"]
        for name in ("pool", "topics", "error-rate", "swap", "leave-out", "depth")
    },
    "convert": ["convert", *RUNS, "OUT", "--to", "jsonl"],
    "index": ["index", "articles", "-o", "OUT/INDEX"],
}  # fmt: skip


def answered(world: Path, name: str, *words: str) -> tuple[Answer, dict[str, bytes]]:
    """What a command prints, and the files that it writes into a folder of its own."""
    out = world / f"{name} {' '.join(words)}".replace(" ", "-")
    out.mkdir()
    asked = [word.replace("OUT", out.name) for word in COMMANDS[name]]
    answer = foveal(*asked, *words, folder=world)
    assert answer.code == 0, answer.err
    files = [path for path in sorted(out.rglob("*")) if path.is_file()]
    printed = Answer(answer.out.replace(out.name, "OUT"), answer.err, answer.code)
    # A manifest has the time at which it was made.
    kept = {path.name: path.read_bytes() for path in files if path.suffix != ".json"}
    return printed, kept


@pytest.mark.parametrize("name", COMMANDS)
def test_work_goes_to_as_many_processes_as_asked_for(world: Path, pools: Pools, name: str) -> None:
    alone = answered(world, name)
    assert pools == Pools()
    shared = answered(world, name, "--jobs", "3")
    assert set(pools.sizes) == {3}
    # A forked copy of the threads of Polars would wait for ever.
    assert set(pools.starts) == {"spawn"}
    # One batch of articles; else a run each, but for one that is needed to know the task.
    assert pools.work >= (1 if name == "index" else len(RUNS) - 1)
    assert shared == alone


def test_no_more_processes_are_started_than_there_are_files(world: Path, pools: Pools) -> None:
    words = ["evaluate", QRELS, *RUNS[:2], "-m", "AiP", "--jobs", "8"]
    assert foveal(*words, folder=world).code == 0
    assert pools.sizes == [2]


def test_real_processes_do_as_one_does(world: Path) -> None:
    for name in ("convert", "index", "evaluate elements"):
        alone, shared = answered(world, name, "--jobs", "1"), answered(world, name, "--jobs", "2")
        assert alone == shared
        assert alone[0].out
