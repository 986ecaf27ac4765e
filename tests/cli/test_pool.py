"""`foveal pool`: runs in, the documents to be judged out, in every form."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import foveal as library
from tests.cli.calling import Answer, foveal
from tests.cli.small_world import GRADED_QRELS, QRELS, RUNS, called, write, write_articles

FIRST = """\
1 Q0 a 1 9 first 0 10
1 Q0 b 2 8 first 0 10
1 Q0 a 3 7 first 50 10
2 Q0 c 1 9 first 5 5
"""
SECOND = """\
1 Q0 b 1 9 second 8 4
1 Q0 c 2 8 second 0 6
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "first.fol").write_text(FIRST)
    (tmp_path / "second.fol").write_text(SECOND)
    (tmp_path / "old.qrels").write_text("1 0 a 1\n1 0 x 0\n")
    return tmp_path


def pooled(folder: Path, *words: str) -> Answer:
    return called(folder, "pool", "first.fol", "second.fol", *words)


def test_a_pool_has_a_line_of_json_for_every_document(folder: Path) -> None:
    answer = pooled(folder, "-o", "pool")
    assert (folder / "pool").read_text() == (
        '{"topic":"1","doc":"b","place":1,"runs":2,"best_rank":1,"passages":[[0,12]]}\n'
        '{"topic":"1","doc":"a","place":2,"runs":1,"best_rank":1,"passages":[[0,10],[50,60]]}\n'
        '{"topic":"1","doc":"c","place":3,"runs":1,"best_rank":2,"passages":[[0,6]]}\n'
        '{"topic":"2","doc":"c","place":1,"runs":1,"best_rank":1,"passages":[[5,10]]}\n'
    )
    assert answer.out == "pool: 4 documents of 2 topics\n"
    assert answer.err == (
        "runs: 2; depth: 100 documents; order: priority\n"
        "note: second.fol: no results for 1 of 2 topics\n"
    )


def test_without_a_file_a_table_counts_the_documents(folder: Path) -> None:
    assert (
        pooled(folder).out
        == """\
topic   documents   in 2 or more runs   share   passages
────────────────────────────────────────────────────────
1               3                   1    33 %          4
2               1                   0     0 %          1

4 documents of 2 topics, 2.0 a topic (from 1 to 3); two or more runs returned 25.0 % of
them.
"""
    )


def test_the_table_counts_what_is_judged_already(folder: Path) -> None:
    assert (
        pooled(folder, "--judged", "old.qrels").out
        == """\
topic   documents   in 2 or more runs   share   passages   judged already
─────────────────────────────────────────────────────────────────────────
1               2                   1    50 %          2                1
2               1                   0     0 %          1                0

3 documents of 2 topics, 1.5 a topic (from 1 to 2); two or more runs returned 33.3 % of
them. 1 document was left out as judged already.
"""
    )


def test_every_form_holds_the_same_documents(folder: Path) -> None:
    pooled(folder, "-o", "pool.jsonl")
    rows = [json.loads(line) for line in (folder / "pool.jsonl").read_text().splitlines()]
    document: dict[str, Any] = json.loads(pooled(folder, "--to", "json").out)
    assert document["documents"] == rows
    assert document["settings"]["depth"] == "100 documents"
    assert document["notes"] == ["second.fol: no results for 1 of 2 topics"]
    read = csv.DictReader(io.StringIO(pooled(folder, "--to", "csv").out))
    assert [
        {"topic": row["topic"], "doc": row["doc"]}
        | {name: json.loads(row[name]) for name in ("place", "runs", "best_rank", "passages")}
        for row in read
    ] == rows
    pooled(folder, "-o", "pool.parquet")
    assert pl.read_parquet(folder / "pool.parquet").to_dicts() == rows
    pooled(folder, "-o", "pool.jsonl.gz")
    for name in ("pool.jsonl", "pool.jsonl.gz"):
        assert library.read_pool(folder / name).frame.to_dicts() == rows


def test_options_do_what_the_library_does(tmp_path: Path) -> None:
    write(tmp_path)
    runs = [library.read_run(tmp_path / name) for name in RUNS]
    qrels = library.read_qrels(tmp_path / QRELS)
    cases: list[tuple[list[str], dict[str, Any]]] = [
        (["--depth", "2"], {"depth": 2}),
        (["--depth", "3", "--unit", "results"], {"depth": 3, "unit": "results"}),
        (["--depth", "70", "--unit", "characters"], {"depth": 70, "unit": "characters"}),
        (["--documents", "3"], {"documents": 3}),
        (["--order", "random", "--seed", "9"], {"order": "random", "rng": 9}),
        (["--order", "depth", "--depth", "4"], {"order": "depth", "depth": 4}),
    ]
    frames = []
    for words, choices in cases:
        called(tmp_path, "pool", *RUNS, *words, "-o", "pool.jsonl")
        pool = library.pool(runs, **choices)
        assert library.read_pool(tmp_path / "pool.jsonl").equals(pool), words
        frames.append(pool.frame)
    assert len({frame.write_ndjson() for frame in frames}) == len(cases)
    answer = called(tmp_path, "pool", *RUNS, "--judged", GRADED_QRELS, "-o", "none.jsonl")
    assert answer.out == "none.jsonl: 0 documents of 10 topics\n"
    assert "note: the pool is empty: every document is judged already\n" in answer.err
    assert library.pool(runs, judged=qrels).frame.is_empty()


def test_element_paths_are_looked_up(tmp_path: Path) -> None:
    write_articles(tmp_path)
    (tmp_path / "mine.inex").write_text("1 Q0 d1 1 9 mine /a[1]/p[1]\n")
    called(tmp_path, "pool", "mine.inex", "--elements", "INDEX", "-o", "pool.jsonl")
    (row,) = library.read_pool(tmp_path / "pool.jsonl").frame.to_dicts()
    assert row["passages"] == [[1, 3]]


def test_whole_documents_cost_the_length_of_their_texts(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in "abc":
        (tmp_path / "docs" / f"{name}.txt").write_text("0123456789")
    (tmp_path / "mine.jsonl").write_text(
        "".join(f'{{"topic": "1", "doc": "{name}.txt", "score": {9 - at}}}\n' for at, name in enumerate("abc"))
    )  # fmt: skip
    words = ["pool", "mine.jsonl", "--depth", "11", "--unit", "characters"]
    refused = foveal(*words, folder=tmp_path)
    assert refused.code == 65
    assert "returns 3 whole documents of unknown length, first 'a.txt'" in refused.err
    assert called(tmp_path, *words, "--docs", "docs", "--to", "jsonl").out.count("\n") == 2


REFUSED = {
    "both": (["first.fol", "--depth", "3", "--documents", "4"], 2, "not both"),
    "no depth": (["missing.fol", "--unit", "characters"], 2, "has no default depth"),
    "turns": (["first.fol", "--documents", "4", "--unit", "results"], 2, "leave out --unit results"),
    "unit": (["first.fol", "--unit", "result"], 2, "got 'result'; did you mean results?"),
    "order": (["first.fol", "--order", "prio"], 2, "--order must be priority, random or depth"),
    "depth": (["first.fol", "--depth", "0"], 2, "--depth"),
    "no run": ([], 2, "RUN"),
    "missing": (["missing.fol"], 66, "missing.fol"),
    "broken": (["first.fol", "broken.fol"], 65, "broken.fol:2: "),
    "entry points": (["points.fol", "--unit", "characters", "--depth", "9"], 65, "entry points"),
    "overwriting": (["first.fol", "-o", "first.fol"], 2, "first.fol is one of the files that are read"),
    "twice": (["-", "-"], 2, "standard input (-) can be read only once"),
    "judged from there too": (["-", "--judged", "-"], 2, "can be read only once"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_pooled_is_refused(folder: Path, case: str) -> None:
    (folder / "broken.fol").write_text("1 Q0 a 1 9 x 0 10\n1 Q0 a two 9 x 0 zehn\n")
    (folder / "points.fol").write_text("1 Q0 a 1 9 x 5 0\n1 Q0 b 2 8 x 7 0\n")
    words, code, message = REFUSED[case]
    answer = foveal("pool", *words, folder=folder)
    assert answer.code == code
    assert message in answer.err
    assert not answer.out


def test_a_run_that_is_given_twice_is_noted(folder: Path) -> None:
    answer = called(folder, "pool", "first.fol", "first.fol", "--to", "jsonl")
    assert "note: given more than once, and counted as several runs: first.fol\n" in answer.err
    assert {json.loads(line)["runs"] for line in answer.out.splitlines()} == {2}
