from __future__ import annotations

import io

import polars as pl
import pytest

from foveal.errors import BadInput
from foveal.formats import read_run
from foveal.formats._format import looks_like_header
from foveal.tables import aliases
from tests.unit.conftest import Saved

NAMES = ["topic", "doc", "pos", "rsv"]
NOTE = "ignored {}s 'pos' and 'rsv': rename them to 'rank' and 'score'?"


def parquet(names: list[str], row: list[object]) -> bytes:
    target = io.BytesIO()
    pl.DataFrame([row], schema=names, orient="row").write_parquet(target)
    return target.getvalue()


@pytest.mark.parametrize(
    ("data", "noun"),
    [
        (",".join(NAMES) + "\n1,a,1,0.5\n", "column"),
        ("\t".join(NAMES) + "\n1\ta\t1\t0.5\n", "column"),
        ('{"topic": 1, "doc": "a", "pos": 1, "rsv": 0.5}\n', "key"),
        (parquet(NAMES, ["1", "a", 1, 0.5]), "column"),
    ],
    ids=["csv", "tsv", "jsonl", "parquet"],
)
def test_columns_that_may_be_misnamed_are_ignored_with_a_question(
    data: str | bytes, noun: str, saved: Saved
) -> None:
    run = read_run(saved(data))
    assert run.whole_documents_only
    assert run.notes == (NOTE.format(noun),)


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (
            parquet(["queryId", "corpus_id", "score"], ["1", "a", 0.5]),
            None,
            "no columns 'topic' and 'doc' (found: queryId, corpus_id, score): rename 'queryId' to"
            " 'topic' and 'corpus_id' to 'doc'?",
        ),
        (
            "topic,doc,from,end\n1,a,0,5\n",
            1,
            "no column 'start' (found: topic, doc, from, end): rename 'from' to 'start'?",
        ),
        (
            '{"topic": 1, "doc": "a", "end": 5}\n',
            1,
            "no key 'start' (found: topic, doc, end)",
        ),
        (
            "# ours\n\nscore,topic\n1,a\n",
            3,
            "no column 'doc' (found: score, topic)",
        ),
    ],
)
def test_a_missing_column_is_named_with_what_was_found(
    data: str | bytes, line: int | None, reason: str, saved: Saved
) -> None:
    with pytest.raises(BadInput) as caught:
        read_run(saved(data))
    (problem,) = caught.value.problems
    assert (problem.line, problem.reason) == (line, reason)


def test_a_column_is_meant_once() -> None:
    assert aliases.suggested_columns(["topic", "doc", "rank", "pos", "position"]) == {}
    assert aliases.suggested_columns(["topic", "doc", "pos", "position"]) == {"position": "rank"}


@pytest.mark.parametrize(
    ("names", "is_header"),
    [
        (["query-id", "corpus-id"], True),
        (["Topic", " doc"], True),
        (["a", "char_end"], True),
        (["1", "Q0", "doc"], False),
        (["a", "b"], False),
        (["doc"], False),
    ],
)
def test_a_header_has_only_names_and_one_of_them_known(names: list[str], is_header: bool) -> None:
    assert looks_like_header(names) is is_header
