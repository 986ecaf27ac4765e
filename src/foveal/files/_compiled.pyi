"""The functions of the compiled module; the files named in _compiled.h say what they do."""

from typing_extensions import Buffer

# _lines_calls.c

def count_lines(data: Buffer, begin: int, end: int, /) -> int: ...

# _elements_calls.c

def knows_expat(capsule: object, /) -> bool: ...
def scan_elements(
    expat: object,
    data: Buffer,
    begin: int,
    id_rule: bytes,
    counts_bytes: bool,
    merges_blanks: bool,
    deepest: int,
    portion: int,
    /,
) -> tuple[bytes, bytes, int, int, bytes | None] | None: ...
