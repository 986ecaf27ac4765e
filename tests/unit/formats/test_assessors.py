"""Judgements in one file, taken apart by those who made them."""

from __future__ import annotations

from pathlib import Path

import pytest

from foveal.errors import BadInput, UsageError
from foveal.formats import QRELS_FORMATS, read_assessors, write_assessors
from foveal.tables import Qrels

ROWS = """\
{"topic": "1", "doc": "a", "highlights": [[0, 5], [7, 9]], "assessor": "ann"}
{"topic": "1", "doc": "a", "highlights": [[2, 5]], "assessor": "bob"}
{"topic": "1", "doc": "b", "highlights": [], "assessor": "ann"}
{"topic": "2", "doc": "a", "highlights": [[1, 3]], "assessor": "ann"}
"""


def test_every_assessor_has_the_rows_that_name_them(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text(ROWS)
    found = read_assessors(tmp_path / "gold.jsonl")
    assert list(found) == ["ann", "bob"]
    assert found["ann"].documents.select("topic", "doc").rows() == [
        ("1", "a"),
        ("1", "b"),
        ("2", "a"),
    ]
    assert found["ann"].passages.rows() == [(0, 0, 5), (0, 7, 9), (2, 1, 3)]
    assert found["bob"].passages.rows() == [(0, 2, 5)]


def test_rows_that_name_nobody_are_those_of_one_called_like_the_file(tmp_path: Path) -> None:
    (tmp_path / "dora.qrels").write_text("1 Q0 a 20 100 0 0:20\n")
    found = read_assessors(tmp_path / "dora.qrels")
    assert list(found) == ["dora"]
    assert found["dora"].passages.rows() == [(0, 0, 20)]


def test_what_is_wrong_with_any_row_is_quoted_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl").write_text(ROWS.replace("[[1, 3]]", "[[3, 1]]"))
    with pytest.raises(BadInput, match=r"gold.jsonl:4: a passage ends before it starts"):
        read_assessors(tmp_path / "gold.jsonl")


def judged() -> dict[str, Qrels]:
    rows = {
        "ann": [("1", "a", 100, 7, [[0, 5], [7, 9]]), ("1", "b", 40, None, [])],
        'bob, "the" second\n': [("1", "b", 40, None, []), ("2", "#c", 60, 1, [[1, 60]])],
    }
    return {
        name: Qrels.from_dicts(
            [
                {"topic": t, "doc": d, "length": n, "entry": e, "highlights": spans}
                for t, d, n, e, spans in own
            ]
        )
        for name, own in rows.items()
    }


@pytest.mark.parametrize("name", ["jsonl", "csv", "tsv", "parquet"])
def test_what_is_written_for_several_is_read_back_for_each(name: str, tmp_path: Path) -> None:
    write_assessors(judged(), tmp_path / f"gold.{name}")
    found = read_assessors(tmp_path / f"gold.{name}")
    assert list(found) == list(judged())
    for who, own in judged().items():
        assert found[who].equals(own)


def test_every_format_that_is_written_says_whether_it_can_name_assessors(tmp_path: Path) -> None:
    unable = {known.name for known in QRELS_FORMATS.values() if known.is_written}
    unable -= {"jsonl", "csv", "tsv", "parquet"}
    assert unable == {"inex", "inex-xml", "trec", "trec-subtopics", "trecgen"}
    for name in unable:
        with pytest.raises(
            UsageError, match="cannot say who judged: use csv, jsonl, parquet or tsv"
        ):
            write_assessors(judged(), tmp_path / "gold", name)
