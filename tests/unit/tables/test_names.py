"""Names as text, as columns and as bytes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.tables import Names, _names
from tests.name_bytes import name_bytes, texts_of


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=5)))
def test_a_column_has_the_names(names: list[str]) -> None:
    assert Names.of_strings(names).series().to_list() == names


def test_names_are_one_text_where_each_fits_a_line() -> None:
    names = name_bytes([b"b", b"", "\u00e9".encode(), b"b"])
    assert _names._lines(names) == "b\n\n\u00e9\nb"
    assert _names._lines(name_bytes([])) is None


@pytest.mark.parametrize("odd", [b"two\nlines", b"\xff", "\ud800".encode(errors="surrogatepass")])
def test_names_that_do_not_fit_lines_are_no_text(odd: bytes) -> None:
    assert _names._lines(name_bytes([b"a", odd])) is None


def test_surrogates_are_names() -> None:
    strings = ["\ud800", "a\0", "a", "\udfff\n"]
    names = Names.of_strings(strings)
    assert names.take(np.array([0, 3])).strings() == ["\ud800", "\udfff\n"]
    assert names.name_at(1) == "a\0"
    assert names.descending(np.arange(4), np.zeros(4, np.int64)).tolist() == [3, 0, 1, 2]


def test_long_columns_are_joined_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    strings = ["", "abc", "d", "\u00e9", "", "fgh", "i"]
    for value, block in ((7, 9), (3, 9), (1, 9), (1000, 2)):
        monkeypatch.setattr(_names, "LARGEST_VALUE", value)
        monkeypatch.setattr(_names, "BLOCK", block)
        names = Names(pl.Series(strings))
        assert texts_of(names.bytes) == [text.encode() for text in strings]


@pytest.mark.parametrize("length", [3, 7, 8, 9, 64, 65, 200])
def test_the_greatest_name_comes_first(length: int) -> None:
    strings = ["x" * length, "x" * (length - 1), "x" * length + "\0", "y", "", "x" * length]
    order = Names(pl.Series(strings)).descending(np.arange(6), np.zeros(6, np.int64))
    assert order.tolist() == [3, 2, 0, 5, 1, 4]


def test_bytes_go_along_where_they_are_known() -> None:
    names = Names(pl.Series(["a", "bb", "a", "c"]))
    assert names.bytes[0] == b"abbac"
    some = names.take(np.array([True, False, False, True]))
    assert some.bytes[0] is names.bytes[0]
    assert texts_of(some.bytes) == [b"a", b"c"]
    assert some.series().to_list() == some.strings() == ["a", "c"]
