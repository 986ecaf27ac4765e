"""What tables ask of the texts of documents: their lengths, and where a piece of text is."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from foveal.choices import Copies, OffsetUnit, chosen
from foveal.errors import UsageError
from foveal.tables._inputs import Frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.late import pl
    from foveal.spans import Ints
    from foveal.tables.run import Run

ChunkListLike: TypeAlias = str | os.PathLike[str] | Frame | Iterable[object]
"""A file of rows {doc, start, end} or {doc, text}, a frame, or a list of dicts or chunks."""


@dataclass(frozen=True, eq=False)
class Placed:
    """Where pieces of text are: `start` and `end` (null where unknown), and why not (`problem`)."""

    start: pl.Series
    end: pl.Series
    problem: pl.Series
    notes: tuple[str, ...] = ()


class TextLookup(Protocol):
    """The texts of documents, as `foveal.read_documents` returns them."""

    def lengths(self, documents: pl.Series) -> pl.Series:
        """The length of each document in characters; null where it is unknown."""

    def placed(
        self,
        run: Run,
        *,
        chunks: ChunkListLike | None = None,
        copies: Copies | str = Copies.REFUSE,
        count: OffsetUnit | str = OffsetUnit.CHARACTERS,
    ) -> Run:
        """The run with offsets that fit its texts; one whose texts have no place is refused."""

    def audited(
        self,
        run: Run,
        *,
        chunks: ChunkListLike | None = None,
        copies: Copies | str = Copies.REFUSE,
        count: OffsetUnit | str = OffsetUnit.CHARACTERS,
    ) -> Run:
        """The same, without refusing anything: `run.audit` has what is wrong."""

    def spans(self, parts: pl.DataFrame, *, copies: Copies | str = Copies.REFUSE) -> Placed:
        """Where each part is: columns doc, and any of start, end and text, null where not given."""


def refuse_without_docs(docs: object, chunks: object, count: OffsetUnit | str) -> None:
    """Refuse words about texts where there are none to compare with."""
    unit = chosen(OffsetUnit, count)
    if docs is None and (chunks is not None or unit is not OffsetUnit.CHARACTERS):
        what = "chunks" if chunks is not None else f"count {unit.value}"
        raise UsageError(f"{what} needs the texts of the documents: give docs (--docs DOCUMENTS)")


class TokenCounter(Protocol):
    """Finds the tokens of parts, as `foveal.count_tokens` gives it to a run."""

    def __call__(self, documents: Sequence[str], start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """How many tokens each part has, and where each token starts and ends in its document."""
