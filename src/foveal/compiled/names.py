"""Names as bytes: their hashes, tables of these, and which of them are equal.

Compiled code works here where it is installed, and its twin in NumPy elsewhere.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from foveal.compiled import plain_names
from foveal.compiled.scanner import compiled

if TYPE_CHECKING:
    from foveal.compiled.scanner import Keys, NameBytes
    from foveal.spans import Bools, Ints

    # Keys and the rows they belong to, by slots of which a half at least is empty.
    KeyTable = tuple[Keys, Ints]


def _functions() -> ModuleType:
    return compiled() or plain_names


def hash_names(names: NameBytes, start: Keys | int) -> Keys:
    """The hash of each name: of a topic from the seed, of a document from its topic's hash."""
    hashes = np.empty(len(names[1]), np.uint64)
    _functions().hash_names(*names, np.full(len(hashes), start, np.uint64), hashes)
    return hashes


def equal(names: NameBytes, others: NameBytes) -> Bools:
    """True where two names are the same, pair by pair."""
    are_equal = np.empty(len(names[1]), np.bool_)
    _functions().same(*names, *others, are_equal)
    return are_equal


def make_table(keys: Keys) -> KeyTable | None:
    """The rows of keys by key; None if two are equal, and names must be hashed anew."""
    size = 1 << int(2 * len(keys)).bit_length()
    table = np.empty(size, np.uint64), np.empty(size, np.int64)
    return table if _functions().make_table(keys, *table) else None


def find(keys: Keys, table: KeyTable) -> tuple[Ints, Ints]:
    """The indices of those keys that are in the table, and their rows there."""
    index, row = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    count = _functions().find(keys, *table, index, row)
    return index[:count], row[:count]


def repeats(keys: Keys, offsets: Ints) -> tuple[Ints, Ints]:
    """The indices of keys that occur earlier in their segment, and where they do so first.

    Offsets tell where segments begin; there is one more of them than segments.
    """
    index, first = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    count = _functions().repeats(keys, offsets, index, first)
    return index[:count], first[:count]
