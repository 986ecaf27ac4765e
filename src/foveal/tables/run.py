"""A run: what one system returned."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self, TypeAlias

from foveal.choices import Order, Task
from foveal.errors import BadInput, Problem, counted, shortened
from foveal.late import pl
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
from foveal.tables._misnamed import misnamed, misnamed_note
from foveal.tables._result_columns import ResultColumns
from foveal.tables.audit import Audit

TASK = "task"
# INEX's limit for the results of a topic.
TOPIC_RESULTS = 1500


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
    `about` is what an INEX submission says about itself: participant-id, task, query, description …;
    `audit` is what comparing the run with the texts of its documents has shown, if that was done.
    """

    name: str
    rows: ResultColumns | Callable[[], ResultColumns]
    order: Order
    source: str = "run"
    stem: str = ""
    format: str = "table"
    last_tag: str = ""
    notes: tuple[str, ...] = ()
    lengths: pl.DataFrame | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    audit: Audit | None = None

    @classmethod
    def of(  # noqa: PLR0913  # one per fact about a run
        cls,
        frame: pl.DataFrame | ResultColumns | Callable[[], ResultColumns],
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

        Columns, or what reads them when they are asked for, were checked by their reader.
        `problems` are those its reader has found, `ignored` the columns it has skipped, `paths` the
        element paths by which parts were given. A document that `lengths_of` does not know is
        refused.
        """
        if isinstance(frame, ResultColumns) or callable(frame):
            return cls(name, frame, order or Order.FILE, source, stem, format, last_tag, notes)
        complaints = Complaints(source, problems)
        complaints.add(_several_runs(frame))
        table = typed(frame, c.RUN_SCHEMA, [c.TOPIC, c.DOC], complaints)
        complaints.add(_broken_rules(table))
        complaints.refuse(table, "results")
        if c.TEXT in frame.columns:
            table = table.with_columns(frame[c.TEXT].cast(pl.String))
        return cls(
            name=name,
            rows=ResultColumns.of_frame(
                table if paths is None else table.with_columns(paths.alias(c.PATH))
            ),
            order=order or _ranked_by(table),
            source=source,
            stem=stem,
            format=format,
            last_tag=last_tag,
            notes=(*_notes([*ignored, *frame.columns]), *_tag_notes(frame), *notes),
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
        frame = as_frame(data, c.RUN_SCHEMA, name)
        judges = [said for said in (c.HIGHLIGHTS, c.GRADE) if said in frame.columns]
        if judges and {c.START, c.RANK, c.SCORE}.isdisjoint(frame.columns):
            reason = (
                f"this looks like judgements (column {judges[0]!r}), not a run: were they swapped?"
                " Judgements come first, then runs"
            )
            raise BadInput(name, [Problem(None, reason)])
        return cls.of(frame, name=name, source=name)

    def __repr__(self) -> str:
        results, topics = len(self.results), len(self.results.topics)
        return f"<Run {self.name!r}: {counted(results, 'result')}, {counted(topics, 'topic')}>"

    @cached_property
    def results(self) -> ResultColumns:
        """The results as columns."""
        return self.rows if isinstance(self.rows, ResultColumns) else self.rows()

    @property
    def frame(self) -> pl.DataFrame:
        """The results as a frame, made when it is first asked for."""
        return self.results.frame

    def with_frame(self, frame: pl.DataFrame, order: Order | None = None) -> Run:
        """The run with other results, ranked as before or by another order."""
        return replace(self, rows=ResultColumns.of_frame(frame), order=order or self.order)

    @property
    def whole_documents_only(self) -> bool:
        """Whether every result is a whole document."""
        # Only runs of whole documents are read late.
        return not isinstance(self.rows, ResultColumns) or self.rows.start is None

    @property
    def has_paths(self) -> bool:
        """Whether some parts were given by element paths."""
        return self.results.has_paths

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
    others = set(columns) - {*c.RUN_COLUMNS, c.TAG, c.RUN, c.TEXT}
    meant = misnamed(columns)
    ignored = sorted(others - {*meant})
    noun = "column" if len(ignored) == 1 else "columns"
    plain = (f"ignored {noun} {', '.join(ignored)}: not part of a run",) if ignored else ()
    return (*misnamed_note(meant, "column"), *plain)


def _several_runs(frame: pl.DataFrame) -> list[Problem]:
    """A table with the results of several runs, which would be scored as one."""
    names = _distinct(frame, c.RUN)
    if len(names) < 2:
        return []
    reason = "give {name: rows} for several runs, or one file each"
    return [Problem(None, f"column 'run' names {len(names)} runs ({_first(names)}): {reason}")]


def _tag_notes(frame: pl.DataFrame) -> tuple[str, ...]:
    tags = _distinct(frame, c.TAG)
    if len(tags) < 2:
        return ()
    return (f"{len(tags)} different tags ({_first(tags)}), scored as one run",)


def _distinct(frame: pl.DataFrame, name: str) -> list[str]:
    if name not in frame.columns:
        return []
    return (
        frame[name].drop_nulls().cast(pl.String, strict=False).unique(maintain_order=True).to_list()
    )


def _first(names: Sequence[str]) -> str:
    return ", ".join(shortened(str(name), 40) for name in names[:3]) + (
        ", …" if len(names) > 3 else ""
    )


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
