"""The entry point: commands are loaded when needed, and our errors are caught here only."""

from __future__ import annotations

import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

import click

from foveal.errors import FovealError, harmless
from foveal.registry import file_names, files_of

ROOM = "foveal.cli"
BUG = 70


def command_names() -> list[str]:
    """The commands, each named after its file, in the order of the files' places in lists."""
    return [file.__name__.rpartition(".")[2] for file in files_of(ROOM)]


class _Commands(click.Group):
    """A group whose commands live in one module each, imported when needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of their places in lists."""
        return command_names()

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names; an unknown one gets a suggestion."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if not (close := get_close_matches(args[0], file_names(ROOM), n=1)):
                raise
            raise click.UsageError(f"{error.message} Did you mean {close[0]}?", ctx) from error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a module of the same name."""
        if cmd_name not in file_names(ROOM):
            return None
        command: click.Command = importlib.import_module(f"{ROOM}.{cmd_name}").command
        return command


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print the version, and what reads TREC's and INEX's lines: a report about speed needs both."""
    if not asked or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    from foveal.files import IS_COMPILED, compiled

    reader = "the compiled scanner"
    if not compiled():
        why = "FOVEAL_COMPILED is 0" if IS_COMPILED else "installed without a C compiler"
        reader = f"the plain reader ({why})"
    click.echo(f"foveal {version('foveal')}, reading with {reader}")
    ctx.exit()


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Try it: foveal demo",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
    help="Show the version and how files are read, and exit.",
)  # fmt: skip
def cli() -> None:
    """Evaluate focused retrieval.

    foveal scores systems that return the right text, not only the right documents: XML elements,
    passages, character spans and best entry points.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and raise its exit code."""
    sys.exit(_exit_code(arguments))


def program() -> NoReturn:
    """Run the command line as a program of its own, which ends at once.

    Tearing down the interpreter and the tables would take a tenth of a second for nothing: the
    system frees all memory anyway.
    """
    # A program started with a closed stream has None there; what it prints is lost.
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
        code = _exit_code(None)
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            sys.exit(code)
        os._exit(code)


def _exit_code(arguments: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Where the terminal lacks a character it shows a question mark; we do not fail.
            stream.reconfigure(errors="replace")
    try:
        code = cli.main(args=arguments, prog_name="foveal", standalone_mode=False)
    except FovealError as error:
        _complain("\n".join([str(error), *getattr(error, "__notes__", [])]))
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _complain("interrupted")
        return 130
    except Exception as error:
        if os.environ.get("FOVEAL_TRACEBACK"):
            traceback.print_exc()
        _complain(
            f"a bug in foveal: {type(error).__name__}: {error}\n"
            "please report it with the command you ran (FOVEAL_TRACEBACK=1 shows where)"
        )
        return BUG
    return int(code or 0)


def _complain(message: str) -> None:
    click.echo(harmless(f"foveal: {message}"), err=True)
