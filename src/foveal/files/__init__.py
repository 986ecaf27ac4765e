"""The only room that opens files: local or remote, compressed or not, written whole or not at all."""

from foveal.files.compression import COMPRESSION_SUFFIXES, READ_ERRORS, decompressed, is_compressed
from foveal.files.filesystem import (
    REMOTE,
    File,
    collection_size,
    files,
    is_file,
    is_special,
    opened,
    printable,
    read_whole,
    reason_of,
    sha256_of,
)
from foveal.files.limits import refuse_columns
from foveal.files.output import folder_for, write_bytes
from foveal.files.source import (
    BYTE_ORDER_MARK,
    ENDINGS,
    HEAD_SIZE,
    PARQUET_MAGIC,
    STANDARD_INPUT,
    Block,
    Head,
    Source,
    count_byte,
    line_cuts,
    safe_from_polars,
    stem_of,
)
