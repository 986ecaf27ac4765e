"""Bytes to tables and back: one format per file, a registry, recognition by content."""

from foveal.formats._kinds import kind_of
from foveal.formats._lines import READ_ERRORS, REMOTE, Source, decompressed, fsspec, opened
from foveal.formats._norms import read_norms
from foveal.formats._output import write_bytes
from foveal.formats._participants import read_participants
from foveal.formats._records import Format, QrelsFormat, RunFormat, TopicsFormat
from foveal.formats._registry import (
    QRELS_FORMATS,
    RUN_FORMATS,
    TOPICS_FORMATS,
    ending,
    qrels_format,
    quote_lines,
    read_qrels,
    read_run,
    read_topics,
    run_format,
    write_qrels,
    write_run,
)
from foveal.formats._rows import json_bytes, rows_bytes

__all__ = [
    "QRELS_FORMATS",
    "READ_ERRORS",
    "REMOTE",
    "RUN_FORMATS",
    "TOPICS_FORMATS",
    "Format",
    "QrelsFormat",
    "RunFormat",
    "Source",
    "TopicsFormat",
    "decompressed",
    "ending",
    "fsspec",
    "json_bytes",
    "kind_of",
    "opened",
    "qrels_format",
    "quote_lines",
    "read_norms",
    "read_participants",
    "read_qrels",
    "read_run",
    "read_topics",
    "rows_bytes",
    "run_format",
    "write_bytes",
    "write_qrels",
    "write_run",
]
