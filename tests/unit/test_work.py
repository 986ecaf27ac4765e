"""Work on several blocks at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from foveal.work import MOST_THREADS, threaded


@pytest.mark.parametrize("count", [0, 1, 2, 20])
def test_results_come_in_the_order_of_the_items(count: int) -> None:
    def late_if_early(item: int) -> int:
        time.sleep(0.02 if item == 0 else 0)
        return item * item

    assert list(threaded(late_if_early, range(count))) == [item * item for item in range(count)]


def test_items_are_taken_no_faster_than_results_are() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(100):
            taken.append(item)
            yield item

    results = threaded(str, items())
    assert next(results) == "0"
    assert len(taken) <= MOST_THREADS + 1


def test_what_goes_wrong_with_an_item_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        list(threaded(lambda item: 1 // item, [2, 1, 0, 3]))
