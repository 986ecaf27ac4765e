"""Columns of names: what alignment asks of them, wherever they are kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foveal.late import pl
from foveal.tables import _columns as c

if TYPE_CHECKING:
    from foveal.spans import Bools, Ints, Segments

Keys = NDArray[np.uint64]


class Names(ABC):
    """The names of documents, row by row: in a file, or in a column of a frame.

    Only columns of the same kind can be compared; `like` makes one kind of the other.
    """

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def taken(self, rows: Ints | Bools) -> Names:
        """The names of some rows."""

    def at(self, row: int) -> str:
        """The name in a row."""
        (name,) = self.taken(np.array([row])).strings()
        return name

    @abstractmethod
    def strings(self) -> list[str]:
        """All names as text."""

    @abstractmethod
    def series(self) -> pl.Series:
        """All names as a column of a frame."""

    @abstractmethod
    def like(self, other: Names) -> Names:
        """The other's names, kept as these are."""

    @abstractmethod
    def hashes(self, seed: int, begin: int = 0, end: int | None = None) -> Keys:
        """A number for each name from one row to before another: equal for equal names."""

    @abstractmethod
    def same(self, rows: Ints, other: Names, others: Ints) -> Bools:
        """Whether the names of some rows are those of the other's rows, pair by pair."""

    @abstractmethod
    def first_rows(self, segments: Segments) -> Ints:
        """For each row the first one of its segment with the same name."""

    @abstractmethod
    def falling(self, rows: Ints, group: Ints) -> Ints:
        """Some rows by group, in each the greatest name first; of equal names in their order."""


@dataclass(frozen=True, eq=False)
class SeriesNames(Names):
    """Names in a column of a frame."""

    column: pl.Series

    def __len__(self) -> int:
        return len(self.column)

    def taken(self, rows: Ints | Bools) -> SeriesNames:
        """The names of some rows."""
        return SeriesNames(
            self.column.filter(rows) if rows.dtype == bool else self.column.gather(rows)
        )

    def strings(self) -> list[str]:
        """All names as text."""
        return self.column.to_list()

    def series(self) -> pl.Series:
        """The column itself."""
        return self.column

    def like(self, other: Names) -> SeriesNames:
        """The other's names in a column."""
        return other if isinstance(other, SeriesNames) else SeriesNames(other.series())

    def hashes(self, seed: int, begin: int = 0, end: int | None = None) -> Keys:
        """A number for each name from one row to before another."""
        count = None if end is None else end - begin
        return self.column.slice(begin, count).hash(seed).to_numpy()

    def same(self, rows: Ints, other: Names, others: Ints) -> Bools:
        """Whether the names of some rows are those of the other's rows, pair by pair."""
        theirs = self.like(other).column.gather(others)
        return (self.column.gather(rows) == theirs).to_numpy()

    def first_rows(self, segments: Segments) -> Ints:
        """For each row the first one of its segment with the same name."""
        column = self.column.cast(pl.Categorical(pl.Categories.random()))
        code = column.to_physical().to_numpy().astype(np.int64)
        segment = np.repeat(np.arange(len(segments.held)), segments.held)
        key = segment * (int(code.max(initial=0)) + 1) + code
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        return first[which]

    def falling(self, rows: Ints, group: Ints) -> Ints:
        """Some rows by group, in each the greatest name first."""
        ordered = pl.DataFrame({c.GROUP: group, c.DOC: self.column.gather(rows), c.ROW: rows}).sort(
            c.GROUP, c.DOC, c.ROW, descending=[False, True, False]
        )
        return ordered[c.ROW].to_numpy()
