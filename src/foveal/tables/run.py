"""A run: what one system returned."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from foveal.choices import Order
from foveal.errors import Problem
from foveal.late import pl
from foveal.spans import LARGEST_OFFSET
from foveal.tables import _columns as c
from foveal.tables._frames import Complaints, Frame, Rows, as_frame, measured, of_topics, typed
from foveal.tables._identity import may_repeat
from foveal.tables._results import Results


@dataclass(frozen=True, eq=False)
class Run:
    """Ranked parts of documents by topic, in the order of the file they came from.

    `frame` has the columns topic, doc, start, end, rank, score and line. A part without start
    and end is a whole document; start = end is an empty part (an entry point); -1 is an element
    without known offsets. If parts were found by their paths, the column path holds those of
    single elements. `order` is what ranks the results unless the caller says otherwise;
    `source`, `stem` and `format` tell the file it came from, its bare name and how it was read;
    `last_tag` is what the last line of a TREC file calls the run, as its lines may disagree;
    `lengths` are the documents' lengths (doc, length), if an offset index was asked for them.
    """

    name: str
    rows: Results | Callable[[], Results]
    order: Order
    source: str = "run"
    stem: str = ""
    format: str = "table"
    last_tag: str = ""
    notes: tuple[str, ...] = ()
    lengths: pl.DataFrame | None = None

    @classmethod
    def of(  # noqa: PLR0913  # one per fact about a run
        cls,
        frame: pl.DataFrame | Results | Callable[[], Results],
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
    ) -> Self:
        """The run of a frame, or every reason why it is none.

        Columns, or what reads them when they are asked for, were checked by their reader.
        `problems` are those its reader has found, `ignored` the columns it has skipped, `paths` the
        elements it has found parts by. What `lengths_of` has no length for is refused.
        """
        if isinstance(frame, Results) or callable(frame):
            return cls(name, frame, order or Order.FILE, source, stem, format, last_tag, notes)
        complaints = Complaints(source, problems)
        table = typed(frame, c.RUN_SCHEMA, [c.TOPIC, c.DOC], complaints)
        complaints.add(_broken_rules(table))
        complaints.refuse(table, "results")
        return cls(
            name=name,
            rows=Results.of_frame(
                table if paths is None else table.with_columns(paths.alias(c.PATH))
            ),
            order=order or _ranked_by(table),
            source=source,
            stem=stem,
            format=format,
            last_tag=last_tag,
            notes=(*_notes([*ignored, *frame.columns]), *notes),
            lengths=measured(table, lengths_of, source) if lengths_of else None,
        )

    @classmethod
    def from_frame(cls, frame: pl.DataFrame | Frame, name: str = "run") -> Self:
        """The run in a Polars, pandas or pyarrow frame with the columns of a run."""
        return cls.of(as_frame(frame), name=name)

    @classmethod
    def from_dicts(cls, rows: Rows, name: str = "run") -> Self:
        """The run in a list of dicts, one per result."""
        return cls.of(as_frame(rows), name=name)

    @classmethod
    def from_dict(cls, scores: Mapping[str, Mapping[str, float]], name: str = "run") -> Self:
        """The document run in {topic: {document: score}}."""
        frame = of_topics(scores, c.SCORE, "run")
        return cls.of(frame, name=name, order=Order.SCORE)

    @classmethod
    def coerced(cls, data: Any, name: str = "run") -> Self:
        """A run as it is, or made from any of the forms above."""
        if isinstance(data, cls):
            return data
        if isinstance(data, Mapping):
            return cls.from_dict(data, name)
        return cls.of(as_frame(data), name=name)

    @cached_property
    def results(self) -> Results:
        """The results as columns."""
        return self.rows if isinstance(self.rows, Results) else self.rows()

    @property
    def frame(self) -> pl.DataFrame:
        """The results as a frame, made when it is first asked for."""
        return self.results.frame

    def with_frame(self, frame: pl.DataFrame, order: Order | None = None) -> Run:
        """The run with other results, ranked as before or by another order."""
        return replace(self, rows=Results.of_frame(frame), order=order or self.order)

    @property
    def whole_documents_only(self) -> bool:
        """Whether every result is a whole document."""
        return self.results.start is None

    @property
    def has_paths(self) -> bool:
        """Whether some parts are known by the paths of their elements."""
        return self.results.has_paths

    def document_lengths(self, documents: pl.Series) -> pl.Series:
        """What an offset index said of some documents' lengths; null where nobody knows."""
        if self.lengths is None:
            return pl.repeat(None, len(documents), dtype=pl.Int64, eager=True)
        asked = pl.DataFrame({c.DOC: documents})
        return asked.join(self.lengths, on=c.DOC, how="left", maintain_order="left")[c.LENGTH]

    def equals(self, other: Run) -> bool:
        """Whether two runs hold the same results in the same order."""
        kept = [name for name in c.RUN_SCHEMA if name != c.LINE]
        return self.name == other.name and self.frame[kept].equals(other.frame[kept])


def _notes(columns: Collection[str]) -> tuple[str, ...]:
    """What is odd about columns: a part under another name would make whole documents of spans."""
    ignored = sorted(set(columns) - {*c.RUN_SCHEMA, c.TAG, c.RUN})
    return (f"ignored: {', '.join(ignored)} (no column of a run)",) if ignored else ()


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
        ((start < 0) & ~unmapped, "a negative offset (only -1, an unmapped element, is known)"),
        (unmapped & (end != c.UNMAPPED), "an unmapped element has -1 as start and as end"),
        (~unmapped & (end < start), "the part ends before it starts"),
        (end > LARGEST_OFFSET, f"an offset beyond {LARGEST_OFFSET:,}"),
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
        Problem(table.filter(pl.col(name).is_null())[c.LINE][0], f"no {name} here, but elsewhere")
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
