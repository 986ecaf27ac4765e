"""What a shell completes: names that the records have, and files.

Loading the records takes longer than a key press may, so their names are read from `names.json`, which
`make docs` writes.
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
    """What has a list of names that can be completed; figures have one for each type of result."""

    MEASURES = "measures"
    FORMATS = "formats"
    RUN_FORMATS = "formats of runs"
    QRELS_FORMATS = "formats of judgements"
    WRITTEN_FORMATS = "formats that are written"
    EXPORTS = "formats of exports"
    TESTS = "tests"


class Text(click.types.StringParamType):
    """Text that may name a file, as most free text on the command line does."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Let the shell complete the name of a file."""
        return file(incomplete)


@cache
def _names() -> dict[str, dict[str, str]]:
    import json

    names: dict[str, dict[str, str]] = json.loads(NAMES.read_text(encoding="utf-8"))
    return names


def names_starting(kind: str, incomplete: str) -> list[CompletionItem]:
    """The names of a kind that begin with what is typed, and what they mean."""
    return [
        CompletionItem(name, help=title)
        for name, title in _names()[kind].items()
        if name.startswith(incomplete)
    ]


def names_of(kind: NameKind) -> Complete:
    """What completes an option or argument that takes a name of some kind."""
    return lambda _, __, incomplete: names_starting(kind, incomplete)


def file(incomplete: str) -> list[CompletionItem]:
    """What lets the shell complete the name of a file."""
    return [CompletionItem(incomplete, type="file")]


def completion_copy(command: click.Command) -> click.Command:
    """A copy of a command whose words are only completed: nothing is looked up or loaded for them."""
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
