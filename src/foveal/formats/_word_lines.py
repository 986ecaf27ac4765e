"""Rows written as lines of fields with a blank between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.errors import DataError, counted
from foveal.late import pl
from foveal.tables import columns as c

if TYPE_CHECKING:
    from collections.abc import Sequence

# At the start of a line, readers take # for a comment and U+FEFF for a byte-order mark.
UNWRITABLE = r"[ \t\r\n]|^$"
UNWRITABLE_FIRST = r"^[#\x{feff}]"


def word_lines(fields: pl.DataFrame) -> bytes:
    """A line per row; identifiers that would be read back differently are refused."""
    first = fields.columns[0]
    for name, dtype in fields.schema.items():
        if dtype == pl.String and name in {c.TOPIC, c.ASPECT, c.DOC, c.TAG}:
            pattern = f"{UNWRITABLE}|{UNWRITABLE_FIRST}" if name == first else UNWRITABLE
            bad = fields[name].filter(fields[name].str.contains(pattern))
            if len(bad):
                raise DataError(
                    f"{name} {bad[0]!r} is not a single word, which this format needs: use jsonl or"
                    " csv"
                )
    text: str = fields.write_csv(separator=" ", include_header=False, quote_style="never")
    return text.encode()


def none_null(frame: pl.DataFrame, names: Sequence[str], what: str) -> None:
    """Refuse a table that lacks a value that every line of the format needs."""
    for name in names:
        missing = frame.filter(pl.col(name).is_null())
        if missing.height:
            where = f"topic {missing[c.TOPIC][0]!r}, document {missing[c.DOC][0]!r}"
            rows = counted(missing.height, "row")
            raise DataError(f"{what} needs {name}; {rows} without it, first {where}: use jsonl")


def all_null(frame: pl.DataFrame, names: Sequence[str], what: str) -> None:
    """Refuse a table with values that the format cannot hold."""
    for name in names:
        if frame[name].null_count() < frame.height:
            raise DataError(f"{what} cannot hold {name}: use jsonl")


def exact(column: str) -> pl.Expr:
    """Numbers as text that reads back exactly, whole ones without a point."""
    number = pl.col(column)
    # Beyond 2^53 a whole number written out would show digits that a double does not have.
    is_whole = (number == number.round()) & (number.abs() < 2.0**53)
    is_negative_zero = (number == 0) & number.cast(pl.String).str.starts_with("-")
    whole = number.cast(pl.Int64, strict=False).cast(pl.String)
    text = pl.when(is_whole & ~is_negative_zero).then(whole).otherwise(number.cast(pl.String))
    return text.alias(column)
