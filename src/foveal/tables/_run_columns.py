"""The results of a run as columns: their types, rules and notes, and the frame made of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from foveal.compiled import scan_dicts
from foveal.errors import Problem, counted, shortened
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import LARGEST_OFFSET, Bools, Floats, Ints
from foveal.tables import _columns as c
from foveal.tables._aliases import suggested_columns, suggestion_notes
from foveal.tables._frames import ProblemList
from foveal.tables._names import SEED, Names, TopicColumn, may_repeat, section_starts
from foveal.tables._notes import InfoNote

# Columns that a table of results may have without a note.
OPTIONAL_COLUMNS = {c.TAG, c.RUN, c.TEXT}
# Further columns of LangChain's chunks, which no user expects to matter.
LANGCHAIN_COLUMNS = {"id", "type"}
# A small compressed file can have millions of equal lines.
MAX_REPEATED = 10_000


@frozen(eq=False)
class RunColumns:
    """Every result's topic, document, span, rank, score and line, in the order of the file.

    `topic` has indices into `topics`, the names by first appearance. `start` and `end` are
    None if all results are whole documents; otherwise `is_whole` marks those that are. Both are -1
    where only the text of a part is known. `rank` and `score` are None if any result lacks them.
    """

    topics: list[str]
    topic: TopicColumn
    documents: Names
    line: Ints
    score: Floats | None = None
    rank: Ints | None = None
    start: Ints | None = None
    end: Ints | None = None
    is_whole: Bools | None = None
    has_paths: bool = False
    has_texts: bool = False

    @classmethod
    def of_frame(cls, frame: pl.DataFrame) -> Self:
        """The columns of a run's frame."""
        names = frame[c.TOPIC]
        first = section_starts(names)
        section_names = names if len(first) == len(names) else names.gather(first)
        topics = section_names.unique(maintain_order=True)
        has_texts = c.TEXT in frame.columns
        has_parts = has_texts or frame[c.START].null_count() < frame.height
        spans = _offsets_or_unmapped(frame) if has_texts else frame
        start, end = (
            spans[name].fill_null(0).to_numpy() if has_parts else None for name in (c.START, c.END)
        )
        score, rank = (
            None if frame[name].null_count() else frame[name].to_numpy()
            for name in (c.SCORE, c.RANK)
        )
        results = cls(
            topics=topics.to_list(),
            topic=TopicColumn(first, numbered(section_names), frame.height, len(topics)),
            documents=Names(frame[c.DOC]),
            score=score,
            rank=rank,
            start=start,
            end=end,
            is_whole=spans[c.START].is_null().to_numpy() if has_parts else None,
            line=frame[c.LINE].to_numpy(),
            has_paths=c.PATH in frame.columns,
            has_texts=has_texts,
        )
        # The given frame is used, so that it need not be made again.
        results.__dict__["frame"] = frame
        return results

    @classmethod
    def of_topics(cls, scores: object) -> Self | None:
        """The columns of {topic: {document: score}}; None if a frame must be made of it."""
        columns = scan_dicts(scores, SEED)
        if columns is None:
            return None
        topics, counts, names, key, score = columns
        first = np.cumsum(counts) - counts
        topic = TopicColumn(first, np.arange(len(topics)), len(score), len(topics))
        line = np.arange(1, len(score) + 1)
        return cls(topics, topic, Names(names, key), line.astype(np.uint32), score)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The results as a frame."""
        values = {
            c.TOPIC: pl.Series(self.topics, dtype=pl.String).gather(self.topic.rows),
            c.DOC: self.documents.series(),
            c.START: self.start,
            c.END: self.end,
            c.RANK: self.rank,
            c.SCORE: self.score,
            c.LINE: self.line,
        }
        frame = pl.DataFrame(values, schema=c.RUN_SCHEMA)
        if self.is_whole is None or not self.is_whole.any():
            return frame
        is_part = pl.lit(pl.Series(~self.is_whole))
        return frame.with_columns(pl.when(is_part).then(pl.col(c.START, c.END)))

    @property
    def spans(self) -> tuple[Ints, Ints, Bools]:
        """Start and end of each part, and a mask of whole documents, which are from 0 to 0."""
        if self.start is None or self.end is None or self.is_whole is None:
            zeros = np.zeros(len(self), dtype=np.int64)
            return zeros, zeros, np.ones(len(self), dtype=bool)
        return self.start, self.end, self.is_whole

    def __len__(self) -> int:
        return len(self.documents)

    def take(self, rows: Ints | Bools) -> RunColumns:
        """The results in the given rows; `topic` is not reduced, so the caller must keep its own."""
        columns = (self.score, self.rank, self.start, self.end, self.is_whole)
        taken: Any = (None if column is None else column[rows] for column in columns)
        return RunColumns(
            self.topics, self.topic, self.documents.take(rows), self.line[rows], *taken
        )


def _offsets_or_unmapped(frame: pl.DataFrame) -> pl.DataFrame:
    unplaced = pl.when(pl.lit(is_unplaced(frame))).then(c.UNMAPPED)
    return frame.select(unplaced.otherwise(name).alias(name) for name in (c.START, c.END))


def numbered(names: pl.Series) -> Ints:
    """The index of each name by first appearance."""
    distinct_names = names.unique(maintain_order=True)
    return names.cast(pl.Enum(distinct_names)).to_physical().to_numpy().astype(np.int64)


def ends_by_length(frame: pl.DataFrame) -> bool:
    """Whether parts have a start and a length instead of an end."""
    with_values = [
        name
        for name in (c.START, c.END, c.LENGTH)
        if name in frame.columns and frame[name].null_count() < frame.height
    ]
    return with_values == [c.START, c.LENGTH]


def typed_results(
    frame: pl.DataFrame, problem_list: ProblemList, extra_columns: Collection[str] = ()
) -> pl.DataFrame:
    """The columns of a run in their types, texts of parts if any, and `extra_columns`."""
    extra_types = {name: pl.Float64 for name in extra_columns if name not in c.RUN_SCHEMA}
    schema, by_length = c.RUN_SCHEMA | extra_types, ends_by_length(frame)
    if by_length:
        frame, schema = frame.drop(c.END, strict=False), schema | {c.LENGTH: pl.Int64}
    if c.TEXT in frame.columns:
        schema[c.TEXT] = pl.String
        if frame[c.TEXT].dtype == pl.String:
            frame = frame.with_columns(pl.col(c.TEXT).replace("", None))
    table = problem_list.typed(frame, schema, [c.TOPIC, c.DOC])
    if by_length:
        # The bound keeps the sum from overflowing; the rules refuse what is beyond it.
        start, length = (
            pl.col(name).clip(upper_bound=LARGEST_OFFSET + 1) for name in (c.START, c.LENGTH)
        )
        end = pl.when(start == c.UNMAPPED).then(c.UNMAPPED).otherwise(start + length)
        table = table.with_columns(end.alias(c.END)).drop(c.LENGTH)
    if c.TEXT not in schema or table[c.TEXT].null_count() == table.height:
        return table.drop(c.TEXT, strict=False)
    # If there is a text, -1 means the same as a missing offset.
    is_unknown = (pl.col(c.START) == c.UNMAPPED) & pl.col(c.TEXT).is_not_null()
    if_known = pl.when(~is_unknown.fill_null(value=False))
    return table.with_columns(if_known.then(pl.col(name)).alias(name) for name in (c.START, c.END))


def is_unplaced(table: pl.DataFrame) -> pl.Series:
    """Mask: results that have text, but not both offsets."""
    if c.TEXT not in table.columns:
        return pl.repeat(False, table.height, dtype=pl.Boolean, eager=True)  # noqa: FBT003  # the value
    lacks = pl.any_horizontal(pl.col(c.START, c.END).is_null())
    return table.select(pl.col(c.TEXT).is_not_null() & lacks).to_series()


def broken_rules(table: pl.DataFrame, *, may_mix: bool) -> list[Problem]:
    """Problems of typed results; INEX may mix whole documents with parts."""
    problems = _partly_filled(table) + ([] if may_mix else _partly_without_spans(table))
    has_parts = c.TEXT in table.columns or any(
        table[name].null_count() < table.height for name in (c.START, c.END)
    )
    return _broken_spans(table) + problems if has_parts else problems + _repeated_documents(table)


def _broken_spans(table: pl.DataFrame) -> list[Problem]:
    start, end = pl.col(c.START), pl.col(c.END)
    unmapped, unplaced = start == c.UNMAPPED, pl.lit(is_unplaced(table))
    rules: Sequence[tuple[pl.Expr, str]] = [
        ((start.is_null() != end.is_null()) & ~unplaced, "start and end must be given together"),
        ((start < 0) & ~unmapped, "negative offset (only -1 is allowed, where it is not known)"),
        (unmapped & (end != c.UNMAPPED), "start is -1, which is not known, so end must be -1 too"),
        (~unmapped & (end < start), "the part ends before it starts"),
        (end > LARGEST_OFFSET, f"an offset is larger than {LARGEST_OFFSET:,}"),
    ]
    any_broken = table.select(is_broken.any().alias(reason) for is_broken, reason in rules).row(0)
    return [
        Problem(line, reason)
        for (is_broken, reason), occurs in zip(rules, any_broken, strict=True)
        if occurs
        for line in table.select(pl.col(c.LINE).filter(is_broken)).to_series().to_list()
    ]


def _partly_filled(table: pl.DataFrame) -> list[Problem]:
    return [
        Problem(
            table.filter(pl.col(name).is_null())[c.LINE][0],
            f"{name} is missing on this line but present on others",
        )
        for name in (c.RANK, c.SCORE)
        if 0 < table[name].null_count() < table.height
    ]


def without_gaps(table: pl.DataFrame, *, may_mix: bool) -> pl.DataFrame:
    """Drop ranks or scores that some results lack, and results without span or text if others have one."""
    partial = [name for name in (c.RANK, c.SCORE) if 0 < table[name].null_count() < table.height]
    table = table.with_columns(pl.lit(None, c.RUN_SCHEMA[name]).alias(name) for name in partial)
    rows = table.filter(~_lacks_span_and_text(table))
    return table if may_mix or rows.is_empty() else rows


def _lacks_span_and_text(table: pl.DataFrame) -> pl.Expr:
    """Whether a result has neither span nor text."""
    columns = [name for name in (c.START, c.END, c.TEXT) if name in table.columns]
    return pl.all_horizontal(pl.col(columns).is_null())


def _partly_without_spans(table: pl.DataFrame) -> list[Problem]:
    """Problem: some results would be whole documents, while others are parts."""
    rows = table.filter(_lacks_span_and_text(table))
    if not 0 < rows.height < table.height:
        return []
    by_text = table[c.START].null_count() == table.height
    subject = "text is" if by_text else "start and end are"
    count = f" ({counted(rows.height, 'line')} like this)" if rows.height > 1 else ""
    return [
        Problem(rows[c.LINE][0], f"{subject} missing on this line but present on others{count}")
    ]


def _repeated_documents(table: pl.DataFrame) -> list[Problem]:
    """Problems: documents that a run of whole documents returns twice for a topic."""
    if not may_repeat(table):
        return []
    repeated = table.filter(~pl.struct(c.TOPIC, c.DOC).is_first_distinct())
    counts = f"{counted(repeated.height, 'result')} return a document again"
    return [Problem(None, counts)] * (repeated.height > MAX_REPEATED) + [
        Problem(
            line,
            f"document {document!r} is already in the results of topic {topic!r} (parts of documents"
            " need start and end, or text)",
        )
        for line, topic, document in repeated.select(c.LINE, c.TOPIC, c.DOC)
        .head(MAX_REPEATED)
        .iter_rows()
    ]


def several_runs(frame: pl.DataFrame) -> list[Problem]:
    """Problem: the table has the results of several runs, which would be scored as one."""
    names = _distinct_values(frame, c.RUN)
    if len(names) < 2:
        return []
    reason = "give {name: rows} for several runs, or one file each"
    return [Problem(None, f"column 'run' names {len(names)} runs ({_first(names)}): {reason}")]


def table_notes(
    frame: pl.DataFrame, ignored: Collection[str], extra_columns: Collection[str] = ()
) -> tuple[str, ...]:
    """Notes: ignored columns, and different tags."""
    columns = [name for name in (*ignored, *frame.columns) if name not in extra_columns]
    renames = suggested_columns(columns)
    expected = {
        *c.RUN_COLUMNS,
        *OPTIONAL_COLUMNS,
        *LANGCHAIN_COLUMNS,
        *renames,
        *((c.LENGTH,) if ends_by_length(frame) else ()),
    }
    names = sorted({*columns} - expected)
    noun = "column" if len(names) == 1 else "columns"
    note = InfoNote(f"ignored {noun} {', '.join(names)}: not part of a run")
    skipped = (note,) if names else ()
    tags = _distinct_values(frame, c.TAG)
    tag_note = (f"{len(tags)} different tags ({_first(tags)}), scored as one run",)
    return (*suggestion_notes(renames, "column"), *skipped, *(tag_note if len(tags) > 1 else ()))


def _distinct_values(frame: pl.DataFrame, name: str) -> list[str]:
    if name not in frame.columns:
        return []
    return (
        frame[name].drop_nulls().cast(pl.String, strict=False).unique(maintain_order=True).to_list()
    )


def _first(names: Sequence[str]) -> str:
    return ", ".join(shortened(str(name), 40) for name in names[:3]) + (
        ", …" if len(names) > 3 else ""
    )
