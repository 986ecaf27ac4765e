"""Rows of a table in a file: lines of JSON, CSV, TSV or Parquet."""

from __future__ import annotations

import io
import json
import os
from pathlib import PurePath

from foveal.errors import BadInput, Problem
from foveal.files import COMPRESSION_SUFFIXES, PARQUET_MAGIC, Source
from foveal.late import pl

SEPARATORS = {".csv": ",", ".tsv": "\t"}


def suffix_of(path: str) -> str:
    """The ending of a file's name, without that of a compression."""
    pure = PurePath(path)
    if pure.suffix in COMPRESSION_SUFFIXES:
        pure = pure.with_suffix("")
    return pure.suffix.lower()


def read_rows(path: str | os.PathLike[str]) -> pl.DataFrame:
    """The table in a file; what is damaged is refused with its line."""
    with Source.of(path) as source:
        data = source.whole()
        if data.startswith(PARQUET_MAGIC):
            return _parquet(data, source.name)
        text = source.text()
        separator = SEPARATORS.get(suffix_of(os.fspath(path)))
        return _separated(text, separator, source.name) if separator else _json(text, source.name)


def _parquet(data: bytes, name: str) -> pl.DataFrame:
    try:
        return pl.read_parquet(io.BytesIO(data))
    # A damaged file can make Polars panic, and a panic is not an Exception.
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = f"a damaged Parquet file (cut off?): {error}"
        raise BadInput(name, [Problem(None, reason)]) from error


def _separated(text: bytes, separator: str, name: str) -> pl.DataFrame:
    try:
        return pl.read_csv(io.BytesIO(text), separator=separator, infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise BadInput(name, [Problem(None, f"not a table: {error}")]) from error


def _json(text: bytes, name: str) -> pl.DataFrame:
    rows, problems = [], []
    for number, line in enumerate(text.decode().split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            problems.append(Problem(number, f"broken JSON: {error}", line))
            continue
        if isinstance(row, dict):
            rows.append(row)
        else:
            problems.append(Problem(number, "a line must be an object {…}", line))
    if problems:
        raise BadInput(name, problems)
    names = list(dict.fromkeys(key for row in rows for key in row))
    return pl.DataFrame(rows, infer_schema_length=None, strict=False, schema=names)
