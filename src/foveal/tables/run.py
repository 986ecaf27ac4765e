"""A run: what one system returned."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeAlias

import polars as pl

from foveal.choices import Order, Task
from foveal.errors import Problem, counted
from foveal.spans import LARGEST_OFFSET
from foveal.tables import _columns as c
from foveal.tables._frames import Complaints, measured, typed
from foveal.tables._identity import may_repeat
from foveal.tables._inex_tasks import inex_task
from foveal.tables._inputs import (
    Frame,
    NumbersByTopic,
    Row,
    Rows,
    ScoredDocument,
    as_frame,
    of_topics,
)

TASK = "task"


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Ranked results by topic, in the order of the file they came from.

    `frame` has the columns topic, doc, start, end, rank, score and line. A result without start
    and end is a whole document; start = end is an entry point, a part without text; -1 is an
    element whose offsets are unknown. If parts were given by element paths, the column path has
    those of single elements. `order` is what ranks the results unless the caller says otherwise;
    `source`, `stem` and `format` are the file it came from, its bare name and how it was read;
    `last_tag` is the tag on the last line of a TREC file, as the lines may disagree; `lengths` are
    the documents' lengths (doc, length), if an offset index was there to look them up;
    `about` is what an INEX submission says about itself: participant-id, task, query, description …
    """

    name: str
    frame: pl.DataFrame
    order: Order
    source: str = "run"
    stem: str = ""
    format: str = "table"
    last_tag: str = ""
    notes: tuple[str, ...] = ()
    lengths: pl.DataFrame | None = None
    about: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(  # noqa: PLR0913  # one per fact about a run
        cls,
        frame: pl.DataFrame,
        *,
        name: str,
        order: Order | None = None,
        source: str = "run",
        stem: str = "",
        format: str = "table",  # noqa: A002  # the field's name
        last_tag: str = "",
        problems: Sequence[Problem] = (),
        ignored: Collection[str] = (),
        notes: tuple[str, ...] = (),
        paths: pl.Series | None = None,
        lengths_of: Callable[[pl.Series], pl.Series] | None = None,
        about: Mapping[str, str] | None = None,
    ) -> Self:
        """The run in a frame; everything wrong with the frame is raised at once.

        `problems` are those its reader has found, `ignored` the columns it has skipped, `paths` the
        element paths by which parts were given. A document that `lengths_of` does not know is
        refused.
        """
        complaints = Complaints(source, problems)
        table = typed(frame, c.RUN_SCHEMA, [c.TOPIC, c.DOC], complaints)
        complaints.add(_broken_rules(table))
        complaints.refuse(table, "results")
        return cls(
            name=name,
            frame=table if paths is None else table.with_columns(paths.alias(c.PATH)),
            order=order or _ranked_by(table),
            source=source,
            stem=stem,
            format=format,
            last_tag=last_tag,
            notes=(*_notes([*ignored, *frame.columns]), *notes),
            lengths=measured(table, lengths_of, source) if lengths_of else None,
            about=about or {},
        )

    @classmethod
    def from_frame(cls, frame: Frame, name: str = "run") -> Self:
        """The run in a Polars, pandas or pyarrow frame.

        Columns: topic, doc, and any of start, end, rank and score; PyTerrier's and ir_measures' names
        for them (qid, docno, query_id, doc_id) are known as well.
        """
        return cls._of_table(frame, name)

    @classmethod
    def from_dicts(cls, rows: Rows, name: str = "run") -> Self:
        """The run in a list of dicts, one per result, with the keys of `from_frame`."""
        return cls._of_table(rows, name)

    @classmethod
    def from_dict(cls, scores: NumbersByTopic, name: str = "run") -> Self:
        """The run of whole documents in {topic: {document: score}}."""
        return cls._of_topics(scores, name)

    @classmethod
    def coerced(cls, data: RunLike, name: str = "run") -> Self:
        """A run as it is, or made from any of the forms above or from named tuples."""
        if isinstance(data, cls):
            return data
        if isinstance(data, Mapping):
            return cls._of_topics(data, name)
        return cls._of_table(data, name)

    @classmethod
    def _of_topics(cls, data: Mapping[str, object], name: str) -> Self:
        frame = of_topics(data, c.SCORE, name)
        return cls.of(frame, name=name, source=name, order=Order.SCORE)

    @classmethod
    def _of_table(cls, data: object, name: str) -> Self:
        return cls.of(as_frame(data, c.RUN_SCHEMA, name), name=name, source=name)

    def __repr__(self) -> str:
        results = counted(self.frame.height, "result")
        return f"<Run {self.name!r}: {results}, {counted(self.frame[c.TOPIC].n_unique(), 'topic')}>"

    @property
    def whole_documents_only(self) -> bool:
        """Whether every result is a whole document."""
        return self.frame[c.START].null_count() == self.frame.height

    @property
    def has_paths(self) -> bool:
        """Whether some parts were given by element paths."""
        return c.PATH in self.frame.columns

    @property
    def task(self) -> Task | None:
        """The task that the run says it was made for; None if it names none that is known."""
        return inex_task(self.about.get(TASK, ""))

    def document_lengths(self, documents: pl.Series) -> pl.Series:
        """The lengths of some documents from the offset index; null where unknown."""
        if self.lengths is None:
            return pl.repeat(None, len(documents), dtype=pl.Int64, eager=True)
        asked = pl.DataFrame({c.DOC: documents})
        return asked.join(self.lengths, on=c.DOC, how="left", maintain_order="left")[c.LENGTH]

    def with_lengths(self, lengths_of: Callable[[pl.Series], pl.Series]) -> Self:
        """The run with the lengths of its documents, all of which must be known."""
        return replace(self, lengths=measured(self.frame, lengths_of, self.source))

    def equals(self, other: Run) -> bool:
        """Whether two runs hold the same results in the same order."""
        kept = [name for name in c.RUN_SCHEMA if name != c.LINE]
        return self.name == other.name and self.frame[kept].equals(other.frame[kept])


# One `Iterable`, and dicts of anything: type checkers see {"1": {"a": 1}, "2": {"a": 0.5}} as a dict
# of objects, and what is not a run is refused in plain words when it is read.
RunLike: TypeAlias = Run | Frame | Row | Iterable[Row | ScoredDocument] | list[object]
"""One run: `Run`, a frame, a list of dicts, {topic: {document: score}}, or named tuples."""


def _notes(columns: Collection[str]) -> tuple[str, ...]:
    """The columns ignored: a span under other names would turn parts into whole documents."""
    ignored = sorted(set(columns) - {*c.RUN_SCHEMA, c.TAG, c.RUN})
    if not ignored:
        return ()
    noun = "column" if len(ignored) == 1 else "columns"
    return (f"ignored {noun} {', '.join(ignored)}: not part of a run",)


def _ranked_by(table: pl.DataFrame) -> Order:
    for column, order in ((c.RANK, Order.RANK), (c.SCORE, Order.SCORE)):
        if not table[column].null_count():
            return order
    return Order.FILE


def _broken_rules(table: pl.DataFrame) -> list[Problem]:
    if table[c.START].null_count() == table[c.END].null_count() == table.height:
        return _partly_filled(table) + _repeated_documents(table)
    start, end = pl.col(c.START), pl.col(c.END)
    unmapped = start == c.UNMAPPED
    rules: Sequence[tuple[pl.Expr, str]] = [
        (start.is_null() != end.is_null(), "start and end must be given together"),
        ((start < 0) & ~unmapped, "negative offset (only -1 is allowed, for an unmapped element)"),
        (unmapped & (end != c.UNMAPPED), "an unmapped element needs -1 as its start and its end"),
        (~unmapped & (end < start), "the part ends before it starts"),
        (end > LARGEST_OFFSET, f"an offset is larger than {LARGEST_OFFSET:,}"),
    ]
    is_broken = table.select(broken.any().alias(reason) for broken, reason in rules).row(0)
    problems = [
        Problem(line, reason)
        for (broken, reason), found in zip(rules, is_broken, strict=True)
        if found
        for line in table.select(pl.col(c.LINE).filter(broken)).to_series().to_list()
    ]
    return problems + _partly_filled(table) + _repeated_documents(table)


def _partly_filled(table: pl.DataFrame) -> list[Problem]:
    return [
        Problem(
            table.filter(pl.col(name).is_null())[c.LINE][0],
            f"{name} is missing on this line but present on others",
        )
        for name in (c.RANK, c.SCORE)
        if 0 < table[name].null_count() < table.height
    ]


def _repeated_documents(table: pl.DataFrame) -> list[Problem]:
    """Documents that a run of whole documents returns twice for a topic."""
    if table[c.START].null_count() < table.height or not may_repeat(table):
        return []
    again = table.filter(~pl.struct(c.TOPIC, c.DOC).is_first_distinct())
    return [
        Problem(line, f"document {document!r} is already in the results of topic {topic!r}")
        for line, topic, document in again.select(c.LINE, c.TOPIC, c.DOC).iter_rows()
    ]
