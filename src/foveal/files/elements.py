"""The elements of XML documents by the compiled scanner, through Python's own expat."""

from __future__ import annotations

from functools import cache
from types import ModuleType

from foveal.files.scanner import compiled

# Rows, names, the text's length, where the document ends, and its id: see elements.h.
FoundElements = tuple[bytes, bytes, int, int, bytes | None]


@cache
def _expat(module: ModuleType) -> object:
    """What Python's expat offers to compiled code; None if the module does not expect that."""
    # Few who read files read elements.
    import pyexpat  # noqa: PLC0415

    offered = getattr(pyexpat, "expat_CAPI", None)
    return offered if module.knows_expat(offered) else None


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
    module = compiled()
    if not module or not (expat := _expat(module)) or "\0" in id_rule:
        return None
    # A rule that is no text is found in no document.
    rule = id_rule.encode(errors="replace")
    found: FoundElements | None = module.scan_elements(
        expat, data, begin, rule, counts_bytes, merges_blanks, deepest, portion
    )
    return found
