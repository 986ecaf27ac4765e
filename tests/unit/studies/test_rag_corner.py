from __future__ import annotations

import re

import numpy as np
import pytest

from foveal.evaluation import evaluate
from foveal.studies import ChunkCorner
from foveal.studies.demo.rag_corner import CHUNKERS, chunk_corner

BUDGETS = [f"cR(chars={size})" for size in (500, 1000, 2000, 4000)]


@pytest.fixture(scope="module")
def corner() -> ChunkCorner:
    return chunk_corner(np.random.default_rng(7))


def test_evidence_is_every_sentence_that_names_what_is_asked(corner: ChunkCorner) -> None:
    assert len(corner.documents) == 10
    assert len(corner.questions) == 30
    rows = {(row["topic"], row["doc"], row["start"], row["end"]) for row in corner.evidence}
    expected = set()
    for question in corner.questions:
        first, second = re.findall(r"the ([a-z]+)", question.title)
        for doc, text in corner.documents.items():
            for found in re.finditer(r"[^ \n][^.\n]*\.", text):
                words = set(re.findall(r"\w+", found[0].lower()))
                if {first, second} <= words:
                    expected.add((question.id, doc, *found.span()))
    assert rows == expected
    for row in corner.evidence:
        text = corner.documents[str(row["doc"])]
        assert text[int(str(row["start"])) : int(str(row["end"]))] == row["text"]


def test_every_question_has_evidence_in_two_documents(corner: ChunkCorner) -> None:
    documents = corner.qrels.documents
    assert documents.group_by("topic").len()["len"].to_list() == [2] * 30


@pytest.mark.parametrize("place", range(len(CHUNKERS)), ids=CHUNKERS)
def test_chunks_have_the_size_and_the_overlap_of_their_chunker(
    corner: ChunkCorner, place: int
) -> None:
    run = corner.runs[place]
    size, overlap = CHUNKERS[run.name]
    rows = run.frame.select("doc", "start", "end", "text").iter_rows()
    for doc, start, end, text in rows:
        whole = corner.documents[doc]
        assert start % (size - overlap) == 0
        assert end == min(start + size, len(whole))
        assert text == whole[start:end]


def test_chunks_are_ranked_by_score_and_share_a_word_with_the_question(corner: ChunkCorner) -> None:
    titles = {question.id: question.title.lower() for question in corner.questions}
    for run in corner.runs:
        for (topic,), rows in run.frame.group_by("topic", maintain_order=True):
            assert rows["rank"].to_list() == list(range(1, 21))
            assert rows["score"].is_sorted(descending=True)
            wanted = set(re.findall(r"\w+", titles[str(topic)]))
            assert all(wanted & set(re.findall(r"\w+", text.lower())) for text in rows["text"])


@pytest.mark.parametrize("seed", range(3))
def test_equal_budgets_reverse_what_recall_at_5_says_of_large_chunks(seed: int) -> None:
    corner = chunk_corner(np.random.default_rng(seed))
    means = evaluate(corner.qrels, corner.runs, ["cR@5", *BUDGETS], task="rag").mean()
    best = means.sort("cR@5", descending=True)["run"].to_list()
    assert best[0] == "large"
    for budget in BUDGETS:
        assert means.sort(budget, descending=True)["run"].to_list()[-1] == "large"
    assert means.sort("cR(chars=1000)")["run"].to_list() == ["large", "overlapping", "small"]


def test_another_seed_makes_another_corner(corner: ChunkCorner) -> None:
    assert chunk_corner(np.random.default_rng(6)).documents != corner.documents
