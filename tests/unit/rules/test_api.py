"""Checking and repairing what is in memory, as the commands do with files."""

from __future__ import annotations

from copy import copy
from pathlib import Path

import pandas as pd
import pytest

import foveal
from foveal.collection import build_index, open_index
from foveal.elements import ElementLookup
from foveal.errors import BadInput, UsageError
from foveal.files import Source

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
    near = foveal.check(OVERLAPPING.assign(doc=["a", "kb/a.xml", "b"]), elements=elements)
    message = "document 'kb/a.xml' is not in the index; did you mean 'a'?"
    assert (2, message) in {(own.line, own.message) for own in near.findings}


def test_a_table_that_cannot_be_read_is_a_finding() -> None:
    found = foveal.check(OVERLAPPING.assign(end=-7), task="ric")
    assert set(rules(found)) == {"unreadable"}
    assert [finding.line for finding in found.findings] == [1, 2, 3]
    assert found.settings == {"task": "ric"}


# For each format: the first line, a good result, two that cannot be read, and one that breaks a rule.
BROKEN = {
    "trec": ("#", "1 Q0 a 1 9 m", "1 Q0 b 2 x m", "1 Q0 c 3", "1 Q0 d 4 99 m"),
    "fol": ("#", "1 Q0 a 1 9 m 0 9", "1 Q0 b 2 8 m 3 y", "1 Q0 c 3", "1 Q0 d 4 99 m 5 9"),
    "csv": ("topic,doc,rank,score", "1,a,1,9", "1,b,2,x", "1,c", "1,d,4,99"),
    "tsv": ("topic\tdoc\trank\tscore", "1\ta\t1\t9", "1\tb\t2\tx", "1\tc", "1\td\t4\t99"),
    "jsonl": (
        "#",
        '{"topic": "1", "doc": "a", "rank": 1, "score": 9}',
        '{"topic": "1", "doc": "b", "rank": 2, "score": "x"}',
        '{"topic": "1",',
        '{"topic": "1", "doc": "d", "rank": 4, "score": 99}',
    ),
}


@pytest.mark.parametrize("form", BROKEN)
def test_lines_that_cannot_be_read_do_not_hide_what_breaks_a_rule(
    form: str, tmp_path: Path
) -> None:
    *lines, last = BROKEN[form]
    path = tmp_path / f"run.{form}"
    path.write_bytes("\n".join([*lines, "caf\xe9", last]).encode("latin-1") + b"\n")
    found = foveal.check(path, task="thorough")
    assert [(own.rule, own.line) for own in found.findings if own.rule != "file-order"] == [
        ("unreadable", 3),
        ("unreadable", 4),
        ("unreadable", 5),
        ("rank-against-score", 6),
    ]
    assert found.notes[0] == "the other rules are checked for the 2 results that can be read"
    with pytest.raises(BadInput) as refused:
        foveal.read_run(path)
    assert {problem.line for problem in refused.value.problems} == {3, 4, 5}
    # Only what is wrong goes from one process to another.
    assert refused.value.rest
    assert copy(refused.value).rest is None


def test_an_open_file_is_read_strictly_again_afterwards(tmp_path: Path) -> None:
    (tmp_path / "run.trec").write_bytes(b"1 Q0 a 1 9 m\n1 Q0 caf\xe9 2 8 m\n")
    with Source.of(tmp_path / "run.trec") as source:
        with pytest.raises(BadInput, match="not UTF-8"):
            foveal.read_run(source)
        with pytest.raises(BadInput, match="not UTF-8"):
            source.text()


def test_a_column_that_some_results_lack_orders_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("topic,doc,rank,score\n1,a,2,9\n1,b,,8\n1,c,,9\n1,d,1,7\n")
    found = foveal.check(path)
    assert [(own.rule, own.line) for own in found.findings] == [
        ("tied-scores", 2),
        ("unreadable", 3),
    ]


def test_a_topic_whose_first_line_cannot_be_read_still_counts_from_one(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text("1 Q0 a 1 x m\n1 Q0 b 2 8 m\n")
    assert rules(foveal.check(path)) == ["unreadable"]


@pytest.mark.parametrize(
    "text",
    [
        "hello world\n",
        "doc,start\na,1\n",
        "1 0 a 1\n1 0 b\n",
        "<inex-submission><topic topic-id='1'>",
        "1 Q0 caf\xe9 1 1 m\n" * 20_000,
    ],
)
def test_what_is_no_run_stays_one_error_or_those_of_its_encoding(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(text.encode("latin-1"))
    found = foveal.check(path)
    assert set(rules(found)) == {"unreadable"}
    assert found.settings == {"task": "unknown"}
    assert len(found.findings) == (1 if text.isascii() else 10_001)


SCATTERED = [("1", "a", 1), ("2", "a", 1), ("1", "b", 2)]


def test_topics_in_several_blocks_are_found_in_files_alone(tmp_path: Path) -> None:
    lines = [f"{topic} Q0 {doc} {rank} {-rank} m" for topic, doc, rank in SCATTERED]
    path = tmp_path / "run.trec"
    path.write_text("\n".join(lines) + "\n")
    (finding,) = foveal.check(path).findings
    assert (finding.rule, finding.line) == ("scattered-topic", 3)
    assert finding.message == "1 topic comes in several blocks of lines (1)"
    rows = [{"topic": topic, "doc": doc, "rank": rank} for topic, doc, rank in SCATTERED]
    assert rules(foveal.check(rows)) == []


def test_ordinary_runs_hear_nothing_of_the_restricted_task(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    row = '{"topic": "1", "doc": "a", "start": 0, "end": 5000, "score": 1}'
    path.write_text(row + "\n")
    for task in (None, "focused", "ric", "rag"):
        assert foveal.check(path, task=task).findings == ()
    assert len(foveal.repair(str(path)).run.frame) == 1


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
