"""The only room that opens files: reading, decompressing, remote places, writing whole or not at all."""

from foveal.files.compression import COMPRESSION_SUFFIXES, READ_ERRORS, decompressed
from foveal.files.names import SEED, FileNames
from foveal.files.output import folder_for, write_bytes
from foveal.files.places import REMOTE, File, collection_size, files, opened, shown
from foveal.files.scanner import (
    ABSENT,
    INEX_QRELS,
    INEX_RUN,
    TREC_QRELS,
    TREC_RUN,
    LineLayout,
    NamesInBytes,
    Scanned,
    Scanner,
    compiled,
    repeats,
    scan_block,
)
from foveal.files.source import (
    BYTE_ORDER_MARK,
    HEAD_SIZE,
    PARQUET_MAGIC,
    Block,
    Head,
    Source,
    line_cuts,
    safe_from_polars,
    stem_of,
)

__all__ = [
    "ABSENT",
    "BYTE_ORDER_MARK",
    "COMPRESSION_SUFFIXES",
    "HEAD_SIZE",
    "INEX_QRELS",
    "INEX_RUN",
    "PARQUET_MAGIC",
    "READ_ERRORS",
    "REMOTE",
    "SEED",
    "TREC_QRELS",
    "TREC_RUN",
    "Block",
    "File",
    "FileNames",
    "Head",
    "LineLayout",
    "NamesInBytes",
    "Scanned",
    "Scanner",
    "Source",
    "collection_size",
    "compiled",
    "decompressed",
    "files",
    "folder_for",
    "line_cuts",
    "opened",
    "repeats",
    "safe_from_polars",
    "scan_block",
    "shown",
    "stem_of",
    "write_bytes",
]
