"""The offset index that an option names."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foveal.tables import ElementLookup


@lru_cache(maxsize=1)
def opened(path: str | None) -> ElementLookup | None:
    """The index at a path, opened once in each process; None without a path."""
    if path is None:
        return None
    from foveal.collection import open_index

    return open_index(path)
