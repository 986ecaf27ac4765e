"""Modules that are loaded when they are first needed.

Polars takes longer to load than a small file takes to score, and scoring a file in one of the text
formats needs no frame. `from foveal.late import pl` costs nothing until `pl` is used. Few files are
compressed with Zstandard, few results need a digest, and few topics are HTML. A room offers names
that are rarely used through `names_in`.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from foveal.errors import UsageError

FORKED = (
    "this process was forked from one in which foveal had used Polars, whose threads do not survive a"
    " fork: start processes with spawn or forkserver, as in"
    " ProcessPoolExecutor(mp_context=multiprocessing.get_context('spawn'))"
)

on_loading: list[Callable[[str], None]] = []
"""What is called with the name of a module once it is loaded here."""


class _Late:
    """A module by name, loaded by the first look at one of its attributes."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._is_lost = False

    def lose(self) -> None:
        """Refuse every later use, if there was one: in a forked copy it would wait for ever."""
        used = set(vars(self)) - {"_name", "_is_lost"}
        self._is_lost = bool(used)
        for attribute in used:
            delattr(self, attribute)

    def __getattr__(self, attribute: str) -> Any:
        if self._is_lost:
            raise UsageError(FORKED)
        is_new = self._name not in sys.modules
        value = getattr(importlib.import_module(self._name), attribute)
        for call in on_loading if is_new else ():
            call(self._name)
        setattr(self, attribute, value)
        return value


def names_in(room: str, files: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a room: the names in some of its files, which are loaded when asked for."""
    file_of = {name: file for file, names in files.items() for name in names.split()}

    def attribute(name: str) -> Any:
        if name not in file_of:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{room}.{file_of[name]}"), name)

    return attribute


if TYPE_CHECKING:
    import hashlib
    import html

    import msgspec
    import polars as pl
    import zstandard
else:
    hashlib, html = _Late("hashlib"), _Late("html")
    msgspec, pl, zstandard = _Late("msgspec"), _Late("polars"), _Late("zstandard")
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=pl.lose)
