"""Names in bytes as a column: the quick way and the slow one agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.compiled.scanner import NamesInBytes
from foveal.files.name_buffers import FileNames
from tests.shared import needs_compiled

pytestmark = needs_compiled()


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=5)))
def test_a_column_has_the_names(names: list[str]) -> None:
    assert FileNames.of_strings(names).series().to_list() == names


def test_names_are_one_text_where_each_fits_a_line() -> None:
    names = NamesInBytes.of([b"b", b"", "\u00e9".encode(), b"b"])
    assert names.lines() == "b\n\n\u00e9\nb"
    assert names.taken(NamesInBytes.of([b"x"] * 0).place.astype(int)).lines() is None


@pytest.mark.parametrize("odd", [b"two\nlines", b"\xff", "\ud800".encode(errors="surrogatepass")])
def test_names_that_do_not_fit_lines_are_no_text(odd: bytes) -> None:
    assert NamesInBytes.of([b"a", odd]).lines() is None
