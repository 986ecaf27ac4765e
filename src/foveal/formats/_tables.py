"""Reads and writes tables of any columns: JSON lines, arrays of objects, CSV, TSV, Parquet."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import PurePath
from types import NoneType
from typing import Any

from foveal.choices import Form
from foveal.errors import BadInput, Problem
from foveal.files import COMPRESSION_SUFFIXES, PARQUET_MAGIC, Source
from foveal.formats._json_values import is_unicode, objects
from foveal.formats.csv import COMMA, TAB, csv_bytes, records
from foveal.formats.parquet import parquet_bytes, parquet_table
from foveal.late import pl
from foveal.tables import columns as c

Path = str | os.PathLike[str]

SEPARATORS = {".csv": COMMA, ".tsv": TAB}
TABLES = {*SEPARATORS, ".jsonl", ".ndjson", ".parquet"}
JSON = ".json"
ARRAY_OF_OBJECTS = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{")
# Types of columns whose values are all of one type.
TYPES = {str: "String", int: "Int64", float: "Float64"}
# Numbers down to this power of ten are written without an exponent.
LARGEST_PLAIN_POWER = 5


def is_table(path: Path) -> bool:
    """True if a file is a table: by its ending, or as .json that begins an array of objects."""
    ending = file_ending(path)
    if ending != JSON:
        return ending in TABLES
    with Source.of(path) as source:
        return bool(ARRAY_OF_OBJECTS.match(source.head().beginning))


def read_table(path: Path) -> pl.DataFrame:
    """Read all columns of the table in a file, and the line of each row if the file has lines.

    A column of JSON whose values are of several types, or are lists or objects, is one of Python's
    objects. Lines that are damaged are refused.
    """
    with Source.of(path) as source:
        if source.head().magic == PARQUET_MAGIC:
            return parquet_table(source)
        problems: list[Problem] = []
        if separator := SEPARATORS.get(file_ending(path)):
            frame = records(source, separator, problems)
        else:
            frame = frame_of_objects(list(objects(source, problems)))
        if problems:
            error = BadInput(source.name, problems)
            error.quote(source.lines({problem.line for problem in problems if problem.line}))
            raise error
        return frame


def file_ending(path: Path) -> str:
    """Ending of a file's name, not counting that of a compression."""
    pure = PurePath(path)
    if pure.suffix in COMPRESSION_SUFFIXES:
        pure = pure.with_suffix("")
    return pure.suffix.lower()


def frame_of_objects(items: Sequence[tuple[int, Mapping[str, Any]]]) -> pl.DataFrame:
    """Keys of JSON objects, given with their lines, as columns; keys that are not Unicode are skipped."""
    names = dict.fromkeys(name for _, item in items for name in item)
    columns = [
        _column(name, [item.get(name) for _, item in items])
        for name in names
        if name != c.LINE and is_unicode(name)
    ]
    lines = pl.Series(c.LINE, [line for line, _ in items], dtype=pl.UInt32)
    return pl.DataFrame([*columns, lines])


def _column(name: str, values: Sequence[Any]) -> pl.Series:
    types = {*map(type, values)} - {NoneType}
    if len(types) == 1 and (dtype := TYPES.get(types.pop())):
        # Half a surrogate pair, or a number of more than 64 bits, does not fit.
        with suppress(UnicodeEncodeError, OverflowError, TypeError):
            return pl.Series(name, values, dtype=getattr(pl, dtype))
    return pl.Series(name, values, dtype=pl.Object)


def rows_bytes(rows: pl.DataFrame, form: Form) -> bytes:
    """Frame in a form for programs, numbers in full precision."""
    if form is Form.PARQUET:
        return parquet_bytes(rows)
    if form is Form.JSONL:
        lines: str = rows.write_ndjson()
        return lines.encode()
    return csv_bytes(_flat(rows), TAB if form is Form.TSV else COMMA)


def _flat(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with lists encoded as JSON."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    return rows.with_columns(
        pl.Series(column.name, map(encode, column.to_list()), dtype=pl.String)
        for column in rows
        if column.dtype.is_nested()
    )


def score_bytes(
    rows: Sequence[tuple[Any, ...]], form: Form, names: Sequence[str] = c.SCORE_ROW
) -> bytes:
    """Rows of scores as CSV, TSV or JSON lines: the same bytes as `rows_bytes`, without a frame.

    Cells before the value are names; those after it are texts, whole numbers or None.
    """
    index = names.index(c.VALUE)
    if form is Form.JSONL:
        return "".join(_json_line(names, row, index) for row in rows).encode()
    separator = TAB if form is Form.TSV else COMMA
    quote_all = any(run.startswith("#") for run, *_ in rows)

    @cache
    def field(name: str) -> str:
        quoted = quote_all or not name or any(mark in name for mark in (separator, '"', "\n", "\r"))
        return '"' + name.replace('"', '""') + '"' if quoted else name

    header = separator.join(map(field, names))
    lines = [
        separator.join(
            (
                *map(field, row[:index]),
                number_text(row[index]),
                *("" if cell is None else field(str(cell)) for cell in row[index + 1 :]),
            )
        )
        for row in rows
    ]
    return "\n".join([header, *lines, ""]).encode()


def _json_line(names: Sequence[str], row: tuple[Any, ...], n: int) -> str:
    texts = (*map(_json_text, row[:n]), number_text(row[n]), *map(_json_text, row[n + 1 :]))
    pairs = zip(names, texts, strict=True)
    return "{" + ",".join(f'"{name}":{text}' for name, text in pairs) + "}\n"


def _json_text(name: str | int | None) -> str:
    return json.dumps(name, ensure_ascii=False)


def number_text(value: float) -> str:
    """Shortest text that reads back as the number, as Polars writes it."""
    text = repr(value)
    if "e-" not in text:
        return text
    mantissa, _, power = text.partition("e-")
    if int(power) > LARGEST_PLAIN_POWER:
        return f"{mantissa}e-{int(power)}"
    sign, digits = ("-" * mantissa.startswith("-")), mantissa.lstrip("-").replace(".", "")
    return f"{sign}0.{'0' * (int(power) - 1)}{digits}"


def json_bytes(result: Mapping[str, Any]) -> bytes:
    """JSON object in which frames are lists of rows."""
    text = json.dumps(dict(result), indent=1, ensure_ascii=False, allow_nan=False, default=_plain)
    return text.encode() + b"\n"


def _plain(value: Any) -> Any:
    return value.to_dicts() if isinstance(value, pl.DataFrame) else dict(value)
