"""Rows written as lines of fields with a blank between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.errors import DataError
from foveal.late import pl
from foveal.tables import columns as c

if TYPE_CHECKING:
    from collections.abc import Sequence

# Readers take a first # for a comment and a first U+FEFF for a byte-order mark.
UNWRITABLE = r"[ \t\r\n]|^$"
UNWRITABLE_FIRST = r"^[#\x{feff}]"


def word_lines(fields: pl.DataFrame) -> bytes:
    """A line per row; identifiers that would not read back are refused."""
    first = fields.columns[0]
    for name, dtype in fields.schema.items():
        if dtype == pl.String and name in {c.TOPIC, c.DOC, c.TAG}:
            pattern = f"{UNWRITABLE}|{UNWRITABLE_FIRST}" if name == first else UNWRITABLE
            bad = fields[name].filter(fields[name].str.contains(pattern))
            if len(bad):
                raise DataError(
                    f"{name} {bad[0]!r} cannot be written as one word on a line: use jsonl or csv"
                )
    text: str = fields.write_csv(separator=" ", include_header=False, quote_style="never")
    return text.encode()


def none_null(frame: pl.DataFrame, names: Sequence[str], what: str) -> None:
    """Refuse a table that lacks a value that every line of the format must have."""
    for name in names:
        missing = frame.filter(pl.col(name).is_null())
        if missing.height:
            where = f"first topic {missing[c.TOPIC][0]!r}, document {missing[c.DOC][0]!r}"
            raise DataError(f"{what} needs {name}; {missing.height} rows have none, {where}")


def all_null(frame: pl.DataFrame, names: Sequence[str], what: str) -> None:
    """Refuse a table with values that the format has no place for."""
    for name in names:
        if frame[name].null_count() < frame.height:
            raise DataError(f"{what} has no place for {name}: use jsonl")


def exact(column: str) -> pl.Expr:
    """Numbers as text that reads back exactly, whole ones without a point."""
    number = pl.col(column)
    # Beyond 2^53 a whole number written out would claim digits that a double does not hold.
    is_whole = (number == number.round()) & (number.abs() < 2.0**53)
    is_negative_zero = (number == 0) & number.cast(pl.String).str.starts_with("-")
    whole = number.cast(pl.Int64, strict=False).cast(pl.String)
    text = pl.when(is_whole & ~is_negative_zero).then(whole).otherwise(number.cast(pl.String))
    return text.alias(column)
