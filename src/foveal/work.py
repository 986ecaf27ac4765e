"""Work in order, few items ahead, on threads, processes or a cluster; and how far it has got."""

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

# Rows worked on at a time: few enough to stay in the processor's cache, and their memory is reused
# without asking the system.
BLOCK = 1 << 18
# Seconds after which a scheduler that does not answer is given up.
PATIENCE = 5
# More threads would need more memory for blocks than they save time.
MOST_THREADS = 4

Item = TypeVar("Item")
Result = TypeVar("Result")
Advance = Callable[[int], None]


class Watch(Protocol):
    """Sees the stages of long work, such as what draws progress bars."""

    def __call__(
        self, label: str, total: int | None, *, sized: bool
    ) -> AbstractContextManager[Advance]:
        """Watch one stage; the stage calls what this yields as it advances."""


class Submit(Protocol):
    """Gives work on an item to somebody else, as an executor does."""

    def __call__(self, work: Callable[..., Result], item: object, /) -> Future[Result]:
        """What will hold the result."""


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Let somebody see the stages of the work that this thread does meanwhile.

    Other threads and processes do their work unseen.
    """
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


@contextmanager
def stage(
    label: str, total: int | Callable[[], int] | None = None, *, sized: bool = False
) -> Iterator[Advance]:
    """A stage of work that can take seconds: call what it yields with how much more is done.

    Without a total, only the time that has passed can be shown. A total that takes long to find may be
    a function; one that is `sized` counts bytes. Nothing happens unless somebody watches.
    """
    watch = _watch.get()
    if watch is None:
        yield lambda _: None
        return
    known = total() if callable(total) else total
    with watch(label, known, sized=sized) as advance:
        yield advance


def tracked(items: Iterable[Item], label: str, total: int | None = None) -> Iterable[Item]:
    """The items, as a stage of so many; the items themselves unless somebody watches."""
    # A single item has no steps that could be counted.
    return items if _watch.get() is None else _tracked(items, label, None if total == 1 else total)


def _tracked(items: Iterable[Item], label: str, total: int | None) -> Iterator[Item]:
    with stage(label, total) as advance:
        for item in items:
            yield item
            advance(1)


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
    with _cluster(cluster) if cluster else _processes(jobs) as (submit, workers):
        try:
            yield from _in_order(submit, work, items, ahead=2 * workers)
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


def _on_threads(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    # Loading it takes a while, and small work is done without.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    threads = min(MOST_THREADS, os.cpu_count() or 1)
    with ThreadPoolExecutor(threads) as pool:
        yield from _in_order(pool.submit, work, items, ahead=threads)


def _in_order(
    submit: Submit, work: Callable[[Item], Result], items: Iterable[Item], *, ahead: int
) -> Iterator[Result]:
    """The results of work on each item that is done elsewhere, in order; at most `ahead` wait."""
    waiting: deque[Future[Result]] = deque()
    for item in items:
        waiting.append(submit(work, item))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put Ctrl-C off until the end, and let no process that is started meanwhile ever see it.

    A terminal sends it to all processes. One that is starting would print a traceback, and one that
    works has only its parent to obey.
    """
    is_main = threading.current_thread() is threading.main_thread()
    # Only the main thread is ever interrupted; None is a handler that a program in C has set.
    if not is_main or sys.platform == "win32" or signal.getsignal(signal.SIGINT) is None:
        yield
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    # What is blocked stays blocked in a process that is started.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
        if pressed:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _processes(jobs: int) -> Iterator[tuple[Submit, int]]:
    # Loading these takes a while, and most work needs no other process.
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from multiprocessing import get_context  # noqa: PLC0415

    # Polars runs threads of its own; a forked copy of them would wait forever.
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_obey_parent) as pool:

        def submit(work: Callable[..., Result], item: object, /) -> Future[Result]:
            # It may start a worker.
            with uninterrupted():
                return pool.submit(work, item)

        try:
            yield submit, jobs
        except BaseException:
            # Nobody waits for what the workers are doing.
            for process in list((pool._processes or {}).values()):  # noqa: SLF001  # no other way before Python 3.14
                process.terminate()
            raise


def _obey_parent() -> None:
    """Let a worker leave Ctrl-C to its parent, and end with it, whatever ends that."""
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
    # Another program's answer may be read as a length, of which no message is.
    except (OSError, ValueError, MemoryError) as error:
        raise ClusterUnreachable(f"no Dask scheduler at {address}: {error}") from error
    with client:
        # If a worker dies, another does its work again.
        yield client.get_executor(retries=2).submit, max(1, sum(client.nthreads().values()))
