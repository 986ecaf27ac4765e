"""Rows of scores as text, without a frame: the same bytes as Polars writes."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foveal.choices import Form
from foveal.formats import rows_bytes, score_bytes
from foveal.tables import columns

names = st.text(max_size=4)
values = st.floats(allow_nan=False, allow_infinity=False)
rows = st.lists(st.tuples(names, names, names, values), min_size=1, max_size=4)
TYPES = (pl.String, pl.String, pl.String, pl.Float64)


@pytest.mark.parametrize("form", [Form.CSV, Form.TSV, Form.JSONL])
@given(rows)
@example([("a", "AP", "all", value) for value in (1e-4, 1.25e-5, -9.9e-6, 1e16, 0.1, -0.0, 5e-324)])
@example([("#1", "a,b", 'c"d', 0.5), ("", "x\ny", "\u2028\x00\\", 1.0)])
def test_scores_are_written_as_polars_writes_them(
    form: Form, drawn: list[tuple[str, str, str, float]]
) -> None:
    schema = dict(zip(columns.SCORE_ROW, TYPES, strict=True))
    frame = pl.DataFrame(drawn, schema=schema, orient="row")
    assert score_bytes(drawn, form) == rows_bytes(frame, form)
