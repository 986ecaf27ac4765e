"""Output of results, and of settings and notes on standard error."""

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
        # The reader closed the pipe, as `head` does; closing the stream must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def figure_file(output: str | None, groups: str | None = None) -> str:
    """The file for a figure, refused before any work if no figure can be written to it."""
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
    figure_name: str | None = None,
    runs: tuple[str, str] | None = None,
) -> None:
    """Write a result, or one of its figures (of two runs, if given), and print its notes."""
    from foveal.rendering import rendered_bytes

    if figure_name:
        from foveal.rendering import figure

        refuse_overwriting(output)
        figure(result, figure_name, runs=runs).save(figure_file(output))
    else:
        emit(rendered_bytes(result, to, notes=has_notes(to, output)), output, to)
    print_notes(result.settings, result.notes, to)


def has_notes(to: Form, output: str | None) -> bool:
    """True if the output itself has settings and notes: in files, and in every form but text.

    Plain text in a pipe has none: other programs read it.
    """
    return to is not Form.TEXT or output not in {None, "", "-", "/dev/stdout"}


def refuse_overwriting(output: str | None, inputs: Iterable[object] | None = None) -> None:
    """Raise if the output would replace an input; by default all arguments may be inputs."""
    from foveal.files import is_file

    context = click.get_current_context(silent=True)
    if output is None or not is_file(output):
        return
    if inputs is None and context is not None:
        values = [value for name, value in context.params.items() if name != "output"]
        inputs = [
            name for value in values for name in (value if isinstance(value, tuple) else [value])
        ]
    names = [name for name in inputs or () if isinstance(name, str)]
    # FILE:COLUMN names a file as well.
    for name in (*names, *(name.rpartition(":")[0] for name in names)):
        if is_file(name) and Path(name).samefile(output):
            raise UsageError(f"{output} is one of the files that are read: write to another one")


def print_notes(settings: Mapping[str, str], notes: Iterable[str], form: Form) -> None:
    """Print settings and notes on standard error, so that output can be piped.

    JSON output contains them.
    """
    if form is Form.JSON:
        return
    settings_text = "; ".join(f"{key}: {value}" for key, value in settings.items())
    click.echo(harmless(settings_text), err=True)
    for note in notes:
        click.echo(harmless(f"note: {note}"), err=True)


def terminal_width() -> int | None:
    """Width of the terminal if standard output is one, else `None`."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns
