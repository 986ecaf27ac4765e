"""Tables of any columns: lines of JSON or an array of objects, CSV, TSV and Parquet."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import PurePath
from types import NoneType
from typing import TYPE_CHECKING, Any

from foveal.errors import BadInput, Problem
from foveal.files import COMPRESSION_SUFFIXES, PARQUET_MAGIC, Source
from foveal.formats._json_values import is_unicode, objects
from foveal.formats.csv import COMMA, TAB, records
from foveal.formats.parquet import parquet_table
from foveal.late import pl
from foveal.tables import columns as c

if TYPE_CHECKING:
    from collections.abc import Sequence

    Path = str | os.PathLike[str]

SEPARATORS = {".csv": COMMA, ".tsv": TAB}
TABLES = {*SEPARATORS, ".jsonl", ".ndjson", ".parquet"}
JSON = ".json"
ARRAY_OF_OBJECTS = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{")
# The types of columns whose values are all of one kind.
TYPES = {str: "String", int: "Int64", float: "Float64"}


def is_table(path: Path) -> bool:
    """Whether a file is a table: its ending says so, or it is .json and begins an array of objects."""
    ending = file_ending(path)
    if ending != JSON:
        return ending in TABLES
    with Source.of(path) as source:
        return bool(ARRAY_OF_OBJECTS.match(source.head().beginning))


def read_table(path: Path) -> pl.DataFrame:
    """All columns of the table in a file, and the line of each row if the file has lines.

    A column of JSON whose values are of several kinds, or are lists or objects, is one of Python's
    objects. Everything that is damaged is refused with its line.
    """
    with Source.of(path) as source:
        if source.head().magic == PARQUET_MAGIC:
            return parquet_table(source)
        problems: list[Problem] = []
        sign = SEPARATORS.get(file_ending(path))
        frame = records(source, sign, problems) if sign else _of_objects(source, problems)
        if problems:
            error = BadInput(source.name, problems)
            error.quote(source.texts({problem.line for problem in problems if problem.line}))
            raise error
        return frame


def file_ending(path: Path) -> str:
    """The ending of a file's name, without that of a compression."""
    pure = PurePath(path)
    if pure.suffix in COMPRESSION_SUFFIXES:
        pure = pure.with_suffix("")
    return pure.suffix.lower()


def _of_objects(source: Source, problems: list[Problem]) -> pl.DataFrame:
    """The keys of JSON objects as columns; a key that is not Unicode cannot name one."""
    found = list(objects(source, problems))
    names = dict.fromkeys(name for _, item in found for name in item)
    columns = [
        _column(name, [item.get(name) for _, item in found])
        for name in names
        if name != c.LINE and is_unicode(name)
    ]
    lines = pl.Series(c.LINE, [line for line, _ in found], dtype=pl.UInt32)
    return pl.DataFrame([*columns, lines])


def _column(name: str, values: Sequence[Any]) -> pl.Series:
    kinds = {*map(type, values)} - {NoneType}
    if len(kinds) == 1 and (dtype := TYPES.get(kinds.pop())):
        # Half a surrogate pair, or a number of more than 64 bits.
        with suppress(UnicodeEncodeError, OverflowError, TypeError):
            return pl.Series(name, values, dtype=getattr(pl, dtype))
    return pl.Series(name, values, dtype=pl.Object)
