"""Judgements as columns: what alignment reads, and the frames that are made of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from foveal.frozen import frozen
from foveal.late import hashlib, pl
from foveal.tables import _columns as c
from foveal.tables._aspects import AspectColumns
from foveal.tables._names import Names
from foveal.tables._result_columns import numbered
from foveal.tables._series_names import SeriesNames

if TYPE_CHECKING:
    from foveal.spans import Floats, Ints

UNKNOWN = -1


@frozen(eq=False)
class JudgementColumns:
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
        cls,
        documents: pl.DataFrame,
        passages: pl.DataFrame,
        aspects: AspectColumns | None = None,
    ) -> Self:
        """The columns of a frame of documents and one of passages."""

        def whole(name: str) -> Ints:
            return documents[name].fill_null(UNKNOWN).to_numpy()

        columns = cls(
            topics=documents[c.TOPIC].unique(maintain_order=True).to_list(),
            topic=numbered(documents[c.TOPIC]),
            names=SeriesNames(documents[c.DOC]),
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
            {
                c.JUDGED: self.passage_row,
                c.START: self.passage_start,
                c.END: self.passage_end,
            },
            schema=c.PASSAGE_SCHEMA,
        )

    def only(self, topics: Collection[str]) -> JudgementColumns:
        """The judgements of some topics."""
        listed = np.array([name in topics for name in self.topics], dtype=bool)
        if listed.all():
            return self
        kept = listed[self.topic]
        passages = kept[self.passage_row]
        return JudgementColumns(
            topics=[name for name in self.topics if name in topics],
            topic=(np.cumsum(listed) - 1)[self.topic[kept]],
            names=self.names.taken(kept),
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


def content_hash(judgements: JudgementColumns, repeated: Mapping[str, int]) -> str:
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
