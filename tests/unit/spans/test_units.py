from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foveal.choices import OffsetUnit
from foveal.spans import INSIDE, boundaries, in_characters

ENCODINGS = {OffsetUnit.BYTES: ("utf-8", 1), OffsetUnit.UTF16: ("utf-16-le", 2)}
# On both sides of where a character takes one byte or unit more.
EDGES = "a\x7f\x80\u07ff\u0800\ud800\uffff\U00010000\U0010ffff"
texts = st.text(st.sampled_from(EDGES), max_size=20) | st.text(max_size=20)


def units_before(text: str, unit: OffsetUnit) -> list[int]:
    """How many units are before each character and before the end, by encoding what is there."""
    if unit is OffsetUnit.CHARACTERS:
        return list(range(len(text) + 1))
    encoding, width = ENCODINGS[unit]
    return [
        # Each by itself: two halves of a pair would be encoded as one character.
        sum(len(sign.encode(encoding, "surrogatepass")) // width for sign in text[:end])
        for end in range(len(text) + 1)
    ]


@pytest.mark.parametrize("unit", OffsetUnit)
@given(text=texts)
@example(text=EDGES)
def test_boundaries_are_what_encoding_counts(unit: OffsetUnit, text: str) -> None:
    assert boundaries(text, unit).tolist() == units_before(text, unit)


@pytest.mark.parametrize("unit", OffsetUnit)
@given(text=texts)
def test_converting_there_and_back_is_the_identity(unit: OffsetUnit, text: str) -> None:
    bounds = boundaries(text, unit)
    assert in_characters(bounds, bounds).tolist() == list(range(len(text) + 1))


@pytest.mark.parametrize("unit", OffsetUnit)
@given(text=texts)
def test_every_other_offset_is_inside_a_character_or_beyond(unit: OffsetUnit, text: str) -> None:
    bounds = boundaries(text, unit)
    others = np.setdiff1d(np.arange(-2, bounds[-1] + 3), bounds)
    assert set(in_characters(others, bounds).tolist()) == {INSIDE}
