"""Files made for one test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Saved = Callable[..., str]


@pytest.fixture
def saved(tmp_path: Path) -> Saved:
    """Writes text or bytes to a file of the given name; gives its path."""

    def write(content: str | bytes, name: str = "mine.run") -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write
