"""Work on one core, on several, or on a cluster, behind one interface."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from foveal.errors import ClusterUnreachable, MissingExtra, UsageError, WorkerLost

if TYPE_CHECKING:
    from concurrent.futures import Executor

Item = TypeVar("Item")
Result = TypeVar("Result")


def refuse_unshareable(files: Sequence[str], *others: str, shared: bool) -> None:
    """Refuse what can be read only once, and what other processes could not read."""
    if [*others, *files].count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    # A file that is not there is told by who reads it.
    if shared and any(
        file == "-" or (Path(file).exists() and not Path(file).is_file()) for file in files
    ):
        raise UsageError("only files can be shared among processes: leave out --jobs, --cluster")


def mapped(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int,
    cluster: str | None,
    label: str,
) -> Iterator[Result]:
    """The results of `work` on each item, in order, with a progress bar on a terminal."""
    results = streamed(work, items, jobs=min(jobs, len(items)), cluster=cluster)
    return _watched(results, len(items), label)


def streamed(
    work: Callable[[Item], Result], items: Iterable[Item], *, jobs: int, cluster: str | None
) -> Iterator[Result]:
    """The results of `work` on each item, in order; items are taken no faster than needed."""
    with _executor(jobs, cluster) as (executor, workers):
        if not executor:
            yield from map(work, items)
            return
        from foveal.tables import in_order

        try:
            yield from in_order(executor, work, items, ahead=2 * workers)
        except Exception as error:
            # Named by their names: those who do not use them do not have to load them.
            if type(error).__name__ not in {"BrokenProcessPool", "KilledWorker"}:
                raise
            raise WorkerLost(
                "a worker process died (killed, or out of memory?): what was finished is kept,"
                " and fewer --jobs need less memory"
            ) from error


@contextmanager
def _executor(jobs: int, cluster: str | None) -> Iterator[tuple[Executor | None, int]]:
    """An executor and the number of its workers; none for work that is done right here."""
    if cluster and jobs > 1:
        raise UsageError("--jobs and --cluster exclude each other")
    if cluster:
        with _cluster_executor(cluster) as found:
            yield found
    elif jobs > 1:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # Polars runs threads of its own; a forked copy of them would wait for ever.
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            yield pool, jobs
    else:
        yield None, 1


@contextmanager
def _cluster_executor(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtra("cluster", "dask.distributed") from error
    try:
        client = Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise ClusterUnreachable(f"no Dask scheduler at {address}: {error}") from error
    with client:
        # Work of a worker that dies is done again by another.
        yield client.get_executor(retries=2), max(1, sum(client.nthreads().values()))


def _watched(results: Iterator[Result], count: int, label: str) -> Iterator[Result]:
    if count < 2 or not sys.stderr.isatty():
        yield from results
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(results, label, total=count, console=Console(stderr=True), transient=True)


@contextmanager
def sized_progress(label: str, total: Callable[[], int]) -> Iterator[Callable[[int], None]]:
    """A bar with rate and time left, advanced by bytes; nothing but on a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    rates = (TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, *rates, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task(label, total=total())
        yield lambda size: progress.advance(bar, size)
