"""Judgements in one file, taken apart by those who made them."""

from __future__ import annotations

from pathlib import Path

import pytest

from foveal.errors import BadInput
from foveal.formats import read_assessors

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
