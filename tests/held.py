"""Files that lie in memory."""

from __future__ import annotations

import io

from foveal.files import Source

MEMORY = "memory"


def held(data: bytes, name: str = MEMORY) -> Source:
    """The source of some bytes."""
    return Source(name, name, io.BytesIO(data))
