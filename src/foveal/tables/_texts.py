"""What tables ask of the texts of documents: their lengths, and where a piece of text is."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol, TypeAlias

from foveal.choices import Copies, OffsetUnit, chosen
from foveal.errors import Problem, UsageError
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables._inputs import Frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.spans import Ints
    from foveal.tables.run import Run

FIND_TEXT = (
    "text without start and end: give --docs DOCUMENTS (in Python docs=foveal.read_documents(...))"
    " to find it"
)
ChunkListLike: TypeAlias = str | os.PathLike[str] | Frame | Iterable[object]
"""A file of rows {doc, start, end} or {doc, text}, a frame, or a list of dicts or chunks."""


@frozen(eq=False)
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

    def judged_lengths(self, documents: pl.Series) -> pl.Series:
        """The same for judged documents; a name that fits several documents is refused."""

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


def placed_texts(
    frame: pl.DataFrame, docs: TextLookup, copies: Copies | str
) -> tuple[pl.DataFrame, list[Problem], tuple[str, ...]]:
    """Rows of judgements with the places of their texts, what is wrong with these, and notes.

    Rows without text keep their start and end.
    """
    edges = (c.START, c.END)
    absent = [pl.lit(None, pl.Int64).alias(name) for name in edges if name not in frame.columns]
    rows = frame.with_columns(absent)
    row = rows[c.TEXT].is_not_null().arg_true()
    found = docs.spans(
        rows[row].select(
            pl.col(c.DOC, c.TEXT).cast(pl.String), pl.col(edges).cast(pl.Int64, strict=False)
        ),
        copies=copies,
    )
    lines = frame[c.LINE] if c.LINE in frame.columns else range(1, frame.height + 1)
    problems = [
        Problem(lines[at], reason)
        for at, reason in zip(row, found.problem, strict=True)
        if reason is not None
    ]
    none = pl.repeat(None, frame.height, dtype=pl.Int64, eager=True)
    places = [
        pl.when(pl.col(c.TEXT).is_not_null())
        .then(none.scatter(row, own))
        .otherwise(name)
        .alias(name)
        for name, own in zip(edges, (found.start, found.end), strict=True)
    ]
    return rows.with_columns(places), problems, found.notes


def texts_alone(lines: Sequence[int]) -> list[Problem]:
    """One problem for all lines with a text but no place: the remedy is the same for each."""
    if not lines:
        return []
    more = f" ({len(lines):,} rows lack them)" if len(lines) > 1 else ""
    return [Problem(lines[0], f"{FIND_TEXT}{more}")]


def with_texts(runs: Sequence[Run], docs: TextLookup | None, copies: Copies | str) -> list[Run]:
    """The runs compared with the documents; not again where that was done."""
    if docs is None:
        return list(runs)
    return [run if run.audit else docs.placed(run, copies=copies) for run in runs]


def refuse_other_docs(docs: object) -> None:
    """Refuse texts in another form than `foveal.read_documents` gives them."""
    if docs is not None and not hasattr(docs, "spans"):
        raise UsageError(
            f"docs must be what foveal.read_documents returns, got {type(docs).__name__}: give"
            " docs=foveal.read_documents(your dict, frame or path)"
        )


def refuse_without_docs(docs: object, chunks: object, count: OffsetUnit | str) -> None:
    """Refuse words about texts where there are none to compare with."""
    refuse_other_docs(docs)
    unit = chosen(OffsetUnit, count)
    if docs is None and (chunks is not None or unit is not OffsetUnit.CHARACTERS):
        what = "chunks" if chunks is not None else f"count {unit.value}"
        raise UsageError(f"{what} needs the texts of the documents: give docs (--docs DOCUMENTS)")


class TokenCounter(Protocol):
    """Finds the tokens of parts, as `foveal.count_tokens` gives it to a run."""

    def __call__(self, documents: Sequence[str], start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """How many tokens each part has, and where each token starts and ends in its document."""
