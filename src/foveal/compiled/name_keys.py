"""Names as bytes: their hashes, tables of these, and which of them are equal.

Compiled code works here where it is installed, and its twin in NumPy elsewhere.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from foveal.compiled import plain_twins
from foveal.compiled.scanner import compiled_module

if TYPE_CHECKING:
    from foveal.compiled.scanner import Keys, NameBytes
    from foveal.spans import Bools, Ints

    # Keys and their rows, in slots at least half of which are empty.
    KeyTable = tuple[Keys, Ints]


def _functions() -> ModuleType:
    return compiled_module() or plain_twins


def hash_names(names: NameBytes, start: Keys | int) -> Keys:
    """The hash of each name; `start` is the seed for topics, the topic's hash for documents."""
    hashes = np.empty(len(names[1]), np.uint64)
    _functions().hash_names(*names, np.full(len(hashes), start, np.uint64), hashes)
    return hashes


def equal(first: NameBytes, second: NameBytes) -> Bools:
    """Mask of the pairs of names that are the same."""
    are_equal = np.empty(len(first[1]), np.bool_)
    _functions().same(*first, *second, are_equal)
    return are_equal


def make_table(keys: Keys) -> KeyTable | None:
    """Table of the row of each key; None if two are equal, and names must be hashed anew."""
    size = 1 << int(2 * len(keys)).bit_length()
    table = np.empty(size, np.uint64), np.empty(size, np.int64)
    return table if _functions().make_table(keys, *table) else None


def find(keys: Keys, table: KeyTable) -> tuple[Ints, Ints]:
    """Indices of the keys that are in the table, and their rows there."""
    index, row = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    count = _functions().find(keys, *table, index, row)
    return index[:count], row[:count]


def repeats(keys: Keys, offsets: Ints) -> tuple[Ints, Ints]:
    """Indices of keys that occur earlier in their segment, and of their first occurrence there.

    `offsets` are the starts of the segments and the end of the last one.
    """
    index, first = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    count = _functions().repeats(keys, offsets, index, first)
    return index[:count], first[:count]
