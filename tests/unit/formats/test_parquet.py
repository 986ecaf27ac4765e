from __future__ import annotations

import polars as pl
import pytest

from foveal.choices import Order
from foveal.errors import BadInput
from foveal.formats import read_run
from foveal.formats.parquet import parquet_bytes
from tests.unit.conftest import Saved


def test_columns_of_other_programs_are_read(saved: Saved) -> None:
    frame = pl.DataFrame(
        {
            "doc": pl.Series(["a", "b"], dtype=pl.Categorical),
            "topic": [51, 52],
            "score": pl.Series([1, 2], dtype=pl.Float32),
            "line": [7, 7],
            "tag": ["bm25", "bm25"],
        }
    )
    run = read_run(saved(parquet_bytes(frame)))
    assert run.frame.rows() == [
        ("51", "a", None, None, None, 1.0, 1),
        ("52", "b", None, None, None, 2.0, 2),
    ]
    assert (run.name, run.tag, run.order) == ("mine", "bm25", Order.SCORE)


def test_problems_name_rows(saved: Saved) -> None:
    frame = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "start": [0, 5], "end": [5, 0]})
    path = saved(parquet_bytes(frame))
    with pytest.raises(BadInput) as caught:
        read_run(path)
    assert str(caught.value).startswith(f"{path}:2: the part ends before it starts\n")
    assert "expected: columns topic, doc" in str(caught.value)


def test_a_file_that_is_none_is_named(saved: Saved) -> None:
    path = saved(b"PAR1\x15 no more PAR1")
    with pytest.raises(BadInput, match="a damaged Parquet file") as caught:
        read_run(path)
    assert caught.value.source == path
