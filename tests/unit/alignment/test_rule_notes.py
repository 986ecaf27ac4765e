"""Results that break a rule of their task are counted beside the scores."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from foveal.evaluation import evaluate
from foveal.rules import RULES, check
from foveal.tables import Qrels, Run

QRELS = [
    {"topic": topic, "doc": doc, "length": 100, "highlights": [[0, 9]]}
    for topic in "12"
    for doc in "ab"
]
SCATTERED = "apart from earlier results of the same document"
REPEATED = "from a document already returned"


def run(*results: tuple[str, str, int, int], score: bool = False) -> Run:
    rows = [
        {"topic": topic, "doc": doc, "start": start, "end": end}
        | ({"score": 1.0 - place} if score else {})
        for place, (topic, doc, start, end) in enumerate(results)
    ]
    return Run.from_dicts(rows, "mine")


OVERLAPPING = run(("1", "a", 0, 20), ("1", "a", 19, 30), ("1", "a", 30, 40), ("2", "b", 0, 5))


@pytest.mark.parametrize("task", ["focused", "ric"])
def test_overlap_is_noted_with_the_policy(task: Any) -> None:
    assert evaluate(QRELS, OVERLAPPING, task=task).notes == (
        f"mine: 1 result in 1 topic with text of an earlier result, which task {task} does not allow: text"
        f" counts once, where it is first read (overlap once); foveal check --task {task} lists them",
    )


@pytest.mark.parametrize(
    "choices",
    [{"task": "thorough"}, {"task": "rag"}, {"task": "document"}, {"like": "trecgen2007", "task": "focused"}]
    + [{"overlap": word} for word in ("once", "paid", "waste", "drop")],
)  # fmt: skip
def test_overlap_that_is_allowed_or_chosen_is_not_noted(choices: Any) -> None:
    assert evaluate(QRELS, OVERLAPPING, "P@5", **choices).notes == ()


def test_a_run_that_keeps_the_rules_has_no_notes() -> None:
    whole = run(("1", "a", 0, 20), ("1", "a", 20, 30), ("1", "b", 0, 5), ("2", "b", 0, 5))
    assert evaluate(QRELS, whole, task="focused").notes == ()
    assert evaluate(QRELS, whole, task="ric").notes == ()
    once = run(("1", "a", 3, 3), ("1", "b", 4, 4), ("2", "b", 0, 5), ("2", "a", 0, 5))
    assert evaluate(QRELS, once, task="bic").notes == ()


@pytest.mark.parametrize("overlap", [None, "once", "drop"])
def test_a_document_that_comes_back_is_noted_in_context(overlap: Any) -> None:
    back = run(
        ("1", "a", 0, 9), ("1", "b", 0, 9), ("1", "a", 9, 20), ("1", "a", 20, 30), ("1", "b", 9, 20),
        ("2", "a", 0, 9), ("2", "b", 0, 9),
    )  # fmt: skip
    (note,) = evaluate(QRELS, back, task="ric", overlap=overlap).notes
    assert note == (
        f"mine: 2 results in 1 topic {SCATTERED}, which task ric does not allow: a document is ranked where"
        " its first result is, with all its results; foveal check --task ric lists them"
    )
    (note,) = evaluate(QRELS, back, task="bic", overlap=overlap).notes
    assert note == (
        f"mine: 3 results in 1 topic {REPEATED}, which task bic does not allow: a document counts once, with"
        " the entry point of its first result; foveal check --task bic lists them"
    )
    assert evaluate(QRELS, back, task="focused").notes == ()


def test_what_is_dropped_still_counts_as_scattered() -> None:
    rows = run(("1", "a", 0, 9), ("1", "b", 0, 9), ("1", "a", 0, 9), ("2", "a", 0, 9))
    (note,) = evaluate(QRELS, rows, task="ric", overlap="drop").notes
    assert SCATTERED in note


def test_runs_that_break_a_rule_alike_share_a_note() -> None:
    (note,) = evaluate(QRELS, {"x": OVERLAPPING, "y": OVERLAPPING}, task="focused").notes
    assert note.startswith("2 runs (mine, mine): 1 result in 1 topic with text")


@pytest.mark.parametrize(
    ("task", "rule", "words"),
    [
        ("focused", "overlap", "with text of an earlier result"),
        ("ric", "overlap", "with text of an earlier result"),
        ("ric", "scattered-document", SCATTERED),
        ("bic", "repeated-document", REPEATED),
    ],
)
def test_notes_count_what_check_lists(task: Any, rule: str, words: str) -> None:
    assert task in RULES[rule].tasks
    rng = np.random.default_rng(5)
    counts = set()
    for _ in range(10):
        starts = rng.integers(0, 60, 12)
        results = [
            (str(rng.integers(1, 3)), "abc"[rng.integers(3)], int(start), int(start + rng.integers(9)))
            for start in starts
        ]  # fmt: skip
        mine = run(*results, ("1", "a", 90, 91), ("2", "a", 90, 91), score=True)
        listed = [finding for finding in check(mine, task=task).findings if finding.rule == rule]
        notes = " ".join(evaluate(Qrels.from_dicts(QRELS), mine, "P@5", task=task).notes)
        found = re.search(rf"(\d+) results? in (\d) topics? {words}", notes)
        topics = {finding.message.split(",")[0] for finding in listed}
        assert (int(found[1]) if found else 0, int(found[2]) if found else 0) == (len(listed), len(topics))  # fmt: skip
        counts.add(len(listed))
    assert len(counts) > 1


def test_other_tasks_have_none_of_these_rules() -> None:
    names = {"overlap", "scattered-document", "repeated-document"}
    assert {task for name in names for task in RULES[name].tasks} == {"focused", "ric", "bic"}
