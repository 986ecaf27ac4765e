"""The command line: words become calls, results become output, errors become exit codes."""

from foveal.cli._main import command_names, main, program

__all__ = ["command_names", "main", "program"]
