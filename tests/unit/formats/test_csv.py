from __future__ import annotations

import pytest

from foveal.choices import Order
from foveal.errors import BadInput
from foveal.formats import csv, read_run
from foveal.tables import Run
from tests.unit.conftest import Saved

Row = tuple[object, ...]


def rows(path: str) -> list[Row]:
    return read_run(path).frame.select("topic", "doc", "start", "end", "line").rows()


@pytest.mark.parametrize("separator", [",", "\t"], ids=["csv", "tsv"])
def test_columns_stand_in_any_order_and_others_are_passed_over(
    separator: str, saved: Saved
) -> None:
    text = "end,doc,line,start,topic\n5,a,77,0,051\n9,b,78,7,NA\n".replace(",", separator)
    assert rows(saved(text)) == [("051", "a", 0, 5, 2), ("NA", "b", 7, 9, 3)]


@pytest.mark.parametrize(
    ("text", "name", "tag"),
    [
        ("topic,doc,tag\n1,a,bm25\n1,b,bm25\n", "mine", "bm25"),
        ("topic,doc,tag\n1,a,bm25\n1,b,x\n", "mine", "mine"),
        ("topic,doc,tag\n1,a,bm25\n1,b,\n", "mine", "mine"),
        ("topic,doc,run\n1,a,bm25\n1,b,bm25\n", "bm25", "bm25"),
        ("topic,doc,run,tag\n1,a,dense,bm25\n", "dense", "bm25"),
    ],
)
def test_a_column_run_names_the_run_and_a_tag_does_not(
    text: str, name: str, tag: str, saved: Saved
) -> None:
    run = read_run(saved(text))
    assert (run.name, run.tag) == (name, tag)


def test_ranks_go_before_scores(saved: Saved) -> None:
    assert read_run(saved("topic,doc,rank,score\n1,a,1,2\n")).order is Order.RANK
    assert read_run(saved("topic,doc,score\n1,a,2\n")).order is Order.SCORE
    assert read_run(saved("topic,doc\n1,a\n")).order is Order.FILE


@pytest.mark.parametrize(
    "text",
    [
        "topic,doc\n1,a\n\n1,b\n",
        "# mine\ntopic,doc\n# x\n1,b\n",
        "topic,doc\r\n1,a\r\n\r\n1,b\r\n",
        'topic,doc\n"1",a\n#"\n1,"b"\n',
        '"topic","doc"\n1,a\n\n"1","b"',
    ],
)
def test_blank_lines_and_comments_count_as_lines(text: str, saved: Saved) -> None:
    assert rows(saved(text))[-1] == ("1", "b", None, None, 4)


def test_a_quoted_field_may_hold_anything(saved: Saved) -> None:
    text = 'topic,doc\n1,"a ""x"", \n# no comment\n\n\ty"\n2,b\n'
    assert rows(saved(text)) == [
        ("1", 'a "x", \n# no comment\n\n\ty', None, None, 2),
        ("2", "b", None, None, 6),
    ]


def test_a_quote_inside_a_field_is_a_letter(saved: Saved) -> None:
    assert rows(saved('topic,doc\n1,5"\n')) == [("1", '5"', None, None, 2)]


def test_numbers_are_written_to_read_back_exactly() -> None:
    rows = [{"topic": "1", "doc": "a", "score": 0.1 + 0.2}, {"topic": "1", "doc": "b", "score": 1}]
    assert csv.write_run(Run.from_dicts(rows, "mine"), ",") == (
        b"topic,doc,score,tag\n1,a,0.30000000000000004,mine\n1,b,1.0,mine\n"
    )


def test_topics_that_look_like_comments_are_quoted(saved: Saved) -> None:
    run = Run.from_dict({"#1": {"a": 1}}, "mine")
    assert read_run(saved(csv.write_run(run, "\t"))).equals(run)


def test_all_problems_are_told(saved: Saved) -> None:
    with pytest.raises(BadInput) as caught:
        read_run(saved('topic,doc\n1\n1,a,b\n1,"b\n'))
    assert [(p.line, p.text) for p in caught.value.problems] == [
        (2, "1"),
        (3, "1,a,b"),
        (4, '1,"b'),
    ]


def test_line_ends_in_quotes_are_kept_as_they_are(saved: Saved) -> None:
    text = 'topic,doc,score\r\n1,"a\r\nb",2\r\n2,"c\nd",1\r\n'
    run = read_run(saved(text.encode(), "mine.csv"))
    assert run.frame["doc"].to_list() == ["a\r\nb", "c\nd"]
    assert run.frame["score"].to_list() == [2, 1]
