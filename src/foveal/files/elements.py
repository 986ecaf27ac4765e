"""The elements of XML documents by the compiled scanner, through Python's own expat."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, partial

# Rows, names, the text's length, where the document ends, and its id: see elements.h.
FoundElements = tuple[bytes, bytes, int, int, bytes | None]


@cache
def _scanner() -> Callable[..., FoundElements | None]:
    """The compiled scanner; one that leaves everything to Python if there is none."""
    if os.environ.get("FOVEAL_COMPILED") != "0":
        try:
            # Few who read files read elements.
            import pyexpat  # noqa: PLC0415

            from foveal.files import _compiled  # noqa: PLC0415
        except ImportError:
            return _none
        expat = pyexpat.expat_CAPI
        if _compiled.knows_expat(expat):
            return partial(_compiled.scan_elements, expat)
    return _none


def _none(*_: object) -> None:
    """What is found without a compiled scanner."""


def scan_elements(
    data: bytes,
    begin: int,
    id_rule: str,
    *,
    counts_bytes: bool,
    merges_blanks: bool,
    deepest: int,
    portion: int,
) -> FoundElements | None:
    """The elements of the document that begins at a place in data.

    None if the Python scanner must look at it: because there is no compiled one, or that one
    leaves it alone, as it does if the document has a DOCTYPE or is malformed. With a rule for its
    id (`@ATTRIBUTE` of the root or `ELEMENT`) other documents may follow it.
    """
    # What is no text in UTF-8 is found nowhere in a document.
    rule = id_rule.encode(errors="replace")
    if b"\0" in rule:
        return None
    return _scanner()(data, begin, rule, counts_bytes, merges_blanks, deepest, portion)
