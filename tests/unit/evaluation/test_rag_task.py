"""Task rag on the worked example: policies, budgets, defaults, legend and facts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from foveal import Qrels, Run, evaluate, render
from foveal.alignment import RunFacts
from foveal.errors import DataError, UsageError
from tests.strategies import tokens

Row = dict[str, Any]
JUDGED: list[Row] = [
    {"topic": "1", "doc": "d1", "length": 100, "highlights": [[10, 40], [60, 70]]},
    {"topic": "1", "doc": "d2", "length": 50, "highlights": [[0, 20]]},
    {"topic": "1", "doc": "d3", "length": 80, "highlights": []},
    {"topic": "1", "doc": "d4", "length": 200, "highlights": [[150, 190]]},
]
A = [("d1", 0, 50), ("d3", 0, 80), ("d2", 0, 20), ("d1", 55, 75), ("d4", 100, 160)]
B = [("d1", 0, 50), ("d1", 30, 80), ("d2", 10, 40)]
CHUNKS = [
    {"doc": row["doc"], "start": start, "end": min(start + 50, row["length"])}
    for row in JUDGED
    for start in range(0, row["length"], 50)
]
TOLERANCE = 5e-7


def parts(spans: list[tuple[str, int, int]]) -> Run:
    return Run.from_dicts(
        [{"topic": "1", "doc": doc, "start": start, "end": end} for doc, start, end in spans]
    )


def values(spans: list[tuple[str, int, int]], names: list[str], **choices: Any) -> list[float]:
    return list(evaluate(JUDGED, parts(spans), names, **choices).overall.row(0)[1:])


@pytest.mark.parametrize(
    ("run", "overlap", "expected"),
    [
        (A, "once", [0.304348, 0.700000, 0.424242, 0.269231]),
        (B, "once", [0.454545, 0.500000, 0.476190, 0.312500]),
        (B, "paid", [0.384615, 0.500000, 0.434783, 0.277778]),
        (B, "repeat", [0.461538, 0.600000, 0.521739, 0.352941]),
    ],
)
def test_worked_numbers_of_overlap(
    run: list[tuple[str, int, int]], overlap: str, expected: list[float]
) -> None:
    found = values(run, ["charP", "charR", "charF", "charIoU"], overlap=overlap)
    assert found == pytest.approx(expected, abs=TOLERANCE, rel=0)


def test_text_that_is_wasted_is_only_what_is_not_highlighted() -> None:
    # d1[30,50) is read again: 10 of it are highlighted and count nowhere, 10 are wasted.
    precision, recall = values(B, ["charP", "charR"], overlap="waste")
    assert (precision, recall) == (50 / 120, 0.5)


def test_worked_numbers_of_single_parts() -> None:
    assert values(A, ["spanP", "spanR", "spanF"]) == pytest.approx(
        [0.6, 0.75, 0.666667], abs=TOLERANCE, rel=0
    )
    with_chunks = [
        evaluate(JUDGED, parts(A), "cPmax", chunks=CHUNKS, like=like).overall["cPmax"][0]
        for like in ("paper", "chroma")
    ]
    assert with_chunks == [0.5, 0.4]
    # Relevant are the first, third, fourth and fifth part.
    assert values(A, ["APret", "partRR", "partP@2", "hit@1", "all@5", "passageR@5"]) == (
        pytest.approx([(1 + 2 / 3 + 3 / 4 + 4 / 5) / 4, 1, 0.5, 1, 0, 0.75], abs=1e-12, rel=0)
    )


def test_the_worked_list_of_average_precision_retrieved() -> None:
    relevant = [("d1", 0, 50), ("d3", 0, 80), ("d2", 0, 20), ("d4", 100, 160), ("d3", 0, 9)]
    assert values(relevant, ["APret"]) == pytest.approx([0.805556], abs=TOLERANCE, rel=0)


def test_average_precision_retrieved_of_documents_goes_by_grade() -> None:
    grades, run = {"1": {"a": 2, "b": 1, "c": 2}}, {"1": {"x": 9.0, "a": 8.0, "b": 7.0}}
    found = evaluate(grades, run, ["APret", "APret(rel=2)", "APret@1"]).overall.row(0)[1:]
    assert found == pytest.approx([(1 / 2 + 2 / 3) / 2, 1 / 2, 0], abs=1e-12, rel=0)


def test_the_best_precision_of_a_chunking_needs_the_chunk_list() -> None:
    with pytest.raises(DataError, match="needs the list of all chunks: give --chunks FILE"):
        values(A, ["cPmax"])


def test_chunks_of_other_documents_are_refused() -> None:
    chunks = [{"doc": "corpus/d1.txt", "start": 0, "end": 50}]
    with pytest.raises(DataError, match=r"chunks of 'corpus/d1.txt', judged is 'd1'"):
        evaluate(JUDGED, parts(A), "cPmax", chunks=chunks)


def test_a_budget_of_tokens_needs_a_tokenizer() -> None:
    with pytest.raises(DataError, match=r"give --tokens tokenizer.json and --docs DOCUMENTS"):
        values(A, ["cR(tokens=9)"])


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("cR(chars=50,whole=True)", 0.3),
        ("cR(chars=49,whole=True)", 0.0),
        ("cP(chars=49,whole=True)", 0.0),
        ("cR(chars=149,whole=True)", 0.3),
        ("cR(chars=150,whole=True)", 0.5),
        # The first part has 17 tokens of three characters, the last of them two.
        ("cR(tokens=17,whole=True)", 0.3),
        ("cR(tokens=16,whole=True)", 0.0),
        ("cR(tokens=5)", 0.05),
        ("cP(tokens=5)", 5 / 15),
    ],
)
def test_budgets_in_whole_parts_and_in_tokens(measure: str, expected: float) -> None:
    run = replace(parts(A), tokens=tokens)
    (found,) = evaluate(JUDGED, run, measure).overall.row(0)[1:]
    assert found == pytest.approx(expected, abs=1e-12, rel=0)


def test_task_rag_pays_for_repeated_text_and_ranks_by_the_list() -> None:
    rows = [
        {"topic": "1", "doc": doc, "start": start, "end": end, "score": score}
        for (doc, start, end), score in zip(B, [1.0, 2.0, 3.0], strict=True)
    ]
    scores = evaluate(JUDGED, rows, task="rag")
    assert scores.measures == ["cR@5", "cP@5", "cIoU@5", "hit@5", "all@5", "cR(chars=2000)"]
    assert scores.settings["overlap"] == "paid"
    assert scores.settings["order"] == "file"
    assert evaluate(JUDGED, rows, "cP@1", task="rag").overall["cP@1"][0] == 30 / 50
    assert evaluate(JUDGED, rows, "cP@1", task="rag", order="score").overall["cP@1"][0] == 10 / 30
    ranked = [{**row, "rank": 4 - place} for place, row in enumerate(rows, 1)]
    by_rank = evaluate(JUDGED, ranked, "cP@1", task="rag")
    assert by_rank.overall["cP@1"][0] == 10 / 30
    assert by_rank.settings["order"] == "rank"
    assert evaluate(JUDGED, rows, task="rag", overlap="once").settings["overlap"] == "once"


def test_task_rag_shows_plain_words_a_legend_and_facts() -> None:
    scores = evaluate(JUDGED, {"mine": parts(B)}, ["cR@5", "cR(chars=2000)", "R@5"], task="rag")
    text = render(scores)
    table, legend, facts, *_ = text.split("\n\n")
    assert table.split("\n")[0].split() == ["run", "recall@5", "recall@2000chars", "R@5"]
    assert "recall@5           cR@5             Share of the topic's highlighted text" in legend
    assert facts.split("\n")[2].split() == ["mine", "3.0", "50", "130", "15.4", "%"]
    assert scores.values[0].facts == RunFacts(3.0, 50.0, 130.0, 1 - 110 / 130)
    document = json.loads(render(scores, to="json"))
    assert document["facts"] == [
        {
            "run": "mine",
            "chunks": 3.0,
            "median_characters": 50.0,
            "characters_at_5": 130.0,
            "repeated": 1 - 110 / 130,
        }
    ]
    assert {row["measure"] for row in document["rows"]} == {"cR@5", "cR(chars=2000)", "R@5"}


def test_facts_are_of_topics_with_results() -> None:
    judged = [*JUDGED, {"topic": "2", "doc": "d1", "length": 100, "highlights": [[0, 5]]}]
    facts = evaluate(judged, {"mine": parts([*A, *A])}, task="rag").values[0].facts
    assert facts == RunFacts(10.0, 50.0, 230.0, 0.5)


def test_recall_that_may_exceed_1_is_noted() -> None:
    scores = evaluate(JUDGED, parts([*A, *A]), ["cR@10"], like="legalbenchrag")
    assert scores.overall["cR@10"][0] == 1.4
    assert any("recall may exceed 1" in note for note in scores.notes)


def notes(rows: list[Row] | Run, measures: list[str], **choices: Any) -> str:
    return "\n".join(evaluate(JUDGED, rows, measures, task="rag", **choices).notes)


def test_a_list_that_contradicts_its_scores_is_noted() -> None:
    rows: list[Row] = [
        {"topic": "1", "doc": doc, "start": start, "end": end, "score": score}
        for (doc, start, end), score in zip(A, [3.0, 1.0, 5.0, 2.0, 4.0], strict=True)
    ]
    said = "ranked as listed, which contradicts the scores in 1 of 1 topic: --order score ranks by"
    assert said in notes(rows, ["cR@5"])
    assert said not in notes(rows, ["cR@5"], order="file")
    assert said not in notes(rows, ["cR@5"], order="score")


def test_results_without_offsets_are_said_to_be_whole_documents() -> None:
    rows: list[Row] = [{"topic": "1", "doc": "d1", "body": "some text"}]
    found = notes(rows, ["cR@5"])
    assert "no result has a start and an end, so each is a whole document" in found
    assert "rename it to 'text'?" in found


def test_offsets_that_do_not_fit_their_texts_are_noted() -> None:
    rows: list[Row] = [
        {"topic": "1", "doc": "d1", "start": 0, "end": 4, "text": "four"},
        {"topic": "1", "doc": "d1", "start": 10, "end": 16, "text": "blåbær"},
        {"topic": "1", "doc": "d1", "start": 20, "end": 28, "text": "blåbær"},
    ]
    said = (
        "end - start is not the length of the text of 1 result, first at line 3: do offsets count"
    )
    assert said in notes(rows, ["cR@5"])
    assert said not in notes(rows[:2], ["cR@5"])


def test_lists_that_end_before_a_budget_is_spent_are_noted() -> None:
    said = "1 of 1 topic with results return fewer than 131 characters"
    assert said in notes(parts(B), ["cR(chars=20)", "cR(chars=131)"])
    assert "fewer than" not in notes(parts(B), ["cR(chars=130)"])


def test_results_that_are_not_in_the_chunk_list_are_noted() -> None:
    said = "4 of 5 results not in the chunk list (chunks): does it belong to another run?"
    assert said in notes(parts(A), ["cPmax"], chunks=CHUNKS)
    assert said not in notes(parts(A), ["cR@5"], chunks=CHUNKS)
    own = [{"doc": doc, "start": start, "end": end} for doc, start, end in A]
    by_name = evaluate(
        JUDGED, {"a": parts(A), "b": parts(A)}, "cPmax", chunks={"a": CHUNKS, "b": own}
    )
    assert by_name["a", "cPmax"] == 0.5
    assert by_name["b", "cPmax"] != 0.5


def test_highlighted_documents_without_chunks_are_noted() -> None:
    some = [chunk for chunk in CHUNKS if chunk["doc"] not in {"d2", "d4"}]
    said = "2 documents with highlights but without chunks in the list (chunks), first 'd2'"
    assert said in notes(parts(A), ["cPmax"], chunks=some)
    assert "without chunks" not in notes(parts(A), ["cPmax"], chunks=CHUNKS)


def test_documents_by_score_are_ranked_by_score_in_task_rag() -> None:
    run = {"1": {"d3": 0.5, "d1": 0.9, "d2": 0.1}}
    scores = evaluate(JUDGED, run, "doc_mrr", task="rag")
    assert float(scores) == 1.0
    assert scores.settings["order"] == "score"


def test_chunk_lists_of_runs_that_are_not_there_are_refused() -> None:
    with pytest.raises(UsageError, match=r"no run is called 'b' \(runs: a\)"):
        evaluate(JUDGED, {"a": parts(A)}, "cPmax", chunks={"b": CHUNKS})


def test_assessors_without_a_row_are_noted_where_the_majority_counts() -> None:
    rows = [
        {"topic": "1", "doc": "a", "start": 0, "end": 5, "assessor": "ann"},
        {"topic": "1", "doc": "b", "start": 0, "end": 5, "assessor": "ann"},
        {"topic": "1", "doc": "b", "start": 2, "end": 5, "assessor": "bob"},
    ]
    said = "1 document without a row of each of the 2 assessors: those without one do not count"
    majority = Qrels.from_dicts(rows, assessors="majority")
    assert [note for note in majority.notes if note.startswith(said)]
    nothing = {"topic": "1", "doc": "a", "start": 0, "end": 0, "assessor": "bob"}
    assert Qrels.from_dicts([*rows, nothing], assessors="majority").notes == ()
    assert Qrels.from_dicts(rows).notes == ()
