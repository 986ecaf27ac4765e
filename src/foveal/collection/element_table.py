"""Elements of documents as rows of one table, from either scanner."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np

from foveal.choices import Count, Whitespace
from foveal.collection.xml_scanner import PARTING, PORTION, OffsetCounter, Scan
from foveal.compiled import FoundElements, ScanElements, elements_scanner
from foveal.elements import DEEPEST
from foveal.frozen import frozen
from foveal.spans import Ints, Nesting, Segments

# How many bytes of a file with many documents expat gets at first. It copies its input, and most
# documents are smaller.
FIRST_OF_MANY = 1 << 14
# The columns of the compiled scanner's rows; names are numbered in each document.
COLUMNS = ("name", "ordinal", "depth", "start", "length")


class Codes(dict[str, int]):
    """Names numbered from 1 in order of appearance; 0 is a comment or processing instruction."""

    def __init__(self) -> None:
        super().__init__({PARTING: 0})

    def __missing__(self, name: str) -> int:
        self[name] = code = len(self)
        return code


@frozen(eq=False)
class ElementTable:
    """The elements of documents in document order, and what separates two text nodes.

    The latter are comments and processing instructions inside elements; their codes and ordinals
    are 0. Other codes are those of names.
    """

    nesting: Nesting
    code: Ints
    ordinal: Ints

    def interleaved(self, other: ElementTable, is_other: Sequence[bool]) -> ElementTable:
        """The documents of both tables in one order; `is_other` says which table each is from."""
        turn = np.array(is_other, dtype=bool)
        tables, places = (self, other), (np.flatnonzero(~turn), np.flatnonzero(turn))
        pairs = list(zip(tables, places, strict=True))
        document = np.concatenate([place[table.nesting.document] for table, place in pairs])
        order = np.argsort(document, kind="stable")
        length = np.empty(len(turn), dtype=np.int64)
        for table, place in pairs:
            length[place] = table.nesting.length
        nesting = Nesting(
            Segments.grouped(document[order], len(turn)).offsets,
            length,
            *(
                np.concatenate([getattr(table.nesting, name) for table in tables])[order]
                for name in ("depth", "start", "end")
            ),
        )
        return ElementTable(
            nesting,
            np.concatenate([self.code, other.code])[order],
            np.concatenate([self.ordinal, other.ordinal])[order],
        )


class ScannedElements(NamedTuple):
    """Elements of one document as the compiled scanner found them, and the length of its text.

    `names` are in order of appearance, each followed by a zero byte.
    """

    rows: bytes
    names: bytes
    length: int


@frozen
class RowScanner:
    """Turns plain XML documents into rows; gives None for others, which the Python scanner reads."""

    measure: OffsetCounter
    scan: ScanElements

    @classmethod
    def of(cls, measure: OffsetCounter) -> Self | None:
        """The compiled scanner with this way of counting; None if there is no compiled scanner."""
        scan = elements_scanner()
        return cls(measure, scan) if scan else None

    def rows(self, data: bytes) -> ScannedElements | None:
        """The rows of a document."""
        found = self._found(data, 0, b"", PORTION)
        return ScannedElements(*found[:3]) if found else None

    def next_rows(
        self, data: bytes, begin: int, rule: str
    ) -> tuple[ScannedElements, str, int] | None:
        """The rows of the document that begins at an offset, its id, and its size in bytes."""
        # A name that is not valid text is in no document, and neither is one with a question mark.
        name = rule.replace("\0", "?").encode(errors="replace")
        found = self._found(data, begin, name, FIRST_OF_MANY)
        if not found or not (own := (found[4] or b"").decode().strip()):
            return None
        return ScannedElements(*found[:3]), own, found[3] - begin

    def _found(self, data: bytes, begin: int, rule: bytes, portion: int) -> FoundElements | None:
        counts_bytes = self.measure.count is Count.BYTES
        merges_blanks = self.measure.whitespace is Whitespace.MERGED
        return self.scan(data, begin, rule, counts_bytes, merges_blanks, DEEPEST, portion)


@dataclass
class ElementRows:
    """Rows of the elements of documents one after another.

    `codes` holds the codes of each document's names, after a 0 for rows without a name; documents
    with the same names in the same order share them. `begins` is where those of each document
    begin.
    """

    names: Codes
    rows: list[bytes] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    codes: array[int] = field(default_factory=lambda: array("q"))
    begins: list[int] = field(default_factory=list)
    known: dict[bytes, int] = field(default_factory=dict)

    def add(self, document: ScannedElements) -> None:
        """Add a document after the others."""
        begin = self.known.get(document.names)
        if begin is None:
            begin = self.known[document.names] = len(self.codes)
            own = document.names.decode().split("\0")[:-1]
            self.codes.extend([0, *map(self.names.__getitem__, own)])
        self.begins.append(begin)
        self.rows.append(document.rows)
        self.lengths.append(document.length)

    def table(self) -> ElementTable:
        """The elements of all documents."""
        rows = np.frombuffer(b"".join(self.rows), dtype=np.uint32).reshape(-1, len(COLUMNS))
        name, ordinal, depth, start, length = rows.T.astype(np.int64)
        width = rows.itemsize * len(COLUMNS)
        first = Segments.sized(np.array([len(own) // width for own in self.rows], dtype=np.int64))
        codes = np.frombuffer(self.codes, dtype=np.int64)
        begins = np.repeat(np.array(self.begins, dtype=np.int64), first.held)
        lengths = np.array(self.lengths, dtype=np.int64)
        nesting = Nesting(first.offsets, lengths, depth, start, start + length)
        return ElementTable(nesting, codes[begins + name], ordinal)


def _longs() -> array[int]:
    return array("q")


@dataclass
class _Scans:
    """Scans of documents one after another, to be counted all at once.

    `pieces`, `events` and `openings` are the number of each before every document.
    """

    measure: OffsetCounter
    names: Codes
    sizes: array[int] = field(default_factory=_longs)
    places: array[int] = field(default_factory=_longs)
    codes: array[int] = field(default_factory=_longs)
    pieces: list[int] = field(default_factory=lambda: [0])
    events: list[int] = field(default_factory=lambda: [0])
    openings: list[int] = field(default_factory=lambda: [0])

    def add(self, scan: Scan) -> None:
        """Add a document after the others."""
        if self.measure != OffsetCounter():
            scan = scan.with_whole_texts()
        count = len if self.measure == OffsetCounter() else self.measure.length
        self.sizes.extend(map(count, scan.texts))
        self.places.fromlist(scan.places)
        self.codes.extend(map(self.names.__getitem__, scan.names))
        self.pieces.append(len(self.sizes))
        self.events.append(len(self.places))
        self.openings.append(len(self.codes))

    def table(self) -> ElementTable:
        """The elements of all documents."""
        nesting, code = self._nesting()
        is_element = code > 0
        ordinal = np.zeros(len(code), dtype=np.int64)
        ordinal[is_element] = nesting.only(is_element).ordinals(code[is_element])
        # Comments outside the root separate no text.
        kept = is_element | (nesting.parent >= 0)
        return ElementTable(nesting.only(kept), code[kept], ordinal[kept])

    def _nesting(self) -> tuple[Nesting, Ints]:
        """The nesting of all rows, and the code of each row's name."""
        before = np.concatenate([[0], np.cumsum(np.frombuffer(self.sizes, dtype=np.int64))])
        pieces = np.array(self.pieces, dtype=np.int64)
        place = np.frombuffer(self.places, dtype=np.int64)
        opens = place >= 0
        first = np.repeat(pieces[:-1], np.diff(self.events))
        at = before[np.where(opens, place, ~place) + first] - before[first]
        depth = np.cumsum(np.where(opens, 1, -1)) + ~opens
        # At any one depth, openings and closings alternate.
        order = np.argsort(depth.astype(np.uint16), kind="stable")
        end = np.empty(len(place), dtype=np.int64)
        end[order[::2]] = at[order[1::2]]
        nesting = Nesting(
            first=np.array(self.openings, dtype=np.int64),
            length=before[pieces[1:]] - before[pieces[:-1]],
            depth=depth[opens],
            start=at[opens],
            end=end[opens],
        )
        return nesting, np.frombuffer(self.codes, dtype=np.int64)


class ElementTableBuilder:
    """Builds one table of documents that the Python or the compiled scanner has read."""

    def __init__(self, measure: OffsetCounter) -> None:
        self.names = Codes()
        self._scans = _Scans(measure, self.names)
        self._rows = ElementRows(self.names)
        self._is_compiled: list[bool] = []

    def add(self, scan: Scan | ScannedElements) -> None:
        """Put a document after the others."""
        if isinstance(scan, ScannedElements):
            self._rows.add(scan)
        else:
            self._scans.add(scan)
        self._is_compiled.append(isinstance(scan, ScannedElements))

    def table(self) -> ElementTable:
        """The elements of all documents."""
        if all(self._is_compiled) and self._is_compiled:
            return self._rows.table()
        if not any(self._is_compiled):
            return self._scans.table()
        return self._scans.table().interleaved(self._rows.table(), self._is_compiled)
