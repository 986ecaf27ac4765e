"""Lines, names and elements read by compiled code, where it is installed."""

from foveal.compiled.dicts import scan_dicts
from foveal.compiled.name_keys import equal, find, hash_names, make_table, repeats
from foveal.compiled.plain_twins import words
from foveal.compiled.scanner import (
    ABSENT,
    INEX_QRELS,
    INEX_RUN,
    IS_BUILT,
    TREC_QRELS,
    TREC_RUN,
    FoundElements,
    Keys,
    LineLayout,
    NameBytes,
    ScanElements,
    Scanned,
    Scanner,
    compiled_module,
    elements_scanner,
    scan_block,
)
