from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.rendering._numbers import as_java_prints, rounded
from foveal.trec_eval.trec_output import score_text


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0.0, "0.0"),
        (1.0, "1.0"),
        (0.19, "0.19"),
        (0.001, "0.001"),
        (0.0006563137158712882, "6.563137158712882E-4"),
        (0.0005, "5.0E-4"),
        (1e-300, "1.0E-300"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (-0.00025, "-2.5E-4"),
        (123456789.5, "1.234567895E8"),
    ],
)
def test_doubles_are_spelled_as_java_does(value: float, printed: str) -> None:
    assert as_java_prints(value) == printed


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_javas_spelling_reads_back_exactly(value: float) -> None:
    assert float(as_java_prints(value)) == value


def test_scores_have_four_decimals_and_counts_none() -> None:
    assert rounded(0.33336) == "0.3334"
    assert rounded(1500.0, as_integer=True) == "1500"
    assert rounded(-0.00001) == "0.0000"
    assert rounded(-0.0, as_integer=True) == "0"
    assert score_text(-0.00001) == "-0.0000"
