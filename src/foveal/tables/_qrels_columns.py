"""Judgements as columns: their rules, notes about them, and frames made of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Self

import numpy as np

from foveal.compiled import scan_dicts
from foveal.errors import BadInput, Problem, counted
from foveal.frozen import frozen
from foveal.late import hashlib, pl
from foveal.spans import LARGEST_OFFSET, Floats, Ints, totals, united
from foveal.tables import _columns as c
from foveal.tables._aliases import missing_columns, rename_question
from foveal.tables._aspects import AspectColumns
from foveal.tables._names import SEED, Names, may_repeat
from foveal.tables._notes import InfoNote
from foveal.tables._run_columns import numbered

UNKNOWN = -1


@frozen(eq=False)
class QrelsColumns:
    """Every judged document's topic, name, length, entry point, grade, stated size and line.

    `topic` has indices into `topics`, the names by first appearance. Values that the file does not
    state are -1, grades NaN. `passage_row` is the row of each passage's document. `aspects` is None
    if the judgements name none.
    """

    topics: list[str]
    topic: Ints
    names: Names
    length: Ints
    entry: Ints
    grade: Floats
    stated_size: Ints
    line: Ints
    passage_row: Ints
    passage_start: Ints
    passage_end: Ints
    aspects: AspectColumns | None = None

    @classmethod
    def of_frames(
        cls, documents: pl.DataFrame, passages: pl.DataFrame, aspects: AspectColumns | None = None
    ) -> Self:
        """The columns of a frame of documents and one of passages."""

        def integers(name: str) -> Ints:
            return documents[name].fill_null(UNKNOWN).to_numpy()

        columns = cls(
            topics=documents[c.TOPIC].unique(maintain_order=True).to_list(),
            topic=numbered(documents[c.TOPIC]),
            names=Names(documents[c.DOC]),
            length=integers(c.LENGTH),
            entry=integers(c.ENTRY),
            grade=documents[c.GRADE].fill_null(np.nan).to_numpy(),
            stated_size=integers(c.STATED),
            line=documents[c.LINE].to_numpy(),
            passage_row=passages[c.JUDGED].to_numpy().astype(np.int64),
            passage_start=passages[c.START].to_numpy(),
            passage_end=passages[c.END].to_numpy(),
            aspects=aspects,
        )
        # The given frames are used, so that they need not be made again.
        columns.__dict__.update(documents=documents, passages=passages)
        return columns

    @classmethod
    def of_topics(cls, grades: object) -> Self | None:
        """The columns of {topic: {document: grade}}; None if a frame must be made of it."""
        columns = scan_dicts(grades, SEED)
        if columns is None:
            return None
        topics, counts, names, key, grade = columns
        topic, line = np.repeat(np.arange(len(topics)), counts), np.arange(1, len(grade) + 1)
        return cls.of_grades(topics, topic, Names(names, key), grade, line.astype(np.uint32))

    @classmethod
    def of_grades(
        cls, topics: list[str], topic: Ints, names: Names, grade: Floats, line: Ints
    ) -> Self | None:
        """Judgements with grades only; None if a topic or grade must be refused."""
        if c.ALL_TOPICS in topics or np.abs(grade).max(initial=0) > c.LARGEST_GRADE:
            return None
        unknown, none = np.full(len(grade), UNKNOWN), np.arange(0)
        return cls(topics, topic, names, unknown, unknown, grade, unknown, line, none, none, none)

    @cached_property
    def documents(self) -> pl.DataFrame:
        """A frame with a row per judged document."""

        def with_nulls(name: str, column: Ints | Floats, dtype: type[pl.DataType]) -> pl.Expr:
            values = pl.lit(pl.Series(name, column, dtype=dtype))
            has_value = pl.lit(pl.Series(column >= 0 if dtype == pl.Int64 else ~np.isnan(column)))
            return pl.when(has_value).then(values).alias(name)

        schema = c.DOCUMENT_SCHEMA
        return pl.DataFrame(
            {
                c.TOPIC: pl.Series(self.topics, dtype=pl.String).gather(self.topic),
                c.DOC: self.names.series(),
                c.LINE: pl.Series(self.line, dtype=pl.UInt32),
            }
        ).select(
            c.TOPIC,
            c.DOC,
            with_nulls(c.LENGTH, self.length, schema[c.LENGTH]),
            with_nulls(c.ENTRY, self.entry, schema[c.ENTRY]),
            with_nulls(c.GRADE, self.grade, schema[c.GRADE]),
            with_nulls(c.STATED, self.stated_size, schema[c.STATED]),
            c.LINE,
        )

    @cached_property
    def passages(self) -> pl.DataFrame:
        """A frame with a row per passage."""
        return pl.DataFrame(
            {c.JUDGED: self.passage_row, c.START: self.passage_start, c.END: self.passage_end},
            schema=c.PASSAGE_SCHEMA,
        )

    @property
    def missing_passages(self) -> str:
        """A sentence about the first line that states relevant characters without passages, or ""."""
        rows = np.flatnonzero((self.stated_size > 0) & (_sizes(self) == 0))
        if not len(rows):
            return ""
        characters = counted(int(self.stated_size[rows[0]]), "relevant character")
        line = self.line[rows[0]]
        return f"line {line} states {characters}, but no passages follow (were columns cut off?)"

    def only(self, topics: Collection[str]) -> QrelsColumns:
        """The judgements of the given topics."""
        keep_topic = np.array([name in topics for name in self.topics], dtype=bool)
        if keep_topic.all():
            return self
        keep = keep_topic[self.topic]
        keep_passage = keep[self.passage_row]
        return QrelsColumns(
            topics=[name for name in self.topics if name in topics],
            topic=(np.cumsum(keep_topic) - 1)[self.topic[keep]],
            names=self.names.take(keep),
            length=self.length[keep],
            entry=self.entry[keep],
            grade=self.grade[keep],
            stated_size=self.stated_size[keep],
            line=self.line[keep],
            passage_row=(np.cumsum(keep) - 1)[self.passage_row[keep_passage]],
            passage_start=self.passage_start[keep_passage],
            passage_end=self.passage_end[keep_passage],
            aspects=None if self.aspects is None else self.aspects.of_rows(keep),
        )

    @property
    def has_highlights(self) -> bool:
        """Whether the judgements are of text: any has passages, or all state a relevant size."""
        return bool(len(self.passage_row)) or bool(np.all(self.stated_size != UNKNOWN))


def content_hash(judgements: QrelsColumns, repeated: Mapping[str, int]) -> str:
    """A hash of every judged document's topic, name, grade, entry point, passages and aspects.

    The counts of topics that count more than once (`repeated`) are part of it.
    """
    bounds = np.searchsorted(judgements.passage_row, np.arange(len(judgements.topic) + 1)).tolist()
    start, end = judgements.passage_start.tolist(), judgements.passage_end.tolist()
    lines = [
        json.dumps([judgements.topics[topic], name, grade, entry, start[a:b], end[a:b]])
        for topic, name, grade, entry, a, b in zip(
            judgements.topic.tolist(),
            judgements.names.strings(),
            judgements.grade.tolist(),
            judgements.entry.tolist(),
            bounds[:-1],
            bounds[1:],
            strict=True,
        )
    ]
    if judgements.aspects is not None:
        entries = judgements.aspects.by_row(len(lines))
        lines = [line + json.dumps(sorted(row)) for line, row in zip(lines, entries, strict=True)]
    lines += [json.dumps([topic, times]) for topic, times in repeated.items()]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def ignored_notes(columns: Collection[str]) -> tuple[str, ...]:
    """Note: ignored columns, as highlights under another name would count as whole documents."""
    used = {*c.DOCUMENT_SCHEMA, *c.RELEVANCE_COLUMNS, *c.PASSAGE_SCHEMA, c.ASSESSOR, c.ITERATION}
    # The text of a passage is redundant if it has offsets.
    names = sorted(set(columns) - used - ({c.TEXT} if c.START in columns else set()))
    if not names:
        return ()
    noun = "column" if len(names) == 1 else "columns"
    return (InfoNote(f"ignored {noun} {', '.join(names)}: not part of judgements"),)


def require_relevance(frame: pl.DataFrame) -> None:
    """Raise if rows do not state relevance in any column; a missing grade is not a grade of 0."""
    used = [name for name in (*c.RELEVANCE_COLUMNS, c.START) if name in frame.columns]
    if not frame.columns:
        raise BadInput("qrels", [Problem(None, "no judgements")])
    if not used:
        missing = [name for name in (c.TOPIC, c.DOC) if name not in frame.columns]
        names = ", ".join(frame.columns) or "none"
        question = rename_question([c.GRADE, c.HIGHLIGHTS, c.START, c.END], frame.columns)
        reasons = [missing_columns(missing, frame.columns)] if missing else []
        reasons.append(
            "no column says what is relevant, 'grade', 'length', 'highlights' or 'start' and 'end',"
            f" or 'text' with docs= (found: {names}){question}"
        )
        error = BadInput("qrels", [Problem(None, reason) for reason in reasons])
        if not {c.SCORE, c.RANK}.isdisjoint(frame.columns):
            error.lead_with("this looks like a run, but judgements come first: were they swapped?")
        raise error
    blank = frame.select(pl.all_horizontal(pl.col(name).is_null() for name in used)).to_series()
    rows = blank.arg_true().to_list()
    if rows:
        reason = "grade, length and highlights are all missing"
        raise BadInput("qrels", [Problem(row + 1, reason) for row in rows])


def broken_rules(table: pl.DataFrame, passages: pl.DataFrame) -> list[Problem]:
    """Problems: invalid offsets, lengths, grades and names of topics."""
    start, end = pl.col(c.START), pl.col(c.END)
    rules = [
        (start < 0, "a passage has a negative offset"),
        (end < start, "a passage ends before it starts"),
        (end > LARGEST_OFFSET, f"an offset is larger than {LARGEST_OFFSET:,}"),
    ]
    problems = [
        Problem(table[c.LINE][row], reason)
        for is_broken, reason in rules
        for row in passages.filter(is_broken)[c.JUDGED].unique().to_list()
    ]
    reserved = table.filter(pl.col(c.TOPIC) == c.ALL_TOPICS).head(1)[c.LINE].to_list()
    reason = f"a topic cannot be called {c.ALL_TOPICS!r}, which is the name of the means' row"
    problems += [Problem(line, reason) for line in reserved]
    bounds = dict.fromkeys((c.LENGTH, c.ENTRY, c.STATED), (0, LARGEST_OFFSET))
    for name, (low, high) in {**bounds, c.GRADE: (-c.LARGEST_GRADE, c.LARGEST_GRADE)}.items():
        invalid_rows = table.filter(~pl.col(name).is_between(low, high)).select(c.LINE, name)
        problems += [
            Problem(line, f"{name} must be from {low:,.0f} to {high:,.0f}, got {value:g}")
            for line, value in invalid_rows.iter_rows()
        ]
    return problems


def qrels_notes(judgements: QrelsColumns, repeated: int) -> tuple[str, ...]:
    """Notes about the judgements: repeated documents, and sizes and grades that passages contradict."""
    notes = []
    if repeated:
        notes.append(
            f"{counted(repeated, 'repeated document')}: the passages are united, the first entry point"
            " is used"
        )
    sizes = _sizes(judgements)
    irrelevant = int(np.count_nonzero((judgements.grade <= 0) & (sizes > 0)))
    if irrelevant:
        notes.append(
            f"{counted(irrelevant, 'document')} with highlighted text and a grade of 0 or less: the text"
            " counts as relevant; leave out passages that are not"
        )
    stated = judgements.stated_size
    lacks_text = (stated > 0) & (sizes == 0)
    if lacks_text.any():
        documents = counted(int(np.count_nonzero(lacks_text)), "document")
        notes.append(
            f"{documents} with relevant characters but without passages: {judgements.missing_passages}"
        )
    differing = int(np.count_nonzero((stated >= 0) & (stated != sizes) & ~lacks_text))
    if differing:
        notes.append(
            f"{counted(differing, 'document')} with a stated relevant size that differs from the"
            " passages': the passages are used, except with --like inex_eval"
        )
    return tuple(notes)


def _sizes(judgements: QrelsColumns) -> Ints:
    """The characters in the passages of each document."""
    return totals(
        judgements.passage_row,
        judgements.passage_end - judgements.passage_start,
        len(judgements.stated_size),
    )


def united_rows(
    table: pl.DataFrame, passages: pl.DataFrame, aspects: pl.DataFrame | None = None
) -> tuple[pl.DataFrame, pl.DataFrame, list[Problem]]:
    """One row per topic, document and assessor; a problem where rows of a document cannot be united.

    Only rows with text or aspects can be united.
    """
    if not may_repeat(table):
        return table, passages, []
    keys = [name for name in (c.TOPIC, c.DOC, c.ASSESSOR) if name in table.columns]
    hint = (
        ""
        if c.ASSESSOR in keys
        else " (by several people? name them in 'assessor'; leave out irrelevant passages)"
    )
    is_first = table.select(pl.struct(keys).is_first_distinct()).to_series()
    highlights = passages.group_by(c.JUDGED).agg(pl.concat_list(c.START, c.END).alias(c.HIGHLIGHTS))
    rows = table.with_row_index(c.JUDGED).join(
        highlights, on=c.JUDGED, how="left", maintain_order="left"
    )
    # A column, because an expression would be evaluated over all passages for every document.
    is_textual = pl.any_horizontal(pl.col(c.LENGTH, c.STATED, c.HIGHLIGHTS).is_not_null())
    if aspects is not None and aspects.height:
        is_textual |= pl.col(c.JUDGED).is_in(aspects[c.JUDGED].to_list())
    rows = rows.with_columns(is_textual.alias(c.TEXTUAL))
    lengths, grades = (pl.col(name).drop_nulls().n_unique() for name in (c.LENGTH, c.GRADE))
    # A repeated line counts its relevant size once; sizes of different parts of a document add up.
    size_sum = pl.col(c.STATED).filter(pl.struct(c.STATED, c.HIGHLIGHTS).is_first_distinct()).sum()
    # Finding repeated lines is slow, and only INEX's judgements state sizes.
    size_sum = size_sum if table[c.STATED].count() else pl.first(c.STATED)
    groups = rows.group_by(keys, maintain_order=True).agg(
        pl.col(c.JUDGED, c.LINE),
        pl.col(c.LENGTH, c.GRADE, c.ENTRY).drop_nulls().first(),
        pl.when(~pl.col(c.TEXTUAL).any())
        .then(pl.lit("is judged twice"))
        .when(lengths > 1)
        .then(pl.lit("is judged twice with different lengths"))
        .when(grades > 1)
        .then(pl.lit(f"is judged twice with different grades{hint}"))
        .alias(c.PROBLEM),
        pl.when(pl.col(c.STATED).is_not_null().any()).then(size_sum),
    )
    repeated = groups.filter(pl.col(c.JUDGED).list.len() > 1)
    problems = [
        Problem(line, f"document {document!r} of topic {topic!r} {reason}")
        for line, document, topic, reason in repeated.drop_nulls(c.PROBLEM)
        .select(pl.col(c.LINE).list.get(1), c.DOC, c.TOPIC, c.PROBLEM)
        .iter_rows()
    ]
    row_of = groups.with_row_index(c.ROW).select(c.ROW, c.JUDGED).explode(c.JUDGED)
    passages = passages.with_columns(
        pl.col(c.JUDGED).replace_strict(row_of[c.JUDGED], row_of[c.ROW], return_dtype=pl.UInt32)
    )
    merged_values = groups.select(c.STATED, c.ENTRY, c.LENGTH, c.GRADE)
    return table.filter(is_first).with_columns(merged_values.get_columns()), passages, problems


def merged_passages(passages: pl.DataFrame, documents: int) -> pl.DataFrame:
    """The passages by document and start; overlapping ones are merged."""
    if not passages.height:
        return passages
    judged, start, end = united(
        passages[c.JUDGED].to_numpy().astype(np.int64),
        passages[c.START].to_numpy(),
        passages[c.END].to_numpy(),
        documents,
    )
    return pl.DataFrame({c.JUDGED: judged, c.START: start, c.END: end}, schema=c.PASSAGE_SCHEMA)
