"""Names in bytes, and the bytes of names."""

from __future__ import annotations

import numpy as np

from foveal.compiled import NameBytes


def name_bytes(texts: list[bytes]) -> NameBytes:
    """Names one after the other."""
    lengths = np.array([len(text) for text in texts], dtype=np.uint32)
    ends = np.cumsum(lengths, dtype=np.uint64)
    return b"".join(texts), ends - lengths, lengths


def texts_of(names: NameBytes) -> list[bytes]:
    """The bytes of each name."""
    data, offset, length = names
    ends = zip(offset.tolist(), (offset + length).tolist(), strict=True)
    return [bytes(memoryview(data)[start:end]) for start, end in ends]
