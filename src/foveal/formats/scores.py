"""Scores for machines, in full precision: run, measure, topic, value."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from foveal.errors import UsageError
from foveal.formats.csv import COMMA, TAB, csv_bytes
from foveal.formats.parquet import parquet_bytes
from foveal.tables import columns as c

if TYPE_CHECKING:
    import polars as pl

    from foveal.tables import Scores


def score_bytes(scores: Scores, to: str, *, per_topic: bool) -> bytes:
    """The scores in one of SCORE_FORMATS; the topic `all` holds the means."""
    if to not in SCORE_FORMATS:
        raise UsageError(f"unknown format {to!r}: choose from {', '.join(SCORE_FORMATS)}")
    rows = scores.rows(per_topic=per_topic)
    # JSON knows no NaN, and a missing value is a gap in every form.
    return SCORE_FORMATS[to](scores, rows.with_columns(rows[c.VALUE].fill_nan(None)))


def _json(scores: Scores, rows: pl.DataFrame) -> bytes:
    result = {
        "settings": dict(scores.settings),
        "rows": rows.to_dicts(),
        "notes": list(scores.notes),
    }
    return (json.dumps(result, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def _jsonl(_: Scores, rows: pl.DataFrame) -> bytes:
    text: str = rows.write_ndjson()
    return text.encode()


SCORE_FORMATS: dict[str, Callable[[Scores, pl.DataFrame], bytes]] = {
    "csv": lambda _, rows: csv_bytes(rows, COMMA),
    "tsv": lambda _, rows: csv_bytes(rows, TAB),
    "json": _json,
    "jsonl": _jsonl,
    "parquet": lambda _, rows: parquet_bytes(rows),
}
