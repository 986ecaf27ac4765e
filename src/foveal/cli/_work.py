"""Work on many files, and what of it can be shared among processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    """The results of `work` on each item, in order, as a stage that a terminal shows."""
    from foveal.work import streamed, tracked

    results = streamed(work, items, jobs=min(jobs, len(items)), cluster=cluster)
    return iter(tracked(results, label, len(items)))
