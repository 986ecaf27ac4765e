"""The functions of the compiled module; the files named in _compiled.h say what they do.

Arrays are taken by the buffer protocol. Those that are written must be of the type named here, and
other arrays raise ValueError.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

_Uint32s = NDArray[np.uint32]
_Uint64s = NDArray[np.uint64]
_Ints = NDArray[np.int64]

# _lines_calls.c

def count_lines(data: Buffer, start: int, end: int, /) -> int: ...
def scan(
    data: Buffer,
    start: int,
    end: int,
    layout: bytes,
    min_fields: int,
    seed: int,
    # Offset and length of the document (uint32), key (uint64), score (float64), rank and four
    # integer columns (int64).
    rows: tuple[NDArray[Any] | None, ...] | None,
    # First row, offset and length of the topic, its hash.
    stretches: tuple[_Ints, _Uint32s, _Uint32s, _Uint64s] | None,
    # Row, lines skipped before it.
    skips: tuple[_Ints, _Ints] | None,
    # Row, start, end.
    passages: tuple[_Ints, _Ints, _Ints] | None,
    /,
) -> tuple[int, int, int, int, int, int, bool, bool, int, tuple[int, int]]: ...

# _keys_calls.c

def make_table(keys: _Uint64s, table_keys: _Uint64s, table_rows: _Ints, /) -> bool: ...
def find(
    keys: _Uint64s, table_keys: _Uint64s, table_rows: _Ints, out_index: _Ints, out_row: _Ints, /
) -> int: ...
def repeats(keys: _Uint64s, offsets: _Ints, out_index: _Ints, out_first: _Ints, /) -> int: ...
def same(
    data_a: Buffer,
    offset_a: _Uint64s,
    length_a: _Uint32s,
    data_b: Buffer,
    offset_b: _Uint64s,
    length_b: _Uint32s,
    out: NDArray[np.bool_],
    /,
) -> None: ...
def hash_names(
    data: Buffer, offset: _Uint64s, length: _Uint32s, start: _Uint64s, out: _Uint64s, /
) -> None: ...

# _dicts_calls.c

def scan_dicts(
    numbers: dict[Any, Any], seed: int, /
) -> tuple[list[str], bytes, bytes, bytes, bytes, bytes] | None: ...

# _elements_calls.c

def knows_expat(capsule: object, /) -> bool: ...
def scan_elements(
    expat: object,
    data: Buffer,
    start: int,
    id_rule: bytes,
    counts_bytes: bool,
    merges_blanks: bool,
    max_depth: int,
    portion: int,
    /,
) -> tuple[bytes, bytes, int, int, bytes | None] | None: ...
