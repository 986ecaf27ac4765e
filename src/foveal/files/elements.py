"""The elements of XML documents by the compiled scanner, through Python's own expat."""

from __future__ import annotations

import os
import pyexpat

try:
    from foveal.files import _compiled
except ImportError:
    _compiled = None  # type: ignore[assignment]

# Rows, names, the text's length, where the document ends, and its id; see elements.h.
FoundElements = tuple[bytes, bytes, int, int, bytes | None]


def scan_elements(
    data: bytes,
    begin: int,
    id_rule: bytes,
    *,
    counts_bytes: bool,
    merges_blanks: bool,
    deepest: int,
    portion: int,
) -> FoundElements | None:
    """The elements of the document that begins at a place in data.

    None if there is no compiled scanner, or if it leaves the document to the Python scanner: that
    has a DOCTYPE or is malformed, for example. With a rule for its id, other documents may follow.
    """
    if _compiled is None or os.environ.get("FOVEAL_COMPILED") == "0" or b"\0" in id_rule:
        return None
    if not _compiled.knows_expat(pyexpat.expat_CAPI):
        return None
    return _compiled.scan_elements(
        pyexpat.expat_CAPI, data, begin, id_rule, counts_bytes, merges_blanks, deepest, portion
    )
