"""Lines of fields read by compiled code, where it is installed: columns, keys, offsets in the file.

Names stay in the file. A row has its document's offset and length there, and a key, a hash of topic
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
# Names: the bytes that have them, the offset of each there, and its length.
NameBytes = tuple["Data", Keys, Uint32s]


# Rows, names, the length of the text, the end of the document, and its id: see elements.h.
FoundElements = tuple[bytes, bytes, int, int, bytes | None]


class ScanElements(Protocol):
    """Finds the elements of a document."""

    def __call__(
        self,
        data: bytes,
        start: int,
        id_rule: bytes,
        counts_bytes: bool,  # noqa: FBT001  # compiled functions take no names
        merges_blanks: bool,  # noqa: FBT001
        max_depth: int,
        portion: int,
        /,
    ) -> FoundElements | None:
        """The elements of the document that starts at an offset in data.

        None if the Python scanner has to read it, because it has a DOCTYPE or is malformed, for
        example. With a rule for its id (`@ATTRIBUTE` of the root, or `ELEMENT`), other documents
        may follow it.
        """


def elements_scanner() -> ScanElements | None:
    """The compiled scanner of elements; None if it is missing or does not know Python's expat."""
    module = compiled_module()
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
    IS_BUILT = False
else:
    IS_BUILT = True

# In integer columns: a part without offsets, or a line's -1 for no entry point; and a field that the
# line lacks.
UNMAPPED, ABSENT = -1, -2
MAX_INTEGERS = 4
# The shortest passage and the blank before it: " 1:2".
SHORTEST_PASSAGE = 4


class LineLayout(NamedTuple):
    """The fields of a line, a letter each (layouts.h), and the smallest number of fields."""

    letters: bytes
    min_fields: int

    @property
    def integer_columns(self) -> int:
        """Number of integer columns that it fills."""
        return sum(letter in b"NOLE" for letter in self.letters)


TREC_RUN = LineLayout(b"T-DRSG", 6)
TREC_QRELS = LineLayout(b"T-DS", 4)
INEX_RUN = LineLayout(b"T-DRSGOL", 7)
INEX_QRELS = LineLayout(b"T-DNNEP", 5)


def compiled_module() -> ModuleType | None:
    """The compiled module, which everything below needs; None without it or if FOVEAL_COMPILED is 0."""
    return _compiled if IS_BUILT and os.environ.get("FOVEAL_COMPILED") != "0" else None


class ScannedRows(NamedTuple):
    """The columns of rows; offsets count from the start of the block.

    Those that the layout does not have are None, and so are the ranks if one is not a whole number.
    """

    offset: Uint32s
    length: Uint32s
    key: Keys
    score: Floats | None
    rank: Ints | None
    integers: tuple[Ints, ...]

    @classmethod
    def empty(cls, layout: LineLayout, lines: int) -> ScannedRows:
        """Arrays to be filled with the rows of at most `lines` lines."""
        offset, length = np.empty((2, lines), np.uint32)
        return cls(
            offset,
            length,
            np.empty(lines, np.uint64),
            np.empty(lines) if b"S" in layout.letters else None,
            np.empty(lines, np.int64) if b"R" in layout.letters else None,
            tuple(np.empty(lines, np.int64) for _ in range(layout.integer_columns)),
        )

    def head(self, count: int, *, ranks: bool) -> ScannedRows:
        """The first rows, with their ranks or without."""
        return ScannedRows(
            self.offset[:count],
            self.length[:count],
            self.key[:count],
            None if self.score is None else self.score[:count],
            self.rank[:count] if self.rank is not None and ranks else None,
            tuple(column[:count] for column in self.integers),
        )


class ScannedTopics(NamedTuple):
    """Rows of one topic that follow each other: the first of them, the topic's name and hash."""

    row: Ints
    offset: Uint32s
    length: Uint32s
    hash: Keys

    @classmethod
    def empty(cls, lines: int) -> ScannedTopics:
        """Arrays to be filled with a stretch per line."""
        offset, length = np.empty((2, lines), np.uint32)
        return cls(np.empty(lines, np.int64), offset, length, np.empty(lines, np.uint64))


class Skips(NamedTuple):
    """Rows before which lines were skipped, and how many were skipped up to there."""

    row: Ints
    skipped: Ints

    @classmethod
    def empty(cls, lines: int) -> Skips:
        """Arrays to be filled with every second of `lines` lines."""
        capacity = lines // 2 + 1
        return cls(np.empty(capacity, np.int64), np.empty(capacity, np.int64))

    def lines_before(self, rows: Ints) -> Ints:
        """Number of lines of the block before each of these rows."""
        if not len(self.row):
            return rows
        skipped = np.concatenate([[0], self.skipped])
        lines: Ints = rows + skipped[np.searchsorted(self.row, rows, side="right")]
        return lines


class ScannedPassages(NamedTuple):
    """The passages of all rows, in the order of the file."""

    row: Ints
    start: Ints
    end: Ints

    @classmethod
    def empty(cls, layout: LineLayout, size: int) -> ScannedPassages:
        """Arrays to be filled with the passages in `size` bytes, if lines have any."""
        capacity = size // SHORTEST_PASSAGE + 1 if layout.letters.endswith(b"P") else 0
        return cls(*(np.empty(capacity, np.int64) for _ in range(3)))


class Summary(NamedTuple):
    """Counts and flags of a block; the last tag is its offset and length, if there are tags."""

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
    """A block of lines. If the summary counts problems, nothing else may be used.

    The arrays belong to the scanner, which fills them anew with its next block.
    """

    data: Data
    start: int
    summary: Summary
    rows: ScannedRows
    stretches: ScannedTopics
    skips: Skips
    passages: ScannedPassages

    @property
    def documents(self) -> NameBytes:
        """The document of each row."""
        return self._names(self.rows.offset, self.rows.length)

    @property
    def topics(self) -> NameBytes:
        """The topic of each stretch."""
        return self._names(self.stretches.offset, self.stretches.length)

    @property
    def tag(self) -> bytes | None:
        """The run tag of the last line that has one."""
        if not self.summary.tags:
            return None
        offset, length = self.summary.last_tag
        return bytes(memoryview(self.data)[self.start + offset :][:length])

    def _names(self, offset: Uint32s, length: Uint32s) -> NameBytes:
        return self.data, np.add(offset, self.start, dtype=np.uint64), length


class Scanner:
    """Reads blocks of lines of one layout, one after the other; threads need one each."""

    def __init__(self, layout: LineLayout, seed: int) -> None:
        self.layout, self.seed = layout, seed
        self._make_arrays(lines=0, size=0)

    def scan(self, data: Data, start: int, end: int) -> Scanned:
        """The lines between two offsets in a buffer, which are at most 4 GiB apart."""
        lines, size = count_lines(data, start, end), end - start
        if lines > self._lines or size > self._size:
            self._make_arrays(lines=lines, size=size)
        rows = self._rows
        columns = (rows.offset, rows.length, rows.key, rows.score, rows.rank, *rows.integers)
        summary = Summary(
            *_compiled.scan(
                data,
                start,
                end,
                self.layout.letters,
                self.layout.min_fields,
                self.seed,
                (*columns, *[None] * (MAX_INTEGERS - len(rows.integers))),
                self._stretches,
                self._skips,
                self._passages,
            )
        )
        return Scanned(
            data,
            start,
            summary,
            rows.head(summary.rows, ranks=summary.has_whole_ranks),
            ScannedTopics._make(column[: summary.stretches] for column in self._stretches),
            Skips._make(column[: summary.skips] for column in self._skips),
            ScannedPassages._make(column[: summary.passages] for column in self._passages),
        )

    def _make_arrays(self, *, lines: int, size: int) -> None:
        """Make arrays for the longest possible columns; memory that is never written costs nothing."""
        self._lines, self._size = lines, size
        self._rows = ScannedRows.empty(self.layout, lines)
        self._stretches = ScannedTopics.empty(lines)
        self._skips = Skips.empty(lines)
        self._passages = ScannedPassages.empty(self.layout, size)


def count_lines(data: Data, start: int, end: int) -> int:
    """Number of lines between two offsets; the last one may lack its newline."""
    return _compiled.count_lines(data, start, end)


def scan_block(data: Data, start: int, end: int, layout: LineLayout, seed: int) -> Scanned:
    """A block of lines in new arrays."""
    return Scanner(layout, seed).scan(data, start, end)
