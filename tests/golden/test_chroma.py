"""Recall as Chroma's chunking_evaluation computes it, question by question, on its own questions."""

from __future__ import annotations

import csv
import gzip
import json

import pytest
from tests.shared import needs, shared

import foveal

DATA = shared("data", "rag")
pytestmark = needs(DATA)
CHUNKERS = ["fixed_500-250", "langchain_recursive_500-100"]


@pytest.mark.parametrize("chunker", CHUNKERS)
@pytest.mark.parametrize("depth", [5, 10])
def test_recall_of_text_is_that_of_chroma(chunker: str, depth: int) -> None:
    qrels = foveal.read_qrels(DATA / "questions_df.csv.gz")
    run = foveal.read_run(DATA / f"{chunker}.run.jsonl.gz")
    measure = f"cR@{depth}"
    scores = foveal.evaluate(qrels, run, measure, overlap="once", topics="judged")
    found = dict(scores.per_topic().select("topic", "value").rows())
    with gzip.open(DATA / f"{chunker}.others.jsonl.gz", "rt", encoding="utf-8") as lines:
        theirs = [json.loads(line) for line in lines]
    assert len(found) == len(theirs) == 472
    for row in theirs:
        expected = row[f"chroma recall@{depth}"]
        assert found[row["topic"]] == pytest.approx(expected, abs=1e-12), row["topic"]


def test_every_passage_is_what_its_reference_says() -> None:
    qrels = foveal.read_qrels(DATA / "questions_df.csv.gz")
    with gzip.open(DATA / "questions_df.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        references = [json.loads(row["references"]) for row in csv.DictReader(lines)]
    said = sorted(found["content"] for question in references for found in question)
    names = qrels.documents["doc"]
    texts = {name: _text(name) for name in names.unique()}
    found = sorted(texts[names[row]][start:end] for row, start, end in qrels.passages.rows())
    assert found == said
    assert len(found) == 790


def _text(name: str) -> str:
    (file,) = (DATA / "corpora").glob(f"{name}*")
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt", encoding="utf-8", newline="") as text:
        return str(text.read())


def test_questions_are_named_by_row() -> None:
    qrels = foveal.read_qrels(DATA / "questions_df.csv.gz")
    topics = foveal.read_topics(DATA / "questions_df.csv.gz")
    assert list(topics.titles) == qrels.documents["topic"].to_list()
    assert topics.titles["c000"].startswith("What significant regulatory changes")
