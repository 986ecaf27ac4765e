"""Bytes to tables and back: one format per file, a registry, recognition by content."""

from foveal.formats._lines import READ_ERRORS, decompressed
from foveal.formats._norms import read_norms
from foveal.formats._output import write_bytes
from foveal.formats._participants import read_participants
from foveal.formats._records import Format, QrelsFormat, RunFormat
from foveal.formats._registry import (
    QRELS_FORMATS,
    RUN_FORMATS,
    quote_lines,
    read_qrels,
    read_run,
    write_qrels,
    write_run,
)
from foveal.formats._rows import json_bytes, rows_bytes

__all__ = [
    "QRELS_FORMATS",
    "READ_ERRORS",
    "RUN_FORMATS",
    "Format",
    "QrelsFormat",
    "RunFormat",
    "decompressed",
    "json_bytes",
    "quote_lines",
    "read_norms",
    "read_participants",
    "read_qrels",
    "read_run",
    "rows_bytes",
    "write_bytes",
    "write_qrels",
    "write_run",
]
