"""The functions of names in NumPy: the same signatures, hashes and tables as the compiled ones.

_compiled.pyi lists them, names.h and keys.c say how hashes and tables are made. A table that one
of the two filled can be searched by the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from foveal.compiled.scanner import Data, Keys, Uint32s
    from foveal.spans import Bools, Ints

WORD = 8
# Mask of the first bytes of a word, by their number.
FIRST_BYTES = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)
LOW, HALF = np.uint64((1 << 32) - 1), np.uint64(32)
SALT_OF_WORDS, SALT_OF_LENGTHS = np.uint64(0x243F6A8885A308D3), np.uint64(0x13198A2E03707344)


def words(data: Data, offset: Keys, length: Uint32s) -> list[Keys]:
    """All bytes of names, eight to an integer, zeros after a name's end; integers sort as bytes do."""
    starts = range(0, int(length.max(initial=0)), WORD)
    return [_words(data, offset, length, start).view(">u8").astype(np.uint64) for start in starts]


def _words(data: Data, offset: Keys, length: Uint32s, start: int) -> Keys:
    """Eight bytes of each name from `start` on, the first one lowest, with zeros after the name's end."""
    data = data if len(data) >= WORD else bytes(data).ljust(WORD, b"\0")
    all_words: Keys = np.ndarray(len(data) - WORD + 1, "<u8", data, strides=(1,))
    index = offset.astype(np.int64) + start
    beyond = int(index.max(initial=0)) - len(all_words) + 1
    # Fewer than eight bytes before the end of the data: they are the last bytes of its last word.
    words = all_words[index if beyond <= 0 else np.minimum(index, len(all_words) - 1)]
    if beyond > 0:
        words >>= (8 * (index - len(all_words) + 1).clip(0)).astype(np.uint64)
    if length.min(initial=start + WORD) < start + WORD:
        words &= FIRST_BYTES[(length.astype(np.int64) - start).clip(0, WORD)]
    return words


def hash_names(data: Data, offset: Keys, length: Uint32s, start: Keys, out: Keys) -> None:
    """Hash each name, beginning with its `start`."""
    out[:], longest = start, int(length.max(initial=0))
    for index in range(0, longest + 1, WORD):
        is_short = index > length.min(initial=longest)
        rows = np.flatnonzero(length >= index) if is_short else slice(None)
        words = _words(data, offset[rows], length[rows], index)
        out[rows] = _folded_product(out[rows] ^ words, SALT_OF_WORDS)
    out[:] = np.maximum(_folded_product(out ^ length, SALT_OF_LENGTHS), np.uint64(1))


def _folded_product(factor: Keys, salt: np.uint64) -> Keys:
    """Exclusive or of both halves of a product of 128 bits."""
    low, high = factor & LOW, factor >> HALF
    cross = high * (salt & LOW) + (low * (salt & LOW) >> HALF)
    middle = low * (salt >> HALF) + (cross & LOW)
    folded: Keys = factor * salt ^ (high * (salt >> HALF) + (cross >> HALF) + (middle >> HALF))
    return folded


def same(
    a: Data, offset_a: Keys, size_a: Uint32s, b: Data, offset_b: Keys, size_b: Uint32s, out: Bools
) -> None:
    """Compare names pair by pair."""
    out[:] = size_a == size_b
    for index in range(0, int(size_a[out].max(initial=0)), WORD):
        rows = np.flatnonzero(out & (size_a > index))
        words = _words(a, offset_a[rows], size_a[rows], index)
        out[rows] = words == _words(b, offset_b[rows], size_b[rows], index)


def _slots(keys: Keys, size: int) -> Ints:
    """First slot in which each key is looked for, in a table of `size` slots."""
    product = _folded_product(keys ^ SALT_OF_LENGTHS, SALT_OF_WORDS)
    return (product & np.uint64(size - 1)).astype(np.int64)


def make_table(keys: Keys, table_keys: Keys, table_rows: Ints) -> bool:
    """Fill a table with the row of each key; False if two are equal."""
    table_keys[:] = 0
    rows, slots = np.arange(len(keys)), _slots(keys, len(table_keys))
    while len(rows):
        # Of several keys at an empty slot, the last one gets it.
        is_empty = table_keys[slots] == 0
        table_rows[slots[is_empty]] = rows[is_empty]
        table_keys[slots[is_empty]] = keys[table_rows[slots[is_empty]]]
        needs_slot = ~is_empty | (table_rows[slots] != rows)
        rows, slots = rows[needs_slot], slots[needs_slot]
        if np.any(table_keys[slots] == keys[rows]):
            return False
        slots = slots + 1 & len(table_keys) - 1
    return True


def find(keys: Keys, table_keys: Keys, table_rows: Ints, out_index: Ints, out_row: Ints) -> int:
    """Fill in the indices of the keys that a table has, and their rows in it; return the number."""
    # Flags fit the processor's cache; a table of keys may not.
    is_used, slots, row = table_keys != 0, _slots(keys, len(table_keys)), np.full(len(keys), -1)
    index = np.flatnonzero(is_used[slots])
    while len(index):
        slot = slots[index]
        is_match = table_keys[slot] == keys[index]
        row[index[is_match]] = table_rows[slot[is_match]]
        index = index[~is_match]
        slots[index] = slots[index] + 1 & len(table_keys) - 1
        index = index[is_used[slots[index]]]
    index = np.flatnonzero(row >= 0)
    out_index[: len(index)], out_row[: len(index)] = index, row[index]
    return len(index)


def repeats(keys: Keys, offsets: Ints, out_index: Ints, out_first: Ints) -> int:
    """Fill in the indices of keys that repeat in their segment, and of the first; return the number."""
    keys = keys[offsets[0] : offsets[-1]]
    order = np.argsort(keys, kind="stable")
    segment = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (keys[order[1:]] != keys[order[:-1]]) | (segment[1:] != segment[:-1])
    starts, later = np.flatnonzero(is_new), np.flatnonzero(~is_new)
    later = later[np.argsort(order[later])]
    first = order[starts[np.searchsorted(starts, later) - 1]]
    out_index[: len(later)], out_first[: len(later)] = order[later] + offsets[0], first + offsets[0]
    return len(later)
