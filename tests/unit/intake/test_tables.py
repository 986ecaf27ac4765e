"""Documents and chunk lists in files: one reader, which names lines, not rows."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import foveal
from foveal.errors import BadInput
from foveal.formats import read_table

DOCUMENT = '{"id": "a", "text": "x"}\n'
CHUNK = '{"doc": "a", "start": 0, "end": 3}\n'


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def problems(refused: pytest.ExceptionInfo[BadInput]) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.reason) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            r'{"id": "b", "text": "\ud800"}',
            r"the text of document 'b' has half a character (a lone surrogate, \ud800 …)",
        ),
        (r'{"id": "\ud800", "text": "y"}', r"id is '\ud800', not an identifier"),
        ('{"id": "b", "text": ["l"]}', "the text of document 'b' is a list, not text"),
        ('{"id": "b", "text": 7}', "the text of document 'b' is 7, not text"),
        ('{"id": {"b": 1}, "text": "y"}', "id is an object, not an identifier"),
        ('{"id": 2.5, "text": "y"}', "id is 2.5, not an identifier"),
        ('{"id": true, "text": "y"}', "id is True, not an identifier"),
        ('{"text": "y"}', "a document without an id"),
        ('{"id": "b"}', "document 'b' has no text"),
        ('{"id": "a", "text": "y"}', "a second document 'a' with another text: ids must differ"),
        ('{"id": NaN}', "broken JSON: NaN is not JSON"),
    ],
)
def test_a_document_that_cannot_be_used_is_named_by_its_line(
    line: str, reason: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "docs.jsonl", f"# made by hand\n{DOCUMENT}\n{line}\n")
    with pytest.raises(BadInput) as refused:
        foveal.read_documents(path)
    assert problems(refused) == [(4, reason)]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (r'{"doc": "a", "text": "\ud800"}', r"text is '\ud800', not text"),
        ('{"doc": "a", "text": ["l"]}', "text is a list, not text"),
        ('{"doc": {"a": 1}, "start": 1, "end": 2}', "doc is an object, not an identifier"),
        ('{"doc": 2.5, "start": 1, "end": 2}', "doc is 2.5, not an identifier"),
        ('{"doc": "a", "start": [1], "end": 2}', "start is a list, not a whole number"),
        ('{"doc": "a", "start": true, "end": 2}', "start is True, not a whole number"),
        (
            '{"doc": "a", "start": 0, "end": 99999999999999999999}',
            "end is a number that is too large, not a whole number",
        ),
        ('{"doc": "a", "start": 1}', "a chunk with neither text nor start and end"),
        ('{"doc": "a", "start": 3, "end": 2}', "a chunk ends before it starts"),
    ],
)
def test_a_chunk_that_cannot_be_used_is_named_by_its_line(
    line: str, reason: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "chunks.jsonl", f"# made by hand\n{CHUNK}\n{line}\n")
    with pytest.raises(BadInput) as refused:
        foveal.read_chunks(path)
    assert problems(refused) == [(4, reason)]


@pytest.mark.parametrize("name", ["docs.json", "docs.jsonl"])
def test_an_array_of_objects_is_a_table_of_documents(name: str, tmp_path: Path) -> None:
    rows = [{"id": "a", "text": "x", "tags": ["t"]}, {"id": 5, "text": "y", "line": "first"}]
    path = written(tmp_path / name, json.dumps(rows, indent=1))
    assert dict(foveal.read_documents(path)) == {"a": "x", "5": "y"}


def test_an_array_of_objects_is_a_chunk_list(tmp_path: Path) -> None:
    rows = [{"doc": "a", "start": 0, "end": 3}, {"doc": 5, "start": "3", "end": 9.0}]
    path = written(tmp_path / "chunks.json", json.dumps(rows))
    assert foveal.read_chunks(path).frame.rows() == [("a", 0, 3), ("5", 3, 9)]


@pytest.mark.parametrize("text", ["[1, 2]", "[]", ""])
def test_other_json_is_a_text(text: str, tmp_path: Path) -> None:
    path = written(tmp_path / "docs.json", text)
    assert dict(foveal.read_documents(path)) == {"docs": text}


def test_comments_and_blank_lines_of_csv_are_no_rows_but_count_as_lines(tmp_path: Path) -> None:
    docs = written(tmp_path / "d.csv", 'doc,text\n# mine\n\na,"x\n# y\n\nz"\n\nb,7\n')
    assert dict(foveal.read_documents(docs)) == {"a": "x\n# y\n\nz", "b": "7"}
    with docs.open("a", encoding="utf-8") as file:
        file.write("a,other\n")
    with pytest.raises(BadInput) as refused:
        foveal.read_documents(docs)
    assert [line for line, _ in problems(refused)] == [10]
    chunks = written(tmp_path / "c.csv", "doc,start,end\n# mine\n\na,0,3\n\na,9,3\n")
    with pytest.raises(BadInput) as refused:
        foveal.read_chunks(chunks)
    assert problems(refused) == [(6, "a chunk ends before it starts")]


def test_a_long_text_in_quotes_is_read_from_csv(tmp_path: Path) -> None:
    text = "one, two\n" * 50_000
    path = written(tmp_path / "d.csv", f'doc,text\na,"{text}"\n')
    assert dict(foveal.read_documents(path)) == {"a": text}


def test_names_of_columns_do_not_include_that_of_lines(tmp_path: Path) -> None:
    path = written(tmp_path / "d.csv", "doc,body\na,x\n")
    with pytest.raises(BadInput, match=r"\(found: doc, body\)"):
        foveal.read_documents(path)
    path = written(tmp_path / "c.csv", "doc,left\na,1\n")
    with pytest.raises(BadInput, match=r"\(found: doc, left\)"):
        foveal.read_chunks(path)


TWICE = {"id": ["a", "a"], "text": ["x", "y"], "line": ["p", "q"]}


@pytest.mark.parametrize(
    "given", [pl.DataFrame(TWICE), [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]]
)
def test_documents_in_memory_are_named_by_their_rows(given: Any) -> None:
    with pytest.raises(BadInput) as refused:
        foveal.read_documents(given)
    assert [line for line, _ in problems(refused)] == [2]


def test_rows_of_parquet_are_counted(tmp_path: Path) -> None:
    pl.DataFrame(TWICE).write_parquet(tmp_path / "d.parquet")
    with pytest.raises(BadInput) as refused:
        foveal.read_documents(tmp_path / "d.parquet")
    assert [line for line, _ in problems(refused)] == [2]


def test_chunks_in_memory_are_named_by_their_rows() -> None:
    chunks = pl.DataFrame({"doc": ["a", "a"], "start": [0, 9], "end": [3, 3], "line": ["p", "q"]})
    with pytest.raises(BadInput) as refused:
        foveal.read_chunks(chunks)
    assert problems(refused) == [(2, "a chunk ends before it starts")]


def test_documents_of_folders_and_dicts_are_named_by_their_ids(tmp_path: Path) -> None:
    written(tmp_path / "a.trec", "<DOC><DOCNO>a</DOCNO>x</DOC><DOC><DOCNO>a</DOCNO>y</DOC>")
    number: Any = {"a": 7}
    for given, reason in (
        (tmp_path, "a second document 'a' with another text: ids must differ"),
        (number, "the text of document 'a' is 7, not text"),
    ):
        with pytest.raises(BadInput) as refused:
            foveal.read_documents(given)
        assert problems(refused) == [(None, reason)]


def test_a_table_has_all_columns_and_its_lines(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", '{"a": 1, "b": "x"}\n\n{"a": 2, "c": [1], "\\ud800": 0}\n')
    table = read_table(path)
    assert table.to_dict(as_series=False) == {
        "a": [1, 2],
        "b": ["x", None],
        "c": [None, [1]],
        "line": [1, 3],
    }


def test_the_limit_of_fields_is_as_before(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    path = tmp_path / "docs.csv"
    path.write_text('doc,text\na,"' + "x" * (before + 1) + '"\n')
    assert len(foveal.read_documents(path)["a"]) == before + 1
    assert csv.field_size_limit() == before
