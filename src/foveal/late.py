"""Modules that are loaded when they are first needed.

Polars takes longer to load than a small file takes to score, and scoring a file in one of the text
formats needs no frame. `from foveal.late import pl` costs nothing until `pl` is used. Few files are
compressed with Zstandard.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any


class _Late:
    """A module by name, loaded by the first look at one of its attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(importlib.import_module(self._name), attribute)
        setattr(self, attribute, value)
        return value


if TYPE_CHECKING:
    import polars as pl
    import zstandard
else:
    pl, zstandard = _Late("polars"), _Late("zstandard")

__all__ = ["pl", "zstandard"]
