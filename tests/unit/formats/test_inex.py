from __future__ import annotations

from dataclasses import replace

import pytest

from foveal.choices import Order
from foveal.errors import BadInput, DataError, UsageError
from foveal.formats import inex, read_qrels, read_run, write_run
from foveal.tables import Qrels, Run
from tests.articles import ELEMENTS
from tests.unit.conftest import Saved

RUN = """\
1 Q0 a 1 0.5 mine 35336 1877
1 Q0 b 2 9.5 mine 133
1 Q0 c 3 1 mine X 18
1 Q0 d 4 1 mine -1 none
1 Q0 e 5 1 mine X
1 Q0 f 6 1 mine -1
1 Q0 a 7 1 mine 10 0
"""
QRELS = """\
1 Q0 a 7 100 3 3:5 9:2
1 Q0 b 0 70
1 Q0 c 0 70 5
1 Q0 d 4 70 -1 60:4
"""


def test_lines_of_seven_and_eight_columns_are_read_in_order(saved: Saved) -> None:
    run = read_run(saved(RUN))
    assert run.order is Order.FILE
    assert run.frame.select("doc", "start", "end", "rank").rows() == [
        ("a", 35336, 37213, 1),
        ("b", 133, 133, 2),
        ("c", -1, -1, 3),
        ("d", -1, -1, 4),
        ("e", -1, -1, 5),
        ("f", -1, -1, 6),
        ("a", 10, 10, 7),
    ]


def test_a_run_is_written_with_offset_and_length(saved: Saved) -> None:
    assert inex.write_run(read_run(saved(RUN))).decode() == (
        "1 Q0 a 1 0.5 mine 35336 1877\n"
        "1 Q0 b 2 9.5 mine 133 0\n"
        "1 Q0 c 3 1.0 mine X 0\n"
        "1 Q0 d 4 1.0 mine X 0\n"
        "1 Q0 e 5 1.0 mine X 0\n"
        "1 Q0 f 6 1.0 mine X 0\n"
        "1 Q0 a 7 1.0 mine 10 0\n"
    )


def test_a_run_is_written_in_the_order_of_its_ranks() -> None:
    part = {"topic": "1", "start": 0, "end": 5, "score": 1.0}
    rows = [{**part, "doc": "a", "rank": 2}, {**part, "doc": "b", "rank": 1}]
    text = inex.write_run(Run.from_dicts(rows, "mine"))
    assert text == b"1 Q0 b 1 1.0 mine 0 5\n1 Q0 a 2 1.0 mine 0 5\n"


def test_topics_stay_mixed_if_their_results_stand_in_order() -> None:
    part = {"start": 0, "end": 5, "score": 1.0}
    rows = [{**part, "topic": topic, "doc": "a"} for topic in ("1", "2", "1")]
    run = replace(Run.from_dicts(rows, "mine"), order=Order.FILE)
    text = inex.write_run(run).decode()
    assert [line.split()[0] for line in text.splitlines()] == ["1", "2", "1"]
    assert [line.split()[3] for line in text.splitlines()] == ["1", "1", "2"]


def test_whole_documents_cannot_be_written() -> None:
    with pytest.raises(
        DataError,
        match=r"returns 1 whole document of unknown length: give the collection's offset index",
    ):
        inex.write_run(Run.from_dict({"1": {"a": 1}}))


def test_element_paths_are_refused_once_with_their_number(saved: Saved) -> None:
    lines = RUN + "1 Q0 g 1 1 mine /article[1]/p[2]\n1 Q0 g 1 1 mine /article[1] /article[2]\n"
    path = saved(lines)
    with pytest.raises(BadInput, match="--elements INDEX") as caught:
        read_run(path)
    (problem,) = caught.value.problems
    assert problem.line == 8
    assert "2 lines" in problem.reason


def test_judged_documents_with_and_without_passages(saved: Saved) -> None:
    qrels = read_qrels(saved(QRELS))
    assert qrels.documents.select("doc", "length", "entry", "grade", "rel_chars").rows() == [
        ("a", 100, 3, None, 7),
        ("b", 70, None, None, 0),
        ("c", 70, 5, None, 0),
        ("d", 70, None, None, 4),
    ]
    assert qrels.passages.rows() == [(0, 3, 8), (0, 9, 11), (3, 60, 64)]


def test_judgements_are_written_as_they_were_read(saved: Saved) -> None:
    assert inex.write_qrels(read_qrels(saved(QRELS))).decode() == QRELS


def test_relevant_characters_are_counted_if_not_stated() -> None:
    row = {"topic": "1", "doc": "a", "length": 9, "highlights": [[0, 5], [7, 8]]}
    assert inex.write_qrels(Qrels.from_dicts([row])) == b"1 Q0 a 6 9 -1 0:5 7:1\n"


def test_a_document_given_twice_is_united_and_counted(saved: Saved) -> None:
    qrels = read_qrels(saved("1 Q0 a 5 10 0 0:5\n1 Q0 a 2 10 0 7:2\n"))
    assert qrels.passages.rows() == [(0, 0, 5), (0, 7, 9)]
    assert "1 repeated document:" in qrels.notes[0]


def test_stated_sizes_that_disagree_are_a_note(saved: Saved) -> None:
    assert "1 document " in read_qrels(saved("1 Q0 a 50 10 0 0:5\n")).notes[0]


@pytest.mark.parametrize(
    ("row", "missing"), [({"grade": 1, "length": 5}, "grade"), ({"highlights": [[0, 5]]}, "length")]
)
def test_judgements_that_do_not_fit_cannot_be_written(row: dict[str, object], missing: str) -> None:
    with pytest.raises(DataError, match=missing):
        inex.write_qrels(Qrels.from_dicts([{"topic": "1", "doc": "a", **row}]))


def test_all_problems_of_a_line_are_told(saved: Saved) -> None:
    with pytest.raises(BadInput) as caught:
        read_qrels(saved("1 Q0 a x 10 y 0:5 7 8:z\n1 Q0 b 5 10 3\n"))
    assert [(problem.line, problem.reason) for problem in caught.value.problems] == [
        (1, "rel_chars is 'x', not a whole number"),
        (1, "entry is 'y', not a whole number"),
        (1, "passage is '7', not offset:length"),
        (1, "passage is '8:z', not offset:length"),
        (
            2,
            "an entry point but no passage: give the passages as offset:length, or 0 relevant characters",
        ),
    ]


PATHS = """\
1 Q0 9996 1 3 mine /article[1]/bdy/sec[2]
1 Q0 9996 2 2 mine /article[1]/bdy[1]/sec[1] /article[1]/bdy[1]/sec[2]/p[1]/text()[1].6
1 Q0 22478 3 1 mine 3 5
1 Q0 9996 4 1 mine /article[1]/bdy[1]/sec[3]/text()[1].2
1 Q0 9996 5 1 mine X
"""


def test_elements_ranges_and_points_are_resolved_through_the_index(saved: Saved) -> None:
    run = read_run(saved(PATHS), elements=ELEMENTS)
    assert run.frame.select("start", "end", "path").rows() == [
        (25, 43, "/article[1]/bdy/sec[2]"),
        (8, 31, None),
        (3, 8, None),
        (46, 46, "/article[1]/bdy[1]/sec[3]/text()[1].2"),
        (-1, -1, None),
    ]
    assert run.lengths is not None
    assert dict(run.lengths.rows()) == {"9996": 51, "22478": 12}


def test_everything_unknown_is_gathered(saved: Saved) -> None:
    text = (
        PATHS.replace("sec[2]\n", "sec[4]\n").replace("22478", "0").replace("[3]/text", "[3/text")
    )
    with pytest.raises(BadInput) as caught:
        read_run(saved(text), elements=ELEMENTS)
    assert [problem.line for problem in caught.value.problems] == [1, 4]
    with pytest.raises(BadInput, match=":3: document '0' is not in the index"):
        read_run(saved(PATHS.replace("22478", "0")), elements=ELEMENTS)


def test_parts_that_are_no_elements_are_not_written_by_paths(saved: Saved) -> None:
    run = read_run(saved(PATHS), elements=ELEMENTS)
    with pytest.raises(DataError, match="has 2 parts without an element path"):
        write_run(run, saved("", "out.inex"), paths=True)
    with pytest.raises(DataError, match="has 1 part without an element path"):
        write_run(read_run(saved("1 Q0 a 1 2 m 5 6\n")), saved("", "out.inex"), paths=True)
    with pytest.raises(UsageError, match="jsonl cannot hold element paths"):
        write_run(run, saved("", "out.jsonl"), paths=True)
