from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.choices import Order, Task
from foveal.intake import Documents
from foveal.rules import RULES, Finding, task_findings
from foveal.tables import Qrels
from tests.each import each
from tests.unit.rules.cases import CASES, FISH, Row, judged, part, run_of, said, whole

if TYPE_CHECKING:
    from random import Random

DOCUMENT_LENGTH = 12


def findings_of(name: str, rows: list[Row]) -> list[Finding]:
    case = CASES[name]
    return case.findings(name, case.run(rows))


@pytest.mark.parametrize("name", CASES)
def test_a_breach_is_found_on_its_line(name: str) -> None:
    severity = RULES[name].severity
    expected = [
        Finding(severity, name, "mine.run", line, message) for line, message in CASES[name].found
    ]
    assert findings_of(name, CASES[name].breaks) == expected


@pytest.mark.parametrize("name", CASES)
def test_a_run_that_keeps_the_rule_is_left_in_peace(name: str) -> None:
    assert findings_of(name, CASES[name].keeps) == []


@each("name", CASES)
@each("task", [None, *Task])
def test_a_rule_holds_only_in_its_tasks(name: str, task: Task | None) -> None:
    case = CASES[name]
    rule = RULES[name]
    found = {finding.rule for finding in case.all_findings(case.run(case.breaks), task)}
    expected = rule.tasks == set(Task) if task is None else task in rule.tasks
    assert (name in found) == expected


@pytest.mark.parametrize("name", [name for name in CASES if RULES[name].needs])
def test_without_judgements_and_elements_nothing_is_said_about_them(name: str) -> None:
    findings = task_findings(run_of(CASES[name].breaks), None, None)
    assert name not in {finding.rule for finding in findings}


def test_a_rule_has_a_name_of_small_letters() -> None:
    for rule in RULES.values():
        assert rule.name == rule.name.lower().replace(" ", "-")


@pytest.mark.parametrize("task", Task)
def test_a_clean_run_has_no_findings(task: Task) -> None:
    rows = [part("a", rank=1, score=2.0), part("b", rank=2, score=1.0)]
    qrels = Qrels.from_dicts([judged("a"), judged("b")])
    assert task_findings(run_of(rows), qrels, task) == []


def test_topics_given_and_judged_ones_that_have_no_results_are_counted_once() -> None:
    qrels = Qrels.from_dicts([judged("a", "t2"), judged("a", "t9")])
    names = ["t1", "t2", "t3"]
    found = task_findings(run_of([part("a")]), qrels, None, topics=names)
    missing = [finding.message for finding in found if finding.rule == "missing-topics"]
    assert missing == ["3 topics without results: t2, t3, t9"]


@pytest.mark.parametrize("path", [None, "/article[1]/bdy[1]/sec[2]"])
def test_few_passages_among_elements_are_no_mixture(path: str | None) -> None:
    element = {**part("9996", 25, 43), "path": path}
    name = "mixed-elements" if path else "partly-elements"
    for count, rules in ((19, [name]), (20, [])):
        run = run_of([element] * count + [part("9996", 8, 12)])
        found = task_findings(run, None, Task.THOROUGH, elements=CASES[name].elements)
        assert [own.rule for own in found] == rules


def test_findings_come_by_line_and_those_without_one_first() -> None:
    rows = [part("a", score=1.0), part("a", 5, 15, score=0.5), part("b", -1, -1, score=0.5)]
    qrels = Qrels.from_dicts([judged("a"), judged("a", "t2")])
    lines = [finding.line or 0 for finding in task_findings(run_of(rows), qrels, Task.FOCUSED)]
    assert lines == sorted(lines)
    assert lines[0] == 0


def test_the_later_result_by_score_overlaps_the_earlier_not_the_later_line() -> None:
    rows = [part("a", 5, 15, score=1.0), part("a", 0, 10, score=2.0)]
    overlaps = [
        finding
        for finding in task_findings(run_of(rows, Order.SCORE), None, Task.FOCUSED)
        if finding.rule == "overlap"
    ]
    assert [finding.line for finding in overlaps] == [11]


def test_the_results_beyond_the_limit_are_the_worst_ranked() -> None:
    rows = [part(f"d{rank}", rank=rank) for rank in range(1501, 0, -1)]
    findings = task_findings(run_of(rows), None, Task.FOCUSED)
    assert [finding.line for finding in findings if finding.rule == "too-many-results"] == [11]


def test_ranked_runs_may_stand_in_any_line_order() -> None:
    rows = [part("a", rank=2, score=1.0), part("b", rank=1, score=2.0)]
    assert task_findings(run_of(rows, Order.RANK), None, None) == []


def test_a_contradiction_across_equal_ranks_is_found() -> None:
    rows = [
        part("a", rank=1, score=5.0),
        part("b", rank=2, score=3.0),
        part("c", rank=2, score=9.0),
    ]
    findings = task_findings(run_of(rows), None, None)
    assert ("rank-against-score", 13) in {(finding.rule, finding.line) for finding in findings}


def characters(row: Row) -> set[int]:
    if row["start"] is None:
        return set(range(DOCUMENT_LENGTH))
    return set() if row["start"] == -1 else set(range(row["start"], row["end"]))


spans = st.tuples(*[st.integers(0, DOCUMENT_LENGTH)] * 2).map(sorted)
results = st.builds(
    lambda topic, doc, span: part(doc, span[0], span[1], topic),
    st.sampled_from(["t1", "t2"]),
    st.sampled_from(["a", "b"]),
    spans | st.sampled_from([[None, None], [-1, -1]]),
)


@given(st.lists(results, max_size=12), st.randoms(use_true_random=False))
def test_overlap_is_what_sets_of_characters_share(rows: list[Row], random: Random) -> None:
    # The entry point makes it a run of parts even if all others are whole documents.
    ranked = [{**row, "rank": rank} for rank, row in enumerate([part("c", 3, 3), *rows])]
    expected = set()
    seen: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for row in ranked:
        already = seen[row["topic"], row["doc"]]
        if already & characters(row):
            expected.add(row["rank"])
        already |= characters(row)
    random.shuffle(ranked)
    run = run_of(ranked)
    rank_on_line = dict(run.frame.select("line", "rank").iter_rows())
    findings = task_findings(run, None, Task.FOCUSED)
    overlapping = [rank_on_line[f.line] for f in findings if f.rule == "overlap"]
    assert sorted(overlapping) == sorted(expected)


@pytest.mark.parametrize("form", ["jsonl", "inex-xml"])
def test_results_without_a_place_in_the_documents_are_reported_once(form: str) -> None:
    rows = [
        part("a", 0, 3), part("unknown", 0, 3), part("unknown", 5, 9), said("a", "Green fish."),
        part("a", 30, 90),
    ]  # fmt: skip
    audited = Documents(FISH).audited(run_of(rows, form=form))
    found = task_findings(audited, None, Task.FOCUSED)
    assert [(finding.line, finding.rule) for finding in found] == [
        (12, "unknown-document"),
        (13, "unknown-document"),
        (14, "lost-text"),
        (15, "past-document-end"),
    ]


def test_whole_documents_beside_a_result_without_a_place_are_counted_as_such() -> None:
    rows = [part("a", 0, 3), part("unknown", 0, 3), said("a", "Green fish."), whole("b")]
    audited = Documents(FISH).audited(run_of(rows))
    (mixed,) = (own for own in task_findings(audited, None, None) if own.rule == "mixed-parts")
    assert (mixed.line, mixed.message) == (14, "the run mixes 1 span, 1 whole document")
