"""The elements of XML documents by the compiled scanner, through Python's own expat."""

from __future__ import annotations

from functools import cache, partial
from types import ModuleType
from typing import Protocol

from foveal.files.scanner import compiled

# Rows, names, the length of the text, the end of the document, and its id: see elements.h.
FoundElements = tuple[bytes, bytes, int, int, bytes | None]


class ScanElements(Protocol):
    """Finds the elements of a document."""

    def __call__(
        self,
        data: bytes,
        begin: int,
        id_rule: bytes,
        counts_bytes: bool,  # noqa: FBT001  # compiled functions take no names
        merges_blanks: bool,  # noqa: FBT001
        deepest: int,
        portion: int,
        /,
    ) -> FoundElements | None:
        """The elements of the document that begins at an offset in data.

        None if the Python scanner has to read it, because it has a DOCTYPE or is malformed, for
        example. With a rule for its id (`@ATTRIBUTE` of the root, or `ELEMENT`), other documents
        may follow it.
        """


def elements_scanner() -> ScanElements | None:
    """The compiled scanner of elements; None if it is missing or does not know Python's expat."""
    module = compiled()
    return _bound(module) if module else None


@cache
def _bound(module: ModuleType) -> ScanElements | None:
    # Most commands that read files read no elements.
    import pyexpat  # noqa: PLC0415

    expat = getattr(pyexpat, "expat_CAPI", None)
    return partial(module.scan_elements, expat) if module.knows_expat(expat) else None
