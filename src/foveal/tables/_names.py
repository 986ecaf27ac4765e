"""Columns of names: what alignment asks of them, wherever they are kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.late import pl
    from foveal.spans import Bools, Ints, Segments

Keys = NDArray[np.uint64]


class Names(ABC):
    """The names of documents, row by row: in the bytes of a file, or in a column of a frame."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def taken(self, rows: Ints | Bools) -> Names:
        """The names of some rows."""

    @abstractmethod
    def strings(self) -> list[str]:
        """All names as text."""

    @abstractmethod
    def series(self) -> pl.Series:
        """All names as a column of a frame."""

    @abstractmethod
    def first_rows(self, segments: Segments) -> Ints:
        """For each row the first one of its segment, which is of one topic, with the same name."""

    @abstractmethod
    def falling(self, rows: Ints, group: Ints) -> Ints:
        """Some rows by group, in each the greatest name first; of equal names in their order."""

    @abstractmethod
    def lookup_of(self, judged: Names, topic: Ints, topics: Sequence[str]) -> DocumentLookup:
        """Judged documents, to be found by names that are kept as these are.

        `topic` has the number of each one's topic, `topics` their names.
        """

    @property
    def kind(self) -> object:
        """What names must share to be found by the same look-up."""
        return type(self)

    def at(self, row: int) -> str:
        """The name in a row."""
        (name,) = self.taken(np.array([row])).strings()
        return name


class DocumentLookup(ABC):
    """The judged documents of all topics by topic and name."""

    @abstractmethod
    def found(self, topic: Ints, names: Names, begin: int = 0) -> tuple[Ints, Ints]:
        """The judged ones among documents from one row on: their rows here, and there.

        `topic` has the number of each one's topic; as many names are looked at.
        """
