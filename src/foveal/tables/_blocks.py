"""Long tables in blocks, several at a time."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor, Future

# So many rows at a time: the memory for them is given back and taken again without asking the
# system, and they stay in the processor's cache.
BLOCK = 1 << 18
# More threads would hold more blocks in memory than they save time.
MOST_THREADS = 4

Item = TypeVar("Item")
Result = TypeVar("Result")


def threaded(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """The results of `work` on each item, in order; items are taken no faster than needed.

    For work that lets other threads run, as that of Polars and NumPy on long columns does.
    """
    items = iter(items)
    first = list(islice(items, 2))
    if len(first) < 2:
        yield from map(work, first)
        return
    threads = min(MOST_THREADS, pl.thread_pool_size())
    with ThreadPoolExecutor(threads) as pool:
        yield from in_order(pool, work, chain(first, items), ahead=threads)


def in_order(
    executor: Executor, work: Callable[[Item], Result], items: Iterable[Item], *, ahead: int
) -> Iterator[Result]:
    """The results of an executor's work on each item, in order; at most `ahead` lie waiting."""
    waiting: deque[Future[Result]] = deque()
    for item in items:
        waiting.append(executor.submit(work, item))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
