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
    classes = (class_ for class_ in vars(errors).values() if inspect.isclass(class_))
    return [class_ for class_ in classes if issubclass(class_, errors.FovealError)]


def exit_codes() -> dict[int, str]:
    """The meaning of each exit code, from the classes that set one."""
    meanings: dict[int, list[str]] = {0: ["All went well."]}
    for error in _with_codes():
        meanings.setdefault(error.exit_code, []).append(first_line(error))
    meanings[BUG] = ["A bug in foveal: please report it."]
    meanings[INTERRUPTED] = ["You interrupted the command (Ctrl-C)."]
    return {code: _joined(meanings[code]) for code in sorted(meanings)}


def _joined(sentences: list[str]) -> str:
    """Sentences as one: this, or that."""
    *first_sentences, last = sentences
    firsts = [sentence.rstrip(".") for sentence in first_sentences]
    lasts = [last if not first_sentences else last[0].lower() + last[1:]]
    return "; or ".join(firsts + lasts)


def first_line(documented: object) -> str:
    """The first sentence of a docstring."""
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def _with_codes() -> Iterator[type[errors.FovealError]]:
    """The classes that set an exit code, without the root, which has none."""
    for error in error_classes():
        if error is not errors.FovealError and "exit_code" in vars(error):
            yield error
