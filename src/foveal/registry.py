"""Registries that fill themselves: records by name, and the files of a package that add to them.

A file may set its position in lists, `PLACE_IN_LISTS = 20`; files without one come last, by name.
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


class _NamedRecord(Protocol):
    @property
    def name(self) -> str: ...


class _KernelRecord(_NamedRecord, Protocol):
    @property
    def kernel(self) -> Callable[..., object]: ...


Record = TypeVar("Record", bound=_NamedRecord)
KernelRecord = TypeVar("KernelRecord", bound=_KernelRecord)
Kernel = TypeVar("Kernel", bound=Callable[..., Any])


class Registry(dict[str, Record]):
    """Records by name, in the order of registration; `noun` is what messages call one."""

    def __init__(self, noun: str, records: Iterable[Record] = ()) -> None:
        super().__init__()
        self.noun = noun
        for record in records:
            self.add(record)

    def add(self, record: Record) -> None:
        """Register a record; names are unique, but the same file or cell may be run again."""
        if record.name in self and maker_of(self[record.name]) != maker_of(record):
            raise UsageError(
                f"a {self.noun} called {record.name!r} already exists: choose another name"
            )
        self[record.name] = record

    def registering(self, make: Callable[..., Record], **fields: Any) -> Callable[[Kernel], Kernel]:
        """Decorator that makes a record of a function; the docstring is the record's sentence."""

        def register(kernel: Kernel) -> Kernel:
            sentence = " ".join((kernel.__doc__ or "").split())
            self.add(make(kernel=kernel, sentence=sentence, **fields))
            return kernel

        return register

    def named(self, name: object) -> Record:
        """Record of that name; the error for an unknown name lists the known ones."""
        if isinstance(name, str) and name in self:
            return self[name]
        close = get_close_matches(str(name), self, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        choices = f"choose from {', '.join(sorted(self))}" if self else "there are none"
        raise UsageError(f"unknown {self.noun} {name!r}{hint}: {choices}")


@cache
def file_names(package: str) -> tuple[str, ...]:
    """Names of a package's public files and folders, without importing them."""
    files = pkgutil.iter_modules(importlib.import_module(package).__path__)
    return tuple(sorted(file.name for file in files if file.name[0] != "_"))


def files_of(package: str) -> list[ModuleType]:
    """All public files of a package, imported, so that their records are registered."""
    files = [importlib.import_module(f"{package}.{name}") for name in file_names(package)]
    return sorted(files, key=_list_position)


def by_file(registry: Registry[KernelRecord]) -> Iterator[tuple[str, list[KernelRecord]]]:
    """Records in the order of lists: each file's first sentence, and the file's records."""
    by_module: dict[str, list[KernelRecord]] = {}
    for record in registry.values():
        by_module.setdefault(record.kernel.__module__, []).append(record)
    for file in sorted((sys.modules[name] for name in sorted(by_module)), key=_list_position):
        sentence = (file.__doc__ or "").partition("\n")[0].rstrip(".")
        yield sentence, by_module[file.__name__]


def maker_of(record: object) -> tuple[str, str]:
    """Module and name of the function behind a record."""
    function = next((getattr(record, name) for name in MAKERS if hasattr(record, name)), None)
    function = getattr(function, "func", function)  # of a `partial`
    return getattr(function, "__module__", ""), getattr(function, "__qualname__", "")


def is_user_code(function: object) -> bool:
    """True for a function defined outside of foveal."""
    inner = getattr(function, "func", function)  # of a `partial`
    return str(getattr(inner, "__module__", "")).partition(".")[0] != __name__.partition(".")[0]


@contextmanager
def user_code_errors(function: Callable[..., object]) -> Iterator[None]:
    """Report an error of a user's function with its file and line.

    A FovealError passes unchanged: its message is already complete.
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
    """Error about a user's function, with the line that failed, else the line of its `def`."""
    from inspect import unwrap  # noqa: PLC0415  # only a mistake needs it
    from linecache import checkcache, getline  # noqa: PLC0415  # only a mistake needs it
    from traceback import extract_tb  # noqa: PLC0415  # only a mistake needs it

    code = getattr(unwrap(getattr(function, "func", function)), "__code__", None)
    if code is None or not is_user_code(function):
        return DataError(reason)
    file = code.co_filename
    checkcache(file)  # the user may have edited the file
    frames = extract_tb(error.__traceback__) if error else []
    lines = [frame.lineno for frame in frames if frame.filename == file and frame.lineno]
    line = lines[-1] if lines else _defined_at(code)
    return BadInput(file, [Problem(line, reason, getline(file, line).strip())])


def _defined_at(code: CodeType) -> int:
    """Line of a function's `def`, below its decorators."""
    from linecache import getlines  # noqa: PLC0415  # only a mistake needs it

    lines = getlines(code.co_filename)[code.co_firstlineno - 1 :]
    offsets = (offset for offset, line in enumerate(lines) if f"def {code.co_name}(" in line)
    return code.co_firstlineno + next(offsets, 0)


def _list_position(file: ModuleType) -> int:
    return getattr(file, "PLACE_IN_LISTS", LAST)
