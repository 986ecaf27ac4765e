"""The results of a run as columns: their types, what is wrong or odd, and the frame made of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Self

import numpy as np

from foveal.errors import Problem, counted, shortened
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import LARGEST_OFFSET, Bools, Floats, Ints
from foveal.tables import _columns as c
from foveal.tables._aliases import misnamed, misnamed_note
from foveal.tables._frames import ProblemList
from foveal.tables._names import Names, TopicColumn, may_repeat, stretches
from foveal.tables._notes import InfoNote

# What a run's table may have beside its columns.
BESIDE = {c.TAG, c.RUN, c.TEXT}
# What LangChain's chunks have beside their text and metadata, and no user expects to matter.
OF_CHUNKS = {"id", "type"}
# A small compressed file can have no end of equal lines.
MOST_REPEATED = 10_000


@frozen(eq=False)
class RunColumns:
    """Every result's topic, document, span, rank, score and line, in the order of the file.

    `topic` numbers the topics by first appearance, `topics` are their names. `start` and `end` are
    None if all results are whole documents; otherwise `whole` marks those that are. Both are -1
    where only the text of a part is known. `rank` and `score` are None if they are missing
    somewhere.
    """

    topics: list[str]
    topic: TopicColumn
    documents: Names
    score: Floats | None
    rank: Ints | None
    start: Ints | None
    end: Ints | None
    whole: Bools | None
    line: Ints
    has_paths: bool = False
    has_texts: bool = False

    @classmethod
    def of_frame(cls, frame: pl.DataFrame) -> Self:
        """The columns of a run's frame."""
        names = frame[c.TOPIC]
        first = stretches(names)
        told = names if len(first) == len(names) else names.gather(first)
        topics = told.unique(maintain_order=True)
        has_texts = c.TEXT in frame.columns
        has_parts = has_texts or frame[c.START].null_count() < frame.height
        placed = _unmapped_where_unplaced(frame) if has_texts else frame
        start, end = (
            placed[name].fill_null(0).to_numpy() if has_parts else None for name in (c.START, c.END)
        )
        score, rank = (
            None if frame[name].null_count() else frame[name].to_numpy()
            for name in (c.SCORE, c.RANK)
        )
        results = cls(
            topics=topics.to_list(),
            topic=TopicColumn(first, numbered(told), frame.height, len(topics)),
            documents=Names(frame[c.DOC]),
            score=score,
            rank=rank,
            start=start,
            end=end,
            whole=placed[c.START].is_null().to_numpy() if has_parts else None,
            line=frame[c.LINE].to_numpy(),
            has_paths=c.PATH in frame.columns,
            has_texts=has_texts,
        )
        # The frame is what was given, not made again.
        results.__dict__["frame"] = frame
        return results

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
        if self.whole is None or not self.whole.any():
            return frame
        is_part = pl.lit(pl.Series(~self.whole))
        return frame.with_columns(pl.when(is_part).then(pl.col(c.START, c.END)))

    @property
    def spans(self) -> tuple[Ints, Ints, Bools]:
        """Start and end of each part, and which are whole documents, from 0 to 0."""
        if self.start is None or self.end is None or self.whole is None:
            none = np.zeros(len(self), dtype=np.int64)
            return none, none, np.ones(len(self), dtype=bool)
        return self.start, self.end, self.whole

    def __len__(self) -> int:
        return len(self.documents)

    def taken(self, rows: Ints | Bools) -> RunColumns:
        """Some of the results in some order; what is known of their topics stays with the asker."""
        return RunColumns(
            topics=self.topics,
            topic=self.topic,
            documents=self.documents.take(rows),
            score=None if self.score is None else self.score[rows],
            rank=None if self.rank is None else self.rank[rows],
            start=None if self.start is None else self.start[rows],
            end=None if self.end is None else self.end[rows],
            whole=None if self.whole is None else self.whole[rows],
            line=self.line[rows],
        )


def _unmapped_where_unplaced(frame: pl.DataFrame) -> pl.DataFrame:
    unplaced = pl.when(pl.lit(is_unplaced(frame))).then(c.UNMAPPED)
    return frame.select(unplaced.otherwise(name).alias(name) for name in (c.START, c.END))


def numbered(names: pl.Series) -> Ints:
    """A number for each name, by first appearance."""
    known = names.unique(maintain_order=True)
    return names.cast(pl.Enum(known)).to_physical().to_numpy().astype(np.int64)


def ends_by_length(frame: pl.DataFrame) -> bool:
    """Whether parts have a start and a length instead of an end."""
    given = [
        name
        for name in (c.START, c.END, c.LENGTH)
        if name in frame.columns and frame[name].null_count() < frame.height
    ]
    return given == [c.START, c.LENGTH]


def typed_results(
    frame: pl.DataFrame, complaints: ProblemList, also: Collection[str] = ()
) -> pl.DataFrame:
    """The columns of a run in their types, the texts of the parts if there are any, and `also`."""
    own = {name: pl.Float64 for name in also if name not in c.RUN_SCHEMA}
    schema, by_length = c.RUN_SCHEMA | own, ends_by_length(frame)
    if by_length:
        frame, schema = frame.drop(c.END, strict=False), schema | {c.LENGTH: pl.Int64}
    if c.TEXT in frame.columns:
        schema[c.TEXT] = pl.String
        if frame[c.TEXT].dtype == pl.String:
            frame = frame.with_columns(pl.col(c.TEXT).replace("", None))
    table = complaints.typed(frame, schema, [c.TOPIC, c.DOC])
    if by_length:
        # The bound keeps the sum from overflowing; the rules refuse what is beyond it.
        start, length = (
            pl.col(name).clip(upper_bound=LARGEST_OFFSET + 1) for name in (c.START, c.LENGTH)
        )
        end = pl.when(start == c.UNMAPPED).then(c.UNMAPPED).otherwise(start + length)
        table = table.with_columns(end.alias(c.END)).drop(c.LENGTH)
    if c.TEXT not in schema or table[c.TEXT].null_count() == table.height:
        return table.drop(c.TEXT, strict=False)
    # Where the text is there, -1 says no more than no offset does.
    unknown = (pl.col(c.START) == c.UNMAPPED) & pl.col(c.TEXT).is_not_null()
    known = pl.when(~unknown.fill_null(value=False))
    return table.with_columns(known.then(pl.col(name)).alias(name) for name in (c.START, c.END))


def is_unplaced(table: pl.DataFrame) -> pl.Series:
    """Which results have text, but not both offsets."""
    if c.TEXT not in table.columns:
        return pl.repeat(False, table.height, dtype=pl.Boolean, eager=True)  # noqa: FBT003  # the value
    lacks = pl.any_horizontal(pl.col(c.START, c.END).is_null())
    return table.select(pl.col(c.TEXT).is_not_null() & lacks).to_series()


def broken_rules(table: pl.DataFrame, *, may_mix: bool) -> list[Problem]:
    """What is wrong with typed results; INEX may mix whole documents with parts."""
    problems = _partly_filled(table) + ([] if may_mix else _partly_placed(table))
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
    is_broken = table.select(broken.any().alias(reason) for broken, reason in rules).row(0)
    return [
        Problem(line, reason)
        for (broken, reason), found in zip(rules, is_broken, strict=True)
        if found
        for line in table.select(pl.col(c.LINE).filter(broken)).to_series().to_list()
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
    """The table without ranks or scores that some results lack, or results that alone lack a place."""
    partly = [name for name in (c.RANK, c.SCORE) if 0 < table[name].null_count() < table.height]
    table = table.with_columns(pl.lit(None, c.RUN_SCHEMA[name]).alias(name) for name in partly)
    placed = table.filter(~_says_nothing(table))
    return table if may_mix or placed.is_empty() else placed


def _says_nothing(table: pl.DataFrame) -> pl.Expr:
    """Whether a result has neither place nor text."""
    says = [name for name in (c.START, c.END, c.TEXT) if name in table.columns]
    return pl.all_horizontal(pl.col(says).is_null())


def _partly_placed(table: pl.DataFrame) -> list[Problem]:
    """Results that would be whole documents, in a run whose others are parts."""
    silent = table.filter(_says_nothing(table))
    if not 0 < silent.height < table.height:
        return []
    by_text = table[c.START].null_count() == table.height
    what = "text is" if by_text else "start and end are"
    more = f" ({counted(silent.height, 'line')} like this)" if silent.height > 1 else ""
    return [Problem(silent[c.LINE][0], f"{what} missing on this line but present on others{more}")]


def _repeated_documents(table: pl.DataFrame) -> list[Problem]:
    """Documents that a run of whole documents returns twice for a topic."""
    if not may_repeat(table):
        return []
    again = table.filter(~pl.struct(c.TOPIC, c.DOC).is_first_distinct())
    counts = f"{counted(again.height, 'result')} return a document again"
    return [Problem(None, counts)] * (again.height > MOST_REPEATED) + [
        Problem(
            line,
            f"document {document!r} is already in the results of topic {topic!r} (parts of documents"
            " need start and end, or text)",
        )
        for line, topic, document in again.select(c.LINE, c.TOPIC, c.DOC)
        .head(MOST_REPEATED)
        .iter_rows()
    ]


def several_runs(frame: pl.DataFrame) -> list[Problem]:
    """A table with the results of several runs, which would be scored as one."""
    names = _distinct(frame, c.RUN)
    if len(names) < 2:
        return []
    reason = "give {name: rows} for several runs, or one file each"
    return [Problem(None, f"column 'run' names {len(names)} runs ({_first(names)}): {reason}")]


def table_notes(
    frame: pl.DataFrame, ignored: Collection[str], also: Collection[str] = ()
) -> tuple[str, ...]:
    """The columns that were skipped, and different tags."""
    columns = {*ignored, *frame.columns} - {*also}
    meant = misnamed([name for name in (*ignored, *frame.columns) if name not in also])
    used = {
        *c.RUN_COLUMNS,
        *BESIDE,
        *OF_CHUNKS,
        *meant,
        *((c.LENGTH,) if ends_by_length(frame) else ()),
    }
    others = sorted(columns - used)
    noun = "column" if len(others) == 1 else "columns"
    ignorable = InfoNote(f"ignored {noun} {', '.join(others)}: not part of a run")
    plain = (ignorable,) if others else ()
    tags = _distinct(frame, c.TAG)
    several = (f"{len(tags)} different tags ({_first(tags)}), scored as one run",)
    return (*misnamed_note(meant, "column"), *plain, *(several if len(tags) > 1 else ()))


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
