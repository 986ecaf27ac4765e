"""The offset index that an option names."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foveal.tables import ElementLookup


def opened(path: str | None) -> ElementLookup | None:
    """The index at a path, opened once in each process; None without a path."""
    if path is None:
        return None
    # A message names the index as it was given, but a folder may be changed in between.
    return _opened(path, Path.cwd())


@lru_cache(maxsize=1)
def _opened(path: str, _: Path) -> ElementLookup:
    from foveal.collection import open_index

    return open_index(path)
