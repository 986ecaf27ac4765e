"""Aspects that relevant documents and passages cover: subtopics, nuggets, groups of evidence."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np

from foveal.choices import Assessors
from foveal.errors import Problem, UsageError
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Bools, Floats, Highlights, Ints
from foveal.tables import _columns as c

WHOLE_DOCUMENT = -1
DEFAULT_GRADE = 1.0


@frozen(eq=False)
class AspectColumns:
    """Aspects of documents and their passages: an entry per document, aspect and passage.

    `row` is the row of the judged document, `aspect` an index into `names`; the same name in two
    topics is two aspects. `start` and `end` are both -1 where the document as a whole has the
    aspect. `grade` is 1 if none was stated, and is the same for all passages of a document that
    have the aspect. Entries are in order of row; within a document, passages come in the order of
    the file, each with all its entries, and the whole document comes last. Passages may overlap:
    they are taken before those of the judgements are merged.
    """

    row: Ints
    aspect: Ints
    names: list[str]
    start: Ints
    end: Ints
    grade: Floats

    @classmethod
    def of_frame(cls, frame: pl.DataFrame) -> Self:
        """The columns of a frame with a row per entry, sorted by document."""
        names = frame[c.ASPECT].unique(maintain_order=True)
        index = frame[c.ASPECT].replace_strict(
            names, pl.int_range(len(names), eager=True), return_dtype=pl.Int64
        )
        return cls(
            row=frame[c.JUDGED].to_numpy().astype(np.int64),
            aspect=index.to_numpy(),
            names=names.to_list(),
            start=frame[c.START].fill_null(WHOLE_DOCUMENT).to_numpy(),
            end=frame[c.END].fill_null(WHOLE_DOCUMENT).to_numpy(),
            grade=frame[c.GRADE].fill_null(DEFAULT_GRADE).to_numpy(),
        )

    def __len__(self) -> int:
        return len(self.row)

    @property
    def is_whole(self) -> Bools:
        """Mask: entries about a whole document."""
        is_whole: Bools = self.start == WHOLE_DOCUMENT
        return is_whole

    @cached_property
    def frame(self) -> pl.DataFrame:
        """A frame with a row per entry; start and end are null for a whole document."""
        offsets = [
            pl.when(pl.lit(pl.Series(~self.is_whole))).then(pl.col(name)).alias(name)
            for name in (c.START, c.END)
        ]
        return pl.DataFrame(
            {
                c.JUDGED: self.row,
                c.ASPECT: pl.Series(self.names, dtype=pl.String).gather(self.aspect),
                c.START: self.start,
                c.END: self.end,
                c.GRADE: self.grade,
            },
            schema=c.ASPECT_SCHEMA,
        ).with_columns(offsets)

    def where(self, rows: Bools | Ints) -> AspectColumns:
        """The entries of a mask or with these indices."""
        columns = ("row", "aspect", "start", "end", "grade")
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})

    def of_rows(self, keep: Bools) -> AspectColumns:
        """The aspects of the documents to keep, whose rows are renumbered."""
        entries = self.where(keep[self.row])
        return replace(entries, row=(np.cumsum(keep) - 1)[entries.row])

    def highlight_indices(self, highlights: Highlights) -> Ints:
        """The highlight that holds each entry's passage, -1 for whole documents.

        A passage is within one highlight, because overlapping passages were merged into it.
        """
        part = np.flatnonzero(~self.is_whole)
        span, highlight, _ = highlights.overlaps(self.row[part], self.start[part], self.end[part])
        indices = np.full(len(self), WHOLE_DOCUMENT, dtype=np.int64)
        indices[part[span]] = highlight
        return indices

    def by_row(self, documents: int) -> list[list[tuple[str, int, int, float]]]:
        """The entries of each document: aspect, start, end and grade."""
        entries: list[list[tuple[str, int, int, float]]] = [[] for _ in range(documents)]
        columns = (self.row, self.aspect, self.start, self.end, self.grade)
        for row, aspect, start, end, grade in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            entries[row].append((self.names[aspect], start, end, grade))
        return entries


def same_aspects(first: AspectColumns | None, second: AspectColumns | None) -> bool:
    """Whether two tables of aspects are equal, or both absent."""
    if first is None or second is None:
        return first is second
    return first.frame.equals(second.frame)


def with_row_columns(aspects: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
    """The entries with the topic, document, line and assessor instead of their row."""
    names = [name for name in (c.TOPIC, c.DOC, c.LINE, c.ASSESSOR) if name in table.columns]
    rows = aspects[c.JUDGED]
    grade = pl.col(c.GRADE).fill_null(DEFAULT_GRADE)
    entries = aspects.drop(c.JUDGED).with_columns(grade)
    return entries.with_columns(table[name].gather(rows) for name in names)


def aspect_problems(aspects: pl.DataFrame) -> list[Problem]:
    """Problems: aspects judged twice, aspects of empty passages, and invalid grades."""
    keys = [name for name in (c.TOPIC, c.DOC, c.ASSESSOR, c.ASPECT) if name in aspects.columns]
    is_whole = pl.col(c.START).is_null() & pl.col(c.END).is_null()
    reasons = aspects.group_by(keys, maintain_order=True).agg(
        # The second line is where the contradiction shows.
        pl.col(c.LINE).get(pl.min_horizontal(pl.len() - 1, 1)),
        pl.when(pl.col(c.GRADE).n_unique() > 1)
        .then(pl.lit("is judged twice with different grades"))
        .when(is_whole.sum().is_between(1, pl.len() - 1))
        .then(pl.lit("is given for the whole document and for passages of it: leave out one"))
        .when(is_whole.sum() > 1)
        .then(pl.lit("is judged twice"))
        .when((pl.col(c.START) == pl.col(c.END)).any())
        .then(pl.lit("has an empty passage: leave it out"))
        .when(~pl.col(c.GRADE).is_between(-c.LARGEST_GRADE, c.LARGEST_GRADE).all())
        .then(pl.lit(f"has a grade beyond {c.LARGEST_GRADE:,.0f}"))
        .alias(c.PROBLEM),
    )
    return [
        Problem(line, f"aspect {aspect!r} of document {document!r} in topic {topic!r} {reason}")
        for line, aspect, document, topic, reason in reasons.drop_nulls(c.PROBLEM)
        .select(c.LINE, c.ASPECT, c.DOC, c.TOPIC, c.PROBLEM)
        .iter_rows()
    ]


def numbered_aspects(aspects: pl.DataFrame, documents: pl.DataFrame, choice: str) -> AspectColumns:
    """The entries of all assessors or of one, by the row of their document.

    `choice` says whose entries count. If several assessors name an aspect, its highest grade
    counts, and passages replace an entry for the whole document.
    """
    if c.ASSESSOR in aspects.columns and choice == Assessors.MAJORITY:
        raise UsageError(
            f"assessors must be {Assessors.UNION} or a name where judgements name aspects, got"
            f" {Assessors.MAJORITY.value!r}"
        )
    if c.ASSESSOR in aspects.columns and choice != Assessors.UNION:
        aspects = aspects.filter(pl.col(c.ASSESSOR) == choice)
    rows = documents.select(c.TOPIC, c.DOC).with_row_index(c.JUDGED)
    entries = aspects.join(rows, on=[c.TOPIC, c.DOC], maintain_order="left")
    document_aspect = [c.JUDGED, c.ASPECT]
    entries = entries.with_columns(pl.col(c.GRADE).max().over(document_aspect)).filter(
        pl.col(c.START).is_not_null() | pl.col(c.START).is_null().all().over(document_aspect)
    )
    entries = entries.unique([*document_aspect, c.START, c.END], keep="first", maintain_order=True)
    passage = pl.int_range(pl.len()).min().over(c.JUDGED, c.START, c.END)
    by_passage = [c.JUDGED, pl.col(c.START).is_null(), passage]
    return AspectColumns.of_frame(entries.sort(by_passage, maintain_order=True))


def with_aspect_grades(
    documents: pl.DataFrame, passages: pl.DataFrame, aspects: AspectColumns
) -> pl.DataFrame:
    """Grade documents that have neither passages nor a grade by their aspects' highest grade."""
    highest = np.full(documents.height, -np.inf)
    np.maximum.at(highest, aspects.row[aspects.is_whole], aspects.grade[aspects.is_whole])
    has_grade = np.isfinite(highest)
    has_grade[passages[c.JUDGED].to_numpy()] = False
    highest_grade = pl.when(pl.lit(pl.Series(has_grade))).then(pl.lit(pl.Series(highest)))
    return documents.with_columns(pl.coalesce(c.GRADE, highest_grade).alias(c.GRADE))
