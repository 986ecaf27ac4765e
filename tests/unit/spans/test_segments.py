"""Segments against loops over lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foveal.spans import Segments, affordable, totals

GROUPS = st.lists(st.lists(st.integers(-50, 50), max_size=6), max_size=6)


def flat(groups: list[list[int]]) -> np.ndarray:
    return np.array([value for group in groups for value in group], dtype=np.int64)


def names(groups: list[list[int]]) -> np.ndarray:
    return np.array([n for n, group in enumerate(groups) for _ in group], dtype=np.int64)


@given(groups=GROUPS)
def test_segments_are_the_same_by_name_and_by_size(groups: list[list[int]]) -> None:
    named = Segments.grouped(names(groups), len(groups))
    sized = Segments.sized(np.array([len(group) for group in groups], dtype=np.int64))
    assert named.offsets.tolist() == sized.offsets.tolist()
    assert named.entry_count.tolist() == [len(group) for group in groups]
    assert named.nth.tolist() == [n + 1 for group in groups for n in range(len(group))]
    places = np.arange(len(flat(groups)))
    assert named.segment_of(places).tolist() == names(groups).tolist()


@given(groups=GROUPS, depth=st.integers(0, 8))
def test_sums_run_within_segments(groups: list[list[int]], depth: int) -> None:
    segments, values = Segments.grouped(names(groups), len(groups)), flat(groups)
    running = [sum(group[: n + 1]) for group in groups for n in range(len(group))]
    assert segments.running(values).tolist() == running
    assert segments.running(values.astype(np.float64)).tolist() == running
    count = np.minimum(segments.entry_count, depth)
    reached = segments.sums_after(np.array(running, dtype=np.int64), count)
    assert reached.tolist() == [sum(group[:depth]) for group in groups]
    assert totals(names(groups), values, len(groups)).tolist() == [sum(group) for group in groups]


def test_a_segment_knows_nothing_of_the_rounding_before_it() -> None:
    values = np.array([1e16, 1.0, 0.1, 0.2, 0.3])
    running = Segments.sized(np.array([2, 3])).running(values)
    assert running[2:].tolist() == np.cumsum([0.1, 0.2, 0.3]).tolist()


@given(
    sizes=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=12),
    budget=st.integers(0, 20),
)
def test_a_budget_pays_each_segment_in_order(sizes: list[tuple[int, int]], budget: int) -> None:
    left, paid = dict.fromkeys(range(4), budget), []
    for segment, size in sizes:
        paid.append(min(size, left[segment]))
        left[segment] -= paid[-1]
    owners, wanted = np.array(sizes, dtype=np.int64).reshape(-1, 2).T
    assert affordable(owners, wanted, budget).tolist() == paid
