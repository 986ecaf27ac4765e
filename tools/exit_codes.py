"""The exit codes of the command line, and what each means."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from foveal import errors
from foveal.cli._main import BUG

# 128 and the number of the signal, as shells have it.
INTERRUPTED = 130


def error_classes() -> list[type[errors.FovealError]]:
    """Every class of errors, in the order of their file."""
    known = (own for own in vars(errors).values() if inspect.isclass(own))
    return [own for own in known if issubclass(own, errors.FovealError)]


def exit_codes() -> dict[int, str]:
    """The meaning of each exit code, from the classes that set one."""
    meanings: dict[int, list[str]] = {0: ["All went well."]}
    for own in _with_codes():
        meanings.setdefault(own.exit_code, []).append(first_line(own))
    meanings[BUG] = ["A bug in foveal: please report it."]
    meanings[INTERRUPTED] = ["You interrupted the command (Ctrl-C)."]
    return {code: _joined(meanings[code]) for code in sorted(meanings)}


def _joined(sentences: list[str]) -> str:
    """Sentences as one: this, or that."""
    *before, last = sentences
    firsts = [sentence.rstrip(".") for sentence in before]
    lasts = [last if not before else last[0].lower() + last[1:]]
    return "; or ".join(firsts + lasts)


def first_line(own: object) -> str:
    """The first sentence of a docstring."""
    return (inspect.getdoc(own) or "").partition("\n")[0]


def _with_codes() -> Iterator[type[errors.FovealError]]:
    """The classes that set an exit code, without the root, which has none."""
    for own in error_classes():
        if own is not errors.FovealError and "exit_code" in vars(own):
            yield own
