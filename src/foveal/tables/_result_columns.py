"""The results of a run as columns: what alignment reads, and the frame that is made of them."""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np

from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Bools, Floats, Ints
from foveal.tables import _columns as c
from foveal.tables._names import Names
from foveal.tables._result_rules import is_unplaced
from foveal.tables._series_names import SeriesNames
from foveal.tables._topic_column import TopicColumn, stretches


@frozen(eq=False)
class ResultColumns:
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
            documents=SeriesNames(frame[c.DOC]),
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

    def taken(self, rows: Ints | Bools) -> ResultColumns:
        """Some of the results in some order; what is known of their topics stays with the asker."""
        return ResultColumns(
            topics=self.topics,
            topic=self.topic,
            documents=self.documents.taken(rows),
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
