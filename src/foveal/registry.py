"""Registries that fill themselves: records by name, and the files of a room that add to them.

A file may set its place in lists, `PLACE_IN_LISTS = 20`; files that do not come last, by name.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache
from types import CodeType, ModuleType
from typing import Any, Protocol, TypeVar

from foveal.errors import BadInput, DataError, FovealError, Problem, UsageError

LAST = sys.maxsize
# The fields in which records of different kinds keep the function that was registered.
MAKERS = ("kernel", "read", "find")


class _Named(Protocol):
    @property
    def name(self) -> str: ...


class _Made(_Named, Protocol):
    @property
    def kernel(self) -> Callable[..., object]: ...


Record = TypeVar("Record", bound=_Named)
Made = TypeVar("Made", bound=_Made)
Kernel = TypeVar("Kernel", bound=Callable[..., Any])


class Registry(dict[str, Record]):
    """Records by name, in the order of registration; `noun` is what messages call one."""

    def __init__(self, noun: str, records: Iterable[Record] = ()) -> None:
        super().__init__()
        self.noun = noun
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        """Register a record; a name is taken once, but its file or cell may be run again."""
        if record.name in self and maker_of(self[record.name]) != maker_of(record):
            raise UsageError(
                f"a {self.noun} called {record.name!r} already exists: choose another name"
            )
        self[record.name] = record

    def registering(self, kind: Callable[..., Record], **fields: Any) -> Callable[[Kernel], Kernel]:
        """A decorator that makes a record of a function; the docstring is the record's sentence."""

        def register(kernel: Kernel) -> Kernel:
            sentence = " ".join((kernel.__doc__ or "").split())
            self.add(kind(kernel=kernel, sentence=sentence, **fields))
            return kernel

        return register

    def named(self, name: object) -> Record:
        """The record of that name; an unknown name is answered with the known ones."""
        if isinstance(name, str) and name in self:
            return self[name]
        close = get_close_matches(str(name), self, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        known = f"choose from {', '.join(sorted(self))}" if self else "there are none"
        raise UsageError(f"unknown {self.noun} {name!r}{hint}: {known}")


@cache
def file_names(room: str) -> tuple[str, ...]:
    """The names of a room's public files and folders, without importing them."""
    files = pkgutil.iter_modules(importlib.import_module(room).__path__)
    return tuple(sorted(file.name for file in files if file.name[0] != "_"))


def files_of(room: str) -> list[ModuleType]:
    """Every public file of a room, imported, so that everything it registers exists."""
    files = [importlib.import_module(f"{room}.{name}") for name in file_names(room)]
    return sorted(files, key=_place)


def by_file(registry: Registry[Made]) -> Iterator[tuple[str, list[Made]]]:
    """Records as lists show them: the first sentence of each file, and the records it makes."""
    made: dict[str, list[Made]] = {}
    for record in registry.values():
        made.setdefault(record.kernel.__module__, []).append(record)
    for file in sorted((sys.modules[name] for name in sorted(made)), key=_place):
        sentence = (file.__doc__ or "").partition("\n")[0].rstrip(".")
        yield sentence, made[file.__name__]


def maker_of(record: object) -> tuple[str, str]:
    """The function behind a record, by its module and name."""
    made = next((getattr(record, name) for name in MAKERS if hasattr(record, name)), None)
    made = getattr(made, "func", made)  # what `partial` was made of
    return getattr(made, "__module__", ""), getattr(made, "__qualname__", "")


def is_user_code(function: object) -> bool:
    """Whether a function is a user's own: defined outside of foveal."""
    made = getattr(function, "func", function)  # what `partial` was made of
    return str(getattr(made, "__module__", "")).partition(".")[0] != __name__.partition(".")[0]


@contextmanager
def user_code_errors(function: Callable[..., object]) -> Iterator[None]:
    """Report what goes wrong in here by file and line, if the function is a user's own.

    A FovealError of another's making passes: it says itself what is wrong.
    """
    try:
        yield
    except FovealError:
        raise
    except Exception as error:
        if not is_user_code(function):
            raise
        raise user_code_error(function, f"{type(error).__name__}: {error}", error) from error


def user_code_error(
    function: Callable[..., object], reason: str, error: Exception | None = None
) -> DataError:
    """The error of a function that is a user's own, with the line where it happened or begins."""
    from inspect import unwrap  # noqa: PLC0415  # only a mistake needs it
    from linecache import checkcache, getline  # noqa: PLC0415  # only a mistake needs it
    from traceback import extract_tb  # noqa: PLC0415  # only a mistake needs it

    code = getattr(unwrap(getattr(function, "func", function)), "__code__", None)
    if code is None or not is_user_code(function):
        return DataError(reason)
    file = code.co_filename
    checkcache(file)  # it may have been written again
    frames = extract_tb(error.__traceback__) if error else []
    lines = [frame.lineno for frame in frames if frame.filename == file and frame.lineno]
    line = lines[-1] if lines else _defined_at(code)
    return BadInput(file, [Problem(line, reason, getline(file, line).strip())])


def _defined_at(code: CodeType) -> int:
    """The line of a function's `def`, below its decorators."""
    from linecache import getlines  # noqa: PLC0415  # only a mistake needs it

    lines = getlines(code.co_filename)[code.co_firstlineno - 1 :]
    found = (at for at, line in enumerate(lines) if f"def {code.co_name}(" in line)
    return code.co_firstlineno + next(found, 0)


def _place(file: ModuleType) -> int:
    return getattr(file, "PLACE_IN_LISTS", LAST)
