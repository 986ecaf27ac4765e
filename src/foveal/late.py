"""Modules that are loaded when they are first needed.

Polars takes longer to load than a small file takes to score, and scoring a file in one of the text
formats needs no frame. `from foveal.late import pl` costs nothing until `pl` is used. Few files are
compressed with Zstandard, few results need a digest, and few topics are HTML. A room offers names
that are rarely used through `names_in`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

on_loading: list[Callable[[str], None]] = []
"""What is called with the name of a module once it is loaded here."""


class _Late:
    """A module by name, loaded by the first look at one of its attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
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
