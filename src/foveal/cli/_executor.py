"""Work on one core, on several, or on a cluster, behind one interface."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from foveal.errors import ClusterUnreachable, MissingExtra, UsageError

if TYPE_CHECKING:
    from concurrent.futures import Executor

Item = TypeVar("Item")
Result = TypeVar("Result")


def mapped(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int,
    cluster: str | None,
    label: str,
) -> list[Result]:
    """The results of `work` on each item, in order, with a progress bar on a terminal."""
    with _executor(jobs, cluster, len(items)) as executor:
        results = executor.map(work, items) if executor else map(work, items)
        return list(_watched(results, len(items), label))


@contextmanager
def _executor(jobs: int, cluster: str | None, items: int) -> Iterator[Executor | None]:
    if cluster and jobs > 1:
        raise UsageError("--jobs and --cluster exclude each other")
    if cluster:
        with _cluster_executor(cluster) as executor:
            yield executor
    elif jobs > 1 and items > 1:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # Polars runs threads of its own; a forked copy of them would wait for ever.
        with ProcessPoolExecutor(min(jobs, items), mp_context=get_context("spawn")) as pool:
            yield pool
    else:
        yield None


@contextmanager
def _cluster_executor(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtra("cluster", "dask.distributed") from error
    try:
        client = Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise ClusterUnreachable(f"no Dask scheduler at {address}: {error}") from error
    with client:
        yield client.get_executor()


def _watched(results: Iterator[Result], count: int, label: str) -> Iterator[Result]:
    if count < 2 or not sys.stderr.isatty():
        yield from results
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(results, label, total=count, console=Console(stderr=True), transient=True)
