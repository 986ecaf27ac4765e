"""Numbers of other scorers of chunks, question by question.

`others` files hold what the own functions of Chroma's chunking_evaluation and of LegalBench-RAG gave.
"""

from __future__ import annotations

import csv
import gzip
import json
from typing import Any

import pytest
from tests.shared import needs, shared

from foveal import Qrels, evaluate, read_run

RAG = shared("data", "rag")
CHUNKERS = ("fixed_500-250", "langchain_recursive_500-100")
NAMES = {"recall": "cR", "precision": "cP", "iou": "cIoU", "precision_omega": "cPmax"}
ROUNDING = 1e-12

pytestmark = needs(RAG)


def rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(RAG / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def gold() -> Qrels:
    with gzip.open(RAG / "questions_df.csv.gz", "rt", encoding="utf-8") as lines:
        questions = list(csv.DictReader(lines))
    return Qrels.from_dicts(
        [
            {
                "topic": f"c{number:03}",
                "doc": question["corpus_id"],
                "start": span["start_index"],
                "end": span["end_index"],
            }
            for number, question in enumerate(questions)
            for span in json.loads(question["references"])
        ]
    )


def canonical(theirs: str) -> str:
    name, _, rank = theirs.partition("@")
    return NAMES[name] + (f"@{rank}" if rank else "")


@pytest.mark.parametrize("program", ["chroma", "legalbenchrag"])
@pytest.mark.parametrize("chunker", CHUNKERS)
def test_every_figure_of_another_scorer(gold: Qrels, chunker: str, program: str) -> None:
    others = rows(f"{chunker}.others")
    expected = {
        (row["topic"], canonical(name.split()[1])): value
        for row in others
        for name, value in row.items()
        if name.startswith(program)
    }
    measures = list(dict.fromkeys(name for _, name in expected))
    run = read_run(RAG / f"{chunker}.run.jsonl.gz")
    found = evaluate(gold, run, measures, like=program, chunks=rows(f"{chunker}.chunks"))
    values = {
        (row["topic"], name): row[name] for row in found.topics.to_dicts() for name in measures
    }
    assert values.keys() == expected.keys()
    assert len(values) == 472 * len(measures)
    wrong = [key for key, value in expected.items() if abs(values[key] - value) > ROUNDING]
    assert not wrong


def test_chunks_that_touch_a_highlight_lower_the_best_precision(gold: Qrels) -> None:
    chunker = "langchain_recursive_500-100"
    run, chunks = read_run(RAG / f"{chunker}.run.jsonl.gz"), rows(f"{chunker}.chunks")
    (ours,) = evaluate(gold, run, "cPmax", chunks=chunks).overall["cPmax"]
    (theirs,) = evaluate(gold, run, "cPmax", chunks=chunks, like="chroma").overall["cPmax"]
    assert theirs <= ours
