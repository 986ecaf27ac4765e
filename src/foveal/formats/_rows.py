"""Rows of results as machines read them: CSV, TSV, JSON lines, Parquet, JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from foveal.choices import Form


def rows_bytes(rows: pl.DataFrame, form: Form) -> bytes:
    """A frame in a machine's form, numbers in full precision."""
    target = io.BytesIO()
    if form is Form.PARQUET:
        rows.write_parquet(target)
    elif form is Form.JSONL:
        rows.write_ndjson(target)
    else:
        rows.write_csv(target, separator="\t" if form is Form.TSV else ",")
    return target.getvalue()


def json_bytes(result: Mapping[str, Any]) -> bytes:
    """A JSON object in which frames stand as lists of rows."""
    plain = {
        name: value.to_dicts() if isinstance(value, pl.DataFrame) else value
        for name, value in result.items()
    }
    return json.dumps(plain, indent=1, ensure_ascii=False, default=dict).encode() + b"\n"
