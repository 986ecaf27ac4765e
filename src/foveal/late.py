"""Modules that are loaded when they are first needed.

Polars takes longer to load than a small file takes to score, and scoring a file in one of the text
formats needs no frame. `from foveal.late import pl` costs nothing until `pl` is used. Few files are
compressed with Zstandard.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
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


if TYPE_CHECKING:
    import polars as pl
    import zstandard
else:
    pl, zstandard = _Late("polars"), _Late("zstandard")

__all__ = ["pl", "zstandard"]
