"""Work on many files: what can be shared among processes, and progress bars."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from foveal.errors import UsageError

Item = TypeVar("Item")
Result = TypeVar("Result")


def is_stream(file: str) -> bool:
    """Whether a file can be read only once: standard input or a pipe."""
    # A file that is missing is reported by its reader.
    from foveal.files import is_special

    return file == "-" or is_special(file)


def refuse_unshareable(files: Sequence[str], *others: str, shared: bool) -> None:
    """Refuse what would be read twice but can be read only once, or not by other processes."""
    if [*others, *files].count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    if shared and any(map(is_stream, files)):
        raise UsageError(
            "standard input and pipes cannot be shared among processes: leave out --jobs and --cluster"
        )


def mapped(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int,
    cluster: str | None,
    label: str,
) -> Iterator[Result]:
    """The results of `work` on each item, in order, with a progress bar on a terminal."""
    from foveal.work import streamed

    results = streamed(work, items, jobs=min(jobs, len(items)), cluster=cluster)
    if len(items) < 2 or not sys.stderr.isatty():
        return results
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return iter(track(results, label, total=len(items), console=console, transient=True))


@contextmanager
def sized_progress(label: str, total: Callable[[], int]) -> Iterator[Callable[[int], None]]:
    """A progress bar over bytes, with rate and time left, on a terminal; nothing elsewhere."""
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
