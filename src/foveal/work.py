"""Ordered work on threads, processes or a cluster, few items ahead, and its progress."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from itertools import chain, islice
from typing import TYPE_CHECKING, Protocol, TypeVar

from foveal.errors import ClusterUnreachable, MissingExtra, UsageError, WorkerLost

if TYPE_CHECKING:
    from concurrent.futures import Future

# Rows to work on at a time: few enough for the processor's cache, and for memory that is reused
# without a call of the system.
BLOCK = 1 << 18
# Seconds to wait for a scheduler's answer.
PATIENCE = 5
# More threads would need more memory for blocks than they save time.
MAX_THREADS = 4

Item = TypeVar("Item")
Result = TypeVar("Result")
Advance = Callable[[int], None]


class Watch(Protocol):
    """Follows the stages of long work, for example to draw progress bars."""

    def __call__(
        self, label: str, total: int | None, *, in_bytes: bool
    ) -> AbstractContextManager[Advance]:
        """Follow one stage, which calls the yielded function as it advances."""


class Submit(Protocol):
    """Starts work on an item elsewhere, as an executor does."""

    def __call__(self, compute: Callable[..., Result], item: object, /) -> Future[Result]:
        """Return the future that will hold the result."""


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Report the stages of this thread's work to a watch; other threads and processes do not report."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


@contextmanager
def stage(
    label: str, total: int | Callable[[], int] | None = None, *, in_bytes: bool = False
) -> Iterator[Advance]:
    """A stage of work that can take seconds: call the yielded function with each further amount.

    Without a total, only the time that has passed can be shown. A total that takes long to compute may
    be a function; with `in_bytes`, amounts are bytes. Without a watch nothing happens.
    """
    watch = _watch.get()
    if watch is None:
        yield lambda _: None
        return
    step_count = total() if callable(total) else total
    with watch(label, step_count, in_bytes=in_bytes) as advance:
        yield advance


def tracked(items: Iterable[Item], label: str, total: int | None = None) -> Iterable[Item]:
    """Items that report a stage as they are consumed; without a watch the items themselves."""
    # A single item has no steps that could be counted.
    return items if _watch.get() is None else _tracked(items, label, None if total == 1 else total)


def _tracked(items: Iterable[Item], label: str, total: int | None) -> Iterator[Item]:
    with stage(label, total) as advance:
        for item in items:
            yield item
            advance(1)


@contextmanager
def uncollected() -> Iterator[None]:
    """Stop the search for garbage during work that makes many small objects and no cycles.

    The search visits all objects repeatedly; for a list of chunks that is half of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def threaded(compute: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Results of `compute` for each item, in order; items are fetched no faster than needed.

    For computations that let other threads run, as Polars and NumPy do on long columns.
    """
    items = iter(items)
    first = list(islice(items, 2))
    return map(compute, first) if len(first) < 2 else _on_threads(compute, chain(first, items))


def streamed(
    compute: Callable[[Item], Result], items: Iterable[Item], *, jobs: int, cluster: str | None
) -> Iterator[Result]:
    """Results like those of `threaded`, from `jobs` processes (1: this one) or a Dask cluster."""
    if cluster and jobs > 1:
        raise UsageError("give --jobs or --cluster, not both")
    if not cluster and jobs == 1:
        yield from map(compute, items)
        return
    with _cluster(cluster) if cluster else _processes(jobs) as (submit, workers):
        try:
            yield from _in_order(submit, compute, items, ahead=2 * workers)
        except Exception as error:
            if isinstance(error, RuntimeError) and "deserialization" in str(error):
                raise UsageError(
                    f"the cluster at {cluster} cannot read the work that it was sent: install the same"
                    " versions of Python and foveal there as here"
                ) from error
            # By name: loading their classes takes time, and most calls need neither.
            if type(error).__name__ not in {"BrokenProcessPool", "KilledWorker"}:
                raise
            raise WorkerLost(
                "a worker process died (killed, or out of memory?): finished work is kept; fewer"
                " --jobs need less memory"
            ) from error


def _on_threads(compute: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    # Loading it takes a while, and small work needs no threads.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    threads = min(MAX_THREADS, os.cpu_count() or 1)
    with ThreadPoolExecutor(threads) as pool:
        yield from _in_order(pool.submit, compute, items, ahead=threads)


def _in_order(
    submit: Submit, compute: Callable[[Item], Result], items: Iterable[Item], *, ahead: int
) -> Iterator[Result]:
    """Results of submitted items, in order; at most `ahead` items wait."""
    waiting: deque[Future[Result]] = deque()
    for item in items:
        waiting.append(submit(compute, item))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C until the end, and block it in all processes started meanwhile.

    A terminal sends it to all processes. One that is starting would print a traceback; one that
    works is ended by its parent.
    """
    is_main = threading.current_thread() is threading.main_thread()
    # Only the main thread is interrupted; None is a handler set by a program in C.
    if not is_main or sys.platform == "win32" or signal.getsignal(signal.SIGINT) is None:
        yield
        return
    interrupts: list[int] = []
    previous_handler = signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    # New processes inherit the mask.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, previous_handler)
        if interrupts:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _processes(jobs: int) -> Iterator[tuple[Submit, int]]:
    # Loading these takes a while, and most work needs no other process.
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from multiprocessing import get_context  # noqa: PLC0415

    # Polars runs threads of its own; a forked copy of them would wait forever.
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_obey_parent) as pool:

        def submit(compute: Callable[..., Result], item: object, /) -> Future[Result]:
            # Submitting may start a worker.
            with uninterrupted():
                return pool.submit(compute, item)

        try:
            yield submit, jobs
        except BaseException:
            # The workers' results are not needed any more.
            for process in list((pool._processes or {}).values()):  # noqa: SLF001  # no other way before Python 3.14
                process.terminate()
            raise


def _obey_parent() -> None:
    """Make a worker ignore Ctrl-C and end when its parent ends."""
    from multiprocessing import parent_process  # noqa: PLC0415  # as above

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def end_with_parent() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Submit, int]]:
    try:
        from distributed import Client  # noqa: PLC0415  # an optional dependency
    except ImportError as error:
        raise MissingExtra("cluster", "dask.distributed") from error
    try:
        client = Client(address, timeout=PATIENCE)
    # A server that is not Dask: its bytes are read as a message length, hence MemoryError.
    except (OSError, ValueError, MemoryError) as error:
        raise ClusterUnreachable(f"no Dask scheduler at {address}: {error}") from error
    with client:
        # If a worker dies, another does its work again.
        yield client.get_executor(retries=2).submit, max(1, sum(client.nthreads().values()))
