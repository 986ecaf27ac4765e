from __future__ import annotations

import pytest

from foveal.choices import Order
from foveal.errors import BadInput
from foveal.files import Source
from foveal.formats import jsonl, read_qrels, read_run
from foveal.formats._json_rows import MAX_KEYS, decoded_columns
from foveal.tables import Qrels, Run
from tests.unit.conftest import Saved


def test_numbers_become_names_and_other_keys_are_passed_over(saved: Saved) -> None:
    run = read_run(saved('{"topic": 51, "doc": 7, "score": 1, "title": ["x"]}\n'))
    assert run.frame.rows() == [("51", "7", None, None, None, 1.0, 1)]
    assert run.order is Order.SCORE


def test_a_topic_may_hold_its_results(saved: Saved) -> None:
    text = (
        '# mine\n{"topic": 1, "run": "bm25", "results": [{"doc": "b", "rank": 2},'
        ' {"doc": "a", "rank": 1}]}\n{"topic": 2, "run": "bm25", "results": []}\n'
        '{"topic": 3, "run": "bm25", "doc": "c", "rank": 1}\n'
    )
    run = read_run(saved(text))
    assert run.frame.select("topic", "doc", "rank", "line").rows() == [
        ("1", "b", 2, 2),
        ("1", "a", 1, 2),
        ("3", "c", 1, 4),
    ]
    assert (run.name, run.order) == ("bm25", Order.RANK)


@pytest.mark.parametrize("tags", ['"tag": "x"', '"tag": 5', '"run": null', '"tag": {}'])
def test_several_tags_are_none(tags: str, saved: Saved) -> None:
    text = '{"topic": 1, "doc": "a", "tag": "mine"}\n{"topic": 1, "doc": "b", ' + tags + "}\n"
    run = read_run(saved(text, "bm25.jsonl"))
    assert (run.name, run.tag) == ("bm25", "bm25")


@pytest.mark.parametrize("more", ["", ', "other": 3'])
def test_a_key_run_names_the_run_and_a_tag_does_not(more: str, saved: Saved) -> None:
    lines = '{"topic": 1, "doc": "%s", "run": "dense", "tag": "mine"' + more + "}\n"
    run = read_run(saved(lines % "a" + lines % "b"))
    assert (run.name, run.tag) == ("dense", "mine")
    with pytest.raises(BadInput, match=r"column 'run' names 2 runs \(dense, bm25\)"):
        read_run(saved(lines % "a" + (lines % "b").replace("dense", "bm25")))


def test_whole_numbers_may_be_spelled_with_a_point(saved: Saved) -> None:
    run = read_run(saved('{"topic": 1, "doc": "a", "start": 0.0, "end": 5.0}\n'))
    assert run.frame.select("start", "end").rows() == [(0, 5)]


def test_a_run_is_written_without_what_it_lacks() -> None:
    run = Run.from_dicts([{"topic": "1", "doc": "a", "score": 0.1}], "mine")
    assert jsonl.write_run(run) == b'{"topic":"1","doc":"a","score":0.1,"tag":"mine"}\n'


def test_ranks_are_given_anew_if_they_do_not_count(saved: Saved) -> None:
    run = read_run(saved("1 Q0 a 1 5 mine\n1 Q0 b 2 9 mine\n"))
    again = read_run(saved(jsonl.write_run(run)))
    assert again.frame.select("doc", "rank", "score").rows() == [("a", 2, 5), ("b", 1, 9)]


def test_ranks_that_agree_are_kept(saved: Saved) -> None:
    run = read_run(saved("1 Q0 a 20 5 mine\n1 Q0 b 10 9 mine\n"))
    assert read_run(saved(jsonl.write_run(run))).equals(run)


def test_judgements_of_every_kind(saved: Saved) -> None:
    text = (
        '{"topic": 1, "doc": "a", "length": 9, "entry": 2, "highlights": [[2, 4], [4, 7]]}\n'
        '{"topic": 1, "doc": "b", "grade": -1}\n'
        '{"topic": 1, "doc": "c", "length": 5, "entry": null, "highlights": []}\n'
    )
    qrels = read_qrels(saved(text))
    assert qrels.documents.select("doc", "length", "entry", "grade").rows() == [
        ("a", 9, 2, None),
        ("b", None, None, -1),
        ("c", 5, None, None),
    ]
    assert qrels.passages.rows() == [(0, 2, 4), (0, 4, 7)]


def test_grades_alone_are_written_alone() -> None:
    text = jsonl.write_qrels(Qrels.from_dict({"1": {"a": 1}}))
    assert text == b'{"topic":"1","doc":"a","grade":1.0}\n'


def test_stated_sizes_survive(saved: Saved) -> None:
    qrels = read_qrels(saved("1 Q0 a 50 10 0 0:5\n1 Q0 b 0 10\n"))
    again = read_qrels(saved(jsonl.write_qrels(qrels)))
    assert again.equals(qrels)
    assert again.documents["rel_chars"].to_list() == [50, 0]


def test_all_problems_are_told(saved: Saved) -> None:
    lines = ["{", '{"topic": 1}', "7", '{"topic": true, "doc": "a", "score": "x", "start": []}']
    with pytest.raises(BadInput) as caught:
        read_run(saved("\n".join(lines)))
    assert [(p.line, p.reason.split(":")[0], p.text) for p in caught.value.problems] == [
        (1, "broken JSON at character 2", lines[0]),
        (2, "no doc", lines[1]),
        (3, "7, not a JSON object", lines[2]),
        (4, "topic is True, not an identifier", lines[3]),
        (4, "start is a list, not a whole number", lines[3]),
        (4, "score is the text 'x', not a finite number", lines[3]),
    ]


def test_an_offset_of_no_size_that_exists_is_a_problem_of_its_line(saved: Saved) -> None:
    highlight = '{"start": 9.3e18, "end": 262, "aspects": ["colour"]}'
    with pytest.raises(BadInput) as caught:
        read_qrels(saved('{"topic": 1, "doc": "a", "highlights": [' + highlight + "]}\n"))
    assert [(p.line, p.reason.split(" is ")[0]) for p in caught.value.problems] == [(1, "start")]


@pytest.mark.parametrize("tag", ["mine", ""])
def test_a_misspelt_key_is_asked_about_however_the_lines_are_read(tag: str, saved: Saved) -> None:
    run = read_run(saved('{"topic": 1, "doc": "a", "scor": 2, "run": "' + tag + '"}\n'))
    assert run.notes == ("ignored key 'scor': rename it to 'score'?",)


def test_a_further_column_without_values_is_there(saved: Saved) -> None:
    run = read_run(saved('{"topic": 1, "doc": "a", "score": 1, "cost": null}\n'), also=("cost",))
    assert run.frame.height == 1


def test_a_key_that_is_null_on_every_line_is_as_good_as_missing(saved: Saved) -> None:
    row = '{"topic": 1, "doc": "a", "highlights": [[2, 5]], "start": null}\n'
    first, other = read_qrels(saved(row)), read_qrels(saved(row.replace(', "start": null', "")))
    assert first.passages.equals(other.passages)
    with pytest.raises(BadInput, match="no key 'doc'"):
        read_qrels(saved('{"topic": 1, "start": 5, "length": 3}\n'))


def test_a_line_of_many_keys_is_read_by_itself(saved: Saved) -> None:
    keys = ", ".join(f'"k{number}": {number}' for number in range(MAX_KEYS))
    path = saved('{"topic": 1, "doc": "a", "score": 1, ' + keys + "}\n")
    # As columns, every key would take room in every row, and time to look for.
    with Source.of(path) as source:
        assert decoded_columns(source, {}) is None
    assert read_run(path).frame.height == 1
