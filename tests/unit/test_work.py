"""Work on several blocks at a time, how far it is, and how it is interrupted."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from foveal.work import (
    MAX_THREADS,
    Advance,
    stage,
    streamed,
    threaded,
    tracked,
    uninterrupted,
    watched,
)


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
    assert len(taken) <= MAX_THREADS + 1


def test_what_goes_wrong_with_an_item_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        list(threaded(lambda item: 1 // item, [2, 1, 0, 3]))


@dataclass
class Seen:
    """Who watches: the stages with their totals, and what they said, in order."""

    told: list[object] = field(default_factory=list)

    @contextmanager
    def __call__(self, label: str, total: int | None, *, in_bytes: bool) -> Iterator[Advance]:
        self.told.append((label, total, in_bytes))
        yield self.told.append
        self.told.append(f"end of {label}")


def test_without_a_watch_items_are_themselves() -> None:
    items = [1, 2]
    assert tracked(items, "counting", 2) is items
    with stage("counting", total=pytest.fail) as advance:
        advance(1)


def test_a_watch_sees_stages_and_how_far_they_are() -> None:
    seen = Seen()
    with watched(seen):
        assert list(tracked("ab", "reading", 2)) == ["a", "b"]
        with stage("writing", lambda: 30, in_bytes=True) as advance:
            advance(10)
        # One item is there or not: nothing between can be shown.
        assert list(tracked("a", "thinking", 1)) == ["a"]
    assert seen.told == [
        ("reading", 2, False), 1, 1, "end of reading",
        ("writing", 30, True), 10, "end of writing",
        ("thinking", None, False), 1, "end of thinking",
    ]  # fmt: skip
    assert list(tracked("ab", "reading", 2)) == ["a", "b"]
    assert len(seen.told) == 10


def test_a_watch_is_told_of_the_work_of_its_own_thread() -> None:
    seen = Seen()

    def work(item: int) -> int:
        with stage("unseen"):
            return item

    with watched(seen):
        assert list(threaded(work, range(5))) == list(range(5))
        assert seen.told == []
        assert list(streamed(work, [1], jobs=1, cluster=None)) == [1]
    assert seen.told == [("unseen", None, False), "end of unseen"]


def test_ctrl_c_waits_for_the_end_of_what_must_not_be_interrupted() -> None:
    done = []

    def work() -> None:
        with uninterrupted():
            for number in range(2):
                signal.raise_signal(signal.SIGINT)
                done.append(number)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [0, 1]
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_other_threads_may_not_be_interrupted_either() -> None:
    def work(item: int) -> int:
        # Only the main thread may say what a signal does.
        with uninterrupted():
            return item

    assert list(threaded(work, range(2))) == [0, 1]
