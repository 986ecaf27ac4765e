"""Scans of many documents as one table of elements."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from foveal.collection.scanner import PARTING, Counting, Malformed, Scan, scan_xml
from foveal.elements import Elements
from foveal.errors import BadInput, Problem
from foveal.spans import Ints, Nesting


class _Codes(dict[str, int]):
    """Names numbered in order of appearance."""

    def __missing__(self, name: str) -> int:
        self[name] = code = len(self)
        return code


def _longs() -> array[int]:
    return array("q")


@dataclass
class Forest:
    """Scans of documents one after another, to be counted all at once.

    `pieces`, `events` and `openings` are the number of each before every document.
    """

    measure: Counting = field(default_factory=Counting)
    sizes: array[int] = field(default_factory=_longs)
    places: array[int] = field(default_factory=_longs)
    codes: array[int] = field(default_factory=_longs)
    pieces: list[int] = field(default_factory=lambda: [0])
    events: list[int] = field(default_factory=lambda: [0])
    openings: list[int] = field(default_factory=lambda: [0])
    names: _Codes = field(default_factory=lambda: _Codes({PARTING: 0}))

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

    def nesting(self) -> tuple[Nesting, Ints]:
        """The nesting of all documents, and the code of each row's name."""
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


def elements_of(documents: Mapping[str, bytes], measure: Counting | None = None) -> Elements:
    """The elements of XML documents given by their ids, without an index on disk."""
    forest = Forest(measure or Counting())
    for name, data in documents.items():
        try:
            scan, end = scan_xml(data)
        except Malformed as error:
            raise BadInput(name, [Problem(error.line, error.reason)]) from error
        if end < len(data):
            raise BadInput(name, [Problem(None, "more than one document in these bytes")])
        forest.add(scan)
    nesting, code = forest.nesting()
    return Elements.of(
        pl.Series(list(documents), dtype=pl.String),
        pl.Series(list(forest.names), dtype=pl.String)[1:],
        nesting,
        code - 1,
        counts_characters=forest.measure == Counting(),
    )
