"""Shell completion of file names and of names in registries.

Loading the registries takes longer than a key press may, so their names are read from `names.json`,
which `make docs` writes.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from enum import StrEnum
from functools import cache
from pathlib import Path

import click
from click.shell_completion import CompletionItem

NAMES = Path(__file__).with_name("names.json")
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


class NameKind(StrEnum):
    """Kinds of names that can be completed; figures have further kinds, one per type of result."""

    MEASURES = "measures"
    FORMATS = "formats"
    RUN_FORMATS = "formats of runs"
    QRELS_FORMATS = "formats of judgements"
    WRITTEN_FORMATS = "formats that are written"
    EXPORTS = "formats of exports"
    TESTS = "tests"


class Text(click.types.StringParamType):
    """Free text on the command line, which often names a file."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Ask the shell to complete a file name."""
        return file(incomplete)


@cache
def _names() -> dict[str, dict[str, str]]:
    import json

    names: dict[str, dict[str, str]] = json.loads(NAMES.read_text(encoding="utf-8"))
    return names


def names_starting(kind: str, incomplete: str) -> list[CompletionItem]:
    """Names of a kind that start with the typed text, with their meanings."""
    return [
        CompletionItem(name, help=title)
        for name, title in _names()[kind].items()
        if name.startswith(incomplete)
    ]


def names_of(kind: NameKind) -> Complete:
    """Completion function for an option or argument that takes a name of this kind."""
    return lambda _, __, incomplete: names_starting(kind, incomplete)


def file(incomplete: str) -> list[CompletionItem]:
    """Completion item that makes the shell complete a file name."""
    return [CompletionItem(incomplete, type="file")]


def completion_copy(command: click.Command) -> click.Command:
    """A copy of a command for completion, without callbacks that look up or load anything."""
    copied = copy(command)
    copied.params = [_completion_param(param) for param in command.params]
    if isinstance(copied, click.Group):
        copied.commands = {name: completion_copy(inner) for name, inner in copied.commands.items()}
    return copied


def _completion_param(param: click.Parameter) -> click.Parameter:
    copied = copy(param)
    copied.callback = None
    if copied.type in {click.STRING, click.UNPROCESSED}:
        copied.type = Text()
    return copied
