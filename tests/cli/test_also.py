"""--also: columns of runs beside their scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import foveal

QRELS = "".join(
    json.dumps({"topic": topic, "doc": "d", "length": 100, "highlights": [[0, 10]]}) + "\n"
    for topic in "ab"
)
ROWS = [("a", 0, 10, 120, 0.5), ("a", 20, 30, 80, 0.25), ("b", 0, 5, 40, 1)]
KEYS = ("topic", "start", "end", "latency_ms", "cost")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "q.jsonl").write_text(QRELS)
    rows = [{"doc": "d", **dict(zip(KEYS, row, strict=True))} for row in ROWS]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = [",".join(["doc", *KEYS]), *(",".join(["d", *map(str, row)]) for row in ROWS)]
    (tmp_path / "mine.csv").write_text("\n".join([*lines, ""]))
    return tmp_path


@pytest.mark.parametrize("run", ["mine.jsonl", "mine.csv"])
def test_columns_stand_beside_the_measures(folder: Path, run: str) -> None:
    words = ("evaluate", "q.jsonl", run, "-m", "cR@5", "--also", "latency_ms,cost:sum")
    done = foveal(*words, folder=folder)
    assert done.code == 0, done.err
    header, _, means = done.out.splitlines()
    assert header.split() == ["run", "cR@5", "latency_ms", "cost:sum"]
    assert means.split() == ["mine", "0.7500", "70.0000", "0.8750"]
    assert "ignored" not in done.err
    lines = foveal(*words, "--per-topic", "--to", "jsonl", folder=folder).out.splitlines()
    rows = [json.loads(line) for line in lines]
    assert {"run": "mine", "measure": "cost:sum", "topic": "a", "value": 0.75} in rows
    assert {"run": "mine", "measure": "latency_ms", "topic": "all", "value": 70.0} in rows


@pytest.mark.usefixtures("pools")
def test_processes_keep_the_columns(folder: Path) -> None:
    words = ("evaluate", "q.jsonl", "mine.jsonl", "mine.csv", "-m", "cR@5", "--also", "cost")
    one, two = (foveal(*words, "--jobs", jobs, folder=folder) for jobs in "12")
    assert one.code == 0, one.err
    assert one.out == two.out


@pytest.mark.parametrize(
    ("also", "code", "reason"),
    [
        ("latency", 65, "mine.jsonl: column 'latency' is missing; did you mean 'latency_ms'?"),
        ("cR@5", 2, "also cannot show the column 'cR@5': a measure has this name"),
        ("cost,,", 2, "also needs the names of columns"),
        ("doc", 2, "also cannot average the column 'doc'"),
    ],
)
def test_columns_that_cannot_be_averaged_are_refused(
    folder: Path, also: str, code: int, reason: str
) -> None:
    done = foveal("evaluate", "q.jsonl", "mine.jsonl", "-m", "cR@5", "--also", also, folder=folder)
    assert done.code == code
    assert reason in done.err


@pytest.mark.parametrize("key", ["tag", "run"])
@pytest.mark.parametrize(
    ("value", "code", "answer"),
    [
        (3, 0, "3.0000"),
        ("1.5", 65, "is the text '1.5', not a finite number: write numbers without quotes"),
        (None, 65, "column '"),
    ],
)
def test_tags_can_be_averaged_as_other_columns(
    folder: Path, key: str, value: object, code: int, answer: str
) -> None:
    row = {"topic": "a", "doc": "d", "start": 0, "end": 5}
    (folder / "tags.jsonl").write_text(json.dumps(row if value is None else row | {key: value}))
    done = foveal("evaluate", "q.jsonl", "tags.jsonl", "-m", "cR@5", "--also", key, folder=folder)
    assert done.code == code
    assert answer in done.out + done.err
