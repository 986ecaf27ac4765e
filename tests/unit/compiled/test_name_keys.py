"""Names and their keys, by compiled code and by its twin in NumPy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from foveal.compiled import equal, find, make_table, repeats
from tests.name_bytes import name_bytes
from tests.scanners import scanner

__all__ = ["scanner"]
pytestmark = pytest.mark.usefixtures("scanner")

KEYS = st.lists(st.integers(1, 2**64 - 1) | st.integers(1, 9), max_size=60)


def _keys(values: list[int]) -> NDArray[np.uint64]:
    return np.array(values, dtype=np.uint64)


@given(KEYS, st.lists(st.integers(0, 60), max_size=5))
def test_repeats_are_those_of_a_set(values: list[int], cuts: list[int]) -> None:
    offsets = [0, *sorted(min(cut, len(values)) for cut in cuts), len(values)]
    expected = []
    for begin, end in pairwise(offsets):
        seen: dict[int, int] = {}
        for at in range(begin, end):
            first = seen.setdefault(values[at], at)
            expected += [(at, first)] if first < at else []
    found = repeats(_keys(values), np.array(offsets))
    assert list(zip(*(column.tolist() for column in found), strict=True)) == expected


@given(KEYS, KEYS)
def test_keys_are_found_as_in_a_dict(values: list[int], wanted: list[int]) -> None:
    table = make_table(_keys(values))
    rows = {key: row for row, key in enumerate(values)}
    assert (table is None) == (len(rows) < len(values))
    if table is not None:
        asked = [*wanted, *values]
        at, row = find(_keys(asked), table)
        found = [(place, rows[key]) for place, key in enumerate(asked) if key in rows]
        assert list(zip(at.tolist(), row.tolist(), strict=True)) == found


@pytest.mark.parametrize("step", [1, 1 << 20, 1 << 44, (1 << 44) + 1], ids=hex)
def test_keys_with_a_pattern_do_not_crowd(step: int) -> None:
    # A table in which they did would take minutes.
    keys = np.arange(1, 500_001, dtype=np.uint64) * np.uint64(step)
    assert len(repeats(keys, np.array([0, len(keys)]))[0]) == 0
    table = make_table(keys)
    assert table is not None
    assert len(find(keys, table)[0]) == len(keys)


@given(st.lists(st.tuples(st.binary(max_size=20), st.binary(max_size=20)), max_size=20))
def test_names_are_compared_byte_by_byte(pairs: list[tuple[bytes, bytes]]) -> None:
    pairs += [(first, first) for first, _ in pairs]
    pairs += [(first, first[:-1] + b"z") for first, _ in pairs if first]
    firsts, seconds = (name_bytes([pair[side] for pair in pairs]) for side in (0, 1))
    assert equal(firsts, seconds).tolist() == [first == second for first, second in pairs]
