"""Checking and repairing what is in memory, as the commands do with files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import foveal
from foveal.collection import build_index, open_index
from foveal.elements import ElementLookup
from foveal.errors import BadInput, UsageError

OVERLAPPING = pd.DataFrame(
    {"topic": ["1", "1", "1"], "doc": ["a", "a", "b"], "start": [0, 3, 0], "end": [5, 8, 2]}
)
QRELS = [{"topic": "1", "doc": "a", "length": 9, "highlights": [[0, 4]]}]


@pytest.fixture
def elements(tmp_path: Path) -> ElementLookup:
    """The offset index of two documents, nine and two characters long."""
    (tmp_path / "texts").mkdir()
    for name, text in (("a", "123456789"), ("b", "12")):
        (tmp_path / "texts" / f"{name}.xml").write_text(f"<d>{text}</d>")
    build_index([str(tmp_path / "texts")], tmp_path / "INDEX")
    return open_index(tmp_path / "INDEX")


def rules(found: foveal.Findings) -> list[str]:
    return [finding.rule for finding in found.findings]


def test_a_frame_is_checked_by_the_rules_of_a_task() -> None:
    found = foveal.check(OVERLAPPING, task="focused")
    assert rules(found) == ["overlap"]
    assert found.has_errors
    assert found.settings == {"task": "focused"}
    assert rules(foveal.check(OVERLAPPING, task="thorough")) == []


def test_the_task_is_read_off_the_tables() -> None:
    assert foveal.check(OVERLAPPING).settings == {"task": "focused"}
    assert foveal.check({"1": {"a": 1.0}}).settings == {"task": "document"}
    assert foveal.check({"1": {"a": 1.0}}, QRELS).settings == {"task": "focused"}


def test_judgements_find_extra_and_missing_topics() -> None:
    found = foveal.check({"2": {"a": 1.0}}, QRELS)
    assert {"missing-topics", "unjudged-topics"} <= set(rules(found))


def test_topics_find_unknown_and_missing_topics_before_anything_is_judged() -> None:
    given = foveal.Topics.from_dicts([{"topic": "1"}, {"topic": "2"}])
    wrong = {"1": {"a": 1.0}, "999": {"a": 1.0}}
    several: list[foveal.Topics | list[str] | list[int]] = [given, ["1", "2"], [1, 2]]
    for topics in several:
        found = foveal.check(wrong, topics=topics)
        assert rules(found) == ["missing-topics", "unknown-topic"]
        assert found.has_errors
    assert rules(foveal.check(wrong, topics=["999", "1"])) == []
    with pytest.raises(UsageError, match=r"or a list of names, got 'topics\.tsv'"):
        foveal.check(wrong, topics="topics.tsv")


def test_an_index_finds_parts_that_end_beyond_their_document(elements: ElementLookup) -> None:
    beyond = OVERLAPPING.assign(end=[5, 3, 7])
    assert "past-document-end" in rules(foveal.check(beyond, elements=elements))
    unknown = OVERLAPPING.assign(doc="nowhere")
    found = foveal.check(unknown, elements=elements)
    assert rules(found) == ["unreadable"] * 3
    assert found.findings[0].message == "document 'nowhere' is not in the index"


def test_a_table_that_cannot_be_read_is_a_finding() -> None:
    found = foveal.check(OVERLAPPING.assign(end=-7), task="ric")
    assert set(rules(found)) == {"unreadable"}
    assert [finding.line for finding in found.findings] == [1, 2, 3]
    assert found.settings == {"task": "ric"}


def test_what_is_not_a_run_is_a_mistake_of_the_call() -> None:
    with pytest.raises(UsageError, match="cannot read a table from int"):
        foveal.check(3)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(BadInput, match="no column 'topic'"):
        foveal.check(OVERLAPPING, [{"doc": "a", "grade": 1}])


def test_a_path_is_not_an_index() -> None:
    for call in (foveal.check, foveal.repair):
        with pytest.raises(UsageError, match="elements must be an offset index"):
            call(OVERLAPPING, elements="INDEX")  # type: ignore[arg-type]  # wrong on purpose


def test_notes_of_the_tables_are_kept() -> None:
    found = foveal.check(OVERLAPPING.assign(colour="red"), [{**QRELS[0], "shade": "dark"}])
    assert found.notes == (
        "ignored column shade: not part of judgements",
        "ignored column colour: not part of a run",
    )


def test_a_frame_is_repaired_and_the_changes_are_told() -> None:
    repair = foveal.repair(OVERLAPPING, task="focused")
    assert repair.run.frame["start"].to_list() == [0, 0]
    assert str(repair) == "1 result removed that shared text with a better ranked one [overlap]"
    again = foveal.repair(repair.run, task="focused")
    assert str(again) == "nothing to change"
    assert not foveal.check(repair.run, task="focused").has_errors


def test_a_repair_has_the_choices_of_the_command(elements: ElementLookup) -> None:
    smaller = foveal.repair(OVERLAPPING.assign(end=[9, 8, 2]), task="focused", keep="descendants")
    assert smaller.run.frame["start"].to_list() == [3, 0]
    cut = foveal.repair({"1": {"a": 1.0}}, task="focused", characters=4, elements=elements)
    assert cut.run.frame.select("start", "end").rows() == [(0, 4)]
