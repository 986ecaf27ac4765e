"""The words of people who score chunks, and what they mean in which task."""

from __future__ import annotations

import re

import pytest

from foveal import evaluate
from foveal.choices import Like, Task
from foveal.conventions import Choices
from foveal.errors import UnknownMeasure, UsageError
from foveal.measures import parse

RAG = Choices().conventions(Task.RAG)
QRELS = [{"topic": "1", "doc": "d1", "length": 100, "highlights": [[10, 40]]}]
PARTS = [{"topic": "1", "doc": "d1", "start": 0, "end": 20}]
DOCUMENTS = {"1": {"d1": 1.0}}
WORDS = {
    "recall@5": "cR@5",
    "precision@5": "cP@5",
    "f1@5": "cF@5",
    "iou@5": "cIoU@5",
    "recall": "charR",
    "iou": "charIoU",
    "recall@2000chars": "cR(chars=2000)",
    "recall@2000 chars": "cR(chars=2000)",
    "recall(tokens=500,whole=True)": "cR(tokens=500,whole=True)",
    "precision(whole=True)@500tokens": "cP(tokens=500,whole=True)",
    "hit@5": "hit@5",
    "hit_rate@5": "hit@5",
    "hit(min=0.5)@5": "hit(min=0.5)@5",
    "mrr": "partRR",
    "mrr@10": "partRR@10",
    "all@5": "all@5",
    "span_recall@5": "passageR@5",
    "span_recall(min=0.5)@5": "passageR(min=0.5)@5",
    "chunk_precision@5": "partP@5",
    "omega": "cPmax",
    "precision_omega": "cPmax",
    "Recall@5": "cR@5",
    "Precision@5": "cP@5",
    "MRR": "partRR",
}
OF_DOCUMENTS = {
    "doc_recall@5": "R@5",
    "doc_precision@5": "P@5",
    "doc_mrr": "RR",
    "doc_ndcg@10": "nDCG@10",
    "doc_hit_rate@5": "Success@5",
    "doc_map": "AP",
    "doc_AP": "AP",
    "doc_P@5": "P@5",
    "doc_Recall@5": "R@5",
    "doc_MRR": "RR",
}


@pytest.mark.parametrize(("word", "canonical"), WORDS.items())
def test_plain_words_mean_text_in_task_rag(word: str, canonical: str) -> None:
    measure = parse(word, RAG)
    assert str(measure) == canonical
    assert parse(measure.plain, RAG) == measure == parse(canonical, RAG)


@pytest.mark.parametrize(("word", "canonical"), OF_DOCUMENTS.items())
@pytest.mark.parametrize("task", Task)
def test_doc_says_documents_in_every_task(word: str, canonical: str, task: Task) -> None:
    assert str(parse(word, Choices().conventions(task))) == canonical


@pytest.mark.parametrize("name", ["R@5", "RR", "nDCG@10", "AP"])
def test_canonical_names_keep_their_meaning_in_task_rag(name: str) -> None:
    assert parse(name, RAG) == parse(name)


@pytest.mark.parametrize("word", ["ndcg@5", "map", "map@5", "bpref"])
def test_a_measure_of_documents_alone_is_refused_in_task_rag(word: str) -> None:
    with pytest.raises(
        UsageError, match=rf"'{word}' measures documents, not text: write doc_{word}"
    ):
        parse(word, RAG)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("recall@2000char", "recall@2000chars"),
        ("recall@2,000chars", "recall@2000chars"),
        ("Precision@500 Token", "precision@500tokens"),
        ("recall@2000-characters", "recall@2000chars"),
    ],
)
def test_a_mistyped_budget_is_suggested_in_task_rag(word: str, meant: str) -> None:
    with pytest.raises(UnknownMeasure, match=rf"did you mean {meant}\?"):
        parse(word, RAG)


@pytest.mark.parametrize(
    ("word", "ours"), [("recall@2000chars", "cR(chars=2000)"), ("iou@5", "cIoU@5")]
)
def test_plain_words_of_text_lead_to_task_rag(word: str, ours: str) -> None:
    with pytest.raises(UnknownMeasure) as refused:
        parse(word)
    assert f"did you mean {ours} or --task rag -m {word}?" in str(refused.value)


def test_a_cutoff_beyond_every_list_may_mean_characters() -> None:
    note = "no list has 2,000 chunks (the longest has 1): did you mean recall@2000chars"
    notes = evaluate(QRELS, PARTS, ["recall@2000", "recall@50", "hit@2000"], task="rag").notes
    assert [note in told for told in notes] == [True]


def test_doc_before_an_unknown_name_is_an_unknown_measure() -> None:
    with pytest.raises(UnknownMeasure, match="doc_foo"):
        parse("doc_foo")


@pytest.mark.parametrize(
    ("word", "documents", "text"),
    [
        ("recall@5", "R@5", "cR@5 (--task rag: recall@5)"),
        ("precision@5", "P@5", "cP@5 (--task rag: precision@5)"),
        ("mrr", "RR", "partRR (--task rag: mrr)"),
        ("hit_rate@5", "Success@5", "hit@5 (--task rag: hit_rate@5)"),
        ("ndcg@5", "nDCG@5", "choose from `foveal measures`"),
        ("Recall@5", "R@5", "cR@5 (--task rag: recall@5)"),
        ("MRR", "RR", "partRR (--task rag: mrr)"),
    ],
)
@pytest.mark.parametrize("task", ["focused", "ric", None])
def test_a_word_that_means_documents_is_refused_for_parts(
    word: str, documents: str, text: str, task: str | None
) -> None:
    reason = (
        f"'{word}' scores documents, and this run returns parts: write {documents} to score the"
        f" documents that they are from; to score text, {text}"
    )
    with pytest.raises(UsageError, match=f"^{re.escape(reason)}$"):
        evaluate(QRELS, PARTS, word, task=task)
    assert evaluate(QRELS, DOCUMENTS, word, task=task).measures == [documents]
    assert evaluate(QRELS, PARTS, documents, task=task).measures == [documents]
    assert evaluate(QRELS, PARTS, word, task="document").measures == [documents]


@pytest.mark.parametrize("like", [like for like in Like if like.is_of_chunks])
def test_programs_that_score_chunks_know_only_task_rag(like: Like) -> None:
    scores = evaluate(QRELS, PARTS, ["recall@5"], like=like)
    assert scores.settings["task"] == f"rag (as in {like})"
    assert scores.measures == ["cR@5"]
    asked = evaluate(QRELS, PARTS, ["cR@5"], like=like, task="focused")
    assert asked.settings["task"] == "focused"
