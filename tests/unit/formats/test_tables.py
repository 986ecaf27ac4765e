from __future__ import annotations

import io
import json

import polars as pl
import pytest

from foveal.choices import Form
from foveal.formats import json_bytes, rows_bytes

ROWS = pl.DataFrame(
    {
        "run": ["a,b", '"'],
        "measure": ["iP[0.01]", "AiP"],
        "topic": ["#2", "all"],
        "value": [1 / 3, 0.1 + 0.2],
    }
)


def read(form: Form, data: bytes) -> pl.DataFrame:
    if form is Form.PARQUET:
        return pl.read_parquet(io.BytesIO(data))
    if form is Form.JSONL:
        return pl.DataFrame([json.loads(line) for line in data.splitlines()])
    separator = "," if form is Form.CSV else "\t"
    return pl.read_csv(io.BytesIO(data), separator=separator)


@pytest.mark.parametrize("form", [Form.CSV, Form.TSV, Form.JSONL, Form.PARQUET])
def test_rows_are_written_in_full_precision(form: Form) -> None:
    assert read(form, rows_bytes(ROWS, form)).rows() == ROWS.rows()


def test_a_number_may_come_first() -> None:
    assert rows_bytes(ROWS.select("value").head(1), Form.CSV) == b"value\n0.3333333333333333\n"


def test_json_holds_frames_as_rows() -> None:
    written = json.loads(json_bytes({"settings": {"like": "paper"}, "rows": ROWS, "notes": ("é",)}))
    assert written == {"settings": {"like": "paper"}, "rows": ROWS.to_dicts(), "notes": ["é"]}
