"""Gold and results given by text in Python: their places are found in the documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import foveal
from foveal.errors import BadInput, UsageError
from foveal.tables import aliases

TEXT = "One fish. Two fish. Red fish."
DOCS = foveal.read_documents({"a": TEXT})
GOLD = [{"topic": "1", "doc": "a", "text": "Two fish."}]
HITS = [{"topic": "1", "doc": "a", "text": "fish. Two"}]
RECALL = 3 / 9


def recall(gold: Any, run: Any, **words: Any) -> float:
    return float(foveal.evaluate(gold, run, "recall@5", task="rag", **{"docs": DOCS, **words}))


def test_gold_and_results_by_text_score_as_on_the_command_line(tmp_path: Path) -> None:
    assert recall(GOLD, HITS) == RECALL
    for name, rows in (("gold", GOLD), ("hits", HITS)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    gold = foveal.read_qrels(tmp_path / "gold.jsonl", docs=DOCS)
    run = foveal.read_run(tmp_path / "hits.jsonl", docs=DOCS)
    here = foveal.evaluate(GOLD, HITS, "recall@5", task="rag", docs=DOCS)
    files = foveal.evaluate(gold, run, "recall@5", task="rag")
    assert here["cR@5"] == files["cR@5"] == RECALL
    assert "qrels: 1 passage placed by the text: no offsets were stated" in here.notes
    assert "run1: 1 result placed by the text: no offsets were stated" in here.notes


@pytest.mark.parametrize("make", [pl.DataFrame, lambda rows: pl.DataFrame(rows).to_pandas()])
def test_frames_are_read_by_text_as_well(make: Any) -> None:
    assert recall(make(GOLD), make(HITS)) == RECALL


def test_the_text_decides_and_rows_without_text_keep_their_offsets() -> None:
    gold: list[dict[str, Any]] = [
        {"topic": "1", "doc": "a", "text": "Two fish.", "start": 0, "end": 9},
        {"topic": "1", "doc": "a", "text": None, "start": 20, "end": 23},
    ]
    qrels = foveal.Qrels.from_dicts(gold, docs=DOCS)
    assert qrels.passages.select("start", "end").rows() == [(10, 19), (20, 23)]
    assert qrels.documents["length"].to_list() == [len(TEXT)]
    fraction = [gold[0], {**gold[1], "start": 20.5}]
    with pytest.raises(BadInput, match=r"qrels:2: start is 20.5, not a whole number"):
        foveal.Qrels.from_dicts(fraction, docs=DOCS)


def test_whole_judgements_and_runs_are_taken_as_they_are() -> None:
    hits = foveal.from_hits({"1": ["fish. Two"]}, docs=DOCS)
    qrels = foveal.Qrels.from_dicts([{"topic": "1", "doc": "a", "start": 10, "end": 19}])
    assert recall(qrels, hits) == RECALL
    found = foveal.explain(GOLD, HITS, topic="1", task="rag", docs={"a": TEXT})
    assert found.topics["found"].to_list() == [3]
    graded = foveal.evaluate({"1": {"a": 1}}, {"1": {"a": 2.0}}, "AP", docs=DOCS)
    assert float(graded) == 1


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"text": "fish."}, r"qrels:1: the text occurs 3 times in document 'a' \(at 4, 14 and 24\)"
         r": give start and end, or take the first place \(--copies first, in Python"
         r' copies="first"\)'),
        ({"text": "Blue fish."}, "qrels:1: the text is not word for word in document 'a'"),
        ({"text": ""}, "qrels:1: the text is blank"),
        ({"text": "Two fish.", "doc": "b"}, "qrels:1: document 'b' is not one of the 1 document given"),
        ({"text": ["Two fish."]}, "qrels: the column 'text' does not hold text"),
        ({"text": None}, "qrels:1: grade, length and highlights are all missing"),
    ],
)  # fmt: skip
def test_gold_without_a_place_is_refused(row: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        recall([{"topic": "1", "doc": "a", **row}], HITS)


def test_the_first_of_several_places_is_taken_if_asked_for() -> None:
    gold = [{"topic": "1", "doc": "a", "text": "fish."}]
    run = [{"topic": "1", "doc": "a", "start": 4, "end": 9}]
    assert recall(gold, run, copies="first") == 1


def test_errors_say_what_to_give_in_python() -> None:
    both = r"--docs DOCUMENTS \(in Python docs=foveal.read_documents\(...\)\)"
    with pytest.raises(BadInput, match=rf"qrels:1: text without start and end: give {both}"):
        recall(GOLD, HITS, docs=None)
    with pytest.raises(UsageError, match=r"got dict: give docs=foveal.read_documents\(your dict"):
        recall(GOLD, HITS, docs={"a": TEXT})
    graded = [{"topic": "1", "doc": "a", "grade": 1, "text": "Two fish."}]
    scores = foveal.evaluate(graded, {"1": {"a": 1.0}}, "AP")
    assert "qrels: ignored column text: not part of judgements" in scores.notes


def test_judgements_with_ranks_may_be_a_run() -> None:
    gold = [{"topic": "1", "doc": "a", "start": 10, "end": 19}]
    ranked = [{**gold[0], "rank": 1}]
    (note,) = [n for n in foveal.evaluate(ranked, gold, "cR@5").notes if "swapped" in n]
    assert note.startswith("qrels: the judgements have ranks")
    for rows in (gold, [{**gold[0], "score": 0.9}], [{**ranked[0], "grade": 1}]):
        assert not any("swapped" in note for note in foveal.evaluate(rows, gold, "cR@5").notes)


CHUNKS = {
    "LangChain": {"page_content": "fish. Two", "metadata": {"source": "a", "start_index": 4}},
    "Haystack": {"content": "fish. Two", "meta": {"source_id": "a", "split_idx_start": 4}},
    "unknown place": {"page_content": "fish. Two", "metadata": {"source": "a", "start_index": -1}},
    "top level first": {
        "doc": "a", "text": "fish. Two", "metadata": {"doc": "b", "source": "c", "text": "x"},
    },
    "text inside": {"id": "7", "metadata": {"text": "fish. Two", "source": "a", "chunk": 3}},
}  # fmt: skip


@pytest.mark.parametrize("chunk", CHUNKS.values(), ids=list(CHUNKS))
def test_metadata_of_chunks_are_read(chunk: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "hits.jsonl"
    for row in ({"topic": "1", **chunk}, {"topic": "1", "results": [chunk]}):
        path.write_text(json.dumps(row) + "\n")
        run = foveal.read_run(path, docs=DOCS)
        assert run.frame.select("doc", "start", "end").rows() == [("a", 4, 13)]
        assert recall(GOLD, run) == RECALL
    assert recall(GOLD, [{"topic": "1", **chunk}]) == RECALL
    path.write_text(json.dumps({"topic": "1", **chunk}) + "\n")
    judged = foveal.read_qrels(path, docs=DOCS)
    assert judged.passages.select("start", "end").rows() == [(4, 13)]


def test_metadata_say_what_they_were_taken_for(tmp_path: Path) -> None:
    path = tmp_path / "hits.jsonl"
    path.write_text(json.dumps({"topic": "1", **CHUNKS["LangChain"]}) + "\n")
    run = foveal.read_run(path, docs=DOCS)
    assert run.origin.aliases_used == {
        "source": "doc",
        "start_index": "start",
        "page_content": "text",
    }
    assert not any("metadata" in note for note in run.notes)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (CHUNKS["LangChain"], "no key 'topic' .*: every row needs the id of its question"),
        ({"topic": "1", "page_content": "x", "metadata": {}}, "no key 'doc'"),
        ({"topic": "1", "page_content": "x", "metadata": "source: a"}, "no key 'doc'"),
        ({"topic": "1", "page_content": "x", "metadata": {"source": ["a"]}}, "no key 'doc'"),
        (
            {"topic": "1", "page_content": "x", "metadata": {"source": "a", "start_index": "4"}},
            "start_index is the text '4', not a whole number",
        ),
    ],
)
def test_metadata_without_what_is_needed_are_refused(
    row: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "hits.jsonl"
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(BadInput, match=reason):
        foveal.read_run(path, docs=DOCS)


@pytest.mark.parametrize("name", aliases.METADATA)
def test_rows_that_say_everything_themselves_are_left_alone(name: str) -> None:
    row = {"doc": "a", "start": 1, "end": 2, "text": "x", name: {"doc": "b", "start": 7}}
    assert aliases.with_metadata(row) is row
    assert aliases.with_metadata({name: {"start": True, "text": 3}}) == {
        name: {"start": True, "text": 3}
    }
