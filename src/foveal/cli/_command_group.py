"""Groups of commands that live in one file each, loaded when needed."""

from __future__ import annotations

import importlib
from difflib import get_close_matches
from typing import Any

import click

from foveal.cli._completion import completion_copy
from foveal.registry import file_names, files_of

# Former commands: still accepted, but not listed.
OLD_COMMANDS = {"repair": ["check", "--fix"]}


def commands_in(package: str) -> list[str]:
    """Names of the commands of a package, in the order of lists; each is named after its file."""
    return [file.__name__.rpartition(".")[2] for file in files_of(package)]


class Commands(click.Group):
    """A group of commands, one for each file of a package."""

    def __init__(self, *, package: str, **options: Any) -> None:
        super().__init__(**options)
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands, in the order of lists."""
        return [name.removesuffix("_") for name in commands_in(self.package)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command named by the first argument; the error for an unknown one suggests one."""
        replacement = OLD_COMMANDS.get(args[0]) if ctx.parent is None else None
        try:
            return super().resolve_command(ctx, [*replacement, *args[1:]] if replacement else args)
        except click.UsageError as error:
            old_commands = OLD_COMMANDS if ctx.parent is None else {}
            close = get_close_matches(args[0], [*self.list_commands(ctx), *old_commands], n=1)
            if not close:
                raise
            suggestion = " ".join(old_commands.get(close[0], close))
            raise click.UsageError(f"{error.message} Did you mean {suggestion}?", ctx) from error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the command from the file of its name (`try` and `import` are Python keywords)."""
        for name in file_names(self.package):
            if name.removesuffix("_") == cmd_name:
                command: click.Command = importlib.import_module(f"{self.package}.{name}").command
                return completion_copy(command) if ctx.resilient_parsing else command
        return None
