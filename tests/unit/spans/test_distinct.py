"""Distinct keys, however dense they are."""

from __future__ import annotations

import numpy as np
import pytest

from foveal.spans import Segments, distinct


@pytest.mark.parametrize(
    "keys", [[], [0], [5], [3, 3], [2, 0, 1, 0], [9, 0, 7, 9], [10**9, 4, 10**9]]
)
def test_every_key_is_numbered_in_order(keys: list[int]) -> None:
    every, number = distinct(np.array(keys, dtype=np.int64))
    assert every.tolist() == sorted(set(keys))
    assert every[number].tolist() == keys


def test_all_entries_of_some_segments_are_found() -> None:
    segments = Segments(np.array([0, 2, 2, 5]))
    which, place = segments.entries_of(np.array([2, 1, 0, 2]))
    assert which.tolist() == [0, 0, 0, 2, 2, 3, 3, 3]
    assert place.tolist() == [2, 3, 4, 0, 1, 2, 3, 4]
