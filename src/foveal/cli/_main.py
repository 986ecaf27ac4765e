"""The entry point: commands are loaded when needed, errors are caught here only, Ctrl-C ends the work."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from foveal import late
from foveal.cli._command_group import Commands, commands_in
from foveal.cli._progress_bar import progress_shown
from foveal.errors import FovealError, harmless

PACKAGE = "foveal.cli"
BUG = 70
# New objects after which Python searches for garbage. Its default, 700, is reached again and again while
# modules are loaded, whose objects all stay.
NEW_OBJECTS = 100_000
EPILOG = """\b
Try it: foveal demo

\b
Complete words with the tab key:
  bash   eval "$(_FOVEAL_COMPLETE=bash_source foveal)"
  zsh    eval "$(_FOVEAL_COMPLETE=zsh_source foveal)"
  fish   _FOVEAL_COMPLETE=fish_source foveal | source
"""
# Seconds after Ctrl-C in which further ones are ignored.
PATIENCE = 2.0
# Seconds after which Ctrl-C is raised again if Python could not raise it.
RAISE_AGAIN_AFTER = 0.05


def command_names() -> list[str]:
    """Names of all commands, in the order of help."""
    return commands_in(PACKAGE)


def _print_version(ctx: click.Context, _: click.Parameter, requested: bool) -> None:
    """Print the version and the reader of TREC and INEX lines: reports about speed need both."""
    if not requested or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    from foveal.compiled import IS_BUILT, compiled_module

    reader = "the compiled scanner"
    if not compiled_module():
        reason = "FOVEAL_COMPILED is 0" if IS_BUILT else "installed without a C compiler"
        reader = f"the plain reader ({reason})"
    click.echo(f"foveal {version('foveal')}, reading with {reader}")
    ctx.exit()


@click.group(
    cls=Commands,
    package=PACKAGE,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version,
    help="Show the version and how files are read, and exit.",
)  # fmt: skip
@click.pass_context
def cli(context: click.Context) -> None:
    """Evaluate focused retrieval.

    foveal scores systems that return the right text, not only the right documents: XML elements,
    passages, character spans and best entry points.
    """
    context.with_resource(progress_shown())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and raise its exit code."""
    sys.exit(_exit_code(arguments))


def program() -> NoReturn:
    """Run the command line as a program that exits without cleaning up.

    Tearing down the interpreter and the tables would take a tenth of a second: the system frees all
    memory anyway.
    """
    gc.set_threshold(NEW_OBJECTS)
    # A program started with closed streams has None for them; its output is lost.
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
        handle_ctrl_c()
        code = _exit_code(None)
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            if not code:
                sys.exit()
        os._exit(code)


def _exit_code(arguments: Sequence[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A character that the terminal lacks becomes a question mark, not an error.
            stream.reconfigure(errors="replace")
    try:
        code = cli.main(args=arguments, prog_name="foveal", standalone_mode=False)
    except FovealError as error:
        _print_error("\n".join([str(error), *getattr(error, "__notes__", [])]), arguments)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _print_error("interrupted")
        return 130
    except Exception as error:
        if os.environ.get("FOVEAL_TRACEBACK"):
            traceback.print_exc()
        _print_error(
            f"a bug in foveal: {type(error).__name__}: {error}\n"
            "please report it with the command you ran (FOVEAL_TRACEBACK=1 shows where)"
        )
        return BUG
    return int(code or 0)


def _print_error(message: str, arguments: Sequence[str] | None = ()) -> None:
    """Print an error on standard error, and as an annotation for GitHub with --to github."""
    click.echo(harmless(f"foveal: {message}"), err=True)
    given_arguments = sys.argv[1:] if arguments is None else arguments
    if "--to=github" in given_arguments or ("--to", "github") in pairwise(given_arguments):
        from foveal.rendering import annotation

        click.echo(annotation("error", "foveal", harmless(message)))


def handle_ctrl_c() -> None:
    """Make Ctrl-C end this program, unless it was started to ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        interrupt = _Interrupt()
        signal.signal(signal.SIGINT, interrupt)
        sys.unraisablehook = interrupt.raise_again
        late.on_loading.append(_let_waiting_end)


class _Interrupt:
    """A handler that raises KeyboardInterrupt once, however often the key is pressed.

    A second interrupt during cleanup would leave files and processes behind. After a while Ctrl-C
    works again, in case the cleanup hangs.
    """

    def __init__(self) -> None:
        self._last_raised = float("-inf")

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if now - self._last_raised > PATIENCE:
            self._last_raised = now
            raise KeyboardInterrupt

    def raise_again(self, unraisable: sys.UnraisableHookArgs) -> None:
        """Raise an interrupt again that Python could not raise because it was freeing an object."""
        if unraisable.exc_type is not KeyboardInterrupt:
            sys.__unraisablehook__(unraisable)
            return
        self._last_raised = float("-inf")
        threading.Timer(RAISE_AGAIN_AFTER, _interrupt_main).start()


def _let_waiting_end(module: str) -> None:
    """Undo a change that Polars makes on loading, so that Ctrl-C ends waiting for input again."""
    if module == "polars" and sys.platform != "win32":
        signal.siginterrupt(signal.SIGINT, True)  # the parameter has no name


def _interrupt_main() -> None:
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:
        # Only a signal sent to the main thread wakes it from a sleep.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
