"""Lines of fields read by compiled code, where it is installed: columns, keys, places in the file.

Names stay in the file. A row knows its document by place and length, and by a key, a hash of topic
and document. The scanner only counts lines with problems: a file that has any is read again by the
plain reader (foveal.formats), which says what is wrong and where.
"""

from __future__ import annotations

import os
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from foveal.frozen import frozen
from foveal.spans import Floats, Ints

if TYPE_CHECKING:
    from mmap import mmap

    Data = bytes | bytearray | memoryview | mmap

Keys = NDArray[np.uint64]
Uint32s = NDArray[np.uint32]
# Names: the bytes that hold them, where each begins there, and its length.
NameBytes = tuple["Data", Keys, Uint32s]


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


try:
    from foveal.compiled import _compiled
except ImportError:  # it was installed without a compiler
    IS_COMPILED = False
else:
    IS_COMPILED = True

# What stands in columns of whole numbers for a part that could not be mapped (or an entry point
# that a line says is not there), and for a field that a line does not have.
UNMAPPED, ABSENT = -1, -2
MOST_INTEGERS = 4
# The shortest passage and the blank before it: " 1:2".
SHORTEST_PASSAGE = 4


class LineLayout(NamedTuple):
    """The fields of a line, a letter each (layouts.h), and how many it must have."""

    letters: bytes
    least: int

    @property
    def integers(self) -> int:
        """How many columns of whole numbers it fills."""
        return sum(letter in b"NOLE" for letter in self.letters)


TREC_RUN = LineLayout(b"T-DRSG", 6)
TREC_QRELS = LineLayout(b"T-DS", 4)
INEX_RUN = LineLayout(b"T-DRSGOL", 7)
INEX_QRELS = LineLayout(b"T-DNNEP", 5)


def compiled() -> ModuleType | None:
    """The compiled module, which all that follows needs; None without it or if FOVEAL_COMPILED is 0."""
    return _compiled if IS_COMPILED and os.environ.get("FOVEAL_COMPILED") != "0" else None


class ScannedRows(NamedTuple):
    """The columns of rows; places count from the beginning of the block.

    Those that the layout does not have are None, and so are the ranks if one is not a whole number.
    """

    place: Uint32s
    length: Uint32s
    key: Keys
    score: Floats | None
    rank: Ints | None
    integers: tuple[Ints, ...]

    @classmethod
    def room(cls, layout: LineLayout, lines: int) -> ScannedRows:
        """Room for the rows of so many lines."""
        return cls(
            np.empty(lines, np.uint32),
            np.empty(lines, np.uint32),
            np.empty(lines, np.uint64),
            np.empty(lines) if b"S" in layout.letters else None,
            np.empty(lines, np.int64) if b"R" in layout.letters else None,
            tuple(np.empty(lines, np.int64) for _ in range(layout.integers)),
        )

    def head(self, count: int, *, ranks: bool) -> ScannedRows:
        """The first rows, with their ranks or without."""
        return ScannedRows(
            self.place[:count],
            self.length[:count],
            self.key[:count],
            None if self.score is None else self.score[:count],
            self.rank[:count] if self.rank is not None and ranks else None,
            tuple(column[:count] for column in self.integers),
        )


class ScannedTopics(NamedTuple):
    """Rows of one topic that follow each other: the first of them, the topic's name and hash."""

    row: Ints
    place: Uint32s
    length: Uint32s
    hash: Keys

    @classmethod
    def room(cls, lines: int) -> ScannedTopics:
        """Room for a stretch per line."""
        return cls(
            np.empty(lines, np.int64),
            np.empty(lines, np.uint32),
            np.empty(lines, np.uint32),
            np.empty(lines, np.uint64),
        )


class Skips(NamedTuple):
    """Rows before which lines were skipped, and how many were skipped up to there."""

    row: Ints
    skipped: Ints

    @classmethod
    def room(cls, lines: int) -> Skips:
        """Room for every second of so many lines."""
        most = lines // 2 + 1
        return cls(np.empty(most, np.int64), np.empty(most, np.int64))

    def lines_before(self, rows: Ints) -> Ints:
        """How many lines of the block come before each of these rows."""
        if not len(self.row):
            return rows
        so_far = np.concatenate([[0], self.skipped])
        lines: Ints = rows + so_far[np.searchsorted(self.row, rows, side="right")]
        return lines


class ScannedPassages(NamedTuple):
    """The passages of all rows, in the order of the file."""

    row: Ints
    start: Ints
    end: Ints

    @classmethod
    def room(cls, layout: LineLayout, size: int) -> ScannedPassages:
        """Room for the passages in so many bytes, if lines have any."""
        most = size // SHORTEST_PASSAGE + 1 if layout.letters.endswith(b"P") else 0
        return cls(np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64))


class Summary(NamedTuple):
    """What holds for a block as a whole; the last tag is a place and a length, if there are tags."""

    rows: int
    lines: int
    problems: int
    stretches: int
    skips: int
    passages: int
    has_whole_ranks: bool
    has_zero_byte: bool
    tags: int
    last_tag: tuple[int, int]


@frozen
class Scanned:
    """A block of lines. Where the summary tells of problems, nothing else may be used.

    The arrays belong to the scanner, which fills them anew with its next block.
    """

    data: Data
    begin: int
    summary: Summary
    rows: ScannedRows
    stretches: ScannedTopics
    skips: Skips
    passages: ScannedPassages

    @property
    def documents(self) -> NameBytes:
        """The document of each row."""
        return self._names(self.rows.place, self.rows.length)

    @property
    def topics(self) -> NameBytes:
        """The topic of each stretch."""
        return self._names(self.stretches.place, self.stretches.length)

    @property
    def tag(self) -> bytes | None:
        """The run tag of the last line that has one."""
        if not self.summary.tags:
            return None
        place, length = self.summary.last_tag
        return bytes(memoryview(self.data)[self.begin + place :][:length])

    def _names(self, place: Uint32s, length: Uint32s) -> NameBytes:
        return self.data, np.add(place, self.begin, dtype=np.uint64), length


class Scanner:
    """Reads blocks of lines of one layout, one after the other; threads need one each."""

    def __init__(self, layout: LineLayout, seed: int) -> None:
        self.layout, self.seed = layout, seed
        self._make_room(lines=0, size=0)

    def scan(self, data: Data, begin: int, end: int) -> Scanned:
        """The whole lines between two places of a buffer, which are at most 4 GiB apart."""
        lines, size = count_lines(data, begin, end), end - begin
        if lines > self._lines or size > self._size:
            self._make_room(lines=lines, size=size)
        rows = self._rows
        columns = (rows.place, rows.length, rows.key, rows.score, rows.rank, *rows.integers)
        found = Summary(
            *_compiled.scan(
                data,
                begin,
                end,
                self.layout.letters,
                self.layout.least,
                self.seed,
                (*columns, *[None] * (MOST_INTEGERS - len(rows.integers))),
                self._stretches,
                self._skips,
                self._passages,
            )
        )
        return Scanned(
            data,
            begin,
            found,
            rows.head(found.rows, ranks=found.has_whole_ranks),
            ScannedTopics._make(column[: found.stretches] for column in self._stretches),
            Skips._make(column[: found.skips] for column in self._skips),
            ScannedPassages._make(column[: found.passages] for column in self._passages),
        )

    def _make_room(self, *, lines: int, size: int) -> None:
        """Arrays for the worst that a block can hold; memory that is never written costs nothing."""
        self._lines, self._size = lines, size
        self._rows = ScannedRows.room(self.layout, lines)
        self._stretches = ScannedTopics.room(lines)
        self._skips = Skips.room(lines)
        self._passages = ScannedPassages.room(self.layout, size)


def count_lines(data: Data, begin: int, end: int) -> int:
    """How many lines there are between two places; the last one may lack its newline."""
    return _compiled.count_lines(data, begin, end)


def scan_block(data: Data, begin: int, end: int, layout: LineLayout, seed: int) -> Scanned:
    """A block of lines in arrays of its own."""
    return Scanner(layout, seed).scan(data, begin, end)
