"""Columns of text written into XML so that they are read back as they were."""

from __future__ import annotations

import polars as pl

from foveal.errors import DataError

# What XML has no way to say, and blanks at either end, which are not kept by readers.
UNWRITABLE = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x{fffe}\x{ffff}]|^[ \t\r\n]|[ \t\r\n]$|^$"
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
IN_ATTRIBUTES = {'"': "&quot;", "\n": "&#10;", "\t": "&#9;"}


def element(column: str | pl.Expr) -> pl.Expr:
    """Text as it stands between tags."""
    return _escaped(column, ESCAPES)


def attribute(column: str | pl.Expr) -> pl.Expr:
    """Text as it stands in a tag, with quotes around it."""
    return pl.concat_str(pl.lit('"'), _escaped(column, ESCAPES | IN_ATTRIBUTES), pl.lit('"'))


def refuse_unwritable(texts: pl.Series, what: str) -> None:
    """Refuse text that would not be read back as it is."""
    bad = texts.filter(texts.str.contains(UNWRITABLE))
    if len(bad):
        raise DataError(f"{what} {bad[0]!r} cannot be written in XML: use jsonl or csv")


def _escaped(column: str | pl.Expr, escapes: dict[str, str]) -> pl.Expr:
    text = pl.col(column) if isinstance(column, str) else column
    for sign, escape in escapes.items():
        text = text.str.replace_all(sign, escape, literal=True)
    return text
