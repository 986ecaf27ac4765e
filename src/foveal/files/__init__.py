"""The only room that opens files: local or remote, compressed or not, written whole or not at all."""

from foveal.files.compression import COMPRESSION_SUFFIXES, READ_ERRORS, decompressed
from foveal.files.output import folder_for, write_bytes
from foveal.files.places import REMOTE, File, collection_size, files, opened, reason_of, shown
from foveal.files.source import (
    HEAD_SIZE,
    PARQUET_MAGIC,
    Block,
    Head,
    Source,
    safe_from_polars,
    stem_of,
)

__all__ = [
    "COMPRESSION_SUFFIXES",
    "HEAD_SIZE",
    "PARQUET_MAGIC",
    "READ_ERRORS",
    "REMOTE",
    "Block",
    "File",
    "Head",
    "Source",
    "collection_size",
    "decompressed",
    "files",
    "folder_for",
    "opened",
    "reason_of",
    "safe_from_polars",
    "shown",
    "stem_of",
    "write_bytes",
]
