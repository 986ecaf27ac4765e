"""Elements of documents as rows of one table, from either scanner."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np

from foveal.choices import Count, Whitespace
from foveal.collection.xml_scanner import PORTION, SEPARATOR, OffsetCounter, Scan
from foveal.compiled import FoundElements, ScanElements, elements_scanner
from foveal.elements import DEEPEST
from foveal.frozen import frozen
from foveal.spans import Ints, Nesting, Segments

# Bytes of a file with many documents that expat gets first. It copies its input, and most documents
# are smaller.
FIRST_OF_MANY = 1 << 14
# The columns of the compiled scanner's rows; names are numbered in each document.
COLUMNS = ("name", "ordinal", "depth", "start", "length")


class Codes(dict[str, int]):
    """Codes of names, from 1 in order of appearance; 0 is a comment or processing instruction."""

    def __init__(self) -> None:
        super().__init__({SEPARATOR: 0})

    def __missing__(self, name: str) -> int:
        self[name] = code = len(self)
        return code


@frozen(eq=False)
class ElementTable:
    """Elements of documents in document order, with comments and processing instructions.

    Comments and processing instructions separate two text nodes, so they are rows too, with code and
    ordinal 0. Other codes are those of names.
    """

    nesting: Nesting
    code: Ints
    ordinal: Ints

    def interleaved(self, other: ElementTable, is_other: Sequence[bool]) -> ElementTable:
        """Table of the documents of both tables; `is_other` says which table each comes from."""
        from_other = np.array(is_other, dtype=bool)
        tables, numbers = (self, other), (np.flatnonzero(~from_other), np.flatnonzero(from_other))
        pairs = list(zip(tables, numbers, strict=True))
        document = np.concatenate([number[table.nesting.document] for table, number in pairs])
        order = np.argsort(document, kind="stable")
        length = np.empty(len(from_other), dtype=np.int64)
        for table, number in pairs:
            length[number] = table.nesting.length
        nesting = Nesting(
            Segments.grouped(document[order], len(from_other)).offsets,
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
    """Elements of one document as rows of the compiled scanner, and the length of its text.

    `names` are in order of appearance, each followed by a zero byte.
    """

    rows: bytes
    names: bytes
    length: int


@frozen
class RowScanner:
    """Scans plain XML documents into rows; None for others, which the Python scanner reads."""

    counter: OffsetCounter
    scan: ScanElements

    @classmethod
    def of(cls, counter: OffsetCounter) -> Self | None:
        """Scanner that counts like `counter`; None if there is no compiled scanner."""
        scan = elements_scanner()
        return cls(counter, scan) if scan else None

    def rows(self, data: bytes) -> ScannedElements | None:
        """Rows of a document."""
        scanned = self._scanned(data, 0, b"", PORTION)
        return ScannedElements(*scanned[:3]) if scanned else None

    def next_rows(
        self, data: bytes, start: int, rule: str
    ) -> tuple[ScannedElements, str, int] | None:
        """Rows of the document that begins at an offset, its id, and its size in bytes."""
        # A name that is not valid text is in no document; nor is its replacement, with a question mark.
        name = rule.replace("\0", "?").encode(errors="replace")
        scanned = self._scanned(data, start, name, FIRST_OF_MANY)
        if not scanned or not (doc_id := (scanned[4] or b"").decode().strip()):
            return None
        return ScannedElements(*scanned[:3]), doc_id, scanned[3] - start

    def _scanned(self, data: bytes, start: int, rule: bytes, portion: int) -> FoundElements | None:
        counts_bytes = self.counter.count is Count.BYTES
        merges_blanks = self.counter.whitespace is Whitespace.MERGED
        return self.scan(data, start, rule, counts_bytes, merges_blanks, DEEPEST, portion)


@dataclass
class ElementRows:
    """Builds the table of documents that the compiled scanner has read.

    `codes` holds the codes of each document's names, after a 0 for rows without a name; documents
    with the same names in the same order share them. `code_starts` is where each document's codes
    start, `starts_by_names` the same by names.
    """

    names: Codes
    rows: list[bytes] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    codes: array[int] = field(default_factory=lambda: array("q"))
    code_starts: list[int] = field(default_factory=list)
    starts_by_names: dict[bytes, int] = field(default_factory=dict)

    def add(self, document: ScannedElements) -> None:
        """Add a document after the others."""
        start = self.starts_by_names.get(document.names)
        if start is None:
            start = self.starts_by_names[document.names] = len(self.codes)
            names = document.names.decode().split("\0")[:-1]
            self.codes.extend([0, *map(self.names.__getitem__, names)])
        self.code_starts.append(start)
        self.rows.append(document.rows)
        self.lengths.append(document.length)

    def table(self) -> ElementTable:
        """The elements of all documents."""
        rows = np.frombuffer(b"".join(self.rows), dtype=np.uint32).reshape(-1, len(COLUMNS))
        name, ordinal, depth, start, length = rows.T.astype(np.int64)
        width = rows.itemsize * len(COLUMNS)
        docs = Segments.sized(np.array([len(data) // width for data in self.rows], dtype=np.int64))
        codes = np.frombuffer(self.codes, dtype=np.int64)
        code_starts = np.repeat(np.array(self.code_starts, dtype=np.int64), docs.entry_count)
        lengths = np.array(self.lengths, dtype=np.int64)
        nesting = Nesting(docs.offsets, lengths, depth, start, start + length)
        return ElementTable(nesting, codes[code_starts + name], ordinal)


def _longs() -> array[int]:
    return array("q")


@dataclass
class _Scans:
    """Builds the table of documents that the Python scanner has read, counting text all at once.

    `piece_counts`, `event_counts` and `opening_counts` are running totals: the number before each
    document, and last the number in all.
    """

    counter: OffsetCounter
    names: Codes
    sizes: array[int] = field(default_factory=_longs)
    positions: array[int] = field(default_factory=_longs)
    codes: array[int] = field(default_factory=_longs)
    piece_counts: list[int] = field(default_factory=lambda: [0])
    event_counts: list[int] = field(default_factory=lambda: [0])
    opening_counts: list[int] = field(default_factory=lambda: [0])

    def add(self, scan: Scan) -> None:
        """Add a document after the others."""
        if self.counter != OffsetCounter():
            scan = scan.with_whole_texts()
        count = len if self.counter == OffsetCounter() else self.counter.length
        self.sizes.extend(map(count, scan.texts))
        self.positions.fromlist(scan.positions)
        self.codes.extend(map(self.names.__getitem__, scan.names))
        self.piece_counts.append(len(self.sizes))
        self.event_counts.append(len(self.positions))
        self.opening_counts.append(len(self.codes))

    def table(self) -> ElementTable:
        """The elements of all documents."""
        nesting, code = self._nesting()
        is_element = code > 0
        ordinal = np.zeros(len(code), dtype=np.int64)
        ordinal[is_element] = nesting.only(is_element).ordinals(code[is_element])
        # Comments outside the root separate no text nodes.
        keep = is_element | (nesting.parent >= 0)
        return ElementTable(nesting.only(keep), code[keep], ordinal[keep])

    def _nesting(self) -> tuple[Nesting, Ints]:
        """Nesting of all rows, and the code of each row's name."""
        total = np.concatenate([[0], np.cumsum(np.frombuffer(self.sizes, dtype=np.int64))])
        piece_counts = np.array(self.piece_counts, dtype=np.int64)
        position = np.frombuffer(self.positions, dtype=np.int64)
        opens = position >= 0
        first_piece = np.repeat(piece_counts[:-1], np.diff(self.event_counts))
        offset = total[np.where(opens, position, ~position) + first_piece] - total[first_piece]
        depth = np.cumsum(np.where(opens, 1, -1)) + ~opens
        # At any one depth, openings and closings alternate.
        order = np.argsort(depth.astype(np.uint16), kind="stable")
        end = np.empty(len(position), dtype=np.int64)
        end[order[::2]] = offset[order[1::2]]
        nesting = Nesting(
            first=np.array(self.opening_counts, dtype=np.int64),
            length=total[piece_counts[1:]] - total[piece_counts[:-1]],
            depth=depth[opens],
            start=offset[opens],
            end=end[opens],
        )
        return nesting, np.frombuffer(self.codes, dtype=np.int64)


class ElementTableBuilder:
    """Builds one table of documents that the Python or the compiled scanner has read."""

    def __init__(self, counter: OffsetCounter) -> None:
        self.names = Codes()
        self._scans = _Scans(counter, self.names)
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
