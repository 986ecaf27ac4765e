"""Where results and remarks go."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import click

from foveal.choices import Form
from foveal.errors import UsageError, harmless

if TYPE_CHECKING:
    from foveal.shown import Shown


def emit(data: bytes, output: str | None, form: Form) -> None:
    """Write a result to a file or to standard output."""
    from foveal.files import write_bytes

    refuse_overwriting(output)
    target = output or "-"
    if form is Form.PARQUET and target == "-" and sys.stdout.isatty():
        raise UsageError("parquet cannot be shown in a terminal: give -o FILE or use a pipe")
    try:
        write_bytes(data, target)
    except BrokenPipeError:
        # The reader has seen enough, as `head` has; closing the stream must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def figure_file(output: str | None, groups: str | None = None) -> str:
    """The file that a figure is drawn into; one that cannot be is refused before any work."""
    from foveal.rendering import refuse_unless_drawable

    if output is None:
        raise UsageError(
            "a figure is written to a file: give -o FILE.svg, .html, .png, .pdf or .csv"
        )
    refuse_unless_drawable(PurePath(output).suffix.lower())
    if groups:
        raise UsageError(
            "a figure shows all topics, not groups of them: leave out --groups, or draw the topics of"
            " one group with --only TOPICS"
        )
    return output


def deliver(
    result: Shown,
    to: Form,
    output: str | None,
    drawn: str | None = None,
    runs: tuple[str, str] | None = None,
) -> None:
    """Write a result, or one of its figures (of two runs, if given), and report its settings."""
    from foveal.rendering import rendered_bytes

    if drawn:
        from foveal.rendering import figure

        refuse_overwriting(output)
        figure(result, drawn, runs=runs).save(figure_file(output))
    else:
        emit(rendered_bytes(result, to, notes=has_remarks(to, output)), output, to)
    remark(result.settings, result.notes, to)


def has_remarks(to: Form, output: str | None) -> bool:
    """Whether output carries its settings and notes: files do, and all tables made for a page.

    Plain text through a pipe is for other programs to read.
    """
    return to is not Form.TEXT or output not in {None, "", "-", "/dev/stdout"}


def refuse_overwriting(output: str | None, read: Iterable[object] | None = None) -> None:
    """Raise if the output would replace a file that is read: any that the command was given."""
    from foveal.files import is_file

    context = click.get_current_context(silent=True)
    if output is None or not is_file(output):
        return
    if read is None and context is not None:
        others = [value for name, value in context.params.items() if name != "output"]
        read = [
            word for value in others for word in (value if isinstance(value, tuple) else [value])
        ]
    words = [word for word in read or () if isinstance(word, str)]
    # What comes before a colon is read as well where a column is named after it.
    for word in (*words, *(word.rpartition(":")[0] for word in words)):
        if is_file(word) and Path(word).samefile(output):
            raise UsageError(f"{output} is one of the files that are read: write to another one")


def remark(settings: Mapping[str, str], notes: Iterable[str], form: Form) -> None:
    """Report settings and notes on standard error, so that output can be piped.

    JSON has them inside.
    """
    if form is Form.JSON:
        return
    told = "; ".join(f"{key}: {value}" for key, value in settings.items())
    click.echo(harmless(told), err=True)
    for note in notes:
        click.echo(harmless(f"note: {note}"), err=True)


def terminal_width() -> int | None:
    """The width of the terminal that standard output is, or None for a pipe."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns
