"""The aspects of what is relevant: subtopics, nuggets, groups of evidence."""

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

WHOLE = -1
STATED_BY_NOBODY = 1.0


@frozen(eq=False)
class AspectColumns:
    """Which aspects documents have and where, an entry per document, aspect and passage.

    `row` is the row of the judged document, `aspect` a number into `names`; the same name in two
    topics is two aspects. `start` and `end` are both -1 where the document as a whole has the
    aspect. `grade` is 1 where none was stated, and the same for all passages of a document that
    have the aspect. Entries are by row; of each document those of a passage are together, passages
    in the order of the file, the whole document last. Passages may overlap: they are kept before
    those of the judgements are merged.
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
        number = frame[c.ASPECT].replace_strict(
            names, pl.int_range(len(names), eager=True), return_dtype=pl.Int64
        )
        return cls(
            row=frame[c.JUDGED].to_numpy().astype(np.int64),
            aspect=number.to_numpy(),
            names=names.to_list(),
            start=frame[c.START].fill_null(WHOLE).to_numpy(),
            end=frame[c.END].fill_null(WHOLE).to_numpy(),
            grade=frame[c.GRADE].fill_null(STATED_BY_NOBODY).to_numpy(),
        )

    def __len__(self) -> int:
        return len(self.row)

    @property
    def is_whole(self) -> Bools:
        """Which entries are about a whole document."""
        whole: Bools = self.start == WHOLE
        return whole

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

    def where(self, kept: Bools | Ints) -> AspectColumns:
        """Some of the entries, marked or by number."""
        columns = ("row", "aspect", "start", "end", "grade")
        return replace(self, **{name: getattr(self, name)[kept] for name in columns})

    def of_rows(self, kept: Bools) -> AspectColumns:
        """The aspects of some documents, marked by row, whose rows are numbered anew."""
        own = self.where(kept[self.row])
        return replace(own, row=(np.cumsum(kept) - 1)[own.row])

    def passage_places(self, highlights: Highlights) -> Ints:
        """The highlight that holds each entry's passage, -1 for whole documents.

        A passage is within one highlight, because overlapping passages were merged into it.
        """
        entry = np.flatnonzero(~self.is_whole)
        own, highlight, _ = highlights.overlaps(self.row[entry], self.start[entry], self.end[entry])
        place = np.full(len(self), WHOLE, dtype=np.int64)
        place[entry[own]] = highlight
        return place

    def by_row(self, documents: int) -> list[list[tuple[str, int, int, float]]]:
        """The entries of each document: aspect, start, end and grade."""
        entries: list[list[tuple[str, int, int, float]]] = [[] for _ in range(documents)]
        columns = (self.row, self.aspect, self.start, self.end, self.grade)
        for row, aspect, start, end, grade in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            entries[row].append((self.names[aspect], start, end, grade))
        return entries


def same_aspects(one: AspectColumns | None, other: AspectColumns | None) -> bool:
    """Whether judgements name the same aspects at the same places, or none."""
    if one is None or other is None:
        return one is other
    return one.frame.equals(other.frame)


def with_names(aspects: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
    """The entries with the topic, document, line and assessor of their row, numbered no more."""
    named = [name for name in (c.TOPIC, c.DOC, c.LINE, c.ASSESSOR) if name in table.columns]
    rows = aspects[c.JUDGED]
    filled = pl.col(c.GRADE).fill_null(STATED_BY_NOBODY)
    own = aspects.drop(c.JUDGED).with_columns(filled)
    return own.with_columns(table[name].gather(rows) for name in named)


def aspect_problems(named: pl.DataFrame) -> list[Problem]:
    """Aspects that are judged twice, empty passages of them, and grades that cannot be."""
    keys = [name for name in (c.TOPIC, c.DOC, c.ASSESSOR, c.ASPECT) if name in named.columns]
    whole = pl.col(c.START).is_null() & pl.col(c.END).is_null()
    reasons = named.group_by(keys, maintain_order=True).agg(
        # The second line is where the contradiction shows.
        pl.col(c.LINE).get(pl.min_horizontal(pl.len() - 1, 1)),
        pl.when(pl.col(c.GRADE).n_unique() > 1)
        .then(pl.lit("is judged twice with different grades"))
        .when(whole.sum().is_between(1, pl.len() - 1))
        .then(pl.lit("is given for the whole document and for passages of it: leave out one"))
        .when(whole.sum() > 1)
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


def numbered_aspects(named: pl.DataFrame, documents: pl.DataFrame, whose: str) -> AspectColumns:
    """The entries by the rows of the judged documents, those of all assessors or of one.

    `whose` are the assessors that count. Of aspects that several of them name, the highest grade
    counts; passages are more exact than the whole document.
    """
    if c.ASSESSOR in named.columns and whose == Assessors.MAJORITY:
        raise UsageError(
            f"assessors must be {Assessors.UNION} or a name where judgements name aspects, got"
            f" {Assessors.MAJORITY.value!r}"
        )
    if c.ASSESSOR in named.columns and whose != Assessors.UNION:
        named = named.filter(pl.col(c.ASSESSOR) == whose)
    rows = documents.select(c.TOPIC, c.DOC).with_row_index(c.JUDGED)
    found = named.join(rows, on=[c.TOPIC, c.DOC], maintain_order="left")
    of_aspect = [c.JUDGED, c.ASPECT]
    found = found.with_columns(pl.col(c.GRADE).max().over(of_aspect)).filter(
        pl.col(c.START).is_not_null() | pl.col(c.START).is_null().all().over(of_aspect)
    )
    found = found.unique([*of_aspect, c.START, c.END], keep="first", maintain_order=True)
    passage = pl.int_range(pl.len()).min().over(c.JUDGED, c.START, c.END)
    by_passage = [c.JUDGED, pl.col(c.START).is_null(), passage]
    return AspectColumns.of_frame(found.sort(by_passage, maintain_order=True))


def with_aspect_grades(
    documents: pl.DataFrame, passages: pl.DataFrame, aspects: AspectColumns
) -> pl.DataFrame:
    """The documents with a grade where their aspects alone say that they are relevant.

    It is the highest grade of the aspects; a document with passages or a grade of its own needs
    none.
    """
    highest = np.full(documents.height, -np.inf)
    np.maximum.at(highest, aspects.row[aspects.is_whole], aspects.grade[aspects.is_whole])
    told = np.isfinite(highest)
    told[passages[c.JUDGED].to_numpy()] = False
    given = pl.when(pl.lit(pl.Series(told))).then(pl.lit(pl.Series(highest)))
    return documents.with_columns(pl.coalesce(c.GRADE, given).alias(c.GRADE))
