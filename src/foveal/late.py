"""Modules that are loaded when they are first needed.

Polars takes longer to load than a small file takes to score, and scoring a file in one of the text
formats needs no frame. `from foveal.late import pl` costs nothing until `pl` is used. Few files are
compressed with Zstandard, few results need a digest, and few topics are HTML. A package offers
rarely used names through `names_in`.
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
"""Functions to call with the name of a module after it was loaded here."""


class _LateModule:
    """A module that is loaded when one of its attributes is first used."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._is_disabled = False

    def disable(self) -> None:
        """Refuse any further use of a module that was used: in a forked process it would hang."""
        used = set(vars(self)) - {"_name", "_is_disabled"}
        self._is_disabled = bool(used)
        for attribute in used:
            delattr(self, attribute)

    def __getattr__(self, attribute: str) -> Any:
        if self._is_disabled:
            raise UsageError(FORKED)
        is_new = self._name not in sys.modules
        value = getattr(importlib.import_module(self._name), attribute)
        for call in on_loading if is_new else ():
            call(self._name)
        setattr(self, attribute, value)
        return value


def names_in(package: str, files: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: names by file, which is loaded when a name is first used."""
    file_of = {name: file for file, names in files.items() for name in names.split()}

    def attribute(name: str) -> Any:
        if name not in file_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{file_of[name]}"), name)

    return attribute


if TYPE_CHECKING:
    import hashlib
    import html

    import msgspec
    import polars as pl
    import zstandard
else:
    hashlib, html = _LateModule("hashlib"), _LateModule("html")
    msgspec, pl, zstandard = _LateModule("msgspec"), _LateModule("polars"), _LateModule("zstandard")
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=pl.disable)
