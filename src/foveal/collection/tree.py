"""Scans of many documents as one table of elements."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from foveal.collection.rows import Codes, Grove, Rows, RowScanner, Table
from foveal.collection.scanner import Counting, Malformed, Scan, scan_xml
from foveal.elements import Elements
from foveal.errors import BadInput, Problem
from foveal.late import pl
from foveal.spans import Ints, Nesting


def _longs() -> array[int]:
    return array("q")


@dataclass
class _Scans:
    """Scans of documents one after another, to be counted all at once.

    `pieces`, `events` and `openings` are the number of each before every document.
    """

    measure: Counting
    names: Codes
    sizes: array[int] = field(default_factory=_longs)
    places: array[int] = field(default_factory=_longs)
    codes: array[int] = field(default_factory=_longs)
    pieces: list[int] = field(default_factory=lambda: [0])
    events: list[int] = field(default_factory=lambda: [0])
    openings: list[int] = field(default_factory=lambda: [0])

    def add(self, scan: Scan) -> None:
        """Add a document after the others."""
        if self.measure != Counting():
            scan = scan.with_whole_texts()
        count = len if self.measure == Counting() else self.measure.length
        self.sizes.extend(map(count, scan.texts))
        self.places.fromlist(scan.places)
        self.codes.extend(map(self.names.__getitem__, scan.names))
        self.pieces.append(len(self.sizes))
        self.events.append(len(self.places))
        self.openings.append(len(self.codes))

    def table(self) -> Table:
        """The elements of all documents."""
        nesting, code = self._nesting()
        is_element = code > 0
        ordinal = np.zeros(len(code), dtype=np.int64)
        ordinal[is_element] = nesting.only(is_element).ordinals(code[is_element])
        # Comments outside the root separate no text.
        kept = is_element | (nesting.parent >= 0)
        return Table(nesting.only(kept), code[kept], ordinal[kept])

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


class Forest:
    """Documents one after another, read by the Python or by the compiled scanner."""

    def __init__(self, measure: Counting) -> None:
        self.names = Codes()
        self._scans = _Scans(measure, self.names)
        self._grove = Grove(self.names)
        self._is_compiled: list[bool] = []

    def add(self, scan: Scan | Rows) -> None:
        """Put a document after the others."""
        if isinstance(scan, Rows):
            self._grove.add(scan)
        else:
            self._scans.add(scan)
        self._is_compiled.append(isinstance(scan, Rows))

    def table(self) -> Table:
        """The elements of all documents."""
        if all(self._is_compiled) and self._is_compiled:
            return self._grove.table()
        if not any(self._is_compiled):
            return self._scans.table()
        return self._scans.table().interleaved(self._grove.table(), self._is_compiled)


def elements_of(documents: Mapping[str, bytes], measure: Counting | None = None) -> Elements:
    """The elements of XML documents given by their ids, without an index on disk."""
    measure = measure or Counting()
    forest, scanner = Forest(measure), RowScanner.of(measure)
    for name, data in documents.items():
        if scanner and (rows := scanner.rows(data)):
            forest.add(rows)
            continue
        try:
            scan, end = scan_xml(data)
        except Malformed as error:
            raise BadInput(name, [Problem(error.line, error.reason)]) from error
        if end < len(data):
            raise BadInput(name, [Problem(None, "more than one document in these bytes")])
        forest.add(scan)
    table = forest.table()
    return Elements.of(
        pl.Series(list(documents), dtype=pl.String),
        pl.Series(list(forest.names), dtype=pl.String)[1:],
        table.nesting,
        table.code - 1,
        table.ordinal,
        counts_characters=measure == Counting(),
    )
