"""Chunk lists and tokenizers on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from tests.cli.calling import Answer, foveal, foveal_process

TEXT = "One fish two fish red fish blue fish."
GOLD = [{"topic": "q", "doc": "fish", "start": 18, "end": 26}]
RUN = [
    {"topic": "q", "doc": "fish", "start": 9, "end": 22, "rank": 1},
    {"topic": "q", "doc": "fish", "start": 18, "end": 37, "rank": 2},
]


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def world(tmp_path: Path) -> Path:
    lines(tmp_path / "gold.jsonl", GOLD)
    lines(tmp_path / "run.jsonl", RUN)
    lines(tmp_path / "docs.jsonl", [{"doc": "fish", "text": TEXT}])
    words = {word: number for number, word in enumerate(dict.fromkeys(TEXT.split()))}
    tokenizer = Tokenizer(WordLevel({**words, "?": len(words)}, unk_token="?"))  # noqa: S106  # a word
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.enable_truncation(1)
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def evaluated(world: Path, *words: str) -> dict[str, float]:
    answer = foveal(
        "evaluate", "gold.jsonl", "run.jsonl", "--task", "rag", "--to", "json", *words, folder=world
    )
    assert answer.code == 0, answer.err
    return {row["measure"]: row["value"] for row in json.loads(answer.out)["rows"]}


def test_chunks_may_be_a_table_with_offsets(world: Path) -> None:
    rows = ["doc,start_index,end_index", "fish,0,18", "fish,18,37", ""]
    (world / "chunks.csv").write_text("\n".join(rows))
    # The chunk that begins with the highlight is needed, the one before only touches it.
    assert evaluated(world, "-m", "omega", "--chunks", "chunks.csv") == {"cPmax": 8 / 19}
    touching = evaluated(world, "-m", "omega", "--chunks", "chunks.csv", "--like", "chroma")
    assert touching == {"cPmax": 8 / 37}


def test_chunks_may_be_texts_in_document_order(world: Path) -> None:
    lines(world / "chunks.jsonl", [{"doc": "fish", "text": t} for t in (TEXT[:18], TEXT[18:])])
    found = evaluated(world, "-m", "omega", "--chunks", "chunks.jsonl", "--docs", "docs.jsonl")
    assert found == {"cPmax": 8 / 19}
    refused = foveal(
        "evaluate",
        "gold.jsonl",
        "run.jsonl",
        "-m",
        "cPmax",
        "--chunks",
        "chunks.jsonl",
        folder=world,
    )
    assert refused.code == 65
    assert "chunks without start and end: give --docs DOCUMENTS" in refused.err


def test_a_chunk_list_that_no_measure_asks_for_is_not_read(world: Path) -> None:
    assert evaluated(world, "-m", "recall@5", "--chunks", "missing.csv") == {"cR@5": 1.0}


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # The first part has three tokens and a blank behind them, the second five.
        ("recall(tokens=2)", 0.0),
        ("recall(tokens=3)", 4 / 8),
        ("precision(tokens=3)", 4 / 13),
        ("recall(tokens=4)", 4 / 8),
        ("precision(tokens=4)", 4 / 16),
        ("precision(tokens=5)", 8 / 21),
        ("recall(tokens=5,whole=True)", 4 / 8),
        ("recall(tokens=2,whole=True)", 0.0),
        ("recall(tokens=9)", 1.0),
    ],
)
def test_budgets_in_tokens(world: Path, measure: str, expected: float) -> None:
    words = ("-m", measure, "--docs", "docs.jsonl", "--tokens", "tokenizer.json")
    (found,) = evaluated(world, *words).values()
    assert found == pytest.approx(expected, abs=1e-12)
    (shared,) = evaluated(world, *words, "--jobs", "2").values()
    assert shared == found


def refused(world: Path, *words: str) -> Answer:
    return foveal("evaluate", "gold.jsonl", "run.jsonl", "-m", "cR(tokens=9)", *words, folder=world)


def test_a_tokenizer_that_is_not_one_is_refused(world: Path) -> None:
    (world / "broken.json").write_text("{}")
    answer = refused(world, "--docs", "docs.jsonl", "--tokens", "broken.json")
    assert answer.code == 65
    assert "broken.json: not a tokenizer.json of the package tokenizers" in answer.err


def test_tokens_of_an_unknown_document_are_refused(world: Path) -> None:
    lines(world / "docs.jsonl", [{"doc": "fish", "text": TEXT}])
    lines(world / "run.jsonl", [{**RUN[0], "doc": "bird"}])
    answer = refused(world, "--docs", "docs.jsonl", "--tokens", "tokenizer.json")
    assert answer.code == 65
    assert "'bird'" in answer.err


def test_a_missing_package_is_named(world: Path) -> None:
    (world / "tokenizers.py").write_text("raise ImportError\n")
    answer = foveal_process(
        "evaluate", "gold.jsonl", "run.jsonl", "-m", "cR(tokens=9)",
        "--docs", "docs.jsonl", "--tokens", "tokenizer.json", folder=world,
    )  # fmt: skip
    assert answer.code == 69
    assert 'pip install "foveal[tokens]"' in answer.err


def test_a_chunk_that_is_not_in_its_document_is_named_by_line(world: Path) -> None:
    rows = [{"doc": "fish", "text": TEXT[:18]}, {"doc": "fish", "text": "No bird here."}]
    text = "\n\n".join(json.dumps(row) for row in rows)
    (world / "chunks.jsonl").write_text(text + "\n")
    answer = foveal(
        "evaluate", "gold.jsonl", "run.jsonl", "-m", "cPmax", "--chunks", "chunks.jsonl",
        "--docs", "docs.jsonl", folder=world,
    )  # fmt: skip
    assert answer.code == 65
    assert "chunks.jsonl:3: " in answer.err
