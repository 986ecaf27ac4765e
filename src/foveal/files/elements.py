"""The elements of XML documents by the compiled scanner, through Python's own expat."""

from __future__ import annotations

from functools import cache, partial
from types import ModuleType
from typing import Protocol

from foveal.files.scanner import compiled

# Rows, names, the text's length, where the document ends, and its id: see elements.h.
FoundElements = tuple[bytes, bytes, int, int, bytes | None]


class ScanElements(Protocol):
    """Finds elements."""

    def __call__(
        self,
        data: bytes,
        begin: int,
        id_rule: bytes,
        counts_bytes: bool,  # noqa: FBT001  # so it is compiled
        merges_blanks: bool,  # noqa: FBT001
        deepest: int,
        portion: int,
        /,
    ) -> FoundElements | None:
        """The elements of the document that begins at a place in data.

        None if the Python scanner must look at it, as at one that has a DOCTYPE or is malformed.
        With a rule for its id (`@ATTRIBUTE` of the root, or `ELEMENT`) others may follow it.
        """


def elements_scanner() -> ScanElements | None:
    """What finds elements; None if there is no compiled scanner or Python's expat is not known."""
    module = compiled()
    return _bound(module) if module else None


@cache
def _bound(module: ModuleType) -> ScanElements | None:
    # Few who read files read elements.
    import pyexpat  # noqa: PLC0415

    expat = getattr(pyexpat, "expat_CAPI", None)
    return partial(module.scan_elements, expat) if module.knows_expat(expat) else None
