"""Lines, names and elements read by compiled code, where it is installed."""

from foveal.compiled.scanner import (
    ABSENT,
    INEX_QRELS,
    INEX_RUN,
    IS_COMPILED,
    TREC_QRELS,
    TREC_RUN,
    FoundElements,
    KeyTable,
    LineLayout,
    NamesInBytes,
    ScanElements,
    Scanned,
    Scanner,
    compiled,
    elements_scanner,
    repeats,
    scan_block,
)
