"""What a reader of scores is told of the runs, and once."""

from __future__ import annotations

from typing import Any

import pytest

from foveal.analysis import gate
from foveal.errors import DataError, UsageError
from foveal.evaluation import evaluate
from foveal.tables import Qrels, Run

QRELS = [{"topic": topic, "doc": "a", "length": 9000, "highlights": [[0, 9]]} for topic in "12"]
LIMIT = "over INEX's limit of 1,500 results"
ENTRY_POINTS = (
    "run1: every result is an entry point, which has no text, so measures of text are 0: --task bic"
    " scores entry points"
)


def parts(count: int, topic: str = "1") -> list[dict[str, Any]]:
    return [
        {"topic": topic, "doc": "a", "start": place, "end": place + 1} for place in range(count)
    ]


def entry_points(*places: int) -> list[dict[str, Any]]:
    return [{"topic": topic, "doc": "a", "start": p, "end": p} for topic in "12" for p in places]


@pytest.mark.parametrize("task", ["focused", "thorough", "ric", "bic"])
def test_more_results_than_inex_allows_are_noted(task: Any) -> None:
    rows = [*parts(1501), *parts(1700, "2")]
    notes = evaluate(QRELS, rows, "P@5", task=task).notes
    assert notes[0] == f"run1: 2 topics {LIMIT} (up to 1,700): all of them are scored"
    # In bic a second note says that all these results are from one document.
    assert len(notes) == 1 + (task == "bic")


def test_a_run_without_any_judged_topic_is_noted_first_and_no_verdict_rests_on_it() -> None:
    rows = [{**part, "topic": "9", "kind": "p"} for part in parts(2)]
    scores = evaluate([{**row, "note": "n"} for row in QRELS], rows, "cR@5")
    assert scores.notes[0].startswith("run1: its topics (9) are not among the scored topics")
    reason = "run1: its topics"
    with pytest.raises(DataError, match=reason):
        scores.require({"cR@5": 0.0})
    with pytest.raises(DataError, match=reason):
        gate(scores, "cR@5>=0")
    with pytest.raises(DataError, match=reason):
        gate(evaluate(QRELS, parts(2), "cR@5"), baseline=scores)


def test_doubts_come_before_what_is_ordinary() -> None:
    rows = [{**part, "kind": "p"} for part in parts(2)]
    notes = evaluate([{**row, "note": "n"} for row in QRELS], rows, "cR@5").notes
    assert [note.partition(": ")[2] for note in notes] == [
        "1 judged topic without results, scored as empty lists: 2",
        "ignored column note: not part of judgements",
        "ignored column kind: not part of a run",
    ]


def test_as_many_results_as_inex_allows_are_not_noted() -> None:
    assert evaluate(QRELS, [*parts(1500), *parts(1, "2")]).notes == ()


def test_documents_have_no_limit() -> None:
    rows = [{"topic": topic, "doc": f"d{n}"} for topic in "12" for n in range(1600)]
    rows += [{"topic": topic, "doc": "a"} for topic in "12"]
    assert evaluate(QRELS, rows, "AP").notes == ()
    assert evaluate(QRELS, [*parts(1501), *parts(1, "2")], "AP", task="document").notes == ()


@pytest.mark.parametrize("task", ["focused", "thorough", "ric"])
def test_entry_points_scored_as_text_are_noted(task: Any) -> None:
    scores = evaluate(QRELS, entry_points(3), task=task)
    assert set(scores.mean().drop("run").row(0)) == {0.0}
    assert scores.notes == (ENTRY_POINTS,)


@pytest.mark.parametrize(
    ("measures", "choices"),
    [
        ((), {"task": "bic"}),
        ((), {"task": "bic", "like": "inex_eval"}),
        ("AgP(S=bep)", {}),
        ("AP", {}),
        ("AgP(S=rel)", {}),
        ("gRt@5", {"task": "bic"}),
    ],
)
def test_entry_points_scored_as_such_are_fine(measures: Any, choices: Any) -> None:
    assert evaluate(QRELS, entry_points(3), measures, **choices).notes == ()


def test_some_entry_points_among_parts_are_counted() -> None:
    (note,) = evaluate(QRELS, [*parts(1, "2"), *entry_points(3)], "charP").notes
    assert note.startswith("run1: 2 of 3 results without text, first at line 2: ")
    assert evaluate(QRELS, [*parts(1, "2"), *entry_points(3)], "AgP(S=bep)").notes == ()
    note = evaluate(QRELS, [*parts(1, "2"), *entry_points(3)], "AgP", task="bic").notes[0]
    assert note.startswith("run1: 2 of 3 results without text, first at line 2: ")


def test_a_note_that_many_runs_share_is_told_once() -> None:
    run = [{"topic": "1", "doc": "a"}, {"topic": "9", "doc": "a"}]
    runs = {f"run-{n:02d}": run for n in range(1, 21)}
    notes = evaluate({"1": {"a": 1}, "2": {"a": 1}}, runs, "AP").notes
    who = "20 runs (run-01, run-02, run-03 and 17 more)"
    assert notes == (
        f"{who}: ignored 1 topic without judgements",
        f"{who}: 1 judged topic without results, scored as empty lists: 2",
    )


def test_a_note_of_some_runs_names_them() -> None:
    runs = {"one": {"1": {"a": 1.0}}, "two": {"1": {"a": 1.0}, "9": {"a": 1.0}}, "three": {"9": {}}}
    runs["three"] = runs["two"]
    notes = evaluate({"1": {"a": 1}}, runs, "AP").notes
    assert notes == ("2 runs (two, three): ignored 1 topic without judgements",)


def test_a_run_of_other_topics_is_noted_with_examples_of_both() -> None:
    notes = evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"q1": {"a": 1.0}}, "AP").notes
    assert notes == (
        "run1: its topics (q1) are not among the scored topics (1, 2), so it scores as an empty run",
    )


@pytest.mark.parametrize(
    ("measures", "shown"),
    [("AP", True), (["charP", "nDCG@10"], True), ("charP", False), ("AgP", False)],
)
def test_depth_is_reported_where_a_measure_looks_at_it(measures: Any, *, shown: bool) -> None:
    scores = evaluate(QRELS, parts(3), measures, depth=5, judged_only=True)
    assert ("depth" in scores.settings) is shown
    assert ("judged only" in scores.settings) is shown


@pytest.mark.parametrize("measures", [4, None, ["AP", 10], [None]])
def test_a_number_is_not_a_measure(measures: Any) -> None:
    with pytest.raises(UsageError, match="a measure must be a name such as 'AiP'"):
        evaluate(QRELS, parts(1), measures)


def test_tables_are_described_in_a_line() -> None:
    assert repr(Run.from_dicts(parts(3), "mine")) == "<Run 'mine': 3 results, 1 topic>"
    assert repr(Qrels.from_dicts(QRELS)) == "<Qrels: 2 judged documents, 2 passages, 2 topics>"
