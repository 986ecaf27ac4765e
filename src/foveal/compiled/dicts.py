"""{topic: {document: number}} as columns, without a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foveal.compiled.scanner import NameBytes, compiled_module

if TYPE_CHECKING:
    from foveal.compiled.scanner import Keys
    from foveal.spans import Floats, Ints

    # The topics with documents, the number of documents of each; name, key and number of each document.
    DictColumns = tuple[list[str], Ints, NameBytes, Keys, Floats]


def scan_dicts(numbers: object, seed: int) -> DictColumns | None:
    """The columns of {topic: {document: number}}; None if they must be made from a frame.

    That is so without the extension, and for all but the plainest types: names are text, numbers
    are finite floats or whole numbers.
    """
    module = compiled_module()
    scanned = module.scan_dicts(numbers, seed) if module and type(numbers) is dict else None
    if scanned is None:
        return None
    topics, counts, names, lengths, keys, values = scanned
    length = np.frombuffer(lengths, np.uint32)
    offset = np.cumsum(length, dtype=np.uint64) - length
    counts = np.frombuffer(counts, np.int64, len(topics))
    key, number = np.frombuffer(keys, np.uint64), np.frombuffer(values, np.float64)
    return topics, counts, (names, offset, length), key, number
