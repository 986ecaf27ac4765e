"""The figures on the page for RAG are those of the data that it names."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from tests.shared import needs, shared

from foveal import evaluate, read_qrels, read_run, read_topics
from foveal.studies import DemoTopic
from foveal.studies.demo.rag_corner import bm25_run, chunk

RAG = shared("data", "rag")
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "rag.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([\d,]+) \| (.+) \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)
MEASURES = ["cR@5", "cR(chars=1000)", "cR(chars=2000)"]


@needs(RAG)
def test_recall_above_1_where_text_counts_every_time() -> None:
    run = read_run(RAG / "fixed_500-250.run.jsonl.gz")
    gold = read_qrels(RAG / "questions_df.csv.gz")
    recall = evaluate(gold, run, "cR@5", like="legalbenchrag").per_topic()["value"]
    above, most = int((recall > 1).sum()), max(recall)
    said = f"above 1 to {above} of\nthe {len(recall)} questions of Chroma's set, up to {most}."
    assert said in PAGE


@pytest.mark.slow
@needs(RAG)
def test_recall_of_chunks_of_four_sizes() -> None:
    assert [row[0] for row in ROWS] == ["500", "1,000", "2,000", "8,000"]
    texts = {
        path.name.partition(".")[0]: gzip.decompress(path.read_bytes()).decode()
        for path in sorted((RAG / "corpora").iterdir())
    }
    titles = read_topics(RAG / "questions_df.csv.gz").titles
    questions = [DemoTopic(topic, str(title)) for topic, title in titles.items()]
    gold = read_qrels(RAG / "questions_df.csv.gz")
    for size, *shown in ROWS:
        run = bm25_run(chunk(texts, int(size.replace(",", "")), 0), questions)
        scores = evaluate(gold, run, MEASURES, task="rag")
        assert [value.strip("*") for value in shown] == [f"{scores[m]:.4f}" for m in MEASURES]
