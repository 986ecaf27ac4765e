"""Tables of other libraries are taken as they are; what is unclear about them is asked for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]  # it ships no types
import pytest

from foveal.choices import Order
from foveal.errors import BadInput, UsageError
from foveal.tables import Qrels, Run, Topics, coerced_runs


# The tuples of ir_datasets, which is not needed to read what it gives.
class GenericScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


class TrecQrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


PYTERRIER_RUN = pd.DataFrame(
    {
        "qid": ["1", "1", "2"],
        "docid": [7, 3, 9],
        "docno": ["a", "b", "a"],
        "rank": [0, 1, 0],
        "score": [2.5, 1.5, 3.0],
        "query": ["tea", "tea", "milk"],
    }
)
SCORED = [("1", "a", 2.5), ("1", "b", 1.5), ("2", "a", 3.0)]


def results(run: Run) -> list[tuple[object, ...]]:
    return run.frame.select("topic", "doc", "score").rows()


def refused(frame: Any) -> str:
    with pytest.raises(BadInput) as caught:
        Run.from_frame(frame)
    return str(caught.value)


def test_a_run_of_pyterrier_is_taken_as_it_is() -> None:
    run = Run.coerced(PYTERRIER_RUN, "bm25")
    assert results(run) == SCORED
    assert run.order is Order.RANK
    assert run.frame["rank"].to_list() == [0, 1, 0]
    assert run.notes == ("ignored columns docid, query: not part of a run",)


def test_judgements_of_pyterrier_are_taken_as_they_are() -> None:
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [2, 0]})
    qrels = Qrels.coerced(frame)
    assert qrels.documents.select("topic", "doc", "grade").rows() == [("1", "a", 2), ("1", "b", 0)]
    assert qrels.notes == ()


def test_topics_of_pyterrier_have_their_titles() -> None:
    frame = pd.DataFrame({"qid": ["1", "2"], "query": ["green tea", "milk"]})
    assert Topics.from_frame(frame).titles == {"1": "green tea", "2": "milk"}


@pytest.mark.parametrize("kind", [ir_measures.ScoredDoc, GenericScoredDoc])
@pytest.mark.parametrize("made", [list, tuple, iter], ids=["list", "tuple", "generator"])
def test_scored_documents_of_ir_measures_and_ir_datasets_are_a_run(kind: Any, made: Any) -> None:
    given: Iterable[Any] = made([kind(*row) for row in SCORED])
    (run,) = coerced_runs(given)
    assert results(run) == SCORED
    assert run.order is Order.SCORE
    assert not run.notes


@pytest.mark.parametrize(
    "rows",
    [
        [ir_measures.Qrel("1", "a", 2), ir_measures.Qrel("1", "b", 0)],
        [TrecQrel("1", "a", 2, "0"), TrecQrel("1", "b", 0, "0")],
    ],
    ids=["ir_measures", "ir_datasets"],
)
def test_tuples_of_judgements_are_taken_as_they_are(rows: list[Any]) -> None:
    qrels = Qrels.coerced(row for row in rows)
    assert qrels.documents.select("topic", "doc", "grade").rows() == [("1", "a", 2), ("1", "b", 0)]
    assert qrels.notes == ()


def test_our_names_win_over_those_of_others() -> None:
    frame = PYTERRIER_RUN.assign(topic=["7", "8", "9"])
    run = Run.from_frame(frame)
    assert run.frame["topic"].to_list() == ["7", "8", "9"]
    assert "qid" in run.notes[0]


def test_of_two_names_for_one_column_the_first_known_is_taken() -> None:
    run = Run.from_frame(PYTERRIER_RUN.assign(query_id=["7", "8", "9"]))
    assert run.frame["topic"].to_list() == ["7", "8", "9"]
    assert run.origin.aliases_used == {"query_id": "topic", "docno": "doc"}


def test_judgements_say_which_columns_they_ignore() -> None:
    qrels = Qrels.from_dicts([{"topic": "1", "doc": "a", "grade": 1, "highlight": [[0, 5]]}])
    assert qrels.notes == ("ignored column highlight: not part of judgements",)


GAPS = [None, np.nan, pd.NA, pd.NaT]
TYPES: dict[str, pd.DataFrame] = {
    "strings": pd.DataFrame({"topic": pd.array(["1", "2"], dtype="string"), "doc": ["a", "b"]}),
    "objects": pd.DataFrame({"topic": ["1", 2], "doc": ["a", "b"]}, dtype=object),
    "nullable integers": pd.DataFrame(
        {"topic": pd.array([1, 2], dtype="Int64"), "doc": ["a", "b"]}
    ),
    "categories": pd.DataFrame({"topic": ["1", "2"], "doc": pd.Categorical(["a", "b"])}),
    "small integers": pd.DataFrame({"topic": np.array([1, 2], dtype=np.uint8), "doc": ["a", "b"]}),
    "another index": pd.DataFrame({"topic": ["1", "2"], "doc": ["a", "b"]}, index=[7, 7]),
    "arrow strings": pd.DataFrame(
        {"topic": ["1", "2"], "doc": ["a", "b"]}, dtype="string[pyarrow]"
    ),
}


@pytest.mark.parametrize("frame", TYPES.values(), ids=TYPES)
def test_columns_of_every_pandas_type_are_read(frame: pd.DataFrame) -> None:
    run = Run.from_frame(frame)
    assert run.frame.select("topic", "doc").rows() == [("1", "a"), ("2", "b")]


@pytest.mark.parametrize(
    ("dtype", "gap"), [*((object, gap) for gap in GAPS), ("Int64", pd.NA), (float, np.nan)]
)
def test_whatever_pandas_calls_missing_is_missing(dtype: Any, gap: Any) -> None:
    entries = pd.Series([3, gap], dtype=dtype)
    frame = pd.DataFrame(
        {"topic": ["1", "1"], "doc": ["a", "b"], "length": [9, 9], "entry": entries}
    )
    assert Qrels.from_frame(frame).documents["entry"].to_list() == [3, None]


@pytest.mark.parametrize("gap", GAPS, ids=["None", "NaN", "NA", "NaT"])
def test_a_missing_name_is_refused_with_its_row(gap: Any) -> None:
    frame = pd.DataFrame({"topic": ["1", "1"], "doc": pd.Series(["a", gap], dtype=object)})
    assert refused(frame) == "run:2: doc is None, not an identifier"


def test_an_infinite_score_is_not_a_gap() -> None:
    frame = pd.DataFrame({"topic": ["1"], "doc": ["a"], "score": [np.inf]})
    assert refused(frame) == "run:1: score is inf, not a finite number"


def test_highlights_in_arrays_are_read_as_parquet_gives_them() -> None:
    pairs = np.empty(1, dtype=object)
    pairs[0] = np.array([3, 9])
    frame = pd.DataFrame({"topic": ["1"], "doc": ["a"], "length": [20], "highlights": [pairs]})
    assert Qrels.from_frame(frame).passages.select("start", "end").rows() == [(3, 9)]


UNCLEAR = {
    "levels": (
        pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "topic"), ("a", "doc")])),
        "run: the column names have 2 levels: flatten them first",
    ),
    "twice": (
        pd.DataFrame([["1", "a", "b"]], columns=["topic", "doc", "doc"]),
        "run: more than one column is called 'doc': keep one of them",
    ),
    "topic in the index": (
        PYTERRIER_RUN.set_index("qid"),
        "run: 'qid' is in the index, not a column: give frame.reset_index()",
    ),
    "both in the index": (
        PYTERRIER_RUN.set_index(["qid", "docno"]),
        "run: 'qid' and 'docno' are in the index, not columns: give frame.reset_index()",
    ),
    "misnamed": (
        pd.DataFrame({"Query": ["1"], "Document_ID": ["a"]}),
        "run: no columns 'topic' and 'doc' (found: Query, Document_ID): rename 'Query' to 'topic' and"
        " 'Document_ID' to 'doc'?",
    ),
}


@pytest.mark.parametrize(("frame", "reason"), UNCLEAR.values(), ids=UNCLEAR)
def test_an_unclear_frame_is_refused_with_a_way_out(frame: pd.DataFrame, reason: str) -> None:
    assert refused(frame) == reason


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (
            [{"topic": "1", "docs": "a", "grade": 1}],
            "qrels: no column 'doc' (found: topic, docs, grade): rename 'docs' to 'doc'?",
        ),
        (
            [{"doc": "a", "length": 9, "highlights": [[0, 3]]}],
            "qrels: no column 'topic' (found: doc, length, highlights)",
        ),
        (
            [{"Query": "1", "docs": "a", "start": 0, "end": 3}],
            "qrels: no columns 'topic' and 'doc' (found: Query, docs, start, end): rename 'Query' to"
            " 'topic' and 'docs' to 'doc'?",
        ),
    ],
)
def test_misnamed_columns_of_judgements_get_a_suggestion(rows: list[Any], reason: str) -> None:
    for given in (rows, pl.DataFrame(rows), pd.DataFrame(rows), pa.Table.from_pylist(rows)):
        with pytest.raises(BadInput) as caught:
            Qrels.coerced(given)
        assert str(caught.value) == reason


def test_a_run_given_as_judgements_gets_the_hint_first() -> None:
    with pytest.raises(BadInput) as caught:
        Qrels.coerced(PYTERRIER_RUN)
    first, second = str(caught.value).splitlines()
    assert first == "this looks like a run, but judgements come first: were they swapped?"
    assert second.startswith("qrels: no column says what is relevant")


@pytest.mark.parametrize(
    "column", [PYTERRIER_RUN["qid"], pl.Series(["1"]), pl.LazyFrame({"topic": ["1"]})]
)
def test_a_column_or_a_plan_is_not_a_table(column: Any) -> None:
    with pytest.raises(UsageError, match="cannot read a table from"):
        Run.coerced(column)


@pytest.mark.parametrize("table", [Run, Qrels])
def test_rows_that_are_one_dict_are_sent_to_where_they_are_read(table: Any) -> None:
    numbers = {"1": {"a": 1}}
    with pytest.raises(
        UsageError, match=rf"{table.__name__}\.from_dict .*{{topic: {{document: num"
    ):
        table.from_dicts(numbers)
    with pytest.raises(UsageError, match=r"{topic: {document: number}}, which from_dict reads"):
        table.from_dicts([("1", "a", 1)])
    table.from_dict(numbers)


WITHOUT_PYARROW = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pyarrow":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hidden())
import pandas as pd
import foveal

judged = pd.DataFrame({"topic": ["1", "2"], "doc": pd.Categorical(["a", "b"]), "length": [9, 9],
    "entry": pd.array([1, None], dtype="Int64"), "highlights": [[[0, 4]], [[2, 3], [5, 9]]]})
found = pd.DataFrame({"topic": ["1", "2"], "doc": ["a", "b"], "start": [0, 0], "end": [4, 9]})
scores = foveal.evaluate(judged, {"mine": found}, ["charP", "charR"])
print(scores.mean().rows())
print(scores.to_pandas().to_dict("list"))
assert "pyarrow" not in sys.modules
"""


def test_pandas_frames_are_read_and_made_without_pyarrow() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PYARROW], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    mean, topics = done.stdout.splitlines()
    assert mean == "[('mine', 0.7777777777777778, 1.0)]"
    values = "'charP': [1.0, 0.5555555555555556], 'charR': [1.0, 1.0]"
    assert topics == f"{{'run': ['mine', 'mine'], 'topic': ['1', '2'], {values}}}"
