"""Work on many files in parallel: its options, and checks of files and options."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, TypeVar

import click

from foveal.cli._options import typed_options
from foveal.errors import UsageError

Item = TypeVar("Item")
Result = TypeVar("Result")
Command = TypeVar("Command", bound=Callable[..., Any])


def refuse_typed(names: Collection[str], reason: str) -> None:
    """Refuse typed options that would change nothing."""
    for name, flag in typed_options().items():
        if name in names:
            raise UsageError(f"{flag} {reason}")


def is_stream(file: str) -> bool:
    """True for a file that can be read only once: standard input or a pipe."""
    # A missing file is reported by its reader.
    from foveal.files import is_special

    return file == "-" or is_special(file)


def refuse_unshareable(files: Sequence[str], *other_files: str, shared: bool) -> None:
    """Refuse streams that would be read twice, or by several processes."""
    if [*other_files, *files].count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    if shared and any(map(is_stream, files)):
        raise UsageError(
            "standard input and pipes cannot be shared among processes: leave out --jobs and --cluster"
        )


def mapped(
    compute: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int,
    cluster: str | None,
    label: str,
) -> Iterator[Result]:
    """Results of `compute` for each item, in order, with progress in a terminal."""
    from foveal.work import streamed, tracked

    results = streamed(compute, items, jobs=min(jobs, len(items)), cluster=cluster)
    return iter(tracked(results, label, len(items)))


def _jobs_or_cluster(context: click.Context, option: click.Parameter, value: Any) -> Any:
    """Refuse --jobs together with --cluster; the second option on the line sees the first."""
    values = {**context.params, option.name: value}
    if values.get("cluster") is not None and values.get("jobs", 1) > 1:
        raise click.UsageError("give --jobs or --cluster, not both", context)
    return value


def jobs_option(sentence: str) -> Callable[[Command], Command]:
    """The option --jobs."""
    return click.option(
        "--jobs",
        type=click.IntRange(1),
        default=1,
        metavar="N",
        callback=_jobs_or_cluster,
        help=sentence,
    )


def cluster_option(sentence: str) -> Callable[[Command], Command]:
    """The option --cluster."""
    return click.option(
        "--cluster", metavar="ADDRESS", callback=_jobs_or_cluster,
        help=f'{sentence} on a Dask cluster (`pip install "foveal[cluster]"`).',
    )  # fmt: skip
