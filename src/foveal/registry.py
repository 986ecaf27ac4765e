"""Registries that fill themselves: records by name, and the files of a room that add to them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from types import ModuleType
from typing import Protocol, TypeVar

from foveal.errors import UsageError


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Record = TypeVar("Record", bound=_Named)


class Registry(dict[str, Record]):
    """Records by name, in the order in which they were registered."""

    def add(self, record: Record) -> None:
        """Register a record; a name is given once."""
        if record.name in self:
            raise UsageError(f"the name {record.name!r} is taken: choose another")
        self[record.name] = record


def sentence_of(function: Callable[..., object]) -> str:
    """What a function's docstring says, on one line."""
    return " ".join((function.__doc__ or "").split())


def files_of(room: str) -> list[ModuleType]:
    """Every public file of a room, imported, so that all that it registers is there."""
    path = importlib.import_module(room).__path__
    names = sorted(module.name for module in pkgutil.iter_modules(path))
    return [importlib.import_module(f"{room}.{name}") for name in names if name[0] != "_"]
