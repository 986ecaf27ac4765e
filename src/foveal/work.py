"""Work in order, few items ahead, on threads, processes or a cluster."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

from foveal.errors import ClusterUnreachable, MissingExtra, UsageError, WorkerLost

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

# Rows worked on at a time: few enough to stay in the processor's cache, and their memory is reused
# without asking the system.
BLOCK = 1 << 18
# More threads would need more memory for blocks than they save time.
MOST_THREADS = 4

Item = TypeVar("Item")
Result = TypeVar("Result")


@contextmanager
def uncollected() -> Iterator[None]:
    """Do work that makes many small objects and no cycles without a search for garbage meanwhile.

    The search looks at all objects again and again; for a list of chunks that is half of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def threaded(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """The results of `work` on each item, in order; items are taken no faster than needed.

    For work that lets other threads run, as Polars and NumPy do on long columns.
    """
    items = iter(items)
    first = list(islice(items, 2))
    return map(work, first) if len(first) < 2 else _on_threads(work, chain(first, items))


def streamed(
    work: Callable[[Item], Result], items: Iterable[Item], *, jobs: int, cluster: str | None
) -> Iterator[Result]:
    """The same on `jobs` processes, or on the Dask cluster at an address; one job works here."""
    if cluster and jobs > 1:
        raise UsageError("give --jobs or --cluster, not both")
    if not cluster and jobs == 1:
        yield from map(work, items)
        return
    with _cluster(cluster) if cluster else _processes(jobs) as (executor, workers):
        try:
            yield from _in_order(executor, work, items, ahead=2 * workers)
        except Exception as error:
            # By name: loading their classes takes time, and most calls need neither.
            if type(error).__name__ not in {"BrokenProcessPool", "KilledWorker"}:
                raise
            raise WorkerLost(
                "a worker process died (killed, or out of memory?): finished work is kept; fewer"
                " --jobs need less memory"
            ) from error


def _on_threads(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    # Loading it takes a while, and small work is done without.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    threads = min(MOST_THREADS, os.cpu_count() or 1)
    with ThreadPoolExecutor(threads) as pool:
        yield from _in_order(pool, work, items, ahead=threads)


def _in_order(
    executor: Executor, work: Callable[[Item], Result], items: Iterable[Item], *, ahead: int
) -> Iterator[Result]:
    """The results of an executor's work on each item, in order; at most `ahead` items wait."""
    waiting: deque[Future[Result]] = deque()
    for item in items:
        waiting.append(executor.submit(work, item))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


@contextmanager
def _processes(jobs: int) -> Iterator[tuple[Executor, int]]:
    # Loading these takes a while, and most work needs no other process.
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from multiprocessing import get_context  # noqa: PLC0415

    # Polars runs threads of its own; a forked copy of them would wait forever.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield pool, jobs


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        from distributed import Client  # noqa: PLC0415  # an optional dependency
    except ImportError as error:
        raise MissingExtra("cluster", "dask.distributed") from error
    try:
        client = Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise ClusterUnreachable(f"no Dask scheduler at {address}: {error}") from error
    with client:
        # If a worker dies, another does its work again.
        yield client.get_executor(retries=2), max(1, sum(client.nthreads().values()))
