"""Judgements as columns: what they must keep, what is odd, and the frames that are made of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Self

import numpy as np

from foveal.errors import BadInput, Problem, counted
from foveal.frozen import frozen
from foveal.late import hashlib, pl
from foveal.spans import LARGEST_OFFSET, Floats, Ints, totals, united
from foveal.tables import _columns as c
from foveal.tables._aliases import missing_and_meant, renaming
from foveal.tables._aspects import AspectColumns
from foveal.tables._names import Names, may_repeat
from foveal.tables._notes import InfoNote
from foveal.tables._run_columns import numbered

UNKNOWN = -1


@frozen(eq=False)
class QrelsColumns:
    """Every judged document's topic, name, length, entry point, grade, stated size and line.

    `topic` numbers the topics by first appearance, `topics` are their names. Numbers are -1, and
    grades not a number, where the file says nothing. Passages name the row of their document.
    `aspects` is None if the judgements name none.
    """

    topics: list[str]
    topic: Ints
    names: Names
    length: Ints
    entry: Ints
    grade: Floats
    stated: Ints
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

        def whole(name: str) -> Ints:
            return documents[name].fill_null(UNKNOWN).to_numpy()

        columns = cls(
            topics=documents[c.TOPIC].unique(maintain_order=True).to_list(),
            topic=numbered(documents[c.TOPIC]),
            names=Names(documents[c.DOC]),
            length=whole(c.LENGTH),
            entry=whole(c.ENTRY),
            grade=documents[c.GRADE].fill_null(np.nan).to_numpy(),
            stated=whole(c.STATED),
            line=documents[c.LINE].to_numpy(),
            passage_row=passages[c.JUDGED].to_numpy().astype(np.int64),
            passage_start=passages[c.START].to_numpy(),
            passage_end=passages[c.END].to_numpy(),
            aspects=aspects,
        )
        # The frames are what was given, not made again.
        columns.__dict__.update(documents=documents, passages=passages)
        return columns

    @cached_property
    def documents(self) -> pl.DataFrame:
        """A frame with a row per judged document."""

        def known(name: str, column: Ints | Floats, dtype: type[pl.DataType]) -> pl.Expr:
            values = pl.lit(pl.Series(name, column, dtype=dtype))
            told = pl.lit(pl.Series(column >= 0 if dtype == pl.Int64 else ~np.isnan(column)))
            return pl.when(told).then(values).alias(name)

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
            known(c.LENGTH, self.length, schema[c.LENGTH]),
            known(c.ENTRY, self.entry, schema[c.ENTRY]),
            known(c.GRADE, self.grade, schema[c.GRADE]),
            known(c.STATED, self.stated, schema[c.STATED]),
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
    def cut_off(self) -> str:
        """Where relevant characters are first stated but no passages follow; empty if nowhere."""
        rows = np.flatnonzero((self.stated > 0) & (_sizes(self) == 0))
        if not len(rows):
            return ""
        stated = counted(int(self.stated[rows[0]]), "relevant character")
        line = self.line[rows[0]]
        return f"line {line} states {stated}, but no passages follow (were columns cut off?)"

    def only(self, topics: Collection[str]) -> QrelsColumns:
        """The judgements of some topics."""
        listed = np.array([name in topics for name in self.topics], dtype=bool)
        if listed.all():
            return self
        kept = listed[self.topic]
        passages = kept[self.passage_row]
        return QrelsColumns(
            topics=[name for name in self.topics if name in topics],
            topic=(np.cumsum(listed) - 1)[self.topic[kept]],
            names=self.names.take(kept),
            length=self.length[kept],
            entry=self.entry[kept],
            grade=self.grade[kept],
            stated=self.stated[kept],
            line=self.line[kept],
            passage_row=(np.cumsum(kept) - 1)[self.passage_row[passages]],
            passage_start=self.passage_start[passages],
            passage_end=self.passage_end[passages],
            aspects=None if self.aspects is None else self.aspects.of_rows(kept),
        )

    @property
    def has_highlights(self) -> bool:
        """Whether the judgements speak of text, not only of documents."""
        return bool(len(self.passage_row)) or bool(np.all(self.stated != UNKNOWN))


def content_hash(judgements: QrelsColumns, repeated: Mapping[str, int]) -> str:
    """A hash of every judged document's topic, name, grade, entry point, passages and aspects.

    Topics that count more than once (`repeated`) make other judgements.
    """
    cuts = np.searchsorted(judgements.passage_row, np.arange(len(judgements.topic) + 1)).tolist()
    start, end = judgements.passage_start.tolist(), judgements.passage_end.tolist()
    lines = [
        json.dumps([judgements.topics[topic], name, grade, entry, start[a:b], end[a:b]])
        for topic, name, grade, entry, a, b in zip(
            judgements.topic.tolist(),
            judgements.names.strings(),
            judgements.grade.tolist(),
            judgements.entry.tolist(),
            cuts[:-1],
            cuts[1:],
            strict=True,
        )
    ]
    if judgements.aspects is not None:
        entries = judgements.aspects.by_row(len(lines))
        lines = [line + json.dumps(sorted(own)) for line, own in zip(lines, entries, strict=True)]
    lines += [json.dumps([topic, times]) for topic, times in repeated.items()]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def ignored(columns: Collection[str]) -> tuple[str, ...]:
    """The columns ignored: highlights under another name would be judgements of documents."""
    known = {*c.DOCUMENT_SCHEMA, *c.SPEAKS_OF_RELEVANCE, *c.PASSAGE_SCHEMA, c.ASSESSOR, c.ITERATION}
    # What a passage says is known by where it is.
    others = sorted(set(columns) - known - ({c.TEXT} if c.START in columns else set()))
    if not others:
        return ()
    noun = "column" if len(others) == 1 else "columns"
    return (InfoNote(f"ignored {noun} {', '.join(others)}: not part of judgements"),)


def refuse_silence(frame: pl.DataFrame) -> None:
    """Raise if rows do not say what they judge; a grade that is missing is not a grade of 0."""
    says = [name for name in (*c.SPEAKS_OF_RELEVANCE, c.START) if name in frame.columns]
    if not frame.columns:
        raise BadInput("qrels", [Problem(None, "no judgements")])
    if not says:
        absent = [name for name in (c.TOPIC, c.DOC) if name not in frame.columns]
        found = ", ".join(frame.columns) or "none"
        meant = renaming([c.GRADE, c.HIGHLIGHTS, c.START, c.END], frame.columns)
        reasons = [missing_and_meant(absent, frame.columns)] if absent else []
        reasons.append(
            "no column says what is relevant, 'grade', 'length', 'highlights' or 'start' and 'end',"
            f" or 'text' with docs= (found: {found}){meant}"
        )
        error = BadInput("qrels", [Problem(None, reason) for reason in reasons])
        if not {c.SCORE, c.RANK}.isdisjoint(frame.columns):
            error.lead_with("this looks like a run, but judgements come first: were they swapped?")
        raise error
    silent = frame.select(pl.all_horizontal(pl.col(name).is_null() for name in says)).to_series()
    rows = silent.arg_true().to_list()
    if rows:
        reason = "grade, length and highlights are all missing"
        raise BadInput("qrels", [Problem(row + 1, reason) for row in rows])


def broken_rules(table: pl.DataFrame, passages: pl.DataFrame) -> list[Problem]:
    """Offsets, lengths, grades and names that cannot be."""
    start, end = pl.col(c.START), pl.col(c.END)
    rules = [
        (start < 0, "a passage has a negative offset"),
        (end < start, "a passage ends before it starts"),
        (end > LARGEST_OFFSET, f"an offset is larger than {LARGEST_OFFSET:,}"),
    ]
    problems = [
        Problem(table[c.LINE][row], reason)
        for broken, reason in rules
        for row in passages.filter(broken)[c.JUDGED].unique().to_list()
    ]
    reserved = table.filter(pl.col(c.TOPIC) == c.ALL_TOPICS).head(1)[c.LINE].to_list()
    reason = f"a topic cannot be called {c.ALL_TOPICS!r}, which is the name of the means' row"
    problems += [Problem(line, reason) for line in reserved]
    bounds = dict.fromkeys((c.LENGTH, c.ENTRY, c.STATED), (0, LARGEST_OFFSET))
    for name, (least, most) in {**bounds, c.GRADE: (-c.LARGEST_GRADE, c.LARGEST_GRADE)}.items():
        wrong = table.filter(~pl.col(name).is_between(least, most)).select(c.LINE, name)
        problems += [
            Problem(line, f"{name} must be from {least:,.0f} to {most:,.0f}, got {value:g}")
            for line, value in wrong.iter_rows()
        ]
    return problems


def oddities(judgements: QrelsColumns, repeated: int) -> tuple[str, ...]:
    """What a reader of the judgements should know."""
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
    stated = judgements.stated
    bare = (stated > 0) & (sizes == 0)
    if bare.any():
        documents = counted(int(np.count_nonzero(bare)), "document")
        notes.append(
            f"{documents} with relevant characters but without passages: {judgements.cut_off}"
        )
    disagreeing = int(np.count_nonzero((stated >= 0) & (stated != sizes) & ~bare))
    if disagreeing:
        notes.append(
            f"{counted(disagreeing, 'document')} with a stated relevant size that differs from the"
            " passages': the passages are used, except with --like inex_eval"
        )
    return tuple(notes)


def _sizes(judgements: QrelsColumns) -> Ints:
    """The characters in the passages of each document."""
    return totals(
        judgements.passage_row,
        judgements.passage_end - judgements.passage_start,
        len(judgements.stated),
    )


def united_rows(
    table: pl.DataFrame, passages: pl.DataFrame, aspects: pl.DataFrame | None = None
) -> tuple[pl.DataFrame, pl.DataFrame, list[Problem]]:
    """One row per topic, document and assessor; a problem where rows of a document cannot be united.

    Rows that speak of text or of aspects can be.
    """
    if not may_repeat(table):
        return table, passages, []
    keys = [name for name in (c.TOPIC, c.DOC, c.ASSESSOR) if name in table.columns]
    hint = (
        ""
        if c.ASSESSOR in keys
        else " (by several people? name them in 'assessor'; leave out irrelevant passages)"
    )
    first = table.select(pl.struct(keys).is_first_distinct()).to_series()
    spoken = passages.group_by(c.JUDGED).agg(pl.concat_list(c.START, c.END).alias(c.HIGHLIGHTS))
    rows = table.with_row_index(c.JUDGED).join(
        spoken, on=c.JUDGED, how="left", maintain_order="left"
    )
    # A column, because an expression would look into all passages again for every document.
    says_text = pl.any_horizontal(pl.col(c.LENGTH, c.STATED, c.HIGHLIGHTS).is_not_null())
    if aspects is not None and aspects.height:
        says_text |= pl.col(c.JUDGED).is_in(aspects[c.JUDGED].to_list())
    rows = rows.with_columns(says_text.alias(c.TEXTUAL))
    lengths, grades = (pl.col(name).drop_nulls().n_unique() for name in (c.LENGTH, c.GRADE))
    # A line given twice states its relevant size once; the parts of a document add up.
    stated = pl.col(c.STATED).filter(pl.struct(c.STATED, c.HIGHLIGHTS).is_first_distinct()).sum()
    # Looking for such lines is slow, and only INEX's judgements state sizes.
    stated = stated if table[c.STATED].count() else pl.first(c.STATED)
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
        pl.when(pl.col(c.STATED).is_not_null().any()).then(stated),
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
    kept = groups.select(c.STATED, c.ENTRY, c.LENGTH, c.GRADE)
    return table.filter(first).with_columns(kept.get_columns()), passages, problems


def disjoint(passages: pl.DataFrame, documents: int) -> pl.DataFrame:
    """The passages of each of some documents, overlapping ones merged, in order."""
    if not passages.height:
        return passages
    judged, start, end = united(
        passages[c.JUDGED].to_numpy().astype(np.int64),
        passages[c.START].to_numpy(),
        passages[c.END].to_numpy(),
        documents,
    )
    return pl.DataFrame({c.JUDGED: judged, c.START: start, c.END: end}, schema=c.PASSAGE_SCHEMA)
