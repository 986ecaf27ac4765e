"""Rows for programs to read: CSV, TSV, JSON lines, Parquet, JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from foveal.choices import Form
from foveal.formats.csv import COMMA, TAB, csv_bytes
from foveal.formats.parquet import parquet_bytes


def rows_bytes(rows: pl.DataFrame, form: Form) -> bytes:
    """A frame in a form for programs, numbers in full precision."""
    if form is Form.PARQUET:
        return parquet_bytes(rows)
    if form is Form.JSONL:
        lines: str = rows.write_ndjson()
        return lines.encode()
    return csv_bytes(rows, TAB if form is Form.TSV else COMMA)


def json_bytes(result: Mapping[str, Any]) -> bytes:
    """A JSON object in which frames are lists of rows."""
    plain = {
        name: value.to_dicts() if isinstance(value, pl.DataFrame) else value
        for name, value in result.items()
    }
    text = json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False, default=dict)
    return text.encode() + b"\n"
