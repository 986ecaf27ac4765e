from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import foveal
from foveal.errors import BadInput, UsageError
from foveal.tables import Run

TEXT = "One fish. Two fish. Red fish. Blue fish.\n\nSome are glad, and some are sad."
DOCS = {"fish": TEXT, "birds": "Birds fly. Fish swim."}


@dataclass
class LangChainDocument:
    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class TextNode:
    text: str
    ref_doc_id: str | None = None
    start_char_idx: int | None = None
    end_char_idx: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    id_: str = "a chunk's own id"


@dataclass
class NodeWithScore:
    node: TextNode
    score: float | None = None


@dataclass
class HaystackDocument:
    content: str
    meta: dict[str, Any] = field(default_factory=dict)
    score: float | None = None
    id: str = "a chunk's own id"


@dataclass
class ChonkieChunk:
    text: str
    start_index: int
    end_index: int


def span(text: str, doc: str = "fish") -> tuple[str, int, int]:
    start = DOCS[doc].index(text)
    return doc, start, start + len(text)


def spans(run: Run) -> list[tuple[Any, ...]]:
    return run.frame.select("doc", "start", "end").rows()


RED = "Red fish."
EVERY_KIND: dict[str, Any] = {
    "LangChain, with offsets": LangChainDocument(RED, {"source": "fish", "start_index": 20}),
    "LangChain, unknown offset": LangChainDocument(RED, {"source": "fish", "start_index": -1}),
    "LangChain, by its path": LangChainDocument(RED, {"source": "/data/texts/fish.md"}),
    "LangChain, no source": LangChainDocument(RED),
    "LlamaIndex": NodeWithScore(TextNode(RED, "fish", 20, 29), 0.5),
    "LlamaIndex, no offsets": NodeWithScore(TextNode(RED, "fish"), None),
    "LlamaIndex, a node": TextNode(RED, "fish", 20, 29),
    "Haystack": HaystackDocument(RED, {"source_id": "fish", "split_idx_start": 20}, 0.5),
    "Haystack, drifted": HaystackDocument(RED, {"source_id": "fish", "split_idx_start": 23}),
    "Haystack, by its file": HaystackDocument(RED, {"source_id": "9f8e", "file_path": "a/fish.md"}),
    "Chonkie": ChonkieChunk(RED, 20, 29),
    "a dict": {"doc": "fish", "start": 20, "end": 29},
    "a dict with aliases": {"ref_doc_id": "fish", "page_content": RED, "start_char_idx": 20},
    "a dict with a length": {"doc_id": "fish", "offset": 20, "length": 9},
    "a dict with metadata": {"content": RED, "metadata": {"file_path": "fish"}},
    "a pair": (LangChainDocument(RED, {"source": "fish"}), 0.25),
    "a pair of NumPy's": ({"doc": "fish", "text": RED}, np.float32(0.25)),
    "a text": RED,
}


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_a_hit_of_every_kind_is_placed(kind: str) -> None:
    run = foveal.from_hits({"q1": [EVERY_KIND[kind]]}, DOCS)
    assert spans(run) == [span(RED)]


def test_the_order_of_the_list_ranks_even_if_scores_are_distances() -> None:
    hits = [({"doc": "fish", "text": "Two fish."}, 0.1), ({"doc": "fish", "text": RED}, 0.9)]
    run = foveal.from_hits({"q1": hits}, DOCS, name="mine")
    assert run.name == "mine"
    assert run.frame["rank"].to_list() == [1, 2]
    assert run.frame["score"].to_list() == [0.1, 0.9]
    qrels = [{"topic": "q1", "doc": "fish", "highlights": [[10, 19]], "length": len(TEXT)}]
    scores = foveal.evaluate(qrels, run, ["cR@1"])
    assert scores.mean().row(0) == ("mine", 1.0)
    assert run.audit is not None
    assert (run.audit.rising, run.audit.topics) == (1, 1)


def test_scores_that_only_some_hits_have_are_left_out() -> None:
    hits = [({"doc": "fish", "text": "Two fish."}, 0.9), {"doc": "fish", "text": RED}]
    assert foveal.from_hits({"q1": hits}, DOCS).frame["score"].null_count() == 2


def test_without_documents_stated_offsets_are_taken_with_a_note() -> None:
    hits = [LangChainDocument(RED, {"source": "fish", "start_index": 20})]
    run = foveal.from_hits({"q1": hits})
    assert spans(run) == [("fish", 20, 29)]
    assert run.notes == (
        "offsets are as the hits state them: give docs to verify them by the hits' texts",
    )


@pytest.mark.parametrize(
    ("hit", "reason"),
    [
        (
            LangChainDocument(RED, {"source": "fish", "start_index": -1}),
            "hits:1: topic 'q1', hit 1: text, but no offsets: give docs=foveal.read_documents(…) to"
            " find the text",
        ),
        (
            ChonkieChunk(RED, 20, 29),
            "hits:1: topic 'q1', hit 1: no document is named: give docs to search for its text",
        ),
    ],
)
def test_without_documents_a_hit_without_a_place_is_refused(hit: object, reason: str) -> None:
    with pytest.raises(BadInput) as refused:
        foveal.from_hits({"q1": [hit]})
    assert str(refused.value) == reason


@pytest.mark.parametrize("docs", [None, DOCS])
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"start": -1, "end": -1}, "start is -1, end is -1, and there is no text"),
        ({"start": 3}, "start is 3, and there is no text"),
        ({"end": 3}, "end is 3, and there is no text"),
        ({"start": "three", "end": "9"}, "start is 'three', end is '9', and there is no text"),
        ({"start": 3.5, "end": 9.0}, "start is 3.5, end is 9.0, and there is no text"),
        ({"start": True, "end": 9}, "start is True, end is 9, and there is no text"),
        ({"start": math.nan, "end": math.nan}, "start is nan, end is nan, and there is no text"),
        ({"start": 3, "end": 10**30}, f"start is 3, end is {10**30}, and there is no text"),
        (
            {"start_pos": 3, "end_pos": 9},
            "no start and end: rename 'start_pos' to 'start' and 'end_pos' to 'end'?",
        ),
    ],
)
def test_a_hit_whose_offsets_cannot_be_read_is_not_a_whole_document(
    docs: dict[str, str] | None, fields: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError) as refused:
        foveal.from_hits({"q1": [{"doc": "fish", **fields}]}, docs)
    assert str(refused.value).startswith(f"topic 'q1', hit 1: {said}")


@pytest.mark.parametrize(
    ("start", "end"), [(20.0, 29.0), ("20", "29"), (np.int32(20), np.float64(29))]
)
def test_offsets_that_frames_and_stores_have_changed_are_read(start: object, end: object) -> None:
    assert spans(foveal.from_hits({"q1": [{"doc": "fish", "start": start, "end": end}]})) == [
        ("fish", 20, 29)
    ]


def test_a_shifted_hit_is_corrected_with_a_note() -> None:
    hits = [HaystackDocument(RED, {"source_id": "fish", "split_idx_start": 23})]
    run = foveal.from_hits({"q1": hits}, DOCS)
    assert run.notes == (
        "offsets of 1 result corrected by 3 characters: the text is elsewhere than stated",
    )
    scores = foveal.evaluate(
        [{"topic": "q1", "doc": "fish", "highlights": [[20, 29]]}], run, "cP@1"
    )
    assert [note for note in scores.notes if "corrected by 3 characters" in note]


def test_a_document_is_named_as_the_documents_name_it_and_that_is_told() -> None:
    run = foveal.from_hits({"q1": [LangChainDocument(RED, {"source": "a/fish.md"})]}, DOCS)
    assert run.frame["doc"].to_list() == ["fish"]
    assert run.audit is not None
    assert run.audit.names == {"a/fish.md": "fish"}
    assert run.notes[0] == (
        "1 document named otherwise than in the documents given: 'a/fish.md' is 'fish'"
    )


def test_two_names_never_become_one_document() -> None:
    hits = [LangChainDocument(RED, {"source": f"{folder}/fish.md"}) for folder in "ab"]
    with pytest.raises(
        BadInput, match=r"document 'a/fish\.md' fits 'fish' of the 2 documents given, but another"
    ):
        foveal.from_hits({"q1": hits}, DOCS)


@pytest.mark.parametrize(
    ("hits", "reason"),
    [
        ([LangChainDocument("x")], "hits must be {topic: [hit, …]}, got list"),
        ({"q1": RED}, "topic 'q1': hits must be a list, got str"),
        ({"q1": [RED, 7]}, "topic 'q1', hit 2: cannot read a hit from 7: give a Document"),
        (
            {"q1": [SimpleNamespace(score=1.0)]},
            "topic 'q1', hit 1: cannot read a hit from namespace",
        ),
    ],
)
def test_what_is_not_a_hit_is_refused(hits: Any, reason: str) -> None:
    with pytest.raises(UsageError) as refused:
        foveal.from_hits(hits, DOCS)
    assert str(refused.value).startswith(reason)


def test_a_wrong_word_is_answered_with_the_vocabulary() -> None:
    with pytest.raises(UsageError, match="copies must be refuse or first, got 'last'"):
        foveal.from_hits({"q1": [RED]}, DOCS, copies="last")
    with pytest.raises(UsageError, match="count=bytes needs docs"):
        foveal.from_hits({"q1": [{"doc": "a", "start": 0, "end": 1}]}, count="bytes")


def test_a_blank_hit_is_where_it_says() -> None:
    run = foveal.from_hits({"q1": [ChonkieChunk("\n\n", 40, 42)]}, {"fish": TEXT})
    assert spans(run) == [("fish", 40, 42)]
    with pytest.raises(
        BadInput, match="the text is blank, and its offsets are not given or do not"
    ):
        foveal.from_hits({"q1": [{"doc": "fish", "text": "\n\n"}]}, DOCS)


def test_numbers_of_chunks_tell_copies_apart() -> None:
    text = "Alpha. Same. Beta. Same. Gamma."

    def chunk(content: str, number: int) -> HaystackDocument:
        return HaystackDocument(content, {"source_id": "a", "split_id": number})

    hits = [chunk("Same.", 3), chunk("Beta.", 2), chunk("Same.", 1)]
    run = foveal.from_hits({"q1": hits}, {"a": text})
    assert run.frame["start"].to_list() == [19, 13, 7]
    with pytest.raises(BadInput, match="the text occurs 2 times"):
        foveal.from_hits({"q1": [chunk("Same.", 3), chunk("Alpha.", 0)]}, {"a": text})


def test_similar_names_are_looked_for_only_for_the_first_strange_documents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def nearest(_: object, name: str) -> str:
        asked.append(name)
        return "fish"

    monkeypatch.setattr("foveal.tables.DocumentNames.nearest", nearest)
    hits = [{"doc": f"strange {number}", "text": RED} for number in range(100)]
    with pytest.raises(BadInput, match="did you mean 'fish'"):
        foveal.from_hits({"q1": hits}, DOCS)
    assert 0 < len(asked) < 50


def test_hits_are_scored_under_the_name_that_is_judged() -> None:
    run = foveal.from_hits({"q1": [{"doc": "corpus/fish.md", "text": RED}]}, DOCS)
    start, end = run.frame.select("start", "end").row(0)
    for name in ("fish", "corpus/fish.md"):
        gold = [{"topic": "q1", "doc": name, "start": start, "end": end}]
        assert float(foveal.evaluate(gold, run, "cR@1")) == 1.0
