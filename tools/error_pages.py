"""The page of the errors and the exit codes."""

from __future__ import annotations

import inspect

from foveal import errors
from tools.error_examples import EXAMPLES, FILES, example_text
from tools.exit_codes import error_classes, exit_codes, first_line
from tools.making import Lines, block, code, prose, table


def errors_page() -> Lines:
    """The exit codes, the tree of the errors, and each of them with an example."""
    yield from ["# Errors and exit codes", ""]
    yield "A message says what is wrong, where, and what to do next. The command line prints it on standard error"
    yield "and ends with the exit code of the error; in Python the same message is that of an exception."
    yield from ["", "## Exit codes", ""]
    yield from table(
        ["code", "meaning"],
        ([code(str(number)), meaning] for number, meaning in exit_codes().items()),
    )
    yield ""
    yield "`1` is the answer of [`foveal gate`](commands/gate.md), and `65` that of"
    yield "[`foveal check`](commands/check.md) if a rule that is an error is broken. A bug, `70`, shows where it is"
    yield "if you set [`FOVEAL_TRACEBACK`](environment.md)."
    yield from ["", "## The tree", ""]
    tree = (inspect.getdoc(errors) or "").partition("\n\n")[2]
    yield from block(tree)
    yield "The classes are in `foveal.errors`. `except foveal.FovealError` catches all of them, and nothing that is"
    yield from ["a bug.", "", "## Each error", ""]
    yield f"The examples use small files: {', '.join(map(code, FILES))}."
    for error in error_classes():
        if error is not errors.FovealError:
            yield from _entry(error)


def _entry(error: type[errors.FovealError]) -> Lines:
    example = EXAMPLES[error]
    bases = [base.__name__ for base in error.__mro__ if base in {KeyError, AssertionError}]
    kinds = f"; it is also {' and '.join(map(code, bases))}" if bases else ""
    parent = next(base for base in error.__bases__ if issubclass(base, errors.FovealError))
    under = "" if parent is errors.FovealError else f", as every {code(parent.__name__)}"
    yield from ["", f"### {error.__name__}", "", prose(first_line(error)), ""]
    yield from [f"Exit code {code(str(error.exit_code))}{under}{kinds}.", ""]
    yield from [*block(example_text(error, example)), f"**What to do:** {example.advice}"]
