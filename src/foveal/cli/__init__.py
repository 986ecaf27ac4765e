"""The command line: words become calls, results become output, errors become exit codes."""

from foveal.cli._main import main, program

__all__ = ["main", "program"]
