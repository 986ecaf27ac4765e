"""Rows for programs to read: CSV, TSV, JSON lines, Parquet, JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from foveal.choices import Form
from foveal.formats.csv import COMMA, TAB, csv_bytes
from foveal.formats.parquet import parquet_bytes
from foveal.late import pl
from foveal.tables import columns

# Numbers down to this power of ten are written without an exponent.
LARGEST_PLAIN_POWER = 5


def rows_bytes(rows: pl.DataFrame, form: Form) -> bytes:
    """A frame in a form for programs, numbers in full precision."""
    if form is Form.PARQUET:
        return parquet_bytes(rows)
    if form is Form.JSONL:
        lines: str = rows.write_ndjson()
        return lines.encode()
    return csv_bytes(_flat(rows), TAB if form is Form.TSV else COMMA)


def _flat(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows in which lists are written as JSON."""
    written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    return rows.with_columns(
        pl.Series(column.name, map(written, column.to_list()), dtype=pl.String)
        for column in rows
        if column.dtype.is_nested()
    )


def score_bytes(
    rows: Sequence[tuple[Any, ...]], form: Form, names: Sequence[str] = columns.SCORE_ROW
) -> bytes:
    """Rows of scores as CSV, TSV or JSON lines: the same bytes, but without a frame.

    Before the value of a score there are names, behind it texts and whole numbers, or None.
    """
    at = names.index(columns.VALUE)
    if form is Form.JSONL:
        return "".join(_json_line(names, row, at) for row in rows).encode()
    separator = TAB if form is Form.TSV else COMMA
    always = any(run.startswith("#") for run, *_ in rows)

    @cache
    def field(name: str) -> str:
        odd = always or not name or any(sign in name for sign in (separator, '"', "\n", "\r"))
        return '"' + name.replace('"', '""') + '"' if odd else name

    header = separator.join(map(field, names))
    lines = [
        separator.join(
            (
                *map(field, row[:at]),
                number_text(row[at]),
                *("" if more is None else field(str(more)) for more in row[at + 1 :]),
            )
        )
        for row in rows
    ]
    return "\n".join([header, *lines, ""]).encode()


def _json_line(names: Sequence[str], row: tuple[Any, ...], at: int) -> str:
    texts = (*map(_json_text, row[:at]), number_text(row[at]), *map(_json_text, row[at + 1 :]))
    pairs = zip(names, texts, strict=True)
    return "{" + ",".join(f'"{name}":{text}' for name, text in pairs) + "}\n"


def _json_text(name: str | int | None) -> str:
    return json.dumps(name, ensure_ascii=False)


def number_text(value: float) -> str:
    """The shortest text that reads back as the number, as Polars writes it."""
    text = repr(value)
    if "e-" not in text:
        return text
    mantissa, _, power = text.partition("e-")
    if int(power) > LARGEST_PLAIN_POWER:
        return f"{mantissa}e-{int(power)}"
    sign, digits = ("-" * mantissa.startswith("-")), mantissa.lstrip("-").replace(".", "")
    return f"{sign}0.{'0' * (int(power) - 1)}{digits}"


def json_bytes(result: Mapping[str, Any]) -> bytes:
    """A JSON object in which frames are lists of rows."""
    text = json.dumps(dict(result), indent=1, ensure_ascii=False, allow_nan=False, default=_plain)
    return text.encode() + b"\n"


def _plain(value: Any) -> Any:
    return value.to_dicts() if isinstance(value, pl.DataFrame) else dict(value)
