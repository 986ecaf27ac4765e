from __future__ import annotations

import pytest

from foveal.choices import Order
from foveal.errors import BadInput, DataError
from foveal.formats import read_qrels, read_run, trec
from foveal.tables import Qrels, Run
from tests.unit.conftest import Saved

RUN = "2 Q0 b 1 0.5 mine\n1 Q0 a 7 -1e-05 mine\n"
QRELS = "1 0 a 1\n1 0 b -2\n2 iter b 0.5\n"


def test_a_run_keeps_the_order_of_its_lines(saved: Saved) -> None:
    run = read_run(saved(RUN))
    assert run.frame.rows() == [
        ("2", "b", None, None, 1, 0.5, 1),
        ("1", "a", None, None, 7, -1e-05, 2),
    ]
    assert (run.name, run.order) == ("mine", Order.SCORE)


def test_a_run_of_several_tags_is_named_by_its_file(saved: Saved) -> None:
    assert read_run(saved("1 Q0 a 1 1 x\n1 Q0 b 2 0 y\n", "bm25.run.gz")).name == "bm25"


def test_a_run_is_written_as_it_was_read(saved: Saved) -> None:
    assert trec.write_run(read_run(saved(RUN))) == b"2 Q0 b 1 0.5 mine\n1 Q0 a 7 -0.00001 mine\n"


def test_ranks_that_are_missing_are_counted_by_score() -> None:
    run = Run.from_dict({"1": {"a": 1, "b": 3}, "2": {"c": 5}}, "mine")
    assert trec.write_run(run) == (b"1 Q0 a 2 1.0 mine\n1 Q0 b 1 3.0 mine\n2 Q0 c 1 5.0 mine\n")


def test_parts_cannot_be_written() -> None:
    run = Run.from_dicts([{"topic": "1", "doc": "a", "start": 0, "end": 5, "score": 1.0}])
    with pytest.raises(DataError, match="parts of documents"):
        trec.write_run(run)


def test_a_run_without_scores_cannot_be_written() -> None:
    with pytest.raises(DataError, match="no scores"):
        trec.write_run(Run.from_dicts([{"topic": "1", "doc": "a", "rank": 1}]))


def test_scores_that_contradict_the_ranks_cannot_be_written() -> None:
    rows = [
        {"topic": "1", "doc": "a", "rank": 2, "score": 9.0},
        {"topic": "1", "doc": "b", "rank": 1, "score": 5.0},
    ]
    with pytest.raises(DataError, match="contradict"):
        trec.write_run(Run.from_dicts(rows))


def test_equal_scores_are_written_by_rank() -> None:
    rows = [
        {"topic": "1", "doc": "a", "rank": 2, "score": 5.0},
        {"topic": "1", "doc": "b", "rank": 1, "score": 5.0},
    ]
    assert trec.write_run(Run.from_dicts(rows, "mine")) == (
        b"1 Q0 b 1 5.0 mine\n1 Q0 a 2 5.0 mine\n"
    )


@pytest.mark.parametrize("name", ["a b", "a\tb", "a\nb", "", "#a", "\ufeffa"])
def test_a_topic_that_is_no_word_cannot_be_written(name: str) -> None:
    if name:
        with pytest.raises(DataError, match="is not a single word"):
            trec.write_run(Run.from_dict({name: {"a": 1}}))
        with pytest.raises(DataError, match="is not a single word"):
            trec.write_qrels(Qrels.from_dict({name: {"a": 1}}))
    if name[:1] not in {"#", "\ufeff"}:
        with pytest.raises(DataError, match="is not a single word"):
            trec.write_run(Run.from_dict({"1": {"a": 1}}, name))


def test_grades_may_be_fractions_and_negative(saved: Saved) -> None:
    qrels = read_qrels(saved(QRELS))
    assert qrels.documents["grade"].to_list() == [1, -2, 0.5]
    assert not qrels.has_highlights


def test_judgements_are_written_with_short_grades(saved: Saved) -> None:
    assert trec.write_qrels(read_qrels(saved(QRELS))) == b"1 0 a 1\n1 0 b -2\n2 0 b 0.5\n"


@pytest.mark.parametrize(
    ("row", "missing"),
    [
        ({"highlights": [[0, 5]], "grade": 1}, "highlights"),
        ({"length": 9, "grade": 1}, "length"),
        ({"highlights": []}, "grade"),
    ],
)
def test_judgements_of_text_cannot_be_written(row: dict[str, object], missing: str) -> None:
    qrels = Qrels.from_dicts([{"topic": "1", "doc": "a", **row}])
    with pytest.raises(DataError, match=missing):
        trec.write_qrels(qrels)


def test_all_problems_of_a_file_are_told_with_their_lines(saved: Saved) -> None:
    path = saved("1 Q0 a 1 high mine\n\n1 Q0\n1 Q0 b 2 1 mine\n")
    with pytest.raises(BadInput) as caught:
        read_run(path)
    assert str(caught.value) == (
        f"{path}:1: score is 'high', not a finite number\n"
        "    1 Q0 a 1 high mine\n"
        f"{path}:3: 2 columns, expected 6\n"
        "    1 Q0\n"
        "expected: topic Q0 doc rank score tag"
    )


def test_a_repeated_document_is_told_with_its_line(saved: Saved) -> None:
    path = saved("1 Q0 a 1 2 mine\n1 Q0 a 2 1 mine\n")
    with pytest.raises(BadInput) as caught:
        read_run(path)
    (problem,) = caught.value.problems
    assert (problem.line, problem.text) == (2, "1 Q0 a 2 1 mine")


def test_a_thousand_texts_are_enough(saved: Saved) -> None:
    with pytest.raises(BadInput) as caught:
        read_run(saved("1 Q0 a 1 high mine\n" * 1500))
    assert len(caught.value.problems) == 1500
    assert [bool(problem.text) for problem in caught.value.problems] == [True] * 1000 + [
        False
    ] * 500
