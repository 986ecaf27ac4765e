"""The functions of the compiled module; the files named in _compiled.h say what they do."""

from typing_extensions import Buffer

# _lines_calls.c

def count_lines(data: Buffer, begin: int, end: int, /) -> int: ...

# elements.c
