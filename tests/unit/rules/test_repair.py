from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from foveal.choices import Keep, Order, Task
from foveal.errors import UnknownLength
from foveal.rules import RepairOptions, repaired
from foveal.tables import Run
from tests.inex import inex_run

Part = tuple[str, int | None, int | None]
FOCUSED = RepairOptions(Task.FOCUSED)


def run_of(*parts: Part, topic: str = "1", **more: list[Any]) -> Run:
    rows = [
        {"topic": topic, "doc": doc, "start": start, "end": end, "rank": rank}
        for rank, (doc, start, end) in enumerate(parts, 1)
    ]
    frame = pl.DataFrame(rows, schema_overrides={"start": pl.Int64, "end": pl.Int64})
    return inex_run(frame.with_columns(**{k: pl.Series(v) for k, v in more.items()}), "mine")


def parts_of(run: Run) -> list[Part]:
    return run.frame.select("doc", "start", "end").rows()


def rules_of(run: Run, wishes: RepairOptions) -> list[tuple[str, int]]:
    return [(change.rule, change.count) for change in repaired(run, wishes).changes]


NESTED = run_of(("a", 0, 50), ("a", 10, 20), ("b", 0, 9), ("a", 0, 100), ("a", 60, 70))


@pytest.mark.parametrize(
    ("keep", "left"),
    [
        (Keep.BETTER, [("a", 0, 50), ("b", 0, 9), ("a", 60, 70)]),
        (Keep.ANCESTORS, [("b", 0, 9), ("a", 0, 100)]),
        (Keep.DESCENDANTS, [("a", 10, 20), ("b", 0, 9), ("a", 60, 70)]),
    ],
)
def test_of_overlapping_results_some_are_kept(keep: Keep, left: list[Part]) -> None:
    repair = repaired(NESTED, RepairOptions(Task.FOCUSED, keep=keep))
    assert parts_of(repair.run) == left
    assert repair.run.frame["rank"].to_list() == list(range(1, len(left) + 1))
    assert repair.changes[0].rule == "overlap"
    assert repair.changes[0].count == 5 - len(left)


def test_thorough_runs_keep_their_overlap() -> None:
    assert parts_of(repaired(NESTED, RepairOptions(Task.THOROUGH)).run) == parts_of(NESTED)


def test_whole_documents_overlap_their_parts_and_entry_points_nothing() -> None:
    run = run_of(("a", None, None), ("a", 5, 9), ("a", 7, 7), ("a", -1, -1), ("b", 1, 2))
    left = [("a", None, None), ("a", 7, 7), ("a", -1, -1), ("b", 1, 2)]
    assert parts_of(repaired(run, FOCUSED).run) == left


def test_documents_are_grouped_where_their_best_result_stands() -> None:
    run = run_of(("a", 20, 30), ("b", 0, 9), ("a", 0, 5), ("b", 20, 21))
    left = [("a", 20, 30), ("a", 0, 5), ("b", 0, 9), ("b", 20, 21)]
    assert parts_of(repaired(run, RepairOptions(Task.RIC)).run) == left


def test_best_in_context_returns_a_document_once() -> None:
    run = run_of(("a", 20, 20), ("b", 0, 0), ("a", 0, 0))
    assert parts_of(repaired(run, RepairOptions(Task.BIC)).run) == [("a", 20, 20), ("b", 0, 0)]


def test_topics_are_cut_to_so_many_results() -> None:
    run = run_of(*[(f"d{n}", 0, 5) for n in range(1_501)])
    assert rules_of(run, RepairOptions(Task.THOROUGH)) == [("too-many-results", 1)]
    assert rules_of(run, RepairOptions(Task.DOCUMENT)) == []


def test_topics_are_cut_to_so_many_characters() -> None:
    run = run_of(("a", 0, 6), ("b", 3, 3), ("b", 10, 20), ("c", 0, 5), ("d", 1, 1))
    repair = repaired(run, RepairOptions(Task.FOCUSED, characters=10))
    assert parts_of(repair.run) == [("a", 0, 6), ("b", 3, 3), ("b", 10, 14), ("d", 1, 1)]
    assert [change.sentence for change in repair.changes][:2] == [
        "1 result cut where the topic reaches 10 characters",
        "1 result removed after the first 10 characters of a topic",
    ]


def test_in_context_each_document_has_its_characters() -> None:
    run = run_of(("a", 0, 6), ("a", 10, 20), ("b", 0, 5), ("a", -1, -1))
    repair = repaired(run, RepairOptions(Task.RIC, characters=10))
    assert parts_of(repair.run) == [("a", 0, 6), ("a", 10, 14), ("b", 0, 5)]


def test_whole_documents_are_cut_if_their_length_is_known() -> None:
    run = run_of(("a", None, None), ("b", 0, 5))
    with pytest.raises(UnknownLength, match="returns 1 whole document of unknown length"):
        repaired(run, RepairOptions(Task.FOCUSED, characters=10))
    run = replace(run, lengths=pl.DataFrame({"doc": ["a", "b"], "length": [12, 5]}))
    assert parts_of(repaired(run, RepairOptions(Task.FOCUSED, characters=10)).run) == [("a", 0, 10)]


def test_parts_end_with_their_document() -> None:
    run = run_of(("a", 5, 20), ("a", 12, 13), ("a", 30, 30), ("b", 5, 20), ("a", -1, -1))
    run = replace(run, lengths=pl.DataFrame({"doc": ["a", "b"], "length": [12, 20]}))
    repair = repaired(run, FOCUSED)
    assert parts_of(repair.run) == [("a", 5, 12), ("b", 5, 20), ("a", -1, -1)]
    assert [(change.rule, change.count) for change in repair.changes][:2] == [
        ("past-document-end", 1),
        ("past-document-end", 2),
    ]


def test_ranks_count_from_one_in_the_order_that_counts() -> None:
    run = run_of(("a", 0, 5), ("b", 0, 5), ("c", 0, 5), rank=[7, 0, 0], score=[1.0, 2.0, 3.0])
    repair = repaired(run, FOCUSED)
    assert repair.run.frame.select("doc", "rank", "score").rows() == [
        ("b", 1, 1.0), ("c", 2, 0.5), ("a", 3, 1 / 3),
    ]  # fmt: skip
    assert [(change.rule, change.count) for change in repair.changes] == [
        ("ranks", 3), ("scores", 3),
    ]  # fmt: skip
    by_score = repaired(replace(run, order=Order.SCORE), FOCUSED)
    assert by_score.run.frame["doc"].to_list() == ["c", "b", "a"]
    assert by_score.run.frame["score"].to_list() == [3.0, 2.0, 1.0]


def test_repair_says_so_where_lines_decide_against_the_ranks() -> None:
    contradicting = run_of(("a", 0, 5), ("b", 0, 5), rank=[2, 1])
    in_lines = repaired(replace(contradicting, order=Order.FILE), FOCUSED)
    assert in_lines.run.frame["doc"].to_list() == ["a", "b"]
    assert "in the order of the lines, which old ranks contradict" in str(in_lines)
    by_rank = repaired(contradicting, FOCUSED)
    assert by_rank.run.frame["doc"].to_list() == ["b", "a"]
    assert by_rank.changes == ()
    from_zero = run_of(("a", 0, 5), ("b", 0, 5), rank=[0, 1])
    told = str(repaired(replace(from_zero, order=Order.FILE), FOCUSED))
    assert told == "2 results with a new rank: ranks count from 1 [ranks]"


def test_paths_are_written_out_and_lost_where_parts_are_cut() -> None:
    run = run_of(("a", 0, 6), ("a", 6, 12))
    paths = pl.Series("path", ["/x/y[02]", "/x[1]/y[3]"])
    run = run.with_frame(run.frame.with_columns(paths))
    repair = repaired(run, FOCUSED)
    assert repair.run.frame["path"].to_list() == ["/x[1]/y[2]", "/x[1]/y[3]"]
    assert repair.run.results.has_paths
    assert [(change.rule, change.count) for change in repair.changes] == [("paths", 1)]
    cut = repaired(run, RepairOptions(Task.FOCUSED, characters=10))
    assert not cut.run.results.has_paths
    assert ("mixed-elements", 1) in [(change.rule, change.count) for change in cut.changes]


def test_a_run_in_order_is_left_as_it_is() -> None:
    repair = repaired(run_of(("a", 0, 5), ("a", 5, 6), score=[2.0, 1.0]), FOCUSED)
    assert repair.changes == ()
